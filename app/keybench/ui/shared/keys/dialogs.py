"""The dialogs about a key: its owner and purpose, its value, and an application that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.ui.kit.choosers import quiet_combo
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, text_field
from keybench.ui.shared.environment_cells import environment_words
from keybench.ui.shared.keys.form import ValueField
from keybench.ui.shared.session import Notice, NoticeTone, Session
from keybench.words.keys.states import hint_sentence
from keybench.words.language import _
from keybench.workflows.keys.add import AddedKey
from keybench.workflows.keys.applications import ApplicationDraft

WORKS: Final = _("The value it has was accepted. To replace it, rotate the key.")
_VALUE_LINES: Final = 3


async def ask_owner_and_purpose(parent: QWidget, session: Session, row: InventoryRow) -> SecurityKey | None:
    """Ask for both until they are kept; return the key as it is then known, or None if the person left it."""
    owner = text_field(
        _("Owner"), row.key.owner, id="owner", required=False, hint=_("Who answers for this key")
    )
    purpose = text_field(
        _("Purpose"),
        row.key.purpose,
        id="purpose",
        what="purpose",
        required=False,
        hint=_("What it is used for"),
    )
    dialog = Dialog(
        parent,
        title=_("Owner and purpose of “{name}”").format(name=row.key.name),
        confirm=_("Save"),
        content=Form(owner, purpose),
    )
    edit = session.administration.inventory.edit
    return await dialog.keep(lambda: edit(row.key, owner.text, purpose.text))


class ValueDialog(Dialog):
    """Asks for a key's value, which was created in the portal; the field shows only dots."""

    def __init__(self, parent: QWidget, session: Session, row: InventoryRow) -> None:
        keystore = session.console.keystore_status.name
        self.field = ValueField(lines=_VALUE_LINES)
        self.field.watch(session, row.key.id)
        self.field.show_kind(row.key.kind)
        super().__init__(
            parent,
            title=_("Give “{name}” a value").format(name=row.key.name),
            text=_(
                "{environment_words}: copy the value from the portal and paste it here. "
                "It is kept in {keystore} and nowhere else.{before}"
            ).format(environment_words=environment_words(row), keystore=keystore, before=_before(row)),
            confirm=_("Save"),
            content=Form(self.field),
        )

    def take(self) -> str:
        """Return what was pasted, and empty the field."""
        pasted = self.field.text
        self.field.reset()
        return pasted

    def done(self, result: int) -> None:
        if not result:
            self.field.reset()
        super().done(result)


def _before(row: InventoryRow) -> str:
    if not row.key.fingerprint:
        return ""
    if row.key.has_value:
        return _(" The value it has now, {fingerprint}, is gone then.").format(
            fingerprint=row.key.fingerprint
        )
    return _(" Its fingerprint was {fingerprint}.").format(fingerprint=row.key.fingerprint)


async def ask_value(parent: QWidget, session: Session, row: InventoryRow) -> AddedKey | None:
    """Ask for a key's value until it is kept; return the key then, or None if the person left it."""
    dialog = ValueDialog(parent, session, row)
    give = session.administration.inventory.give_value
    return await dialog.keep(lambda: give(row.environment, row.key, dialog.take()))


async def give_value(parent: QWidget, session: Session, row: InventoryRow) -> bool:
    added = await ask_value(parent, session, row)
    if added:
        title = _("“{name}” has a value").format(name=added.key.name)
        tone: NoticeTone = "warning" if added.hint else "good"
        session.notify(Notice(tone, title, value_words(row.key, added), "value given"))
    return added is not None


def value_words(before: SecurityKey, added: AddedKey) -> str:
    parts = [_("Its fingerprint is {fingerprint}.").format(fingerprint=added.key.fingerprint)]
    if before.fingerprint and before.fingerprint != added.key.fingerprint:
        parts.append(
            _("Before it was {fingerprint}: this is another value.").format(fingerprint=before.fingerprint)
        )
    parts += [hint_sentence(added.hint), _("Test it to see whether the gateway takes it.")]
    return " ".join(filter(None, parts))


_NOTHING: Final = ApplicationDraft("")


class ApplicationDialog(Dialog):
    """Asks for what there is to know of an application."""

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        confirm: str,
        text: str = "",
        keys: Sequence[InventoryRow] = (),
        draft: ApplicationDraft = _NOTHING,
        key_id: str = "",
    ) -> None:
        self._keys = tuple(keys)
        self.key = quiet_combo(editable=False)
        form = Form(
            text_field(
                _("Application"),
                draft.name,
                id="name",
                hint=_("A program, a till, a report that uses the key"),
            )
        )
        if len(keys) > 1:
            for row in keys:
                self.key.addItem(f"{row.key.name} · {environment_words(row)}", row.key.id)
            self.key.setCurrentIndex(max(self.key.findData(key_id), 0))
            form.add(Field(_("Key"), self.key, id="key", lines=0))
        form.add(
            text_field(_("Owner"), draft.owner, id="owner", required=False, hint=_("Who looks after it")),
            text_field(_("Contact"), draft.contact, id="contact", required=False),
        )
        where, how = _("Where the key is set"), _("How to change it there and restart")
        form.add(
            text_field(where, draft.place, id="place", required=False, hint=_("Such as PAYMENT_KEY on web-1"))
        )
        form.add(text_field(how, draft.instructions, id="instructions", lines=3, required=False))
        if len(keys) == 1:
            text = _("It uses “{name}” ({environment_words}).").format(
                name=keys[0].key.name, environment_words=environment_words(keys[0])
            )
        super().__init__(parent, title=title, text=text, confirm=confirm, content=form)
        self._form = form

    @property
    def chosen(self) -> InventoryRow:
        chosen = self.key.currentData()
        return next((row for row in self._keys if row.key.id == chosen), self._keys[0])

    @property
    def draft(self) -> ApplicationDraft:
        values = self._form.values()
        values.pop("key", None)
        return ApplicationDraft(**values)
