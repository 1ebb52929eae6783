"""Privacy and locking: the window covered and given back, when idle, when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import Until
from keybench.ui.kit.actions import Menu, MenuBar
from keybench.ui.kit.dialog import SaveDialog, answered
from keybench.ui.kit.preferences import Preferences
from keybench.ui.settings.general import GeneralSection
from keybench.ui.settings.privacy import PrivacySection
from keybench.ui.shared.capture import (
    SENTENCE,
    exclude_on_macos,
    exclude_on_windows,
    keep_out_of_pictures,
)
from keybench.ui.shared.choices import IDLE_MINUTES, TELL
from keybench.ui.shared.session import LockNow, Request, Session
from keybench.ui.shell.lock import ASKED, IDLE, Cover, Lock
from keybench.ui.shell.window import MainWindow

from .frame import SMALL_PAGES


@pytest.fixture
async def window(qtbot: QtBot, preferences: Preferences, session: Session) -> MainWindow:
    window = MainWindow(preferences, SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    return window


@pytest.fixture
async def controller(window: MainWindow, session: Session, preferences: Preferences) -> Lock:
    return Lock(window, session, preferences)


def words_on(window: QWidget) -> str:
    """Return every text of a visible label or button, as eyes and screen readers find it."""
    shown = [
        w for w in window.findChildren(QWidget) if w.isVisible() and isinstance(w, (QLabel, QPushButton))
    ]
    return "\n".join(w.text() for w in shown if isinstance(w, (QLabel, QPushButton)))


class Stubborn(QDialog):
    """A dialog like a system's own, which is on screen until it is answered."""

    def setVisible(self, visible: bool) -> None:  # noqa: FBT001 - Qt's own form
        if visible or self._is_over:
            super().setVisible(visible)

    _is_over = False

    def done(self, result: int) -> None:
        self._is_over = True
        super().done(result)


async def test_locking_hides_everything_and_unlocking_gives_it_back(
    window: MainWindow, controller: Lock, session: Session
) -> None:
    before = words_on(window)

    session.ask(LockNow())

    assert controller.is_locked
    shown = words_on(window)
    assert "Keybench is locked" in shown
    assert ASKED in shown
    assert not window.centralWidget().isVisible()
    (cover,) = window.findChildren(Cover)
    assert QAccessible.queryAccessibleInterface(cover.button).text(QAccessible.Text.Name) == "Unlock"
    assert cover.geometry() == window.rect()

    cover.button.click()

    assert not controller.is_locked
    assert words_on(window) == before


async def test_the_keyboard_is_given_back_where_it_was(
    window: MainWindow, controller: Lock, session: Session, until: Until
) -> None:
    window.activateWindow()
    await until(window.isActiveWindow)
    button = window.band.environment_box
    button.setFocus()
    session.ask(LockNow())
    (cover,) = window.findChildren(Cover)
    assert cover.button.hasFocus()

    cover.button.click()

    assert button.hasFocus()


async def test_it_says_that_it_is_privacy_and_no_password(
    qtbot: QtBot, window: MainWindow, controller: Lock, session: Session
) -> None:
    section = PrivacySection(session)
    qtbot.addWidget(section)
    section.show()
    session.ask(LockNow())
    for shown in (words_on(window), words_on(section)):
        assert "hides the window from people who pass by, and asks for no password" in shown
        assert "whoever can use your session on this computer can unlock it" in shown
    assert section.accessibleName() == "Privacy and locking"
    assert IDLE_MINUTES.label == "Lock after inactivity"


async def test_a_locked_window_obeys_no_shortcut(
    qtbot: QtBot, window: MainWindow, controller: Lock, session: Session
) -> None:
    assert window.page_id == "bench"
    session.ask(LockNow())

    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    window.resize(1300, 800)

    assert window.page_id == "bench"
    (cover,) = window.findChildren(Cover)
    assert cover.geometry() == window.rect()
    controller.unlock()
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.page_id != "bench"


