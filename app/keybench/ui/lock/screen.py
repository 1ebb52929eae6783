"""Tells when the computer's screen is locked, on each system in its own way.

Linux: https://specifications.freedesktop.org/idle-inhibit-spec (org.freedesktop.ScreenSaver, and the
desktops' own interfaces with the same signal) and systemd's org.freedesktop.login1(5).
Windows: the input desktop can't be opened while the lock screen is shown,
https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-openinputdesktop.
macOS: the key ``CGSSessionScreenIsLocked`` of the window server's session is there, and true, only while the
screen is locked, https://developer.apple.com/documentation/coregraphics/cgsessioncopycurrentdictionary().
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import SLOT, QObject, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection

from keybench.runtime.system import session_bus_address

_SCREEN_SAVERS: Final = (
    "org.freedesktop.ScreenSaver",
    "org.gnome.ScreenSaver",
    "org.cinnamon.ScreenSaver",
    "org.mate.ScreenSaver",
    "org.xfce.ScreenSaver",
)
# The type hints of PySide 6.11 want bytes, and the function itself takes text only.
_ON_ACTIVE: Final[Any] = SLOT("on_active(bool)")
_ON_LOCK: Final[Any] = SLOT("on_lock()")
_FRAMEWORK: Final = "/System/Library/Frameworks/{0}.framework/{0}"
_KEY: Final = b"CGSSessionScreenIsLocked"
_UTF8: Final = 0x08000100
_SWITCH_DESKTOP: Final = 0x0100
_LOOK_MS: Final = 2_000


class ScreenLockWatch(QObject):
    """Watches the system's own lock.

    Linux announces it on D-Bus. Windows and macOS are looked at every two seconds: their announcements need a
    native window procedure or an Objective-C class, and a cover two seconds late hides no less, because the
    screen is locked by then.

    Signals:
        screen_locked: The screen was locked, or the computer is about to sleep.
    """

    screen_locked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_locked = False
        self._is_locked: Callable[[], bool] | None = None
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Begin to watch."""
        if sys.platform == "win32":
            self.poll(is_locked_on_windows)
        elif sys.platform == "darwin":
            self.poll(is_locked_on_macos)
        else:
            signals = DBusLockSignals(self)
            signals.locked.connect(self.screen_locked)
            signals.start()

    def poll(self, is_locked: Callable[[], bool]) -> None:
        """Ask `is_locked` every two seconds from now on."""
        self._is_locked = is_locked
        self._timer.start()

    def look(self) -> None:
        """Ask now, and tell if the screen was locked since the last time."""
        if self._is_locked is None:
            return
        locked = self._is_locked()
        if locked and not self._was_locked:
            self.screen_locked.emit()
        self._was_locked = locked


class DBusLockSignals(QObject):
    """Listens to both buses; one that isn't there is left alone.

    Signals:
        locked: The screen was locked, or the computer is about to sleep.
    """

    locked = Signal()

    def start(self) -> None:
        """Begin to listen."""
        if session_bus_address():  # Qt would start a bus of its own where there is none
            session = QDBusConnection.sessionBus()
            for interface in _SCREEN_SAVERS:
                session.connect("", "", interface, "ActiveChanged", self, _ON_ACTIVE)
        system = QDBusConnection.systemBus()
        if system.isConnected():
            login = "org.freedesktop.login1"
            system.connect(login, "", f"{login}.Session", "Lock", self, _ON_LOCK)
            system.connect(login, "", f"{login}.Manager", "PrepareForSleep", self, _ON_ACTIVE)

    @Slot(bool)
    def on_active(self, active: bool) -> None:  # noqa: FBT001 - the announcement's own form
        """Take an announcement that has the state with it."""
        if active:
            self.locked.emit()

    @Slot()
    def on_lock(self) -> None:
        """Take the announcement that the session is to be locked."""
        self.locked.emit()


def is_locked_on_windows(user32: Any = None) -> bool:
    """Tell whether the screen is locked; a prompt of the system's counts too.

    Args:
        user32: The library; the system's own if None.
    """
    library = user32 or _loaded_user32()
    desktop = library.OpenInputDesktop(0, False, _SWITCH_DESKTOP)
    if not desktop:
        return True
    library.CloseDesktop(desktop)
    return False


def _loaded_user32() -> Any:
    library = ctypes.CDLL("user32")
    library.OpenInputDesktop.restype = ctypes.c_void_p
    library.CloseDesktop.argtypes = [ctypes.c_void_p]
    return library


def is_locked_on_macos(graphics: Any = None, foundation: Any = None) -> bool:
    """Tell whether the screen is locked.

    Args:
        graphics: CoreGraphics; the system's own if None.
        foundation: CoreFoundation; the system's own if None.
    """
    graphics = graphics or _loaded("CoreGraphics", "CGSessionCopyCurrentDictionary")
    foundation = foundation or _loaded(
        "CoreFoundation",
        "CFStringCreateWithCString",
        "CFDictionaryGetValue",
        "CFBooleanGetValue",
        "CFRelease",
    )
    session = graphics.CGSessionCopyCurrentDictionary()
    if not session:
        return True  # the session isn't on the console: somebody else's is
    key = foundation.CFStringCreateWithCString(None, _KEY, _UTF8)
    try:
        value = foundation.CFDictionaryGetValue(ctypes.c_void_p(session), ctypes.c_void_p(key))
        return bool(value) and bool(foundation.CFBooleanGetValue(ctypes.c_void_p(value)))
    finally:
        foundation.CFRelease(ctypes.c_void_p(key))
        foundation.CFRelease(ctypes.c_void_p(session))


def _loaded(name: str, *functions: str) -> Any:
    library = ctypes.CDLL(_FRAMEWORK.format(name))
    for function in functions:
        getattr(library, function).restype = ctypes.c_void_p
    if name == "CoreFoundation":
        library.CFStringCreateWithCString.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
        library.CFBooleanGetValue.restype = ctypes.c_ubyte
    return library
