"""The window: there before anything is open, alive after attach, closed in stages."""

# ruff: noqa: RUF001 - the title's en dash is a promise to others

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from contracts.journal_samples import an_environment
from fakes.waiting import PATIENCE_MS, Until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.ui.bench.page import BenchPage
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import AS_THE_SYSTEM, TEXT_SIZE, Theme
from keybench.ui.rotations.page import RotationsPage
from keybench.ui.rotations.planning import RotationForm
from keybench.ui.shared.session import Notice, Place, Rotate, Session
from keybench.ui.shell.rail import PageSpec
from keybench.ui.shell.window import SMALLEST, MainWindow

from .frame import SMALL_PAGES, Side


@pytest.fixture
def window(qtbot: QtBot, preferences: Preferences) -> MainWindow:
    window = MainWindow(preferences, SMALL_PAGES)
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.show()
    return window


@pytest.fixture
async def used(window: MainWindow, session: Session, until: Until) -> MainWindow:
    """The window at work, with the keyboard in it."""
    window.attach(session)
    window.activateWindow()
    await until(window.isActiveWindow)
    return window


def _bench(window: MainWindow) -> tuple[Side, Side]:
    page = window.page("bench")
    assert isinstance(page, BenchPage)
    assert isinstance(page.keys, Side)
    assert isinstance(page.sale, Side)
    return page.keys, page.sale


def _shown(window: MainWindow) -> QWidget | None:
    """Return the page on screen; each is in a frame that scrolls."""
    frame = window.stack.currentWidget()
    return frame.widget() if isinstance(frame, PageFrame) else frame


def test_before_any_session_the_frame_stands_and_says_what_it_waits_for(window: MainWindow) -> None:
    assert window.windowTitle() == "Keybench – PRACTICE"
    assert window.starting.words.text() == "Opening your keys…"
    assert window.stack.currentWidget() is window.starting
    window.show_page("settings")
    window._on_send()
    assert window.stack.currentWidget() is window.starting


