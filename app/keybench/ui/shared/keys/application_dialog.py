"""The dialog about an application: its name, its key, who looks after it, how the key is changed there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, text_field
from keybench.ui.shared.environment_cells import environment_words
from keybench.words.language import _
from keybench.workflows.keys.applications import ApplicationDraft

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
        self.key = ComboBox()
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
