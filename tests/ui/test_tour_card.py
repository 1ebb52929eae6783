"""The tour's card: it has room of its own, and a person ends the tour from wherever the keyboard is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QProcess, QRect, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from fakes.clock import MovedClock
from fakes.waiting import until
from keybench.cli.commands import tour as tour_command
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit import theme as theme_module
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Theme
from keybench.ui.shared.session import Session
from keybench.ui.shell.window import MainWindow
from keybench.ui.tour.driver import Driver, Pace
from keybench.ui.tour.play import TourCard, play

from .frame import SMALL_PAGES


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow(Preferences(), SMALL_PAGES)
    qtbot.addWidget(window)
    window.resize(760, 600)
    window.show()
    return window


@pytest.fixture
def ended() -> list[str]:
    """What ended the tour, once for each time."""
    return []


@pytest.fixture
def pace() -> Pace:
    return Pace(MovedClock(), 2.0)


@pytest.fixture
def card(window: MainWindow, pace: Pace, ended: list[str]) -> Iterator[TourCard]:
    window.close_hook = lambda: ended.append("ended")
    card = TourCard(window, pace)
    window.show_below(card)
    card.show_scene(2, 10, "Add a New Key, as in the portal. " * 6)
    yield card
    if (app := QApplication.instance()) and isValid(card):
        app.removeEventFilter(card)  # the next test's keys are its own


def test_it_covers_nothing(window: MainWindow, card: TourCard) -> None:
    window.grab()  # lays everything out
    top = card.mapTo(window, card.rect().topLeft()).y()
    lowest = max(
        part.mapTo(window, part.rect().bottomLeft()).y() for part in (window.stack, window.rail, window.band)
    )
    assert top > lowest
    assert card.mapTo(window, card.rect().bottomRight()).y() <= window.height()
    assert card.caption.height() >= card.caption.heightForWidth(card.caption.width())
    assert card.title.text() == "Tour 2 of 10"


def test_esc_ends_the_tour_from_a_field_of_a_question(
    qtbot: QtBot, window: MainWindow, card: TourCard, ended: list[str]
) -> None:
    question = QDialog(window)
    field = QLineEdit(question)
    question.open()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert ended == ["ended"]
    assert question.isVisible(), "the tour's own question isn't answered by it"


def test_what_the_tour_itself_types_and_closes_ends_nothing(
    window: MainWindow, card: TourCard, pace: Pace, ended: list[str]
) -> None:
    question = QDialog(window)
    field = QLineEdit(question)
    Driver(window, MovedClock(), pace)._type(field, "\x1b")
    QCoreApplication.sendEvent(question, QCloseEvent())
    assert ended == []


def test_a_key_that_qt_sends_on_for_a_screen_reader_is_obeyed(
    window: MainWindow, card: TourCard, ended: list[str]
) -> None:
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert not key.spontaneous()
    QCoreApplication.sendEvent(window, key)
    assert ended == ["ended"]


async def test_a_paused_tour_stands_until_it_goes_on(
    card: TourCard, pace: Pace, supervisor: Supervisor
) -> None:
    clock = pace._clock
    assert isinstance(clock, MovedClock)
    card.pause_button.click()
    assert card.pause_button.accessibleName() == "Resume"
    supervisor.start("rest", pace.rest())
    await clock.advance(30.0)  # fifteen times its pace
    assert supervisor.is_running("rest")
    card.pause_button.click()
    await clock.advance(3.0)
    assert not supervisor.is_running("rest")


async def test_next_goes_on_at_once_and_the_next_scene_is_looked_at_again(
    card: TourCard, pace: Pace, supervisor: Supervisor
) -> None:
    clock = pace._clock
    assert isinstance(clock, MovedClock)
    card.pause_button.click()
    supervisor.start("rest", pace.rest())
    card.next_button.click()
    await clock.advance(0.1)
    assert not supervisor.is_running("rest")
    pace.begin_scene()
    supervisor.start("rest", pace.rest())
    await clock.advance(30.0)  # fifteen times its pace
    assert supervisor.is_running("rest"), "it is still paused"
    supervisor.cancel("rest")


def test_back_shows_earlier_scenes_as_pictures_and_next_comes_back(
    window: MainWindow, card: TourCard, pace: Pace
) -> None:
    assert not card.back_button.isEnabled(), "there is none before the first"
    card.remember()
    card.show_scene(3, 10, "Test key.")
    card.remember()
    card.show_scene(4, 10, "A sale.")
    for number in (3, 2):
        card.back_button.click()
        assert card.title.text() == f"Tour {number} of 10"
        assert card.picture.isVisible()
    assert not card.back_button.isEnabled()
    assert pace.paused
    top = card.mapTo(window, QPoint(0, 0)).y()
    assert card.picture.geometry() == QRect(0, 0, window.width(), top), "the buttons stay in reach"
    for number in (3, 4):
        card.next_button.click()
        assert card.title.text() == f"Tour {number} of 10"
    assert not card.picture.isVisible()
    assert not pace.hurried


@pytest.mark.parametrize(
    ("key", "text"), [(Qt.Key.Key_PageUp, "Seen before: "), (Qt.Key.Key_PageDown, "A sale.")]
)
def test_a_presenter_s_keys_turn_the_scenes(
    qtbot: QtBot, window: MainWindow, card: TourCard, key: Qt.Key, text: str
) -> None:
    card.remember()
    card.show_scene(3, 10, "A sale.")
    qtbot.keyClick(window, key)
    assert card.caption.text().startswith(text)


def test_at_the_end_the_keys_are_the_person_s_own(
    qtbot: QtBot, window: MainWindow, card: TourCard, ended: list[str]
) -> None:
    card.remember()
    card.show_end("A sale.  Stopped: waited for: a control named Send sale")
    assert card.caption.text().endswith("Send sale")
    assert card.title.text() == "Tour 2 of 10"
    question = QDialog(window)
    with qtbot.waitActive(question):
        question.open()
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    assert not question.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_PageUp)
    assert not card.picture.isVisible()
    assert not ended


def test_at_the_end_one_can_still_look_back(card: TourCard) -> None:
    card.remember()
    card.show_end()
    assert card.end_button.accessibleName() == "Close the tour"
    assert not card.next_button.isEnabled()
    card.back_button.click()
    assert card.next_button.isEnabled()


def test_a_class_reads_the_caption_from_afar(card: TourCard) -> None:
    assert card.caption.font().pixelSize() == 28, "an inch high where a pixel is a millimetre, as on a wall"


async def test_the_window_is_called_by_the_tour(window: MainWindow, session: Session) -> None:
    window.attach(session)
    window.show_page("bench")
    playing = play(window, session, pace_s=2.0, pictures=None, tell=lambda _record, _line: None)
    session.run("the tour", playing)
    await until(lambda: window.windowTitle() == "Keybench – Tour")  # noqa: RUF001 - the promised dash
    await until(lambda: window.findChildren(TourCard))
    session.supervisor.cancel("the tour")
    await until(lambda: not session.supervisor.is_running("the tour"))
    (card,) = window.findChildren(TourCard)
    if app := QApplication.instance():
        app.removeEventFilter(card)


def test_it_is_started_in_the_sizes_of_the_window_that_starts_it(
    window: MainWindow, session: Session, light_theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    def start(_program: str, words: list[str], _folder: str) -> tuple[bool, int]:
        started.append(words)
        return True, 1

    monkeypatch.setattr(QProcess, "startDetached", start)
    window.session = session
    light_theme.choose_text_size("14")
    light_theme.present(presenting=True)
    (tour,) = (one for one in window.commands if one.text() == "Guided tour")
    tour.trigger()
    light_theme.show_normal()
    tour.trigger()
    (larger, usual) = started
    assert larger[-3:] == ["--text-size", "14", "--presentation"]
    assert "--text-size" not in usual
    assert "--presentation" not in usual
    assert tuple(map(str, theme_module.POINTS)) == tour_command.POINTS
