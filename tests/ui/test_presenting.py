"""While somebody presents: pressed keys are shown and values are not, and never in a live environment."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import PATIENCE_MS, until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.secret import Secret
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, password_line
from keybench.ui.kit.labels import Label
from keybench.ui.kit.theme import theme, tokens
from keybench.ui.settings.sections import AppearanceSection
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.ui.shared.session import Session
from keybench.ui.shell.presenting import Presenting
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES
from .keys_driver import KeysWindow, accessible_name

Key, With = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
async def window(qtbot: QtBot, session: Session) -> MainWindow:
    """The window at work, with the keyboard in it, while somebody presents."""
    window = MainWindow(pages=SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    Presenting(window, session)._gone.setInterval(PATIENCE_MS)  # however slow the machine is
    window.activateWindow()
    await until(window.isActiveWindow)
    theme().present(presenting=True)
    return window


def press(window: QWidget, *keys: int, held: With = With.NoModifier, text: str = "") -> None:
    """Press keys as the system hands them to a window, but for the events that QTest would run meanwhile."""
    for key in keys:
        for each in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            QApplication.sendEvent(window.windowHandle(), QKeyEvent(each, key, held, text))


def shown(window: MainWindow) -> str:
    return next((one.text() for one in window.findChildren(Label, "pressed") if one.isVisible()), "")


async def test_shortcuts_and_named_keys_are_shown(window: MainWindow, session: Session) -> None:
    press(window, Key.Key_2, held=With.ControlModifier)
    assert (shown(window), window.page_id) == ("Ctrl+2", "keys")
    await until(lambda: not session.supervisor.running)
    press(window, Key.Key_Return)
    assert shown(window) == "Enter"
    press(window, Key.Key_Tab, Key.Key_Tab, Key.Key_Tab)
    assert shown(window) == "Tab \N{MULTIPLICATION SIGN}3"
    press(window, Key.Key_Backtab, held=With.ShiftModifier)
    press(window, Key.Key_Shift, Key.Key_A, Key.Key_Space)
    press(window, Key.Key_Control, held=With.ControlModifier)
    assert shown(window) == "Shift+Tab"
    next(one for one in window.children() if isinstance(one, Presenting))._gone.timeout.emit()
    assert shown(window) == ""
    field = QLineEdit(window)
    field.setGeometry(0, window.height() - 130, window.width(), 100)
    field.show()
    field.setFocus()
    press(window, Key.Key_End)
    label = window.findChildren(Label, "pressed")[0]
    assert not label.geometry().intersects(field.geometry())
    assert label.grab().toImage().pixelColor(8, 8).name() == tokens().ink
    assert label.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert (label.focusPolicy(), accessible_name(label)) == (Qt.FocusPolicy.NoFocus, "Pressed keys")


async def test_what_is_typed_is_never_shown(window: MainWindow) -> None:
    line = password_line()
    dialog = Dialog(window, title="Password", confirm="Go on", content=Form(Field("Password", line)))
    dialog.open()
    await until(dialog.isActiveWindow)
    for letter in "Ab4 xQ":
        press(dialog, ord(letter.upper()), text=letter)
        assert shown(window) == ""
    press(dialog, Key.Key_Q, held=With.AltModifier | With.ControlModifier)  # AltGr of some systems
    press(dialog, Key.Key_E, held=With.AltModifier)
    assert (line.text(), shown(window)) == ("Ab4 xQ", "")
    QGuiApplication.clipboard().setText("-2")
    press(dialog, Key.Key_V, held=With.ControlModifier)
    assert (line.text(), shown(window)) == ("Ab4 xQ-2", "Ctrl+V")
    press(dialog, Key.Key_Escape)
    dialog.deleteLater()
    window.activateWindow()  # as a window manager does
    await until(lambda: shown(window) == "Esc" and not window.findChildren(Dialog))


async def test_keys_do_what_they_did_and_nothing_is_watched_afterwards(window: MainWindow) -> None:
    walks = []
    for presents in (True, False):
        theme().present(presenting=presents)
        window.centralWidget().setFocus()
        walks.append([press(window, Key.Key_Tab) or QApplication.focusWidget() for _step in range(12)])
        assert bool(shown(window)) is presents
    assert walks[0] == walks[1] != walks[0][::-1]


async def test_a_made_up_value_is_drawn_and_copy_takes_the_real_one(keys: KeysWindow) -> None:
    line = keys.panel.details.value
    line.reveal(Secret("K7q-MadeUp-0001Zz"))
    theme().present(presenting=True)
    fake = line.grab().toImage()
    line.reveal(Secret("p3R-qwerty-98z6A5"))
    assert line.grab().toImage() == fake, "only its hyphens are"
    assert line.text() == accessible_name(line) == "made-up value, while presenting\nabc-defghi-jklmno"
    keys.press("Copy")
    await until(lambda: "MadeUpFakeKeyValue" in QGuiApplication.clipboard().text())
    assert keys.panel.details.report.clipboard.text().endswith(" It holds the real value.")
    QGuiApplication.clipboard().clear()
    theme().present(presenting=False)
    assert line.text() == "p3R-qwerty-98z6A5"
    assert line.grab().toImage() != fake


async def test_it_ends_in_live_and_cant_begin_there(window: MainWindow, session: Session) -> None:
    line = ValueLine(MovedClock())
    line.setParent(window)
    line.reveal(Secret("K7q-MadeUp-0001Zz"))
    add = session.console.environments.add
    for kind in EnvironmentKind.TEST, EnvironmentKind.LIVE:
        assert theme().presenting
        session.choose_environment(await add(kind, kind, f"https://{kind}.example"))
    assert (theme().presenting, line.revealed) == (False, False)
    window.show_page("settings")
    setting = window.findChildren(AppearanceSection)[0].presentation
    setting.choose("on")
    assert setting.value == "off"
    press(window, Key.Key_P, held=With.ControlModifier | With.ShiftModifier)
    assert not theme().presenting
    assert window.notice_bar.title.text() == "Presentation size is off in a live environment."
    await until(lambda: not session.supervisor.running)