async def test_a_menu_that_is_looked_into_while_it_is_locked_gives_no_shortcut_back(
    qtbot: QtBot, window: MainWindow, controller: Lock, session: Session
) -> None:
    session.ask(LockNow())
    bar = window.findChild(MenuBar)
    assert bar is not None

    bar.menu(Menu.VIEW).aboutToShow.emit()  # the desktop's own menu bar, as on macOS, can't be hidden
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)

    listed = [one for one in bar.menu(Menu.VIEW).actions() if not one.isSeparator()]
    assert listed
    assert not any(one.isEnabled() for one in listed)
    assert window.page_id == "bench"
    controller.unlock()
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.page_id == "keys"


async def test_an_open_menu_goes_with_it(window: MainWindow, controller: Lock, session: Session) -> None:
    bar = window.menuWidget()
    assert isinstance(bar, MenuBar)
    menu, inner = bar.menu(Menu.KEYS), QMenu("Columns", window)
    inner.addAction("Usual columns")
    menu.popup(window.mapToGlobal(window.rect().center()))
    inner.popup(menu.pos())
    assert menu.isVisible()
    assert inner.isVisible()

    session.ask(LockNow())

    assert not menu.isVisible()
    assert not inner.isVisible()
    assert QApplication.activePopupWidget() is None
    controller.unlock()
    window.band.environment_box.showPopup()
    assert QApplication.activePopupWidget() is not None
    session.ask(LockNow())
    assert QApplication.activePopupWidget() is None


@pytest.mark.parametrize("kind", [QDialog, QFileDialog])
async def test_dialogs_go_with_it_and_come_back(
    window: MainWindow, controller: Lock, session: Session, kind: type[QDialog]
) -> None:
    dialog, later = kind(window), QDialog(window)
    ended: list[int] = []
    dialog.finished.connect(ended.append)
    QDialog.open(dialog)

    session.ask(LockNow())
    later.open()

    assert not dialog.isVisible()
    assert not later.isVisible()
    assert ended == []
    controller.unlock()
    assert dialog.isVisible()
    assert later.isVisible()
    assert ended == []
    later.reject()
    dialog.reject()


async def test_a_dialog_that_cant_be_hidden_is_left(
    window: MainWindow, controller: Lock, session: Session
) -> None:
    dialog = Stubborn(window)
    ended: list[int] = []
    dialog.finished.connect(ended.append)
    dialog.open()

    session.ask(LockNow())

    assert ended == [0]
    controller.unlock()
    assert not dialog.isVisible()


async def test_a_question_within_a_dialog_is_left_and_the_dialog_comes_back(
    window: MainWindow, controller: Lock, session: Session, until: Until, tmp_path: Path
) -> None:
    (tmp_path / "record.md").touch()
    dialog = SaveDialog(window, title="Save", name="record.md", kind="Markdown")
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("record.md")
    answers: list[bool] = []

    async def asking() -> None:
        answers.append(await answered(dialog))

    session.supervisor.start("ask", asking())
    await until(dialog.isVisible)
    QTimer.singleShot(0, dialog.accept)
    await until(lambda: any(one.isVisible() for one in dialog.findChildren(QDialog)))

    session.ask(LockNow())
    await until(lambda: not any(one.isVisible() for one in dialog.findChildren(QDialog)))
    controller.unlock()

    assert dialog.isVisible()
    assert not answers
    dialog.reject()
    await until(lambda: answers == [False])


async def test_the_keys_lock_it_from_within_a_question_too(
    qtbot: QtBot, window: MainWindow, controller: Lock, until: Until
) -> None:
    window.activateWindow()
    dialog = QDialog(window)
    dialog.open()
    dialog.activateWindow()
    await until(lambda: dialog.isActiveWindow() and dialog.findChild(QShortcut))

    qtbot.keyClick(dialog, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)

    assert controller.is_locked
    assert not dialog.isVisible()
    controller.unlock()
    assert dialog.isVisible()
    dialog.reject()


