"""Hears on D-Bus that the screen is locked, as the Linux desktops announce it.

https://specifications.freedesktop.org/idle-inhibit-spec (org.freedesktop.ScreenSaver, and the desktops' own
interfaces with the same signal) and systemd's org.freedesktop.login1(5).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection

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


class DBusLockSignals(QObject):
    """Listens to both buses; one that isn't there is left alone.

    Signals:
        locked: The screen was locked, or the computer is about to sleep.
    """

    locked = Signal()

    def start(self) -> None:
        """Begin to listen."""
        if _has_session_bus():
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


def _has_session_bus() -> bool:
    # Qt would start a bus of its own where there is none.
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or bool(runtime and Path(runtime, "bus").exists())
