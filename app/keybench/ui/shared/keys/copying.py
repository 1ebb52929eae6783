"""Copies a key's value for whoever needs it elsewhere: onto the clipboard for a while, and told as it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Signal

from keybench.core.errors import KeybenchError
from keybench.core.keys.key import SecurityKey
from keybench.ui.kit.theme import theme
from keybench.ui.shared.clipboard import SecretClipboard
from keybench.ui.shared.session import Session
from keybench.words.language import _

_COPY: Final = "copy value"


class KeyCopy(QObject):
    """Copies values, one at a time.

    Signals:
        told: How the clipboard is, in words; empty when there is nothing to say. With it whether the value's
            time there is over.
    """

    told = Signal(str, bool)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.copied = ""
        self._saying: Callable[[int], str] = str
        self._clipboard = SecretClipboard(session.console.clock, self)
        self._clipboard.ticked.connect(self._on_ticked)
        self._clipboard.finished.connect(self._on_finished)
        session.locking.connect(self._take_back)
        session.ending.connect(self._take_back)

    def copy(
        self,
        key: SecurityKey,
        saying: Callable[[int], str],
        is_wanted: Callable[[], bool],
        on_unwanted: Callable[[], None],
        on_error: Callable[[KeybenchError], None],
    ) -> None:
        """Copy a key's value."""

        async def copy() -> None:
            value = await self._session.console.keys.value(key, "copied")
            if is_wanted():
                self.copied, self._saying = key.id, saying
                self._clipboard.copy(value)
            else:
                on_unwanted()

        self._session.run(f"{_COPY} {key.id}", copy(), on_error=on_error)

    def _take_back(self) -> None:
        for name in self._session.supervisor.running:
            if name.startswith(_COPY):
                self._session.supervisor.cancel(name)
        self._clipboard.clear_now()
        self.told.emit("", True)

    def _on_ticked(self, seconds: int) -> None:
        real = _(" It holds the real value.") if theme().presenting else ""
        self.told.emit(self._saying(seconds) + real, False)

    def _on_finished(self, cleared: bool) -> None:  # noqa: FBT001 - the signal's own form
        kept = _("The clipboard holds something else now and was kept.")
        self.told.emit(_("The clipboard was cleared.") if cleared else kept, True)