async def test_a_dialog_that_ends_meanwhile_stays_away(
    window: MainWindow, controller: Lock, session: Session, until: Until
) -> None:
    dialog = QDialog(window)
    gone: list[bool] = []
    dialog.destroyed.connect(lambda: gone.append(True))
    dialog.open()
    session.ask(LockNow())

    dialog.deleteLater()
    await until(lambda: gone)

    controller.unlock()
    assert not window.findChildren(QDialog)


async def test_whoever_lends_a_value_out_is_told_first(
    window: MainWindow, controller: Lock, session: Session
) -> None:
    visible: list[bool] = []
    session.locking.connect(lambda: visible.append(window.centralWidget().isVisible()))

    session.ask(LockNow())
    session.ask(LockNow())

    assert visible == [True]
    assert controller.is_locked


async def test_it_locks_when_nobody_used_it_for_as_long_as_was_chosen(
    qtbot: QtBot,
    window: MainWindow,
    controller: Lock,
    session: Session,
    preferences: Preferences,
    clock: MovedClock,
) -> None:
    controller.look()
    await clock.advance(24 * 3600)
    controller.look()
    assert not controller.is_locked, "never, until somebody chooses a time"

    IDLE_MINUTES.write(preferences, "5")
    session.idle_lock_changed.emit()
    await clock.advance(299)
    qtbot.keyClick(window, Qt.Key.Key_Shift)
    await clock.advance(299)
    controller.look()
    assert not controller.is_locked, "it was used meanwhile"
    await clock.advance(1)
    controller.look()

    assert controller.is_locked
    assert IDLE in words_on(window)


class _User32:
    """As Windows' library answers."""

    def __init__(self) -> None:
        self.affinities: list[int] = []

    def SetWindowDisplayAffinity(self, _window: Any, affinity: Any) -> int:
        self.affinities.append(affinity.value)
        return 1


def test_windows_keeps_the_window_out_of_pictures_while_it_must() -> None:
    system = _User32()

    assert exclude_on_windows(system, 40, out=True)
    assert exclude_on_windows(system, 40, out=False)

    assert system.affinities == [0x11, 0]


class _Call:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.restype: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.answer(*arguments)


class _Objc:
    """As the Objective-C runtime answers."""

    def __init__(self) -> None:
        self.sharing: list[int] = []
        names = {b"window": 1, b"setSharingType:": 2}
        self.sel_registerName = _Call(names.__getitem__)
        self.objc_msgSend = _Call(self._send)

    def _send(self, _target: Any, selector: Any, *arguments: Any) -> int:
        if selector.value == 1:
            return 99
        self.sharing.append(arguments[0].value)
        return 0


def test_macos_keeps_the_window_out_of_pictures_while_it_must() -> None:
    system = _Objc()

    assert exclude_on_macos(system, 40, out=True)
    assert exclude_on_macos(system, 40, out=False)

    assert system.sharing == [0, 1]


def test_where_the_system_cant_the_person_is_told(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)

    assert not keep_out_of_pictures(widget, out=True)
    assert "can't keep a window out of screenshots" in SENTENCE


async def test_the_settings_lock_now_and_remember_the_choice(
    qtbot: QtBot, session: Session, preferences: Preferences
) -> None:
    session.preferences = preferences
    section = PrivacySection(session)
    qtbot.addWidget(section)
    asked: list[Request] = []
    session.requested.connect(asked.append)

    section.lock_button.click()
    section.idle.choose("15")

    assert asked == [LockNow()]
    assert IDLE_MINUTES.read(preferences) == "15"
    told = GeneralSection(session)
    qtbot.addWidget(told)
    assert TELL.read(preferences) == "on"
    told.tell.choose("off")
    assert TELL.read(preferences) == "off"
    preferences.set_text("lock/idle_minutes", "a while")
    assert IDLE_MINUTES.read(preferences) == "0"
