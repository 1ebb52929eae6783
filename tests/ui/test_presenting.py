"""While somebody presents: pressed keys are shown and values are not, and never in a live environment."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import Until, until
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.secret import Secret
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, password_line
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Theme
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.presenting import Presenting
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES
from .keys_driver import KeysWindow, accessible_name

Key, With = Qt.Key, Qt.KeyboardModifier
ONE, OTHER = "K7q-MadeUp-0001Zz", "p3R-qwerty-9876Az"
MARK = "made-up value, while presenting\n"


@pytest.fixture
async def window(
    qtbot: QtBot, preferences: Preferences, session: Session, light_theme: Theme, until: Until
) -> MainWindow:
    """The window at work, with the keyboard in it, while somebody presents."""
    window = MainWindow(preferences, SMALL_PAGES)
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.show()
    window.attach(session)
    Presenting(window, session)
    window.activateWindow()
    await until(window.isActiveWindow)
    light_theme.present(presenting=True)
    return window


def press(window: QWidget, *keys: int, held: With = With.NoModifier, text: str = "") -> None:
    """Press keys as the system hands them to a window, but for the events that QTest would run meanwhile."""
    kind = QEvent.Type
    for key in keys:
        for each in (kind.ShortcutOverride, kind.KeyPress, kind.KeyRelease):
            QApplication.sendEvent(window.windowHandle(), QKeyEvent(each, key, held, text))


def presenting(window: MainWindow) -> Presenting:
    return next(one for one in window.children() if isinstance(one, Presenting))


def shown(window: MainWindow) -> str:
    """Return what is shown of pressed keys; empty if nothing is."""
    label = presenting(window).label
    return label.text() if label.isVisible() else ""


async def test_shortcuts_and_named_keys_are_shown_for_a_moment(window: MainWindow, session: Session) -> None:
    press(window, Key.Key_2, held=With.ControlModifier)
    assert (shown(window), window.page_id) == ("Ctrl+2", "keys")
    await until(lambda: not session.supervisor.running)
    for key, name in ((Key.Key_Return, "Enter"), (Key.Key_Escape, "Esc"), (Key.Key_Down, "Down")):
        press(window, key)
        assert shown(window) == name
    press(window, Key.Key_Tab, Key.Key_Tab, Key.Key_Tab)
    assert shown(window) == "Tab \N{MULTIPLICATION SIGN}3"
    press(window, Key.Key_Backtab, held=With.ShiftModifier)
    assert shown(window) == "Shift+Tab"
    press(window, Key.Key_Shift, Key.Key_A, Key.Key_Space)
    press(window, Key.Key_Control, held=With.ControlModifier)
    assert shown(window) == "Shift+Tab"
    presenting(window)._gone.timeout.emit()
    assert shown(window) == ""
    press(window, Key.Key_Tab)
    assert shown(window) == "Tab"


async def test_it_is_in_nobodys_way_and_unheard(window: MainWindow) -> None:
    at_end = QLineEdit(window)
    at_end.setGeometry(0, window.height() - 130, window.width(), 100)
    at_end.show()
    at_end.setFocus()
    press(window, Key.Key_End)
    label = presenting(window).label
    assert not label.geometry().intersects(at_end.geometry())
    assert label.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert label.focusPolicy() is Qt.FocusPolicy.NoFocus
    assert accessible_name(label) == "Pressed keys"


async def test_what_is_typed_is_never_shown(window: MainWindow) -> None:
    line = password_line()
    dialog = Dialog(window, title="Password", confirm="Go on", content=Form(Field("Password", line)))
    dialog.open()
    await until(dialog.isActiveWindow)
    seen = []
    for letter in "Ab4 xQ":
        press(dialog, ord(letter.upper()), text=letter)
        seen.append(shown(window))
    press(dialog, Key.Key_Q, held=With.AltModifier | With.ControlModifier)  # AltGr of some systems
    press(dialog, Key.Key_E, held=With.AltModifier)
    assert line.text().startswith("Ab4 xQ")
    assert not any(seen)
    assert shown(window) == ""
    QGuiApplication.clipboard().setText("hunter-2")
    press(dialog, Key.Key_V, held=With.ControlModifier)
    assert line.text().endswith("hunter-2")
    assert shown(window) == "Ctrl+V"
    press(dialog, Key.Key_Escape)
    assert not dialog.isVisible()
    assert shown(window) == "Esc"  # it is in the window by now
    dialog.deleteLater()
    await until(lambda: not window.findChildren(Dialog))
    press(window, Key.Key_F6)
    assert shown(window) == "F6"


async def test_keys_do_what_they_did_and_nothing_is_watched_afterwards(
    window: MainWindow, light_theme: Theme
) -> None:
    def walk() -> list[QObject | None]:
        window.centralWidget().setFocus()
        steps: list[QObject | None] = []
        for _step in range(12):
            press(window, Key.Key_Tab)
            steps.append(QApplication.focusWidget())
        return steps

    with_keys = walk()
    assert len(set(with_keys)) > 3
    light_theme.present(presenting=False)
    assert shown(window) == ""
    assert walk() == with_keys
    assert shown(window) == ""


def test_a_made_up_value_is_drawn_and_says_so(qtbot: QtBot, clock: MovedClock, light_theme: Theme) -> None:
    line = ValueLine(clock)
    qtbot.addWidget(line)
    line.resize(420, 80)
    line.show()

    def picture(value: str) -> object:
        line.hide_value()
        line.reveal(Secret(value))
        return line.grab().toImage()

    light_theme.present(presenting=True)
    fake = picture(ONE)
    assert line.text() == f"{MARK}a1c-efghij-1234pq" == accessible_name(line)
    assert picture(OTHER) == fake  # nothing of the value is in it
    assert line.fits
    light_theme.present(presenting=False)
    assert line.text() == OTHER
    assert line.grab().toImage() != fake
    light_theme.present(presenting=True)
    assert line.grab().toImage() == fake
    line.hide_value()
    light_theme.present(presenting=False)
    assert ONE not in line.text()
    assert OTHER not in line.text()


async def test_copy_takes_the_real_value_and_says_so(
    qtbot: QtBot, supervisor: Supervisor, environment: Environment, clock: MovedClock, light_theme: Theme
) -> None:
    keys = KeysWindow(supervisor, environment, clock)
    await keys.open_with_two_keys(qtbot)
    light_theme.present(presenting=True)
    keys.press("Reveal")
    await until(lambda: keys.panel.details.value.revealed)
    assert keys.panel.details.value.text().startswith(MARK)
    keys.press("Copy")
    await until(lambda: "MadeUpFakeKeyValue" in QGuiApplication.clipboard().text())
    said = keys.panel.details.report.clipboard.text()
    assert said == "Copied. The clipboard is cleared in 10 s. It holds the real value."
    QGuiApplication.clipboard().clear()


async def test_it_ends_in_a_live_environment_and_cant_begin_there(
    window: MainWindow, session: Session, light_theme: Theme, clock: MovedClock
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    line = ValueLine(clock)
    line.setParent(window)
    line.show()
    line.reveal(Secret(ONE))
    add = session.console.environments.add
    session.choose_environment(await add("sandbox", EnvironmentKind.TEST, "https://test.example"))
    assert light_theme.presenting
    live = await add("live", EnvironmentKind.LIVE, "https://live.example")
    session.choose_environment(live)
    assert not light_theme.presenting
    assert not line.revealed
    window.show_page("settings")
    settings = window.page("settings")
    assert isinstance(settings, SettingsPage)
    settings.appearance.presentation.choose("on")
    assert settings.appearance.presentation.value == "off"
    command = next(one for one in window.commands if one.text() == "Presentation size")
    command.trigger()
    assert isinstance(command, QAction)
    assert not command.isChecked()
    assert not light_theme.presenting
    told = [notice.title for notice in notices]
    assert told == ["Presentation size is off in a live environment."] * 3
    assert len(window.notice_bar.waiting) == 1
    await until(lambda: not session.supervisor.running)
