"""Tells a person who works in another window that a sale or a run has ended: in the taskbar and the desktop.

Linux: https://specifications.freedesktop.org/notification-spec/latest/ on the session bus. Windows and macOS:
Qt's notification area, the one way to their notifications that Qt has.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from keybench.runtime.data_folder import resource_path
from keybench.runtime.system import this_system
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.requests import Place
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.application import ID
from keybench.words.language import _, ngettext

if TYPE_CHECKING:
    from keybench.ui.shell.session_bus import BusSignal, SessionBus
    from keybench.ui.shell.window import MainWindow

_NAME: Final = "org.freedesktop.Notifications"
_PATH: Final = "/org/freedesktop/Notifications"
_DEFAULT: Final = "default"
#: The desktop's own choice of how long it is shown.
_AS_USUAL: Final = -1


class DesktopNotices(QObject):
    """Passes on that a sale or a run has ended while nobody is at the window; locked, not how it ended."""

    def __init__(
        self, window: MainWindow, session: Session, preferences: Preferences, is_locked: Callable[[], bool]
    ) -> None:
        super().__init__(session)
        self._window = window
        self._session = session
        self._preferences = preferences
        self._is_locked = is_locked
        self._desktop = BusDesktop(session) if sys.platform == "linux" else TrayDesktop(session)
        self._place: Place | None = None
        self._before = 0
        self._desktop.activated.connect(self._on_activated)
        session.is_attended = self.is_attended
        session.notified.connect(self._on_notice)
        session.locking.connect(self._forget)
        session.ending.connect(self._forget)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.connect(self._on_application)

    def is_attended(self) -> bool:
        return QApplication.activeWindow() is not None and not self._is_locked()

    def _on_notice(self, notice: Notice) -> None:
        if not notice.ends or self.is_attended() or TELL.read(self._preferences) == "off":
            return
        QApplication.alert(self._window)
        title, text = notice.title, notice.text
        if self._is_locked():
            title, text = _("A sale or a run has ended"), _("Unlock Keybench to see how.")
        if self._before:
            more = ngettext("1 more has ended before.", "{count} more have ended before.", self._before)
            text = f"{text} {more.format(count=self._before)}".strip()
        self._place = notice.place
        self._before += 1
        self._desktop.show(title, text)

    def _on_activated(self, token: str) -> None:
        place = self._place
        self._forget()
        if self._window.come_to_front(token) and place and not self._is_locked():
            self._session.ask(place)

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if self._before and state is Qt.ApplicationState.ApplicationActive and not self._is_locked():
            self._forget()

    def _forget(self) -> None:
        self._place = None
        if self._before:
            self._before = 0
            self._desktop.close()


class BusDesktop(QObject):
    """Linux: the notification service on the session bus.

    It is connected to when there is something to show, and for as long as that is shown: some desktops take
    a notification away when its program leaves the bus.
    """

    activated = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        #: Signals of the service, and None when something else is wanted.
        self._queue: asyncio.Queue[BusSignal | None] = asyncio.Queue()
        self._wanted: tuple[str, str] | None = None
        self._is_new = False
        self._connections = 0
        self._is_connected = False
        self._shown = 0
        self._token = ""

    def show(self, title: str, text: str) -> None:
        self._want((title, text))
        if not self._is_connected:
            self._connections += 1  # a task's name is free again a moment after it ended
            name = f"desktop notifications {self._connections}"
            self._is_connected = self._session.run(name, self._connect())

    def close(self) -> None:
        if self._is_connected:
            self._want(None)

    def _want(self, wanted: tuple[str, str] | None) -> None:
        self._wanted, self._is_new = wanted, True
        self._queue.put_nowait(None)

    async def _connect(self) -> None:
        from keybench.ui.shell.session_bus import BusTrouble, open_session_bus  # noqa: PLC0415 - Linux alone

        try:
            while self._is_new:
                async with open_session_bus() as bus, bus.signals(_PATH, _NAME, self._queue):
                    can = (await bus.call(_NAME, _PATH, _NAME, "GetCapabilities"))[0]
                    await self._serve(bus, can)
        except BusTrouble:
            pass  # the taskbar has told it, and the window will
        finally:
            self._is_connected, self._is_new, self._shown = False, False, 0

    async def _serve(self, bus: SessionBus, can: list[str]) -> None:
        while self._is_new or self._shown:
            if not self._is_new:
                signal = await self._queue.get()
                if signal and self._is_over(signal):
                    self._shown = 0
                continue
            self._is_new = False
            if self._wanted:
                self._shown = await self._notify(bus, can, *self._wanted)
            elif self._shown:
                await bus.call(_NAME, _PATH, _NAME, "CloseNotification", "u", self._shown)
                self._shown = 0

    async def _notify(self, bus: SessionBus, can: list[str], title: str, text: str) -> int:
        actions = [_DEFAULT, _("Show")] if "actions" in can else []
        text = escape(text, quote=False) if "body-markup" in can else text
        # The desktop doesn't see into a Flatpak, but it has the icon itself then.
        icon = ID if this_system().in_flatpak else str(resource_path("icons/keybench.svg"))
        hints = {"desktop-entry": ("s", ID), "category": ("s", "transfer.complete")}
        said = ("Keybench", self._shown, icon, title, text, actions, hints, _AS_USUAL)
        return int((await bus.call(_NAME, _PATH, _NAME, "Notify", "susssasa{sv}i", *said))[0])

    def _is_over(self, signal: BusSignal) -> bool:
        from keybench.ui.shell.session_bus import name_of  # noqa: PLC0415 - Linux alone

        match name_of(signal), signal.body:
            case _, (number, *_rest) if number != self._shown:
                pass  # another program's
            case "ActivationToken", (_, str(token)):
                self._token = token
            case "ActionInvoked", _:
                token, self._token = self._token, ""
                self.activated.emit(token)
            case "NotificationClosed", _:
                return True
        return False


class TrayDesktop(QObject):
    """Windows and macOS: an icon in the notification area, there while something is shown."""

    activated = Signal(str)

    def __init__(self, parent: QObject, make_icon: Callable[[], QSystemTrayIcon] | None = None) -> None:
        super().__init__(parent)
        self._make_icon = make_icon or (lambda: QSystemTrayIcon(QApplication.windowIcon(), self))
        self._icon: QSystemTrayIcon | None = None

    def show(self, title: str, text: str) -> None:
        if self._icon is None:
            self._icon = self._make_icon()
            self._icon.messageClicked.connect(self._on_clicked)
            self._icon.activated.connect(self._on_clicked)
        self._icon.show()
        self._icon.showMessage(title, text, QApplication.windowIcon())

    def close(self) -> None:
        if self._icon:
            self._icon.hide()

    def _on_clicked(self) -> None:
        self.activated.emit("")
