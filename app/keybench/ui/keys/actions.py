"""Does what the buttons of the chosen key ask for: test, reveal, copy, give a value, rotate, forget."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.clipboard import SecretClipboard
from keybench.ui.keys.details import KeyDetails
from keybench.ui.session import Notice, Session
from keybench.ui.tokens import Tone
from keybench.ui.widgets.dialog import confirm
from keybench.words.explain import Explanation, explain
from keybench.words.formats import duration

_REVEAL: Final = "reveal key "
_COPY: Final = "copy key "


class KeyActions(QObject):
    """Carries out what `KeyDetails` asks for the key it was last given.

    Signals:
        forgotten: A key was forgotten (its id).
    """

    forgotten = Signal(str)

    def __init__(self, session: Session, details: KeyDetails, clipboard: SecretClipboard) -> None:
        super().__init__(details)
        self._session = session
        self._details = details
        self._clipboard = clipboard
        self._environment: Environment = session.environment
        self._key: SecurityKey | None = None
        self._testing: set[str] = set()
        self._copied = ""
        details.test_asked.connect(self.test)
        details.reveal_asked.connect(self.reveal)
        details.copy_asked.connect(self.copy)
        details.value_asked.connect(self.give_value)
        details.rotate_asked.connect(self.rotate)
        details.compromised_asked.connect(self.take_as_compromised)
        details.forget_asked.connect(self.forget)
        clipboard.ticked.connect(self._clipboard_ticked)
        clipboard.finished.connect(self._clipboard_finished)
        session.locking.connect(self._on_locking)

    def take(self, environment: Environment, key: SecurityKey | None) -> None:
        """Act on `key` of `environment` from now on.

        Another key than before hides what was revealed and takes messages away.
        """
        before = self._key.id if self._key else ""
        self._environment, self._key = environment, key
        if (key.id if key else "") != before:
            self._details.value.hide_value()
            self._details.show_message("", "")
            self._details.show_clipboard("")
        if key:
            self._details.show_testing(under_way=key.id in self._testing)

    # --- test ----------------------------------------------------------------------------------------

    def test(self) -> None:
        """Make the harmless call with the key."""
        key = self._key
        if key is None or key.id in self._testing:
            return
        self._testing.add(key.id)
        self._details.show_testing(under_way=True)
        self._details.show_message("", "")
        work = self._test(self._environment, key)
        if not self._session.run(f"test key {key.id}", work, on_error=partial(self._test_failed, key)):
            self._testing.discard(key.id)
            self._details.show_testing(under_way=False)

    async def _test(self, environment: Environment, key: SecurityKey) -> None:
        clock = self._session.console.clock
        began = clock.monotonic()
        try:
            tested = await self._session.console.keys.test(environment, key)
        finally:
            self._testing.discard(key.id)
            if self._is_shown(key):
                self._details.show_testing(under_way=False)
        took = duration(clock.monotonic() - began)
        self._say(key, f"✓ Accepted by the gateway ({tested.status}) in {took}.", "good")

    def _test_failed(self, key: SecurityKey, error: KeybenchError) -> None:
        self._say_explained(key, explain(error))

    # --- reveal and copy -----------------------------------------------------------------------------

    def reveal(self) -> None:
        """Show the value for a while, or hide it if it is shown."""
        if self._details.value.revealed:
            self._details.value.hide_value()
        elif key := self._key:
            self._session.run(f"{_REVEAL}{key.id}", self._reveal(key), on_error=partial(self._failed, key))

    async def _reveal(self, key: SecurityKey) -> None:
        value = await self._session.console.keys.value(key, "revealed")
        # The person may have gone elsewhere while the keystore asked for its password.
        if self._is_shown(key) and self._details.isVisible():
            self._details.value.reveal(value)
            if not self._details.value.fits:
                self._say(key, "Only its beginning has room here. Copy takes all of it.", "dim")

    def copy(self) -> None:
        """Put the value on the clipboard for a while."""
        if key := self._key:
            self._session.run(f"{_COPY}{key.id}", self._copy(key), on_error=partial(self._failed, key))

    async def _copy(self, key: SecurityKey) -> None:
        value = await self._session.console.keys.value(key, "copied")
        if self._is_shown(key):
            self._copied = key.id
            self._clipboard.copy(value)
        else:
            why = "Another key was chosen before its value came."
            self._session.notify(Notice("info", f"“{key.name}” was not copied.", why, "copy"))

    def take_back(self) -> None:
        """Hide what is revealed, clear the clipboard if it is ours, and give up values on their way here."""
        for name in self._session.supervisor.running:
            if name.startswith((_REVEAL, _COPY)):
                self._session.supervisor.cancel(name)
        self._details.value.hide_value()
        self._clipboard.clear_now()

    def _clipboard_ticked(self, seconds: int) -> None:
        self._tell_clipboard(f"Copied. The clipboard is cleared in {seconds} s.")

    def _clipboard_finished(self, cleared: bool) -> None:  # noqa: FBT001 - the signal's own form
        said = (
            "The clipboard was cleared."
            if cleared
            else "The clipboard holds something else now and was kept."
        )
        self._tell_clipboard(said)

    def _tell_clipboard(self, text: str) -> None:
        """Say something of the clipboard, where the key is shown whose value was copied."""
        if self._key and self._key.id == self._copied:
            self._details.show_clipboard(text)

    def _on_locking(self) -> None:
        self._copied = ""
        self._details.show_clipboard("")  # nothing is counted any more

    # --- give a value --------------------------------------------------------------------------------

    def give_value(self) -> None:
        """Ask for the value of a key that has none here, and keep it."""
        if key := self._key:
            work = self._give_value(InventoryRow(key, self._environment))
            self._session.run(f"give value {key.id}", work, on_error=partial(self._failed, key))

    async def _give_value(self, row: InventoryRow) -> None:
        from keybench.ui.keys_page.key_dialogs import ask_value, value_words  # noqa: PLC0415 - when it is wanted

        added = await ask_value(self._details, self._session, row)
        if added:
            self._say(row.key, value_words(row.key, added), "warning" if added.hint else "good")

    # --- rotate --------------------------------------------------------------------------------------

    def rotate(self) -> None:
        """Go to the page where the key is replaced by another."""
        if self._key:
            self._session.rotation_wanted.emit(self._key, False)

    def take_as_compromised(self) -> None:
        """Go there for a key that may be in wrong hands."""
        if self._key:
            self._session.rotation_wanted.emit(self._key, True)

    # --- forget --------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Ask, then take the key out of Keybench."""
        if key := self._key:
            work = self._forget(self._environment, key)
            self._session.run(f"forget key {key.id}", work, on_error=partial(self._failed, key))

    async def _forget(self, environment: Environment, key: SecurityKey) -> None:
        self._details.value.hide_value()
        window: QWidget = self._details.window()
        agreed = await confirm(
            window,
            title=f"Forget “{key.name}”?",
            text=_what_forgetting_means(environment),
            confirm="Forget the key",
            tone="danger",
        )
        if not agreed:
            return
        await self._session.console.keys.forget(environment, key)
        self.forgotten.emit(key.id)
        self._session.notify(Notice("good", f"“{key.name}” was forgotten.", _what_is_left(environment)))

    # --- telling -------------------------------------------------------------------------------------

    def _failed(self, key: SecurityKey, error: KeybenchError) -> None:
        self._say_explained(key, explain(error))

    def _say_explained(self, key: SecurityKey, said: Explanation) -> None:
        if self._is_shown(key):
            self._details.show_message(f"{said.title} {said.text}".strip(), "bad")
        else:
            self._session.notify(Notice("bad", f"{key.name}: {said.title}", said.text))

    def _say(self, key: SecurityKey, text: str, tone: Tone) -> None:
        if self._is_shown(key):
            self._details.show_message(text, tone)

    def _is_shown(self, key: SecurityKey) -> bool:
        return self._key is not None and self._key.id == key.id


def _what_forgetting_means(environment: Environment) -> str:
    if environment.kind is EnvironmentKind.PRACTICE:
        return (
            "Its value is erased from this computer, and the key is deleted at the practice gateway too. "
            "This can't be undone."
        )
    return (
        "Its value is erased from this computer, which can't be undone. The key stays valid at the gateway "
        "until it is deleted in the portal."
    )


def _what_is_left(environment: Environment) -> str:
    if environment.kind is EnvironmentKind.PRACTICE:
        return "It was deleted at the practice gateway too."
    return "It stays valid at the gateway until it is deleted in the portal."
