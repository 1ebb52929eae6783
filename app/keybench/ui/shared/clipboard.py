"""The clipboard for key values: copied there marked as secret, cleared when the time is over or a person wants it."""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.key import VALUE_LIMIT, KeyKind, SecurityKey, tidy_value
from keybench.core.ports import Clock
from keybench.core.secret import Secret, fingerprint
from keybench.ui.kit.boxes import WrappingRow
from keybench.ui.kit.labels import button, label
from keybench.ui.kit.theme import theme
from keybench.ui.shared.session import Session
from keybench.words.language import _

#: Often enough that a second shown is never a second late.
TICK_MS: Final = 200


class Countdown(QObject):
    """Counts whole seconds down to nothing; `ticked` rounds up, and `stop` doesn't send `ended`.

    The timer only makes it look and the clock decides: Qt's timers may be early, and tests move the clock.
    """

    ticked = Signal(int)
    ended = Signal()

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._end: float | None = None
        self._shown = 0
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def running(self) -> bool:
        return self._end is not None

    def start(self, seconds: float) -> None:
        self._end = self._clock.monotonic() + seconds
        self._shown = 0
        self._timer.start()
        self.look()

    def stop(self) -> None:
        self._end = None
        self._timer.stop()

    def look(self) -> None:
        if self._end is None:
            return
        left = math.ceil(self._end - self._clock.monotonic())
        if left <= 0:
            self.stop()
            self.ended.emit()
        elif left != self._shown:
            self._shown = left
            self.ticked.emit(left)


#: How long a value stays on the clipboard, in seconds.
CLIPBOARD_S: Final = 10

_WINDOWS: Final = 'application/x-qt-windows-mime;value="{}"'
_NO: Final = b"\x00\x00\x00\x00"  # a DWORD of 0

#: What clipboard managers look for before they keep a history, by system:
#: KDE's Klipper and those that follow it; Windows ("Clipboard Formats", the part on the cloud clipboard and
#: the history); macOS (nspasteboard.org).
MARKINGS: Final = (
    ("x-kde-passwordManagerHint", b"secret"),
    (_WINDOWS.format("ExcludeClipboardContentFromMonitorProcessing"), _NO),
    (_WINDOWS.format("CanIncludeInClipboardHistory"), _NO),
    (_WINDOWS.format("CanUploadToCloudClipboard"), _NO),
    ("org.nspasteboard.ConcealedType", b""),
)


class SecretClipboard(QObject):
    """Puts a value on the clipboard for a while; `finished` sends whether it was still there, and cleared.

    What was put there is known again by a keyed hash, so that no second copy of the value is held.
    """

    ticked = Signal(int)
    finished = Signal(bool)

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._salt = secrets.token_bytes(32)
        self._mark = b""
        self._countdown = Countdown(clock, self)
        self._countdown.ticked.connect(self.ticked)
        self._countdown.ended.connect(lambda: self.finished.emit(self.clear_now()))
        if application := QGuiApplication.instance():
            application.aboutToQuit.connect(self.clear_now)

    def copy(self, value: Secret, seconds: float = CLIPBOARD_S) -> None:
        self._mark = value.keyed_hash(self._salt)
        data = QMimeData()
        data.setText(value.reveal())
        for form, content in MARKINGS:
            data.setData(form, content)
        QGuiApplication.clipboard().setMimeData(data)
        self._countdown.start(seconds)

    def is_ours(self) -> bool:
        if not self._mark:
            return False
        there = Secret(QGuiApplication.clipboard().text())
        return hmac.compare_digest(there.keyed_hash(self._salt), self._mark)

    def clear_now(self) -> bool:
        """Clear the clipboard if it is still ours, and count no more; return whether it was cleared."""
        self._countdown.stop()
        ours = self.is_ours()
        if ours:
            QGuiApplication.clipboard().clear()
        self._mark = b""
        return ours


class ClipboardOffer(WrappingRow):
    """Offers to clear the clipboard while it holds a key's value that was pasted from it.

    It is hidden unless there is something to offer, or to say of the clipboard that was cleared. It keeps
    nothing of the value, and looks at the clipboard only when it is asked to and when it clears it.
    """

    changed = Signal()

    def __init__(self) -> None:
        self.text = label("")
        self.button = button(_("Clear the clipboard"), self._clear)
        super().__init__((self.text, self.button))
        self._fingerprint = ""
        self.hide()
        QGuiApplication.clipboard().dataChanged.connect(self._on_changed)

    def offer(self, of_value: str) -> None:
        holds = bool(of_value) and any(_fingerprint_in(mode) == of_value for mode in _modes())
        self._show(_("The clipboard still holds the value.") if holds else "", of_value if holds else "")

    def withdraw(self) -> None:
        self._show("", "")

    def _show(self, text: str, of_value: str) -> None:
        self._fingerprint = of_value
        self.text.setText(text)
        self.button.setVisible(bool(of_value))
        if self.isHidden() is bool(text):
            self.setVisible(bool(text))
            self.changed.emit()

    def _clear(self) -> None:
        of_value = self._fingerprint
        for mode in _modes():
            if _fingerprint_in(mode) == of_value:
                QGuiApplication.clipboard().clear(mode)
        self._show(_("The clipboard was cleared. A clipboard manager may still have the value."), "")

    def _on_changed(self) -> None:
        if self._fingerprint:  # something else was copied
            self.withdraw()


def _modes() -> tuple[QClipboard.Mode, ...]:
    both = QClipboard.Mode.Clipboard, QClipboard.Mode.Selection
    return both if QGuiApplication.clipboard().supportsSelection() else both[:1]


def _fingerprint_in(mode: QClipboard.Mode) -> str:
    """Return the fingerprint of the value on the clipboard; empty where there is no text that could be one."""
    text = QGuiApplication.clipboard().text(mode)
    return "" if len(text) > 2 * VALUE_LIMIT else fingerprint_of(text)


def fingerprint_of(text: str) -> str:
    """Return the fingerprint of a value as it was pasted; empty if it can't be one."""
    try:
        return fingerprint(tidy_value(text, KeyKind.PRIVATE).value)
    except InputInvalid:
        return ""


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
