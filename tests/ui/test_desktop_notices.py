"""A sale or a run that ends while nobody is at the window: told by the desktop, on a real session bus."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from fakes.notifications import Notifications, notification_service
from fakes.waiting import Until
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.requests import LockNow, Place
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.lock import Lock
from keybench.ui.shell.notices.desktop import BusDesktop, DesktopNotices, TrayDesktop
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES

APPROVED = Notice(
    "good", "Approved 10.00 USD on Till 1.", "The money was taken.", place=Place("keys"), ends=True
)
UNKNOWN = Notice("warning", "Unknown 20.00 USD on Till 2.", place=Place("devices"), ends=True)


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
def preferences() -> Preferences:
    return Preferences()


@pytest.fixture
def controller(window: MainWindow, session: Session, preferences: Preferences) -> Lock:
    return Lock(window, session, preferences)


@pytest.fixture
async def notices(
    window: MainWindow, session: Session, preferences: Preferences, controller: Lock
) -> DesktopNotices:
    return DesktopNotices(window, session, preferences, lambda: controller.is_locked)


@pytest.fixture
async def service(session: Session) -> AsyncIterator[Notifications]:
    async with notification_service() as service:
        session.supervisor.start("notification service", service.serve())
        yield service
        session.supervisor.cancel("notification service")


async def elsewhere(window: MainWindow, until: Until) -> None:
    """Go to another program: a window that was shown again is active once a window manager says so."""
    window.hide()
    window.show()
    await until(lambda: QApplication.activeWindow() is None)


async def test_it_is_told_with_what_ended_and_a_click_leads_there(
    window: MainWindow, session: Session, notices: DesktopNotices, service: Notifications, until: Until
) -> None:
    await elsewhere(window, until)
    assert not session.is_attended()
    session.notify(APPROVED)
    await until(lambda: service.open)
    (shown,) = service.shown
    assert (shown.program, shown.title, shown.text) == ("Keybench", APPROVED.title, APPROVED.text)
    assert shown.actions[0] == "default"
    assert shown.hints["desktop-entry"] == ("s", "io.keybench.Keybench")

    await service.click(service.open[0], token="token-7")

    await until(lambda: window.page_id == "keys")
    await until(lambda: not any("desktop" in name for name in session.supervisor.running))


async def test_nothing_is_told_to_who_is_there_or_wants_none_or_of_what_ends_nothing(
    window: MainWindow,
    session: Session,
    notices: DesktopNotices,
    service: Notifications,
    until: Until,
    preferences: Preferences,
) -> None:
    session.notify(APPROVED)
    await elsewhere(window, until)
    session.notify(Notice("bad", "The journal is full."))
    TELL.write(preferences, "off")
    session.notify(APPROVED)
    TELL.write(preferences, "on")
    session.notify(UNKNOWN)
    await until(lambda: service.shown)
    assert [one.title for one in service.shown] == [UNKNOWN.title]


async def test_several_are_one_notification_that_counts_and_goes_when_a_person_comes(
    window: MainWindow, session: Session, notices: DesktopNotices, service: Notifications, until: Until
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    await until(lambda: service.open)
    session.notify(UNKNOWN)
    await until(lambda: len(service.shown) == 2)
    assert service.shown[1].replaces == 1
    assert service.shown[1].text == "1 more has ended before."
    assert service.open == [1]

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)

    await until(lambda: service.closed == [1])
    session.notify(UNKNOWN)
    await until(lambda: len(service.shown) == 3)
    assert service.shown[2].text == ""


async def test_a_locked_window_says_nothing_of_what_ended(
    window: MainWindow,
    session: Session,
    notices: DesktopNotices,
    service: Notifications,
    controller: Lock,
    until: Until,
) -> None:
    session.ask(LockNow())
    assert not session.is_attended(), "whoever locks it goes away"
    session.notify(APPROVED)
    await until(lambda: service.open)
    said = f"{service.shown[0].title} {service.shown[0].text}"
    assert said == "A sale or a run has ended Unlock Keybench to see how."

    await service.click(service.open[0])

    await until(lambda: not any("desktop" in name for name in session.supervisor.running))
    assert window.page_id == "bench"
    assert controller.is_locked


async def test_what_was_told_is_taken_back_when_the_window_is_locked(
    window: MainWindow,
    session: Session,
    notices: DesktopNotices,
    service: Notifications,
    controller: Lock,
    until: Until,
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    await until(lambda: service.open)
    controller.lock()
    await until(lambda: service.closed == [1])


async def test_texts_are_no_markup_to_a_desktop_that_knows_it(
    window: MainWindow, session: Session, notices: DesktopNotices, service: Notifications, until: Until
) -> None:
    service.capabilities = ("body", "body-markup")
    await elsewhere(window, until)
    session.notify(Notice("good", "Approved", "<b>on</b> Till & Co", ends=True))
    await until(lambda: service.shown)
    assert service.shown[0].text == "&lt;b&gt;on&lt;/b&gt; Till &amp; Co"
    assert service.shown[0].actions == []


async def test_another_programs_notifications_are_left_alone(
    window: MainWindow, session: Session, notices: DesktopNotices, service: Notifications, until: Until
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    await until(lambda: service.open)
    service.open.append(77)
    await service.click(77)
    await service.expire(1)
    await until(lambda: not any("desktop" in name for name in session.supervisor.running))
    assert window.page_id == "bench"
    session.notify(UNKNOWN)
    await until(lambda: service.open)


async def test_without_a_service_nothing_fails(
    window: MainWindow, session: Session, notices: DesktopNotices, until: Until
) -> None:
    await elsewhere(window, until)
    session.notify(APPROVED)
    await until(lambda: not any("desktop" in name for name in session.supervisor.running))
    session.notify(APPROVED)
    await until(lambda: not any("desktop" in name for name in session.supervisor.running))


async def test_a_service_that_refuses_is_asked_again_the_next_time(
    window: MainWindow, session: Session, notices: DesktopNotices, service: Notifications, until: Until
) -> None:
    service.refuses = True
    await elsewhere(window, until)
    session.notify(APPROVED)
    await until(lambda: not any("desktop" in name for name in session.supervisor.running))
    service.refuses = False
    session.notify(UNKNOWN)
    await until(lambda: service.open)


async def test_without_a_bus_nothing_fails(
    session: Session, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    desktop = BusDesktop(session)
    desktop.show("title", "text")
    desktop.close()
    await until(lambda: not session.supervisor.running)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    desktop.show("title", "text")
    await until(lambda: not session.supervisor.running)


class Icon(QObject):
    """As Qt's in a notification area; there is none on the tests' screen."""

    messageClicked = Signal()  # noqa: N815 - Qt's own name
    activated = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.is_there = False
        self.said: list[tuple[str, str]] = []

    def show(self) -> None:
        self.is_there = True

    def hide(self) -> None:
        self.is_there = False

    def showMessage(self, title: str, text: str, _icon: object) -> None:
        self.said.append((title, text))


def test_elsewhere_than_on_linux_the_notification_area_tells_it(session: Session) -> None:
    icon = Icon()
    desktop = TrayDesktop(session, lambda: cast("QSystemTrayIcon", icon))
    told: list[str] = []
    desktop.activated.connect(told.append)
    desktop.close()
    desktop.show("title", "text")
    assert icon.is_there
    assert icon.said == [("title", "text")]
    icon.messageClicked.emit()
    assert told == [""]
    desktop.close()
    assert not icon.is_there
