"""Add a New Key, in place of the list: made by the gateway where it can, else brought from the portal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError, NameTaken, ValueMisplaced
from keybench.core.ports import ContractFacts
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.ui.keys.add_layout import SnugScroll, why_the_portal
from keybench.ui.keys.checks import Finding
from keybench.ui.keys.form import KeyForm
from keybench.ui.keys.labels import button, label
from keybench.ui.keys.steps import Steps
from keybench.ui.sale.announcing import announce
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled, set_role
from keybench.words.explain import explain
from keybench.words.fields import field_sentence

_MESSAGE_LINES: Final = 3
#: From this height on, in pixels at 13 px text, everything has room.
_TALL_PX: Final = 640


class AddKeyView(QWidget):
    """The form with its buttons for the environment shown. It is made anew each time it is opened.

    Args:
        session: The window's.
        keys: The environment's keys.
        draft: What was typed before and not cancelled.
        parent: Qt's parent.

    Signals:
        left: The person goes back to the list: with what was typed worth keeping (a `KeyDraft`), or None.
        added: The key is kept (an `AddedKey`).
    """

    left = Signal(object)
    added = Signal(object)
    _asked_to_add = Signal()
    _asked_to_cancel = Signal()
    _asked_for_portal = Signal()

    def __init__(
        self,
        session: Session,
        keys: Sequence[SecurityKey],
        draft: KeyDraft | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._environment: Environment = session.environment
        self._over = False
        self._facts: ContractFacts = session.console.environments.facts(self._environment)
        by_portal = not self._facts.can_create_keys
        self.form = KeyForm(self._facts, keys)
        self.form.edited.connect(self._on_edited)
        self._verb = "Create" if self._facts.can_create_keys else "Keep the key"
        self.add_button = button(self._verb, self._asked_to_add, tone="primary")
        self.cancel_button = button("Cancel", self._asked_to_cancel)
        self._portal_button = button("Open the portal page", self._asked_for_portal)
        self._steps = Steps()
        self._row, self._own_row = QHBoxLayout(), QHBoxLayout()
        self._message: QLabel = label("")
        self._reason = why_the_portal(session.console.keystore_status.name) if by_portal else QWidget()
        self._below = QStackedWidget()
        self._lay_out()
        self._asked_to_add.connect(self.add)
        self._asked_to_cancel.connect(self._cancel)
        self._asked_for_portal.connect(self._open_portal)
        if self._facts.can_create_keys:
            self._steps.hide()
            self._portal_button.hide()
        if draft:
            self.form.load(draft)
        self._on_edited()
        if self._facts.can_list_users:
            self._list_users(draft.username if draft else "")

    @property
    def environment(self) -> Environment:
        """Where the key is to be added."""
        return self._environment

    @property
    def message(self) -> str:
        """What is said under the buttons."""
        return self._message.text()

    @property
    def portal_url(self) -> str:
        """The portal's Security Keys page."""
        return self._environment.base_url + self._facts.portal_path

    def begin(self) -> None:
        """Give the keyboard to the first field."""
        self.form.name.field.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def add(self) -> None:
        """Check the form and have the key made or kept; a fault gets the keyboard instead."""
        if not self.add_button.isEnabled():
            return
        fault = self.form.first_fault()
        if fault:
            fault.field.editor.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._show_busy(busy=True)
        self._say("")
        self._session.run(
            f"add key {id(self)}", self._add(self.form.draft(), self.form.value.text), on_error=self._failed
        )

    def leave(self, *, keep_draft: bool) -> None:
        """Go back to the list, once; the value is never kept."""
        if self._over:
            return
        self._over = True
        self.form.clear_value()
        draft = self.form.draft()
        worth_keeping = keep_draft and any((draft.name, draft.username, draft.purpose))
        self.left.emit(draft if worth_keeping else None)

    # --- adding --------------------------------------------------------------------------------------

    async def _add(self, draft: KeyDraft, pasted: str) -> None:
        adding = self._session.console.add_key
        if self._facts.can_create_keys:
            added = await adding.create(self._environment, draft)
        else:
            added = await adding.keep(self._environment, draft, pasted)
        if self._over:
            where = f"It is in {self._environment.name}."
            self._session.notify(Notice("good", f"“{added.key.name}” was added.", where))
            return
        self._over = True
        self.form.clear_value()
        self.added.emit(added)

    def _failed(self, error: KeybenchError) -> None:
        said = explain(error)
        if self._over:
            self._session.notify(Notice("bad", f"The key was not added. {said.title}", said.text))
            return
        self._show_busy(busy=False)
        if not self.isVisible():
            self.form.clear_value()
        if isinstance(error, NameTaken):
            self.form.name.tell(Finding(field_sentence(error), "bad"))
            wanted: QWidget = self.form.name.field.editor
        elif isinstance(error, ValueMisplaced):
            wanted = self.form.take_out(error).field.editor
        else:
            self._say(f"{said.title} {said.text}".strip())
            wanted = self.add_button
        if self.isVisible():
            wanted.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_busy(self, *, busy: bool) -> None:
        doing = "Creating…" if self._facts.can_create_keys else "Keeping…"
        self.add_button.setText(doing if busy else self._verb)
        for part in (self.form, self.add_button, self.cancel_button, self._portal_button):
            part.setEnabled(not busy)

    def _say(self, text: str) -> None:
        self._message.setText(text)
        set_role(self._message, "tone", "bad" if text else "")
        self._below.setCurrentWidget(self._message if text else self._reason)
        self._make_room()
        announce(self._message, text)

    # --- users and portal ----------------------------------------------------------------------------

    def _list_users(self, chosen: str) -> None:
        self.form.user_box.setPlaceholderText("Loading users…")
        work = self._users(chosen)
        self._session.run(f"list users {id(self)}", work, on_error=self._users_failed)

    async def _users(self, chosen: str) -> None:
        users = await self._session.console.add_key.users(self._environment)
        if not self._over:
            self.form.offer_users(users, chosen)

    def _users_failed(self, error: KeybenchError) -> None:
        if not self._over:
            self.form.let_type_user(explain(error).title)

    def _open_portal(self) -> None:
        if not QDesktopServices.openUrl(QUrl(self.portal_url)):
            self._say(f"No browser could be opened. The page is {self.portal_url}.")

    # --- the person's moves --------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter add the key, or press the button one is at, and Esc go back with the draft kept."""
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the portal's button a row of its own where three have no room."""
        super().resizeEvent(event)
        buttons = (self._portal_button, self.cancel_button, self.add_button)
        has_room = sum(each.sizeHint().width() + 8 for each in buttons) <= self.width()
        if has_room and self._own_row.count():
            self._row.insertWidget(0, self._portal_button)
        elif not has_room and not self._own_row.count():
            self._own_row.addWidget(self._portal_button)
        self._make_room()

    def _make_room(self) -> None:
        """In a low window the fields need the room more than the reasons do."""
        self._below.setVisible(bool(self.message) or self.height() >= scaled(_TALL_PX))

    def hideEvent(self, event: QHideEvent) -> None:
        """Empty the value field when the page is left; not when the window is only minimised."""
        if not event.spontaneous() and self.form.isEnabled():
            self.form.clear_value()
        super().hideEvent(event)

    def _cancel(self) -> None:
        self.leave(keep_draft=False)

    def _on_edited(self) -> None:
        self._steps.show_step(int(not self.form.name.finding.is_fault))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(_head())
        layout.addWidget(self._steps)
        layout.addWidget(SnugScroll(self.form))
        layout.addLayout(self._buttons())
        self._message.setWordWrap(True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._message.setMinimumHeight(self.fontMetrics().lineSpacing() * _MESSAGE_LINES)
        self._below.addWidget(self._reason)
        self._below.addWidget(self._message)
        self._below.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        layout.addWidget(self._below)
        layout.addStretch(1)

    def _buttons(self) -> QVBoxLayout:
        row = self._row
        row.setSpacing(8)
        row.addWidget(self._portal_button)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.add_button)
        rows = QVBoxLayout()
        rows.setSpacing(8)
        rows.addLayout(self._own_row)
        rows.addLayout(row)
        return rows


def _head() -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(label("Add a New Key", "title"))
    row.addStretch(1)
    row.addWidget(label("Settings › Security Keys", "dim"))  # noqa: RUF001 - the portal's own path
    return row
