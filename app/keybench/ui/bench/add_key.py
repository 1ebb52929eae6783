"""Add a New Key, in place of the list: created by the gateway where it can, else brought from the portal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError, KeyNotNoted, KeyUnsettled
from keybench.core.input_errors import NameTaken, NotFound, ValueMisplaced
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey, SettledKey
from keybench.core.ports import ContractFacts, PortalUser
from keybench.ui.kit.boxes import WrappingRow, bring_into_sight, framed, in_column, in_row
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import MessageLabel, button, label, prose
from keybench.ui.shared.keys.form import KeyForm
from keybench.ui.shared.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.keys.states import settled_words
from keybench.words.language import _
from keybench.workflows.keys.add import AddedKey

#: What is entered for a first sale; username and permission are what the gateway offers.
_FIRST: Final = KeyDraft(
    name=_("practice till"),
    username="",
    permission="",
    kind=KeyKind.PRIVATE,
    purpose=_("First practice sale"),
)
_STEPS: Final = (_("Name it in the portal"), _("Bring the value here"), _("Test"))


class AddKeyView(QWidget):
    """The form with its buttons for the environment shown. A new one is made each time it is opened.

    Signals:
        left: The person goes back to the list: with what was typed worth keeping (a `KeyDraft`), or None.
        added: The key is kept (an `AddedKey`).
    """

    left = Signal(object)
    added = Signal(object)

    def __init__(
        self, session: Session, keys: Sequence[SecurityKey], draft: KeyDraft | None, *, is_first: bool = False
    ) -> None:
        super().__init__()
        self._session = session
        self._is_first = is_first and draft is None
        self.environment: Environment = session.environment
        self._over = False
        self._task = f"add key {id(self)}"
        self._facts: ContractFacts = session.console.environments.facts(self.environment)
        self.form = KeyForm(self._facts, keys)
        self.form.value.watch(session)
        self.form.edited.connect(self._on_edited)
        self._verb = _("Create") if self._facts.can_create_keys else _("Save key")
        self.add_button = button(self._verb, self.add, tone="primary", others=(_("Creating…"), _("Saving…")))
        self.cancel_button = button(_("Cancel"), self._cancel)
        self.find_button = button(_("Find out now"), self._find_out)
        self.find_button.hide()
        self._unsettled, self._entered = "", draft
        self._portal_button = button(_("Open the portal page"), self._open_portal)
        self.step = label("", "strong")
        self.message_label = MessageLabel()
        self._reason = prose(
            _(
                "Why the portal? This gateway offers no call that makes a merchant's key. Make the key in the "
                "portal and bring its value here. It is kept in {keystore} and nowhere else."
            ).format(keystore=session.console.keystore_status.name),
            "dim",
        )
        self._lay_out()
        if self._facts.can_create_keys:
            for part in (self.step, self._portal_button, self._reason):
                part.hide()
        if draft or self._is_first:
            self.form.load(draft or replace(_FIRST, permission=self.form.permission.text))
        self._on_edited()
        if self._facts.can_list_users:
            self.form.user_box.setPlaceholderText(_("Loading users…"))
            chosen = draft.username if draft else ""
            self.form.list_users(session, self.environment, partial(self._chosen_of, chosen))

    @property
    def portal_url(self) -> str:
        return self._facts.portal_page(self.environment)

    def begin(self) -> None:
        """Give the keyboard to the first field; what is typed takes the place of what was entered for them."""
        editor = self.form.name.editor
        editor.setFocus(Qt.FocusReason.OtherFocusReason)
        bring_into_sight(self)
        if self._is_first and isinstance(editor, QLineEdit):
            editor.selectAll()

    def add(self) -> None:
        """Check the form and have the key created or kept; a fault gets the keyboard instead."""
        if not self.add_button.isEnabled():
            return
        if self.form.first_fault():
            return
        self._show_busy(busy=True)
        self._show_message("")
        work = self._add(self.form.draft(), self.form.value.text)
        self._session.run(self._task, work, on_error=self._failed)

    def leave(self, *, keep_draft: bool) -> None:
        """Go back to the list, once; the value is never kept."""
        if self._over:
            return
        self._over = True
        self.form.value.reset()
        draft = self.form.draft()
        worth_keeping = keep_draft and any((draft.name, draft.username, draft.purpose))
        self.left.emit(draft if worth_keeping else None)

    def take_settled(self, settled: SettledKey) -> bool:
        """Show how the key turned out that was to be added here; tell whether it was that one."""
        if settled.plan.making.key_id != self._unsettled:
            return False
        if not self._session.supervisor.is_running(self._task):  # else another is made, and shown then
            self._show_settled(settled)
        return True

    # --- adding --------------------------------------------------------------------------------------

    async def _add(self, draft: KeyDraft, pasted: str) -> None:
        adding = self._session.console.add_key
        if self._unsettled and draft != self._entered:  # another key is wanted now
            await adding.withdraw(self._unsettled)
        self._entered = draft
        if self._facts.can_create_keys:
            added = await adding.create(self.environment, draft)
        else:
            added = await adding.keep(self.environment, draft, pasted)
        if self._over:
            where = _("It is in {name}.").format(name=self.environment.name)
            self._session.notify(Notice("good", _("“{name}” was added.").format(name=added.key.name), where))
            return
        self._over = True
        self.form.value.reset()
        self.added.emit(added)

    def _find_out(self) -> None:
        """Find out how the key turned out; `take_settled` is called with that."""
        self._show_busy(busy=True)
        work = self._session.console.add_key.settle(self._unsettled)
        self._session.run(f"find out {id(self)}", work, on_error=self._not_found_out)

    def _not_found_out(self, error: KeybenchError) -> None:
        if not isinstance(error, NotFound):
            self._failed(error)
        elif not self._over:  # another task was faster
            self._unsettled = ""
            self._show_busy(busy=False)

    def _show_settled(self, settled: SettledKey) -> None:
        self._unsettled = ""
        if settled.key:
            self._over = True
            self.added.emit(AddedKey(settled.key))
            return
        self._show_busy(busy=False)
        words = settled_words(settled)
        self._show_message(
            _("{title} {text} {verb} adds it again.").format(
                title=words.title, text=words.text, verb=self._verb
            ),
            words.tone,
        )

    def _failed(self, error: KeybenchError) -> None:
        words = explain(error)
        is_open = isinstance(error, KeyUnsettled | KeyNotNoted)
        if self._over:
            title = words.title if is_open else _("The key was not added. {title}").format(title=words.title)
            self._session.notify(Notice("bad", title, words.text))
            return
        self._unsettled = error.key_id if isinstance(error, KeyUnsettled | KeyNotNoted) else ""
        self._show_busy(busy=False)
        if not self.isVisible():
            self.form.value.reset()
        if isinstance(error, NameTaken | ValueMisplaced):
            self.form.show_error(error)
        else:
            self._show_message(error_text(error))
            if self.isVisible():
                self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_busy(self, *, busy: bool) -> None:
        doing = _("Creating…") if self._facts.can_create_keys else _("Saving…")
        self.add_button.setText(doing if busy else self._verb)
        buttons = self.add_button, self.cancel_button, self._portal_button, self.find_button
        for part in (self.form, *buttons):
            part.setEnabled(not busy)
        self.find_button.setVisible(bool(self._unsettled))

    def _show_message(self, text: str, tone: str = "bad") -> None:
        self.message_label.say(text, tone)
        self.message_label.setVisible(bool(text))
        bring_into_sight(self.message_label)

    # --- users and portal ----------------------------------------------------------------------------

    def _chosen_of(self, chosen: str, users: Sequence[PortalUser]) -> str:
        if not self._is_first:
            return chosen
        return self.form.username.text or _likely(users, self._facts.selling_permission)

    def _open_portal(self) -> None:
        if not QDesktopServices.openUrl(QUrl(self.portal_url)):
            self._show_message(
                _("No browser could be opened. The page is {portal_url}.").format(portal_url=self.portal_url)
            )

    # --- the person's moves --------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.cancel_button.isEnabled():
                self.leave(keep_draft=True)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                at = self.focusWidget()
                if isinstance(at, QPushButton) and not at.isCheckable():
                    at.click()
                else:
                    self.add()
            case _:
                super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Empty the value field when the page is left; not when the window is only minimised."""
        if not event.spontaneous() and self.form.isEnabled():
            self.form.value.reset()
        super().hideEvent(event)

    def _cancel(self) -> None:
        if self._unsettled:
            work = self._session.console.add_key.withdraw(self._unsettled)
            self._session.run(f"withdraw key {self._unsettled}", work)
        self.leave(keep_draft=False)

    def _on_edited(self) -> None:
        at = int(not self.form.name.fault)
        self.step.setText(
            _("Step {current} of {count}: {step}").format(current=at + 1, count=len(_STEPS), step=_STEPS[at])
        )

    def _lay_out(self) -> None:
        portal_path = label(_("Settings › Security Keys"), "dim")  # noqa: RUF001 - as the portal writes it
        head = in_row(WrappingRow([label(_("Add a New Key"), "title"), portal_path], spread=True))
        head.addStrut(self.add_button.sizeHint().height())  # so that its title stands where the others do
        ends = framed(in_row(self.cancel_button, self.add_button))
        ends.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        buttons = WrappingRow((self.find_button, self._portal_button, ends), spread=True)
        self.message_label.hide()
        parts = (head, self.step, self.form, buttons, self.message_label, self._reason, None)
        in_column(*parts, within=self, spacing=12)


def _likely(users: Sequence[PortalUser], permission: str) -> str:
    """Return the user that may sell and not much else; empty if nobody is known to be allowed to."""
    sellers = [user for user in users if user.enabled and permission in user.permissions]
    return min(sellers, key=lambda user: len(user.permissions)).username if sellers else ""
