"""A sale or a run that ends while nobody is at the window is told by the desktop's notification area."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.session import LockNow, Notice, Place, Session
from keybench.ui.shell.lock import Lock
from keybench.ui.shell.notices.desktop import DesktopNotices
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES

APPROVED = Notice(
    "good", "Approved 10.00 USD on Till 1.", "The money was taken.", place=Place("keys"), ends=True
)
UNKNOWN = Notice("warning", "Unknown 20.00 USD on Till 2.", place=Place("devices"), ends=True)


class Icon(QObject):
    """As Qt's in a notification area; there is none on the tests' screen."""

    messageClicked = Signal()  # noqa: N815 - Qt's own name
    activated = Signal(object)

    def __init__(self, *_made_with: object) -> None:
        super().__init__()
        self.is_there = False
        self.said: list[tuple[str, str]] = []

    def show(self) -> None:
        self.is_there = True

    def hide(self) -> None:
        self.is_there = False

    def showMessage(self, title: str, text: str, _icon: object) -> None:
        self.said.append((title, text))


@pytest.fixture
async def window(qtbot: QtBot, session: Session, until: Until) -> AsyncIterator[MainWindow]:
    window = MainWindow(Preferences(), SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    window.activateWindow()
    await until(window.isActiveWindow)
    yield window
    session.end()


@pytest.fixture
def controller(window: MainWindow, session: Session, preferences: Preferences) -> Lock:
    return Lock(window, session, preferences)


@pytest.fixture
async def icon(
    window: MainWindow,
    session: Session,
    preferences: Preferences,
    controller: Lock,
    monkeypatch: pytest.MonkeyPatch,
) -> Icon:
    """The icon of notices that are at work."""
    monkeypatch.setattr("keybench.ui.shell.notices.desktop.QSystemTrayIcon", Icon)
    icon = DesktopNotices(window, session, preferences, lambda: controller.is_locked).icon
    assert isinstance(icon, Icon)
    return icon


async def elsewhere(window: MainWindow, until: Until) -> None:
    """Go to another program: a window that was shown again is active once a window manager says so."""
    window.hide()
    window.show()
    await until(lambda: QApplication.activeWindow() is None)


async def test_it_is_told_with_what_ended_and_a_click_leads_there(
    window: MainWindow, session: Session, icon: Icon, until: Until
) -> None:
    await elsewhere(window, until)
    assert not session.is_attended()
    session.notify(APPROVED)
    assert icon.is_there
    assert icon.said == [(APPROVED.title, APPROVED.text)]
    icon.messageClicked.emit()
    assert window.page_id == "keys"
    assert not icon.is_there


async def test_nothing_is_told_to_who_is_there_or_wants_none_or_of_what_ends_nothing(
    window: MainWindow, session: Session, icon: Icon, until: Until, preferences: Preferences
) -> None:
    session.notify(APPROVED)
    await elsewhere(window, until)
    session.notify(Notice("bad", "The journal is full."))
    TELL.write(preferences, "off")
    session.notify(APPROVED)
    TELL.write(preferences, "on")
    session.notify(UNKNOWN)
    assert icon.said == [(UNKNOWN.title, "")]


async def test_several_are_counted_until_a_person_comes(
    window: MainWindow, session: Session, icon: Icon, until: Until
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    session.notify(UNKNOWN)
    assert icon.said[1] == (UNKNOWN.title, "1 more has ended before.")
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert not icon.is_there
    session.notify(UNKNOWN)
    assert icon.said[2] == (UNKNOWN.title, "")


async def test_a_locked_window_says_nothing_of_what_ended_and_takes_back_what_was_told(
    window: MainWindow, session: Session, icon: Icon, controller: Lock, until: Until
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    session.ask(LockNow())
    assert not icon.is_there
    assert not session.is_attended(), "whoever locks it goes away"
    session.notify(APPROVED)
    assert icon.said[1] == ("A sale or a run has ended", "Unlock Keybench to see how.")
    icon.messageClicked.emit()
    assert window.page_id == "bench"
    assert controller.is_locked
