"""The tour's card: it has room of its own, and a person ends the tour from wherever the keyboard is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit
from pytestqt.qtbot import QtBot

from keybench.ui.preferences import Preferences
from keybench.ui.tour.play import TourCard
from keybench.ui.window import MainWindow

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
def card(window: MainWindow, ended: list[str]) -> Iterator[TourCard]:
    card = TourCard(lambda: ended.append("ended"))
    window.show_below(card)
    card.show_scene(2, 10, "Add a New Key, as in the portal. " * 6)
    yield card
    card.deleteLater()


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


def test_keys_that_the_tour_itself_presses_end_nothing(
    window: MainWindow, card: TourCard, ended: list[str]
) -> None:
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(window, key)
    QCoreApplication.sendEvent(QDialog(window), QCloseEvent())
    assert ended == []


def test_its_button_ends_the_tour(card: TourCard, ended: list[str]) -> None:
    card.end_button.click()
    assert ended == ["ended"]