def test_the_frame_needs_nothing_slow() -> None:
    """Importing and building the window imports no HTTP, no database, no keyring."""
    program = (
        "import sys; from keybench.ui.shell.application import make_application; a = make_application(['x']);"
        "from keybench.ui.shell.window import SMALLEST, MainWindow; MainWindow();"
        "slow = ('httpx', 'sqlalchemy', 'keyring', 'starlette', 'secretstorage');"
        "print([m for m in slow if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


async def test_attach_brings_the_bench_and_the_title_follows_the_environment(
    window: MainWindow, session: Session
) -> None:
    window.attach(session)
    assert isinstance(_shown(window), BenchPage)
    for name, kind, title in (
        ("sandbox", EnvironmentKind.TEST, "Keybench – SANDBOX"),
        ("live", EnvironmentKind.LIVE, "Keybench – LIVE"),
        ("Main street", EnvironmentKind.LIVE, "Keybench – LIVE · MAIN STREET"),
    ):
        added = await session.console.environments.add(name, kind, f"https://{kind}{len(name)}.example")
        session.choose_environment(added)
        assert window.windowTitle() == title


async def test_a_page_is_made_when_it_is_visited(window: MainWindow, session: Session) -> None:
    window.attach(session)
    assert window.page("settings") is None
    window.rail.buttons["settings"].click()
    assert _shown(window) is window.page("settings")
    window.show_page("bench")
    assert isinstance(_shown(window), BenchPage)


async def test_add_a_new_key_is_reached_from_any_page(qtbot: QtBot, used: MainWindow) -> None:
    used.show_page("settings")
    qtbot.keyClick(used, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert used.page_id == "bench"
    assert _bench(used)[0].asked == ["add_new_key"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
async def test_a_sale_is_sent_by_shortcut_on_the_bench_alone(
    qtbot: QtBot, used: MainWindow, key: Qt.Key
) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    _keys, sale = _bench(used)
    used.show_page("settings")
    qtbot.keyClick(used, key, control)
    assert used.page_id == "settings"
    assert not sale.asked
    used.show_page("bench")
    qtbot.keyClick(used, key, control)
    assert sale.asked == ["send"]


async def test_the_shortcut_sells_from_its_own_fields_and_from_no_other(
    qtbot: QtBot, used: MainWindow
) -> None:
    keys, sale = _bench(used)
    for side, asked in ((keys, []), (sale, ["send"])):
        field = QLineEdit(side)
        field.show()
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert sale.asked == asked


def test_keys_held_too_long_send_one_sale(window: MainWindow) -> None:
    actions = [action for action in window.findChildren(QAction) if action.shortcuts()]
    assert {action.shortcut().toString() for action in actions} >= {"Ctrl+Enter", "Ctrl+N", "Ctrl+L"}
    assert not any(action.autoRepeat() for action in actions)


async def test_the_choosers_shortcut_reaches_it_out_of_a_text_field(qtbot: QtBot, used: MainWindow) -> None:
    field = QLineEdit(_bench(used)[1])
    field.show()
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert used.band.environment_box.hasFocus()


async def test_the_keyboard_stays_on_a_button_that_is_disabled_for_a_while(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    window.attach(session)
    first, second = QPushButton("first", _bench(window)[1]), QPushButton("second", _bench(window)[1])
    for button in (first, second):
        button.show()
    first.setFocus()
    for _press in range(2):
        first.setEnabled(False)
        assert window.focusWidget() is first
        qtbot.keyClick(window, Qt.Key.Key_Space)
        first.setEnabled(True)
    first.setEnabled(False)
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert window.focusWidget() is second


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
async def test_enter_presses_the_button_with_the_keyboard_once_however_long_it_is_held(
    qtbot: QtBot, used: MainWindow, key: Qt.Key
) -> None:
    first, second = QPushButton("first", _bench(used)[1]), QPushButton("second", _bench(used)[1])
    pressed: list[str] = []
    for button in (first, second):
        button.show()
        button.clicked.connect(partial(pressed.append, button.text()))
    second.setFocus()
    plain = Qt.KeyboardModifier.NoModifier
    for held in (False, True, True):
        QApplication.sendEvent(second, QKeyEvent(QEvent.Type.KeyPress, key, plain, "", held))
    assert pressed == ["second"]
    qtbot.keyClick(second, key, Qt.KeyboardModifier.ControlModifier)
    second.setEnabled(False)
    qtbot.keyClick(second, key)
    assert pressed == ["second"]


async def test_enter_presses_the_button_one_is_at_in_a_dialog_too(
    qtbot: QtBot, window: MainWindow, session: Session, until: Until
) -> None:
    window.attach(session)
    dialog = Dialog(window, title="Go on?", confirm="Go on")
    dialog.open()
    dialog.activateWindow()
    await until(dialog.isActiveWindow)
    dialog.cancel_button.setFocus()
    qtbot.keyClick(dialog.cancel_button, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert dialog.result() == Dialog.DialogCode.Rejected
    dialog.deleteLater()


async def test_the_keyboard_goes_from_what_is_hidden_to_what_is_around_it(used: MainWindow) -> None:
    side = _bench(used)[1]
    first, second = QPushButton("first", side), QPushButton("second", side)
    for button in (first, second):
        button.show()
    first.setFocus()
    first.hide()
    assert used.focusWidget() is side


async def test_pages_devices_and_settings_have_keys(qtbot: QtBot, used: MainWindow) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(used, Qt.Key.Key_F5)
    assert _bench(used)[1].asked == ["refresh_devices"]
    qtbot.keyClick(used, Qt.Key.Key_Comma, control)
    assert used.page_id == "settings"
    for number, page in enumerate(SMALL_PAGES, start=1):
        qtbot.keyClick(used, Qt.Key(Qt.Key.Key_0 + number), control)
        assert used.page_id == page.id
    qtbot.keyClick(used, Qt.Key.Key_E, control)
    assert used.band.environment_box.hasFocus()


async def test_tab_comes_to_the_pages_first_control_after_it_was_gone_to(
    qtbot: QtBot, preferences: Preferences, session: Session, until: Until
) -> None:
    class Page(QWidget):
        def __init__(self, _session: Session, parent: QWidget) -> None:
            super().__init__(parent)
            self.search = QLineEdit(self)
            self.other = QPushButton("Export", self)

    pages = [PageSpec(name, name.title(), "key", Page) for name in ("bench", "keys")]
    window = MainWindow(preferences, pages)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    window.activateWindow()
    await until(window.isActiveWindow)
    for number, name in enumerate(("bench", "keys", "bench"), start=1):
        control, key = Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_2 if number == 2 else Qt.Key.Key_1
        qtbot.keyClick(window, key, control)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        page = window.page(name)
        assert isinstance(page, Page)
        assert page.search.hasFocus()
        session.notify(Notice("bad", "It failed.", "Do this next."))
        qtbot.keyClick(page.search, Qt.Key.Key_Tab)
        assert page.other.hasFocus()
        later = QPushButton("Later", page)
        later.show()
        qtbot.keyClick(page.other, Qt.Key.Key_Tab)
        assert later.hasFocus()
        qtbot.keyClick(later, Qt.Key.Key_Tab)
        assert window.notice_bar.isAncestorOf(window.focusWidget()), "notices come after the page"
        later.hide()


async def test_the_keyboard_stays_in_a_field_of_the_page_that_is_gone_to(
    qtbot: QtBot, used: MainWindow
) -> None:
    amount = QLineEdit(_bench(used)[1])
    amount.show()
    for key, modifier in (
        (Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier),
    ):
        amount.setFocus()
        qtbot.keyClick(amount, key, modifier)
        assert amount.hasFocus()


async def test_f1_opens_the_manual_and_escape_closes_it(qtbot: QtBot, used: MainWindow, until: Until) -> None:
    qtbot.keyClick(used, Qt.Key.Key_F1)
    assert used.manual
    await until(used.manual.isActiveWindow)
    qtbot.keyClick(used.manual, Qt.Key.Key_Escape)
    assert not used.manual.isVisible()


async def test_notices_and_failures_come_to_the_one_place(window: MainWindow, session: Session) -> None:
    window.attach(session)
    session.notify(Notice("info", "Three sales were left unfinished."))
    assert window.notice_bar.title.text() == "Three sales were left unfinished."


async def test_a_place_is_shown_in_its_environment(window: MainWindow, session: Session) -> None:
    window.attach(session)
    sandbox = an_environment("sandbox")
    await session.console.world.journal.add_environment(sandbox)
    session.ask(Place("history", sandbox))
    assert window.page_id == "history"
    assert session.environment == sandbox
    session.ask(Place("devices"))
    assert window.page_id == "devices"
    assert session.environment == sandbox


async def test_closing_asks_the_hook_once_and_then_really_closes(
    window: MainWindow, session: Session
) -> None:
    asked: list[str] = []
    window.attach(session)
    window.close_hook = lambda: asked.append("close")
    assert not window.close()
    assert not window.close()
    assert asked == ["close"]
    assert window.isVisible()
    window.stay_open()
    assert not window.close()
    assert asked == ["close", "close"]
    ended: list[str] = []
    session.ending.connect(lambda: ended.append("ended"))
    window.finish_close()
    window.finish_close()
    assert not window.isVisible()
    assert ended == ["ended"]


async def test_size_and_edge_are_remembered_in_the_data_folder(
    qtbot: QtBot, window: MainWindow, session: Session, preferences: Preferences, until: Until
) -> None:
    session.preferences = preferences
    window.attach(session)
    window.resize(780, 700)  # no larger than the offscreen platform's screen
    bench = window.page("bench")
    assert isinstance(bench, BenchPage)
    bench.splitter.setSizes([500, 300])
    bench.splitter.splitterMoved.emit(500, 1)
    sizes = bench.splitter.sizes()
    window.finish_close()
    assert preferences.path is not None
    session.preferences = Preferences(preferences.path)
    again = MainWindow(session.preferences, SMALL_PAGES)
    qtbot.addWidget(again)
    assert again.height() == 700
    again.show()
    again.attach(session)
    page = again.page("bench")
    assert isinstance(page, BenchPage)
    assert page.splitter.sizes() == sizes
    await until(lambda: not session.supervisor.running)
    again.finish_close()


async def test_a_damaged_memory_of_sizes_means_the_usual_ones(
    qtbot: QtBot, tmp_path: Path, session: Session, until: Until
) -> None:
    path = tmp_path / "window.ini"
    path.write_text("[window]\ngeometry=%%%nonsense\n[bench]\nsplitter=????\n", encoding="utf-8")
    session.preferences = Preferences(path)
    window = MainWindow(session.preferences, SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    assert window.width() >= SMALLEST.width()
    await until(lambda: not session.supervisor.running)
    window.finish_close()


async def test_the_key_chosen_at_the_left_is_used_at_the_right(window: MainWindow, session: Session) -> None:
    window.attach(session)
    console = session.console
    made = []
    for name in ("front-desk till", "web shop"):
        draft = KeyDraft(name, "counter1", "API", KeyKind.PRIVATE)
        made.append(
            (await console.add_key.keep(session.environment, draft, "MadeUpForThisTest0123456789")).key
        )
    keys, sale = _bench(window)
    for chosen in (made[0], made[0], None, made[1]):
        keys.key_chosen.emit(chosen)
    assert [key.name for key in sale.keys] == ["front-desk till", "web shop"]


async def test_a_key_is_rotated_from_the_bench(window: MainWindow, session: Session, until: Until) -> None:
    window.attach(session)
    draft = KeyDraft("web shop", "counter1", "API", KeyKind.PRIVATE)
    key = (await session.console.add_key.create(session.environment, draft)).key
    session.ask(Rotate(key))
    assert window.page_id == "rotations"
    page = window.page("rotations")
    assert isinstance(page, RotationsPage)
    await until(lambda: window.findChild(RotationForm))
    form = window.findChild(RotationForm)
    assert form
    assert form.key == key
    window.finish_close()


def _command(window: MainWindow, text: str) -> QAction:
    return next(action for action in window.commands if action.text() == text)


def test_text_is_made_larger_and_smaller_by_command_and_remembered(
    window: MainWindow, preferences: Preferences, light_theme: Theme
) -> None:
    _command(window, "Larger text").trigger()
    assert light_theme.text_size == TEXT_SIZE.read(preferences) == "11"
    _command(window, "Smaller text").trigger()
    assert TEXT_SIZE.read(preferences) == "10"
    _command(window, "Presentation size").trigger()
    assert light_theme.presenting
    assert _command(window, "Presentation size").isChecked()
    assert TEXT_SIZE.read(preferences) == "10"  # it isn't for the next start
    _command(window, "Normal text size").trigger()
    assert not light_theme.presenting
    assert light_theme.scale == 1.0
    assert TEXT_SIZE.read(preferences) == AS_THE_SYSTEM


def test_the_size_of_text_is_changed_by_keys_also_in_a_field(
    qtbot: QtBot, window: MainWindow, light_theme: Theme
) -> None:
    with qtbot.waitActive(window, timeout=PATIENCE_MS):
        window.activateWindow()
    edit = QLineEdit(window)
    edit.show()
    edit.setFocus()
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(edit, Qt.Key.Key_Plus, ctrl)
    assert light_theme.text_size == "11"
    qtbot.keyClick(edit, Qt.Key.Key_Minus, ctrl)
    assert light_theme.text_size == "10"
    qtbot.keyClick(edit, Qt.Key.Key_P, ctrl | Qt.KeyboardModifier.ShiftModifier)
    assert light_theme.presenting
    qtbot.keyClick(edit, Qt.Key.Key_P, ctrl | Qt.KeyboardModifier.ShiftModifier)
    assert not light_theme.presenting
    qtbot.keyClick(edit, Qt.Key.Key_0, ctrl)
    assert light_theme.text_size == AS_THE_SYSTEM
    assert edit.text() == ""


def test_the_first_window_fits_the_screen(qtbot: QtBot) -> None:
    window = MainWindow(pages=SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    assert window.screen().availableGeometry().size().expandedTo(window.size()) == (
        window.screen().availableGeometry().size()
    )


def test_a_window_of_a_screen_that_is_gone_comes_back_whole(qtbot: QtBot, preferences: Preferences) -> None:
    before = MainWindow(preferences, SMALL_PAGES)
    qtbot.addWidget(before)
    before.setGeometry(5000, 4000, 3000, 2000)
    before.show()
    before.close()
    window = MainWindow(preferences, SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    assert window.screen().availableGeometry().contains(window.geometry())
