"""The rail: one page at a time, by pointer, by arrow keys, by name."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS
from keybench.core.environments.environment import EnvironmentKind
from keybench.ui.shell.rail import PageSpec, Rail


def _page(*_given: object) -> QWidget:
    return QWidget()


@pytest.fixture
def rail(qtbot: QtBot) -> Rail:
    names = (("Bench", "bench"), ("History", "history"), ("Settings", "settings"))
    rail = Rail(
        [PageSpec(page_id, title, page_id, _page, at_end=title == "Settings") for title, page_id in names]
    )
    qtbot.addWidget(rail)
    rail.resize(80, 600)
    with qtbot.waitActive(rail, timeout=PATIENCE_MS):
        rail.show()
        rail.activateWindow()
    return rail


def test_its_buttons_are_radio_buttons_by_the_pages_names(rail: Rail) -> None:
    assert list(rail.buttons) == ["bench", "history", "settings"]
    for name, button in zip(("Bench", "History", "Settings"), rail.buttons.values(), strict=True):
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.role() == QAccessible.Role.RadioButton
        assert interface.text(QAccessible.Text.Name) == name


def test_one_page_is_chosen_at_a_time(qtbot: QtBot, rail: Rail) -> None:
    assert rail.buttons["bench"].isChecked()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.mouseClick(rail.buttons["settings"], Qt.MouseButton.LeftButton)
    assert told.args == ["settings"]
    assert not rail.buttons["bench"].isChecked()


def test_the_arrow_keys_go_along_it(qtbot: QtBot, rail: Rail) -> None:
    rail.buttons["bench"].setFocus()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.keyClick(rail.buttons["bench"], Qt.Key.Key_Down)
    assert told.args == ["history"]


def test_the_last_page_stands_at_the_lower_end(rail: Rail) -> None:
    rail.grab()
    bench, history, settings = (rail.buttons[name].y() for name in ("bench", "history", "settings"))
    assert settings - history > 2 * (history - bench)


def test_the_chosen_page_is_marked_in_the_environments_colour(rail: Rail) -> None:
    before = rail.grab().toImage()
    rail.show_kind(EnvironmentKind.LIVE)
    assert rail.property("tone") == "live"
    assert rail.grab().toImage() != before


def test_tab_comes_to_the_page_that_is_shown(qtbot: QtBot, rail: Rail) -> None:
    rail.choose("history")
    rail.setFocus()
    qtbot.keyClick(rail, Qt.Key.Key_Tab)
    assert rail.buttons["history"].hasFocus()
    with qtbot.waitSignal(rail.chosen) as told:
        qtbot.keyClick(rail.buttons["history"], Qt.Key.Key_Up)
    assert told.args == ["bench"]
    assert rail.buttons["bench"].hasFocus()
