"""The clipboard for key values: marked as secret for clipboard managers, cleared when its time is over."""

from __future__ import annotations

import hmac
import math
import secrets
from typing import Final

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from keybench.core.ports import Clock
from keybench.core.secret import Secret

#: Often enough that a second shown is never a second late.
TICK_MS: Final = 200


class Countdown(QObject):
    """Counts whole seconds down to nothing.

    The timer only makes it look and the clock decides: Qt's timers may be early, and tests move the clock.

    Signals:
        ticked: How many seconds are left, rounded up; sent when it changes.
        ended: The time is over (not sent by `stop`).
    """

    ticked = Signal(int)
    ended = Signal()

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._end: float | None = None
        self._shown = 0
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def running(self) -> bool:
        """Whether it counts."""
        return self._end is not None

    def start(self, seconds: float) -> None:
        """Count down from `seconds`, from the start if it was counting."""
        self._end = self._clock.monotonic() + seconds
        self._shown = 0
        self._timer.start()
        self.look()

    def stop(self) -> None:
        """Count no more, without a word; safe when it isn't counting."""
        self._end = None
        self._timer.stop()

    def look(self) -> None:
        """Look at the clock now and tell what has changed."""
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
    """Puts a value on the clipboard for a while.

    What was put there is known again by a keyed hash, so that no second copy of the value is held.

    Signals:
        ticked: Seconds left until it is cleared.
        finished: Its time is over: True if it was cleared, False if something else was there by then.
    """

    ticked = Signal(int)
    finished = Signal(bool)

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._salt = secrets.token_bytes(32)
        self._mark = b""
        self._countdown = Countdown(clock, self)
        self._countdown.ticked.connect(self.ticked)
        self._countdown.ended.connect(self._end)
        if application := QGuiApplication.instance():
            application.aboutToQuit.connect(self.clear_now)

    @property
    def counting(self) -> bool:
        """Whether a value was put there and its time isn't over."""
        return self._countdown.running

    def copy(self, value: Secret, seconds: float = CLIPBOARD_S) -> None:
        """Put `value` there, marked as secret, and clear it after `seconds` if it is still ours."""
        self._mark = value.keyed_hash(self._salt)
        data = QMimeData()
        data.setText(value.reveal())
        for form, content in MARKINGS:
            data.setData(form, content)
        QGuiApplication.clipboard().setMimeData(data)
        self._countdown.start(seconds)

    def is_ours(self) -> bool:
        """Tell whether the clipboard holds what was last put there by `copy`."""
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

    def _end(self) -> None:
        self.finished.emit(self.clear_now())
