"""Ctrl-C and SIGTERM close the window properly, though Python gets no turn while Qt waits for events."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier


class StopSignals(QObject):
    """Calls back on the main thread's loop when the process is asked to stop.

    Args:
        on_stop: Called for each such signal.
        parent: Whose life it shares.
    """

    def __init__(self, on_stop: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._on_stop = on_stop
        # Python writes a byte here when a signal comes; Qt watches the other end.
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, _noticed) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore(self) -> None:
        """Put the process's handlers back; safe to call twice."""
        if not self._old:
            return
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._old = {}
        self._reader.close()
        self._writer.close()

    def _on_readable(self) -> None:
        try:
            numbers = self._reader.recv(64)
        except OSError:
            return
        if set(numbers) & set(self._old):
            self._on_stop()


def _noticed(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up byte has told it already."""
