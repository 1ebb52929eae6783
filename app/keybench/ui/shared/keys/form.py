"""The fields of Add a New Key, in the portal's order and words, and the line of steps above them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import NameTaken
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey, tidy_value
from keybench.core.ports import ContractFacts, PortalUser
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.kit.combo import let_type, quiet_combo
from keybench.ui.kit.form import SENSITIVE, Check, Field, Form, Hint
from keybench.ui.kit.labels import label
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.theme import scaled
from keybench.ui.kit.tokens import Tone
from keybench.ui.shared.clipboard import ClipboardOffer, fingerprint_of
from keybench.ui.shared.session import Session
from keybench.words.keys.states import hint_sentence, same_value_sentence
from keybench.words.language import _, ngettext

_USUAL: Final = {
    KeyKind.PRIVATE: _("usually 32 letters and digits"),
    KeyKind.PUBLIC: _("usually four groups of six"),
}


def check_value(text: str, kind: KeyKind) -> Hint:
    """Look at a pasted value, and return what is odd about its form."""
    refuse_card_data("key value", text)
    odd = hint_sentence(tidy_value(text, kind).hint)
    return Hint(odd, "warning" if odd else "good")


#: Nobody types so many letters at once, so a text that grows by more was pasted.
_TYPED: Final = 4


class ValueField(Field):
    """A password line that says how long its text is, never what it is.

    After a value was pasted it offers to clear the clipboard.
    """

    def __init__(self, *, lines: int = 1) -> None:
        self._kind = KeyKind.PRIVATE
        self._session: Session | None = None
        self._but = ""
        self._known: Sequence[InventoryRow] = ()
        self.line = ValueEdit()
        self._length = 0
        super().__init__(_("Key value"), self.line, id="value", check=self._look_at, lines=lines)
        self.offer = ClipboardOffer()
        if layout := self.layout():
            layout.addWidget(self.offer)
        self.line.textChanged.connect(self._on_text)

    def show_kind(self, kind: KeyKind) -> None:
        self._kind = kind
        self.line.show_kind(kind)
        self.refresh()

    def watch(self, session: Session, but: str = "") -> None:
        """Tell from now on whose value a text already is, but for the key of the id `but`."""
        self._session, self._but = session, but

    def _look_at(self, text: str) -> Hint:
        found = check_value(text, self._kind)
        where = self._session.environment.id if self._session else ""
        same = same_value_sentence(self._known, fingerprint_of(text), where, self._but)
        odd = found.text if found.tone == "warning" else ""
        return Hint(f"{same} {odd}".strip(), "warning") if same else found

    async def _learn(self, session: Session) -> None:
        self._known = await session.administration.inventory.keys_alone()
        self.refresh()

    def _on_text(self, text: str) -> None:
        if self._session and text and not self._length:
            self._session.run(f"known values {id(self)}", self._learn(self._session), owner=self)
        if len(text) - self._length > _TYPED:
            self.offer.offer(fingerprint_of(text))
        elif not text:
            self.offer.withdraw()
        self._length = len(text)


class ValueEdit(QLineEdit):
    """The line."""

    def __init__(self) -> None:
        super().__init__()
        self._form = label("", "dim")
        self._form.setParent(self)
        self._form.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(_("Key value"))
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setStyleSheet("QLineEdit { lineedit-password-character: 8226 }")  # dots small enough for 32
        self.setInputMethodHints(SENSITIVE)
        self._kind = KeyKind.PRIVATE
        self.textChanged.connect(self._describe)
        self._describe()

    @property
    def form(self) -> str:
        return self._form.text()

    def show_kind(self, kind: KeyKind) -> None:
        """Say what a key of `kind` usually looks like while the field is empty."""
        self._kind = kind
        self._describe()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange}:
            self._arrange()

    def _describe(self) -> None:
        self._form.setText(_form_of(self.text()) or _USUAL[self._kind])
        self._arrange()

    def _arrange(self) -> None:
        size, is_mirrored = self._form.sizeHint(), self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = 10 if is_mirrored else self.width() - size.width() - 10
        self._form.setGeometry(left, (self.height() - size.height()) // 2, size.width(), size.height())
        room = size.width() + 8
        self.setTextMargins(*((room, 0, 0, 0) if is_mirrored else (0, 0, room, 0)))


def _form_of(text: str) -> str:
    value = text.strip()
    if not value:
        return ""
    if value.isascii() and value.isalnum():
        text = ngettext("{count:,} letter or digit", "{count:,} letters and digits", len(value))
    else:
        text = ngettext("{count:,} character", "{count:,} characters", len(value))
    return text.format(count=len(value))


_KINDS: Final = (
    (KeyKind.PRIVATE, _("Private"), _("Private · server side")),
    (KeyKind.PUBLIC, _("Public"), _("Public · client side")),
)
#: From this width on, in pixels at 13 px text, both kinds have room for all of their words.
_KINDS_PX: Final = 330

check_username = partial(clean_text, "username")
check_permission = partial(clean_text, "permission")
check_purpose = partial(clean_text, "purpose", limit=PURPOSE_LIMIT, required=False)


def check_name(text: str, taken: Collection[str]) -> None:
    """Check a key name; `taken` are the names of the keys there are."""
    name = clean_text("key name", text)
    if name.casefold() in {other.casefold() for other in taken}:
        raise NameTaken("key", name)


class KeyForm(Form):
    """Name, username, permission, kind, purpose, and the value where it comes from a portal."""

    def __init__(self, facts: ContractFacts, keys: Sequence[SecurityKey]) -> None:
        super().__init__()
        self._facts = facts
        self._taken = frozenset(key.name for key in keys)
        self._users: dict[str, PortalUser] = {}
        self.user_box = quiet_combo(editable=not facts.can_list_users)
        self.user_box.setAccessibleName(_("Username"))
        self.permission_box = quiet_combo(editable=True)
        self.kind = _kind_segments()
        self.name = _line(_("Key Name"), "name", self._check_name)
        self.username = Field(
            _("Username · the key gets every permission of this user"),
            self.user_box,
            id="username",
            check=self._check_user,
        )
        self.permission = Field(
            _("Key Permission"), self.permission_box, id="permission", check=check_permission
        )
        self.purpose = _line(_("Purpose"), "purpose", check_purpose, _("Purpose · one key for one purpose"))
        self.value = ValueField()
        for each in (self.username, self.purpose):
            each.label.setWordWrap(True)
        for row in (
            self.name,
            self.username,
            self.permission,
            Field(_("Kind"), self.kind, id="kind"),
        ):
            self.add(row)
        self._rows.addSpacing(8)
        self.add(self.purpose)
        if facts.can_create_keys:
            self.value.setParent(self)
            self.value.hide()
        else:
            self.add(self.value)
        self.kind.changed.connect(self._on_kind)
        self._offer_permissions(KeyKind.PRIVATE)
        if not facts.can_list_users:
            self.user_box.addItems(sorted({key.username for key in keys}))
            self.username.reset()

    def draft(self) -> KeyDraft:
        return KeyDraft(
            name=self.name.text,
            username=self.username.text,
            permission=self.permission.text,
            kind=KeyKind(self.kind.value),
            purpose=self.purpose.text,
        )

    def load(self, draft: KeyDraft) -> None:
        self.kind.choose(draft.kind.value)
        self.name.reset(draft.name)
        self.username.reset(draft.username)
        self.permission.reset(draft.permission)
        self.purpose.reset(draft.purpose)

    def know_keys(self, keys: Sequence[SecurityKey]) -> None:
        self._taken = frozenset(key.name for key in keys)
        self.name.refresh()

    def offer_users(self, users: Sequence[PortalUser], chosen: str) -> None:
        self._users = {user.username: user for user in users}
        self.user_box.clear()
        for user in users:
            shown = f"{user.username} · {user.full_name}" if user.full_name else user.username
            self.user_box.addItem(
                shown if user.enabled else _("{shown} (frozen)").format(shown=shown), user.username
            )
        self.user_box.setPlaceholderText(_("Choose a user"))
        self.username.reset(chosen)

    def let_type_user(self, reason: str, username: str = "") -> None:
        """Let the username be typed, because the users can't be listed for `reason`; `username` is there now."""
        self.user_box.clear()
        let_type(self.user_box)
        self.user_box.setEditText(username)
        self.username.watch_focus()
        self.username.show_message(
            _("The users can't be listed: {reason} Type the username.").format(reason=reason), "warning"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short = self.width() < scaled(_KINDS_PX)
        for kind, name, shown in _KINDS:
            self.kind.relabel(kind.value, name if short else shown)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    # --- checks --------------------------------------------------------------------------------------

    def _check_name(self, text: str) -> None:
        check_name(text, self._taken)

    def _check_user(self, text: str) -> Hint:
        user = self._users.get(text)
        if user is None:
            check_username(text)
            return Hint()
        if not user.enabled:
            return Hint(_("This user is frozen: the gateway refuses its keys."), "warning")
        return Hint(_("May: {value}").format(value=", ".join(user.permissions) or _("nothing")), "dim")

    # --- kind and permission -------------------------------------------------------------------------

    def _on_kind(self, value: str) -> None:
        kind = KeyKind(value)
        self._offer_permissions(kind)
        self.value.show_kind(kind)

    def _offer_permissions(self, kind: KeyKind) -> None:
        known = {text for texts in self._facts.permissions.values() for text in texts}
        offered = self._facts.permissions.get(kind, ())
        entered = self.permission.text
        with QSignalBlocker(self.permission_box):
            self.permission_box.clear()
            self.permission_box.addItems(list(offered))
        # What somebody typed stays; a choice of the other kind doesn't.
        keeps = entered in offered or (entered and entered not in known)
        self.permission.reset(entered if keeps else (offered[0] if offered else ""))


def _line(name: str, id: str, check: Check, shown: str = "") -> Field:  # noqa: A002 - as `Field` has it
    edit = QLineEdit()
    edit.setAccessibleName(name)
    return Field(shown or name, edit, id=id, check=check)


def _kind_segments() -> Segments:
    segments = Segments([(kind.value, shown) for kind, _name, shown in _KINDS], _("Kind"))
    for kind, name, _shown in _KINDS:
        segments.button(kind.value).setAccessibleName(name)
    return segments


_STEPS: Final = (_("Name it in the portal"), _("Bring the value here"), _("Test"))
#: Round each step, in pixels at 13 px text: the pill's own padding and the spaces beside the arrow.
_PADDING: Final = 26
_ARROW: Final = "›"  # noqa: RUF001 - an arrow between steps


class Steps(QWidget):
    """Shows which step one is at; what is done has a tick. In little room the others lose their words."""

    def __init__(self) -> None:
        super().__init__()
        self._current = 0
        layout = QHBoxLayout(self)
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self._pills = [Pill() for _step in _STEPS]
        for index, pill in enumerate(self._pills):
            if index:
                layout.addWidget(label(_ARROW, "dim"))
            layout.addWidget(pill)
        layout.addStretch(1)
        self.show_step(0)

    def show_step(self, current: int) -> None:
        self._current = current
        forms = [_texts(current, wordy) for wordy in ({0, 1, 2}, {current, 2}, {current})]
        texts = next((form for form in forms if self._has_room(form)), forms[-1])
        for index, (pill, text) in enumerate(zip(self._pills, texts, strict=True)):
            pill.show_state(text, _tone(index, current))
        self.setAccessibleName(
            _("Step {current} of {count}: {STEPS}").format(
                current=current + 1, count=len(_STEPS), STEPS=_STEPS[current]
            )
        )

    def minimumSizeHint(self) -> QSize:
        """Return no width of its own, so that it never makes the panel wider."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_step(self._current)

    def _has_room(self, texts: list[str]) -> bool:
        font = QFont(self._pills[0].font())
        font.setBold(True)
        words = QFontMetrics(font).horizontalAdvance("".join(texts) + _ARROW * (len(texts) - 1))
        return words + scaled(_PADDING) * len(texts) <= self.width()


def _texts(current: int, wordy: set[int]) -> list[str]:
    return [
        f"{'✓ ' if index < current else ''}{index + 1}{f' {step}' if index in wordy else ''}"
        for index, step in enumerate(_STEPS)
    ]


def _tone(index: int, current: int) -> Tone:
    if index < current:
        return "good"
    return "accent" if index == current else "dim"
