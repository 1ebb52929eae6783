"""Notices: the newest on top, none lost, nothing moved, no focus taken."""

import pytest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS
from keybench.core.errors import KeystoreLocked
from keybench.ui.notice_bar import NoticeBar
from keybench.ui.session import Notice, Session

LOST = Notice("warning", "The answer was lost.", "Look the sale up before sending it again.")
KEPT = Notice("good", "Key kept.")


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    page = QWidget()
    QVBoxLayout(page).addWidget(QLineEdit())
    qtbot.addWidget(page)
    page.resize(900, 500)
    with qtbot.waitActive(page, timeout=PATIENCE_MS):
        page.show()
        page.activateWindow()
    return page


@pytest.fixture
def bar(page: QWidget) -> NoticeBar:
    return NoticeBar(page)


def test_a_notice_stands_inside_the_page_and_takes_no_focus(page: QWidget, bar: NoticeBar) -> None:
    edit = page.findChild(QLineEdit)
    assert edit is not None
    edit.setFocus()
    place = edit.geometry()
    bar.add(LOST)
    assert bar.isVisible()
    assert page.rect().contains(bar.geometry())
    assert edit.hasFocus()
    assert edit.geometry() == place
    page.resize(500, 300)
    assert page.rect().contains(bar.geometry())


def test_the_newest_comes_first_and_the_others_wait_behind_it(bar: NoticeBar) -> None:
    bar.add(LOST)
    bar.add(Notice("bad", "The key was refused."))
    assert bar.title.text() == "The key was refused."
    assert bar.more.text() == "One more message behind this"
    assert bar.accessibleDescription() == "The key was refused."
    bar.dismiss.click()
    assert bar.shown == LOST
    assert bar.accessibleDescription() == f"{LOST.title} {LOST.text}"
    assert not bar.more.isVisible()
    bar.dismiss.click()
    assert not bar.isVisible()


def test_the_same_notice_twice_is_shown_once(bar: NoticeBar) -> None:
    bar.add(LOST)
    bar.add(KEPT)
    bar.add(LOST)
    assert bar.waiting == [KEPT, LOST]


def test_only_good_news_goes_away_by_itself(bar: NoticeBar) -> None:
    bar.add(LOST)
    assert not bar._linger.isActive()
    bar.add(KEPT)
    assert bar._linger.isActive()
    bar._linger.timeout.emit()
    assert bar.shown == LOST
    assert not bar._linger.isActive()


def test_its_text_is_shown_as_it_is_and_never_as_markup(bar: NoticeBar) -> None:
    bar.add(Notice("bad", "<b>not bold</b>", "<img src='x'>"))
    assert bar.title.text() == "<b>not bold</b>"
    assert bar.title.sizeHint().width() > bar.fontMetrics().horizontalAdvance("not bold") * 1.2


async def test_an_error_nobody_took_is_explained(bar: NoticeBar, session: Session) -> None:
    bar.attach(session)
    session.failed.emit(KeystoreLocked("test"))
    assert bar.shown
    assert bar.shown.tone == "bad"
    assert bar.shown.title == "The keystore is locked."
    session.notify(KEPT)
    assert bar.shown == KEPT
