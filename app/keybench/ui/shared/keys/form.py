"""The fields of Add a New Key, in the portal's order and words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLineEdit

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NameTaken
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey, tidy_value
from keybench.core.ports import ContractFacts, PortalUser
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.kit.choosers import Segments, let_type, quiet_combo
from keybench.ui.kit.form import Check, Field, Form, Hint, password_line
from keybench.ui.shared.clipboard import ClipboardOffer, fingerprint_of
from keybench.ui.shared.session import Session
from keybench.words.explain import explain
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
        self._length = 0
        self.line = password_line()
        self.line.setPlaceholderText(_USUAL[self._kind])
        self.line.setStyleSheet("QLineEdit { lineedit-password-character: 8226 }")  # dots small enough for 32
        super().__init__(_("Key value"), self.line, id="value", check=self._look_at, lines=lines)
        self.offer = ClipboardOffer()
        if layout := self.layout():
            layout.addWidget(self.offer)
        self.line.textChanged.connect(self._on_text)

    def show_kind(self, kind: KeyKind) -> None:
        """Take the value for one of a key of `kind`, and say what such a one usually looks like."""
        self._kind = kind
        self.line.setPlaceholderText(_USUAL[kind])
        self.refresh()

    def watch(self, session: Session, but: str = "") -> None:
        """Tell from now on whose value a text already is, but for the key of the id `but`."""
        self._session, self._but = session, but

    def _look_at(self, text: str) -> Hint:
        found = check_value(text, self._kind)
        where = self._session.environment.id if self._session else ""
        same = same_value_sentence(self._known, fingerprint_of(text), where, self._but)
        odd = found.text if found.tone == "warning" else ""
        if same:
            return Hint(f"{same} {odd}".strip(), "warning")
        return found if found.text else Hint(_form_of(text), "dim")

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


def _form_of(text: str) -> str:
    value = text.strip()
    if value.isascii() and value.isalnum():
        return ngettext("{count} letter or digit", "{count} letters and digits", len(value))
    return ngettext("{count} character", "{count} characters", len(value))


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
        self.kind = Segments(
            [(KeyKind.PRIVATE.value, _("Private")), (KeyKind.PUBLIC.value, _("Public"))], _("Kind")
        )
        self.name = _line(_("Key Name"), "name", lambda text: check_name(text, self._taken))
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
        kind = Field(
            _("Kind · private for servers and tills, public for web pages and apps"), self.kind, id="kind"
        )
        for each in (self.name, self.username, self.permission, kind, self.purpose):
            self.add(each)
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

    def list_users(
        self,
        session: Session,
        environment: Environment,
        choose: Callable[[Sequence[PortalUser]], str],
        typed: Callable[[], str] = str,
    ) -> None:
        """Ask the gateway for its users and offer them; where it can't tell, the username is typed.

        Args:
            choose: Returns who of them is chosen.
            typed: Returns what stands there to begin with where it is typed.
        """

        async def ask() -> None:
            users = await session.console.add_key.users(environment)
            self.offer_users(users, choose(users))

        def failed(error: KeybenchError) -> None:
            self.let_type_user(explain(error).title, typed())

        session.run(f"list users {id(self)}", ask(), failed, owner=self)

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

    # --- checks --------------------------------------------------------------------------------------

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
