"""Tells a person who works in another window that a sale or a run has ended: in the taskbar and the desktop.

Notifications go by Qt's notification area, which needs one on the desktop; the taskbar tells it everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.session import Notice, Place, Session
from keybench.words.language import _, ngettext

if TYPE_CHECKING:
    from keybench.ui.shell.window import MainWindow


class DesktopNotices(QObject):
    """Passes on that a sale or a run has ended while nobody is at the window; locked, not how it ended.

    The icon in the notification area is there while something is shown.
    """

    def __init__(
        self, window: MainWindow, session: Session, preferences: Preferences, is_locked: Callable[[], bool]
    ) -> None:
        super().__init__(session)
        self._window = window
        self._session = session
        self._preferences = preferences
        self._is_locked = is_locked
        self.icon = QSystemTrayIcon(QApplication.windowIcon(), self)
        self._place: Place | None = None
        self._before = 0
        self.icon.messageClicked.connect(self._on_clicked)
        self.icon.activated.connect(self._on_clicked)
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
            more = ngettext("1 more has ended before.", "{count:,} more have ended before.", self._before)
            text = f"{text} {more}".strip()
        self._place = notice.place
        self._before += 1
        self.icon.show()
        self.icon.showMessage(title, text, QApplication.windowIcon())

    def _on_clicked(self) -> None:
        place = self._place
        self._forget()
        if self._window.come_to_front() and place and not self._is_locked():
            self._session.ask(place)

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if self._before and state is Qt.ApplicationState.ApplicationActive and not self._is_locked():
            self._forget()

    def _forget(self) -> None:
        self._place = None
        if self._before:
            self._before = 0
            self.icon.hide()
