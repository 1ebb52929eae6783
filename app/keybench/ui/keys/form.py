"""The fields of Add a New Key, in the portal's order and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from keybench.core.input_errors import ValueMisplaced
from keybench.core.ports import ContractFacts, PortalUser
from keybench.core.security_key import KeyDraft, KeyKind, SecurityKey
from keybench.ui.keys.checks import (
    Finding,
    check_name,
    check_permission,
    check_purpose,
    check_username,
    check_value,
)
from keybench.ui.keys.text_entry import Check, CheckedField, quiet_combo
from keybench.ui.keys.value_edit import ValueEdit
from keybench.ui.theme import scaled
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.segments import Segments
from keybench.words.fields import field_sentence

_KINDS: Final = (
    (KeyKind.PRIVATE, "Private", "Private · server side"),
    (KeyKind.PUBLIC, "Public", "Public · client side"),
)
#: From this width on, in pixels at 13 px text, both kinds have room for all of their words.
_KINDS_PX: Final = 330


class KeyForm(QWidget):
    """Name, username, permission, kind, purpose, and the value where it comes from a portal.

    Args:
        facts: What the environment's gateway can do.
        keys: The keys there are: their names are taken, their usernames are offered where none are listed.

    Signals:
        edited: Something was entered.
    """

    edited = Signal()

    def __init__(
        self, facts: ContractFacts, keys: Sequence[SecurityKey], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._facts = facts
        self._taken = frozenset(key.name for key in keys)
        self._users: dict[str, PortalUser] = {}
        self.user_box = quiet_combo("Username", editable=not facts.can_list_users)
        self.permission_box = quiet_combo("Key Permission", editable=True)
        self.kind = _kind_segments()
        self.value_edit = ValueEdit()
        self._kind_widths = {kind: self.kind.button(kind.value).minimumWidth() for kind in KeyKind}
        self.name = _line("Key Name", self._check_name)
        self.username = _checked(
            "Username · the key gets every permission of this user", self.user_box, self._check_user
        )
        self.permission = _checked("Key Permission", self.permission_box, check_permission)
        self.purpose = _line("Purpose", check_purpose, "Purpose · one key for one purpose")
        self.value = _checked("Key value", self.value_edit, self._check_value)
        self._named = {
            "name": self.name,
            "username": self.username,
            "permission": self.permission,
            "purpose": self.purpose,
        }
        self._fields = [self.name, self.username, self.permission, self.purpose]
        if not facts.can_create_keys:
            self._fields.append(self.value)
        for each in self._fields:
            each.edited.connect(self.edited)
        self.kind.changed.connect(self._on_kind)
        self._lay_out()
        self._offer_permissions(KeyKind.PRIVATE)
        if not facts.can_list_users:
            self.user_box.addItems(sorted({key.username for key in keys}))
            self.username.reset()

    def draft(self) -> KeyDraft:
        """Return what was entered, but for the value."""
        return KeyDraft(
            name=self.name.text,
            username=self.username.text,
            permission=self.permission.text,
            kind=KeyKind(self.kind.value),
            purpose=self.purpose.text,
        )

    def take_out(self, error: ValueMisplaced) -> CheckedField:
        """Empty the field that a value stands in and say why; return the field."""
        field = self._named[error.where]
        field.take_out(Finding(field_sentence(error), "bad"))
        return field

    def load(self, draft: KeyDraft) -> None:
        """Show what was entered before."""
        self.kind.choose(draft.kind.value)
        self.name.reset(draft.name)
        self.username.reset(draft.username)
        self.permission.reset(draft.permission)
        self.purpose.reset(draft.purpose)

    def know_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Take the names of these keys for taken from now on."""
        self._taken = frozenset(key.name for key in keys)
        self.name.refresh()

    def offer_users(self, users: Sequence[PortalUser], chosen: str) -> None:
        """Offer the account's users by username and full name, with `chosen` chosen if it is one."""
        self._users = {user.username: user for user in users}
        self.user_box.clear()
        for user in users:
            shown = f"{user.username} · {user.full_name}" if user.full_name else user.username
            self.user_box.addItem(shown if user.enabled else f"{shown} (disabled)", user.username)
        self.user_box.setPlaceholderText("Choose a user")
        self.username.reset(chosen)

    def let_type_user(self, reason: str) -> None:
        """Let the username be typed, because the users can't be listed for `reason`."""
        self.user_box.clear()
        self.user_box.setEditable(True)
        self.user_box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.user_box.setCompleter(None)  # type: ignore[arg-type]  # Qt takes none; the stubs don't say so
        self.username.watch_focus()
        self.username.tell(Finding(f"The users can't be listed: {reason} Type the username.", "warning"))

    def first_fault(self) -> CheckedField | None:
        """Show every message and return the first field with a fault, in reading order."""
        for each in self._fields:
            each.touch()
        return next((each for each in self._fields if each.finding.is_fault), None)

    def clear_value(self) -> None:
        """Empty the value field and its history."""
        self.value.reset()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the kinds' labels where they have no room."""
        super().resizeEvent(event)
        short = self.width() < scaled(_KINDS_PX)
        for kind, name, shown in _KINDS:
            button = self.kind.button(kind.value)
            button.setText(name if short else shown)
            button.setMinimumWidth(scaled(96) if short else self._kind_widths[kind])

    def minimumSizeHint(self) -> QSize:
        """Return no width of its own: what is in it gives way."""
        return QSize(0, super().minimumSizeHint().height())

    # --- checks --------------------------------------------------------------------------------------

    def _check_name(self, text: str) -> Finding:
        return check_name(text, self._taken)

    def _check_user(self, text: str) -> Finding:
        user = self._users.get(text)
        if user is None:
            return check_username(text)
        if not user.enabled:
            return Finding("This user is disabled: the gateway refuses its keys.", "warning")
        return Finding(f"May: {', '.join(user.permissions) or 'nothing'}", "dim")

    def _check_value(self, text: str) -> Finding:
        return check_value(text, KeyKind(self.kind.value))

    # --- kind and permission -------------------------------------------------------------------------

    def _on_kind(self, value: str) -> None:
        kind = KeyKind(value)
        self._offer_permissions(kind)
        self.value_edit.show_kind(kind)
        self.value.refresh()
        self.edited.emit()

    def _offer_permissions(self, kind: KeyKind) -> None:
        known = {text for texts in self._facts.permissions.values() for text in texts}
        offered = self._facts.permissions.get(kind, ())
        entered = self.permission.text
        self.permission_box.blockSignals(True)
        self.permission_box.clear()
        self.permission_box.addItems(list(offered))
        self.permission_box.blockSignals(False)
        # What somebody typed stays; a choice of the other kind doesn't.
        keeps = entered in offered or (entered and entered not in known)
        self.permission.reset(entered if keeps else (offered[0] if offered else ""))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        kind = Field("Kind", self.kind, lines=0)
        for row in (self.name.field, self.username.field, self.permission.field, kind, self.purpose.field):
            layout.addWidget(row)
        layout.insertSpacing(layout.indexOf(self.purpose.field), 8)
        for each in (self.username, self.purpose):
            each.field.label.setWordWrap(True)
        if self._facts.can_create_keys:
            self.value.field.setParent(self)
            self.value.field.hide()
        else:
            layout.addWidget(self.value.field)


def _line(name: str, check: Check, shown: str = "") -> CheckedField:
    edit = QLineEdit()
    edit.setAccessibleName(name)
    return _checked(shown or name, edit, check)


def _checked(shown: str, editor: QWidget, check: Check) -> CheckedField:
    return CheckedField(Field(shown, editor), check)


def _kind_segments() -> Segments:
    segments = Segments([(kind.value, shown) for kind, _name, shown in _KINDS], "Kind")
    for kind, name, _shown in _KINDS:
        segments.button(kind.value).setAccessibleName(name)
    return segments
