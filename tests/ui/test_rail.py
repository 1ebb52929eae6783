"""The rail: one page at a time, by pointer, by arrow keys, by name."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from keybench.core.environment import EnvironmentKind
from keybench.ui.rail import PageSpec, Rail


def _page(*_given: object) -> QWidget:
    return QWidget()


@pytest.fixture
def rail(qtbot: QtBot) -> Rail:
    names = (("Bench", "bench"), ("History", "history"), ("Settings", "settings"))
    rail = Rail([PageSpec(name, icon, _page, at_end=name == "Settings") for name, icon in names])
    qtbot.addWidget(rail)
    rail.resize(80, 600)
    with qtbot.waitActive(rail):
        rail.show()
        rail.activateWindow()
    return rail


def test_its_buttons_are_radio_buttons_by_the_pages_names(rail: Rail) -> None:
    for name, button in rail.buttons.items():
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.role() == QAccessible.Role.RadioButton
        assert interface.text(QAccessible.Text.Name) == name


def test_one_page_is_chosen_at_a_time(qtbot: QtBot, rail: Rail) -> None:
    assert rail.buttons["Bench"].isChecked()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.mouseClick(rail.buttons["Settings"], Qt.MouseButton.LeftButton)
    assert told.args == ["Settings"]
    assert not rail.buttons["Bench"].isChecked()


def test_the_arrow_keys_go_along_it(qtbot: QtBot, rail: Rail) -> None:
    rail.buttons["Bench"].setFocus()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.keyClick(rail.buttons["Bench"], Qt.Key.Key_Down)
    assert told.args == ["History"]


def test_the_last_page_stands_at_the_lower_end(rail: Rail) -> None:
    rail.grab()
    bench, history, settings = (rail.buttons[name].y() for name in ("Bench", "History", "Settings"))
    assert settings - history > 2 * (history - bench)


def test_the_chosen_page_is_marked_in_the_environments_colour(rail: Rail) -> None:
    before = rail.grab().toImage()
    rail.show_kind(EnvironmentKind.LIVE)
    assert rail.property("tone") == "live"
    assert rail.grab().toImage() != before


def test_tab_comes_to_the_page_that_is_shown(qtbot: QtBot, rail: Rail) -> None:
    rail.choose("History")
    rail.setFocus()
    qtbot.keyClick(rail, Qt.Key.Key_Tab)
    assert rail.buttons["History"].hasFocus()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.keyClick(rail.buttons["History"], Qt.Key.Key_Up)
    assert told.args == ["Bench"]
    assert rail.buttons["Bench"].hasFocus()
