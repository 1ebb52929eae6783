"""One window a data folder: a second start brings the first one's window to the front and ends."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout
from PySide6.QtCore import QObject

from keybench import __version__
from keybench.runtime.data_folder import DataFolder

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer

#: How long a window that is being opened or closed, or is busy, may take to answer, in seconds.
_PATIENCE_S: Final = 5.0
_AGAIN_S: Final = 0.05
_CALL_MS: Final = 200
_SHOWN: Final = "shown"
#: The longest path of a socket, in bytes: Linux takes 107, macOS 103.
_LONGEST: Final = 103
#: What desktops hand to a program that they start, so that its window may come to the front.
_TOKENS: Final = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


class WindowSilent(Exception):
    """Another program has its window open on the data folder and doesn't answer."""


class OneWindow(QObject):
    """This program's claim to show the data folder's one window.

    A lock file says whose the window is; it is free again however its program ended. A local socket takes
    the wish to see that window.

    Attributes:
        show: Brings this program's window to the front, with another start's activation token or the empty
            text, and returns whether it could: a window that is being closed can't be shown again.
        met: Called with the version of another start that is of another one.
        other: The version of the program whose window was brought to the front; empty if it didn't say.
    """

    def __init__(self, folder: DataFolder) -> None:
        super().__init__()
        self.show: Callable[[str], bool] = lambda _token: False
        self.met: Callable[[str], object] = lambda _version: None
        self.other = ""
        self._lock = FileLock(folder.window_lock)
        self._folder = folder
        self._name = socket_name(folder.root)
        self._server: QLocalServer | None = None

    async def claim(self) -> bool:
        """Return whether the window is this program's to open; if not, the open one was brought to the front."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _PATIENCE_S
        while not self._has_lock():
            if self._show_other(end - loop.time()):
                return False
            if loop.time() > end:
                raise WindowSilent
            await asyncio.sleep(_AGAIN_S)
        return True

    def listen(self) -> None:
        """Hear from other starts from now on; one that comes earlier tries again until then."""
        from PySide6.QtNetwork import QLocalServer  # noqa: PLC0415 - the window comes first

        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        QLocalServer.removeServer(self._name)  # of a program that was killed
        self._server.listen(self._name)

    def close(self) -> None:
        if self._server:
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
        from PySide6.QtNetwork import QLocalSocket  # noqa: PLC0415 - only a second start speaks to the first

        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CALL_MS):
            return False
        token = next((os.environ[name] for name in _TOKENS if os.environ.get(name)), "")
        socket.write(f"{token}\n{__version__}\n".encode())
        socket.waitForReadyRead(max(0, round(patience_s * 1000)))
        answer, _, self.other = bytes(socket.readAll().data()).decode("utf-8", "replace").partition(" ")
        return answer == _SHOWN

    def _on_connection(self) -> None:
        while self._server and (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._on_wish)

    def _on_wish(self) -> None:
        from PySide6.QtNetwork import QLocalSocket  # noqa: PLC0415 - as above

        socket = self.sender()
        if not isinstance(socket, QLocalSocket) or not socket.canReadLine():
            return
        # One line of a start that doesn't tell its version, which wants the bare word.
        token, version, *_ = [*bytes(socket.readAll().data()).decode("utf-8", "replace").splitlines(), ""]
        if self.show(token.strip()):
            socket.write((f"{_SHOWN} {__version__}" if version else _SHOWN).encode())
            socket.flush()
            if version not in {"", __version__}:
                self.met(version)
        socket.disconnectFromServer()


def socket_name(root: Path) -> str:
    """Return where the socket is, short enough however long the folder's path.

    It isn't where the environment says: programs of one person may be told of different places, as by a desktop and
    by `su`.
    """
    name = f"keybench-{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:20]}"
    if sys.platform == "win32":  # where it is the name of a pipe, which has no folder
        return name
    else:  # noqa: RET505 - as mypy knows platforms
        folders = (f"/run/user/{os.getuid()}", tempfile.gettempdir())
        paths = [os.path.join(folder, name) for folder in folders if os.access(folder, os.W_OK)]  # noqa: PTH118 - Qt takes a text
        short = (path for path in paths if len(os.fsencode(path)) <= _LONGEST)
        return next(short, f"/tmp/{name}")  # noqa: S108 - the name is its own
