"""Notices: in a line of their own, gone when they are over or were read, reached by key, kept in a list."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import Until
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy, KeyRefused, KeystoreLocked, NotSent
from keybench.core.events import ActivityRecorded, GatewayChanged, RotationChanged
from keybench.core.reasons import Reason
from keybench.ui.kit.actions import Menu, MenuBar
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.notice_causes import about_rotation, end_with_causes
from keybench.ui.shared.session import Notice, Place, Session
from keybench.ui.shell.notices.bar import MOST, NoticeBar, reading_ms
from keybench.ui.shell.notices.listing import NoticeList
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES

LOST = Notice("warning", "The answer was lost.", "Look the sale up before sending it again.", "sale 1")
REFUSED = Notice("bad", "The key was refused.")
SAVED = Notice("good", "Key saved.")
LONG = Notice("bad", "The disk is full.", "Make room. " * 60)


@pytest.fixture
async def page(qtbot: QtBot, until: Until) -> QWidget:
    """A window with a field and a line for notices below it, in use."""
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.addWidget(QLineEdit())
    layout.addStretch(1)
    layout.addWidget(NoticeBar())
    qtbot.addWidget(page)
    page.resize(900, 500)
    page.move(300, 300)
    page.show()
    page.activateWindow()
    await until(page.isActiveWindow)
    return page


@pytest.fixture
async def bar(page: QWidget, session: Session) -> NoticeBar:
    bar = page.findChild(NoticeBar)
    assert bar is not None
    bar.attach(session)
    return bar


@pytest.fixture
def field(page: QWidget) -> QLineEdit:
    field = page.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    return field


def point(bar: NoticeBar, *, at_it: bool) -> None:
    """Move the pointer onto the line or away from it, as the window system tells it."""
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, at_it)
    where = QPointF(5, 5)
    QApplication.sendEvent(bar, QEnterEvent(where, where, where) if at_it else QEvent(QEvent.Type.Leave))


def read(bar: NoticeBar) -> None:
    """Let the time go by that a person needs to read what is shown."""
    assert bar._reading.isActive()
    bar._reading.timeout.emit()


async def test_nothing_moves_and_nothing_is_covered_when_a_notice_comes(
    page: QWidget, bar: NoticeBar, field: QLineEdit
) -> None:
    before = (field.geometry(), bar.geometry())
    bar.add(LONG)
    page.layout().activate()  # type: ignore[union-attr]  # it has one
    assert bar.isVisible()
    assert field.hasFocus()
    assert (field.geometry(), bar.geometry()) == before
    assert not bar.geometry().intersects(field.geometry())
    assert page.rect().contains(bar.geometry())


async def test_the_newest_comes_first_and_what_stays_waits_behind_it(bar: NoticeBar) -> None:
    bar.add(LOST)
    bar.add(REFUSED)
    assert bar.title.text() == "The key was refused."
    assert bar.more.text() == "1 more"
    assert bar.accessibleDescription() == "The key was refused."
    bar.dismiss.click()
    assert bar.shown == LOST
    assert bar.accessibleDescription() == f"{LOST.title} {LOST.text}"
    assert not bar.more.isVisible()
    bar.dismiss.click()
    assert bar.shown is None
    assert bar.title.text() == bar.accessibleDescription() == ""
    assert not bar.dismiss.isVisible()


async def test_the_same_notice_twice_is_shown_once_and_one_on_its_topic_takes_its_place(
    bar: NoticeBar,
) -> None:
    bar.add(LOST)
    bar.add(REFUSED)
    bar.add(REFUSED)
    assert [one.notice for one in bar.waiting] == [LOST, REFUSED]
    found = Notice("good", "It was approved.", topic=LOST.topic)
    bar.add(found)
    assert [one.notice for one in bar.waiting] == [REFUSED, found]


async def test_good_news_goes_once_it_could_be_read(bar: NoticeBar) -> None:
    bar.add(LOST)
    bar.add(SAVED)
    assert bar._reading.interval() == reading_ms(SAVED)
    read(bar)
    assert bar.shown == LOST


async def test_more_words_are_given_more_time() -> None:
    longer = Notice("good", "Key saved.", "Its value is in the keystore, and nowhere else on this computer.")
    assert reading_ms(longer) > reading_ms(SAVED) + 3000


async def test_what_a_person_must_act_on_stays_until_it_is_closed(bar: NoticeBar) -> None:
    bar.add(REFUSED)
    assert not bar._reading.isActive()
    bar.dismiss.click()
    assert bar.shown is None


async def test_good_news_that_came_before_bad_news_does_not_come_back(bar: NoticeBar) -> None:
    bar.add(SAVED)
    bar.add(REFUSED)
    bar.dismiss.click()
    assert bar.shown is None
    assert [entry.notice for entry in bar.entries] == [REFUSED, SAVED]


async def test_it_is_held_while_the_pointer_is_on_it(bar: NoticeBar) -> None:
    bar.add(SAVED)
    point(bar, at_it=True)
    read(bar)
    point(bar, at_it=False)
    assert bar.shown == SAVED
    read(bar)
    assert bar.shown is None


async def test_it_is_held_while_the_keyboard_is_on_it(bar: NoticeBar, field: QLineEdit) -> None:
    bar.add(SAVED)
    bar.go()
    assert bar.dismiss.hasFocus()
    read(bar)
    QTest.keyClick(bar.dismiss, Qt.Key.Key_Escape)
    assert field.hasFocus()
    assert bar.shown == SAVED
    read(bar)
    assert bar.shown is None


async def test_it_waits_while_another_window_is_used(page: QWidget, bar: NoticeBar, until: Until) -> None:
    dialog = QDialog(page)
    dialog.open()
    dialog.activateWindow()
    await until(dialog.isActiveWindow)
    bar.add(SAVED)
    read(bar)
    assert bar.shown == SAVED
    dialog.reject()
    page.activateWindow()
    await until(page.isActiveWindow)
    read(bar)
    assert bar.shown is None


async def test_closing_by_key_leads_to_the_next_and_then_back(bar: NoticeBar, field: QLineEdit) -> None:
    bar.add(LOST)
    bar.add(REFUSED)
    bar.go()
    QTest.keyClick(bar.dismiss, Qt.Key.Key_Space)
    assert bar.shown == LOST
    assert bar.dismiss.hasFocus()
    QTest.keyClick(bar.dismiss, Qt.Key.Key_Space)
    assert field.hasFocus()


async def test_a_click_takes_no_field_its_keyboard(bar: NoticeBar, field: QLineEdit) -> None:
    bar.add(REFUSED)
    QTest.mouseClick(bar.dismiss, Qt.MouseButton.LeftButton)
    assert bar.shown is None
    assert field.hasFocus()


async def test_what_has_more_to_say_can_be_read_as_a_whole(bar: NoticeBar) -> None:
    wanted: list[bool] = []
    bar.list_wanted.connect(lambda: wanted.append(True))
    bar.add(REFUSED)
    assert not bar.whole.isVisible()
    bar.add(LONG)
    assert bar.whole.isVisible()
    assert bar.text.toolTip() == LONG.text
    assert bar.text._shown().endswith("…")
    bar.whole.click()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton)
    assert len(wanted) == 2


async def test_its_text_is_shown_as_it_is_and_never_as_markup(bar: NoticeBar) -> None:
    bar.add(Notice("bad", "<b>not bold</b>", "<img src='x'>"))
    assert bar.title.text() == "<b>not bold</b>"
    assert bar.title.sizeHint().width() > bar.fontMetrics().horizontalAdvance("not bold") * 1.2


async def test_what_has_a_place_leads_there(bar: NoticeBar, session: Session) -> None:
    wanted: list[Place] = []
    session.requested.connect(wanted.append)
    place = Place("history")
    bar.add(REFUSED)
    assert not bar.show_place.isVisible()
    bar.add(Notice("warning", "2 of 3 sales are unknown.", place=place))
    bar.show_place.click()
    assert wanted == [place]
    assert bar.shown == REFUSED


# --- what ends a notice --------------------------------------------------------------------------


async def test_an_error_nobody_took_is_explained(bar: NoticeBar, session: Session) -> None:
    session.failed.emit(KeystoreLocked("test"))
    assert bar.shown
    assert bar.shown.tone == "bad"
    assert bar.shown.title == "The keystore is locked."
    session.notify(SAVED)
    assert bar.shown == SAVED


async def test_an_error_goes_when_its_cause_does(bar: NoticeBar, session: Session) -> None:
    end_with_causes(session)
    publish = session.console.events.publish
    session.failed.emit(NotSent(Reason.CONNECTION_REFUSED))
    session.failed.emit(JournalBusy("locked"))
    assert len(bar.waiting) == 2
    publish(GatewayChanged("another", up=True, address=""))
    publish(GatewayChanged(PRACTICE_ID, up=False, address=""))
    assert len(bar.waiting) == 2
    publish(GatewayChanged(PRACTICE_ID, up=True, address=""))
    assert len(bar.waiting) == 1
    publish(ActivityRecorded())
    assert bar.shown is None


async def test_a_refusal_stays_though_the_gateway_answers(bar: NoticeBar, session: Session) -> None:
    end_with_causes(session)
    session.failed.emit(KeyRefused(Reason.UNAUTHORISED, status=401))
    session.console.events.publish(GatewayChanged(PRACTICE_ID, up=True, address=""))
    assert bar.shown is not None


async def test_the_keystores_notice_goes_when_it_can_be_used(bar: NoticeBar, session: Session) -> None:
    end_with_causes(session)
    session.failed.emit(KeystoreLocked("test"))
    await session.console.look_at_keystore()
    session.console.keep_in_memory()
    assert bar.shown is None


async def test_what_waits_in_a_rotation_goes_when_that_goes_on(bar: NoticeBar, session: Session) -> None:
    end_with_causes(session)
    session.notify(Notice("warning", "“till” was not seen to be refused.", topic=about_rotation("R-1")))
    session.console.events.publish(RotationChanged("R-2", PRACTICE_ID))
    assert bar.shown is not None
    session.console.events.publish(RotationChanged("R-1", PRACTICE_ID))
    assert bar.shown is None


# --- the list ------------------------------------------------------------------------------------


async def test_they_are_in_a_list_with_time_and_environment(
    bar: NoticeBar, session: Session, clock: MovedClock, qtbot: QtBot
) -> None:
    session.notify(LOST)
    await clock.advance(60)
    session.notify(Notice("good", "Approved 10.00 USD.", environment="sandbox"))
    listed = NoticeList(bar)
    qtbot.addWidget(listed)

    rows = [[c.text(row) for c in listed.table.columns.visible] for row in listed.table.model().rows]
    assert [row[1:] for row in rows] == [["Approved 10.00 USD.", "sandbox"], [LOST.title, "practice"]]
    assert rows[0][0] > rows[1][0]
    listed.table.select_row(1)
    assert listed.text.text() == LOST.text


async def test_the_list_is_bounded_and_so_is_what_waits(bar: NoticeBar) -> None:
    for number in range(MOST + 5):
        bar.add(Notice("bad", f"Number {number}"))
    assert len(bar.entries) == len(bar.waiting) == MOST
    assert bar.entries[-1].notice.title == "Number 5"


async def test_keys_and_the_view_menu_lead_to_notice_and_list(
    qtbot: QtBot, session: Session, until: Until
) -> None:
    window = MainWindow(Preferences(), SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    window.activateWindow()
    await until(window.isActiveWindow)
    session.notify(LOST)
    menus = window.findChild(MenuBar)
    assert menus is not None
    menus.fill()
    listed = {action.text(): action.shortcut().toString() for action in menus.menu(Menu.VIEW).actions()}
    assert listed["Go to the notice"] == "F6"
    assert listed["Notices…"] == "Shift+F6"

    QTest.keyClick(window, Qt.Key.Key_F6)
    assert window.notice_bar.dismiss.hasFocus()
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    await until(lambda: any(one.isVisible() for one in window.findChildren(QDialog)))
    (dialog,) = window.findChildren(QDialog)
    assert dialog.findChild(Table).accessibleName() == "Notices of this run"
    assert LOST.text in [one.text() for one in dialog.findChildren(QLabel)]
    close = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Close")
    close.click()
    await until(lambda: not window.findChildren(QDialog))
