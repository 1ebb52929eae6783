"""One window a data folder: a second start brings the first one's window to the front and ends."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from keybench.runtime.data_folder import DataFolder

#: How long a window that is being opened or closed, or is busy, may take to answer, in seconds.
_PATIENCE_S: Final = 5.0
_AGAIN_S: Final = 0.05
_CALL_MS: Final = 200
_SHOWN: Final = b"shown"
#: What desktops hand to a program that they start, so that its window may come to the front.
_TOKENS: Final = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


class WindowSilent(Exception):
    """Another program has its window open on the data folder and doesn't answer."""


class OneWindow(QObject):
    """This program's claim to show the data folder's one window.

    A lock file says whose the window is; it is free again however its program ended. A local socket takes
    the wish to see that window.

    Args:
        folder: The data folder; made if it isn't there.

    Attributes:
        show: Brings this program's window to the front, with another start's activation token or the empty
            text, and returns whether it could: a window that is being closed can't be shown again.
    """

    def __init__(self, folder: DataFolder) -> None:
        super().__init__()
        self.show: Callable[[str], bool] = lambda _token: False
        self._lock = FileLock(folder.window_lock)
        self._folder = folder
        self._name = _socket_name(folder.root)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    async def claim(self) -> bool:
        """Return whether the window is this program's to open; if not, the open one was brought to the front.

        Raises:
            WindowSilent: One is open, and its program gave no answer for five seconds.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + _PATIENCE_S
        while not self._has_lock():
            if self._show_other(end - loop.time()):
                return False
            if loop.time() > end:
                raise WindowSilent
            await asyncio.sleep(_AGAIN_S)
        QLocalServer.removeServer(self._name)  # of a program that was killed
        self._server.listen(self._name)
        return True

    def close(self) -> None:
        """Let another program have the window; safe to call twice."""
        self._server.close()
        self._lock.release()

    def _has_lock(self) -> bool:
        try:
            self._folder.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError:
            return True  # the folder can't be used at all, and the window says why
        return True

    def _show_other(self, patience_s: float) -> bool:
        """Ask the program that has the window to show it; return whether it did."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CALL_MS):
            return False
        token = next((os.environ[name] for name in _TOKENS if os.environ.get(name)), "")
        socket.write(f"{token}\n".encode())
        socket.waitForReadyRead(max(0, round(patience_s * 1000)))
        return bytes(socket.readAll().data()) == _SHOWN

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._on_wish)

    def _on_wish(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket) and socket.canReadLine():
            if self.show(bytes(socket.readLine().data()).decode("utf-8", "replace").strip()):
                socket.write(_SHOWN)
                socket.flush()
            socket.disconnectFromServer()


def _socket_name(root: Path) -> str:
    """Return the socket's name, short enough for any system however long the data folder's path is."""
    name = f"keybench-{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:20]}"
    if sys.platform != "win32":  # where it is the name of a pipe, which has no folder
        place = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        name = os.path.join(place, name)  # noqa: PTH118 - Qt takes a text
    return name
