"""Actions: one text, one shortcut and one rule for buttons, menus and the keyboard."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMainWindow, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.ui.bench.sale_form import SHORTCUT
from keybench.ui.kit.actions import COMMANDS, Action, ActionButton, Command, Menu, MenuBar, add_in_groups

PRESS = Command("Press it", Menu.SALE, ("Ctrl+J",))


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    page = QWidget()
    QVBoxLayout(page)
    window.setCentralWidget(page)
    window.show()
    return window


def page_of(window: QMainWindow) -> QWidget:
    page = window.centralWidget()
    assert page is not None
    return page


def listed(bar: MenuBar, menu: Menu) -> list[tuple[str, bool]]:
    bar.fill()
    return [(action.text(), action.isEnabled()) for action in bar.menu(menu).actions()]


def test_no_two_commands_have_the_same_shortcut() -> None:
    every = Counter(keys.toString() for command in COMMANDS.values() for keys in command.sequences())
    assert [keys for keys, times in every.items() if times > 1] == []


def test_the_platforms_shortcut_comes_first_and_none_stands_twice() -> None:
    keys = [keys.toString() for keys in COMMANDS["key.add"].sequences()]
    assert keys[0] == "Ctrl+N"
    assert len(keys) == len(set(keys))


def test_sending_is_shown_by_the_keys_that_its_button_names() -> None:
    assert COMMANDS["sale.send"].sequences()[0].toString() == SHORTCUT


def test_button_and_menu_say_and_allow_what_the_action_does(window: QMainWindow) -> None:
    done: list[str] = []
    allowed = [False]
    action = Action(page_of(window), PRESS, lambda: done.append("pressed"), lambda: allowed[0])
    button = ActionButton(action, "primary")
    bar = MenuBar(window)
    assert (button.text(), button.isEnabled()) == ("Press it", False)
    assert listed(bar, Menu.SALE) == [("Press it", False)]
    button.click()
    assert not done
    allowed[0] = True
    assert listed(bar, Menu.SALE) == [("Press it", True)]  # a menu asks again when it opens
    assert button.isEnabled()
    action.setText("Press it again")
    button.click()
    assert (button.text(), done) == ("Press it again", ["pressed"])


def test_an_action_without_a_rule_stays_as_its_owner_left_it(window: QMainWindow) -> None:
    action = Action(page_of(window), PRESS, window.update)
    bar = MenuBar(window)
    assert listed(bar, Menu.SALE) == [("Press it", True)]
    action.setEnabled(False)
    assert listed(bar, Menu.SALE) == [("Press it", False)]


def test_a_menu_lists_what_is_in_sight(window: QMainWindow) -> None:
    page = page_of(window)
    Action(page, PRESS, page.update)
    bar = MenuBar(window)
    page.hide()
    assert listed(bar, Menu.SALE) == []
    page.show()
    assert listed(bar, Menu.SALE) == [("Press it", True)]


async def test_a_parts_shortcut_works_within_it(qtbot: QtBot, window: QMainWindow, until: Until) -> None:
    page, done = page_of(window), list[str]()
    inside, outside = QWidget(page), QLineEdit(page)
    field = QLineEdit(inside)
    Action(inside, PRESS, lambda: done.append("pressed"))
    for widget in (inside, outside, field):
        widget.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    for at, expected in ((outside, 0), (field, 1)):
        at.setFocus()
        qtbot.keyClick(at, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
        assert len(done) == expected


async def test_what_takes_something_away_stands_apart_at_the_end_of_a_menu(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    ids = ("key.revoke", "key.rename", "key.last_test", "application.add", "key.forget")
    actions = [Action(window, command, list) for command in ids]
    hidden = Action(window, "environment.remove", list)
    hidden.setVisible(False)
    menu = QMenu(window)
    add_in_groups(menu, [hidden, *actions])
    texts = [one.text() for one in menu.actions() if one.isVisible()]
    assert texts == ["Rename…", "Its last test…", "", "Add an application…", "", "Revoke now…", "Forget"]


async def test_the_menu_bar_lists_in_groups(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    for command in ("notice.go", "notices.list", "view.larger", "view.smaller"):
        Action(window, command, list)
    bar = MenuBar(window)
    window.show()
    bar.fill()
    bar.fill()
    texts = [one.text() for one in bar.menu(Menu.VIEW).actions()]
    assert texts == ["Go to the notice", "Notices…", "", "Larger text", "Smaller text"]
