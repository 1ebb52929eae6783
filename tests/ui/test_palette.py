"""The command palette: found by words in any order, done by keyboard, and gone when the window is locked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_key, a_point, a_sale, an_environment
from fakes.waiting import Until
from keybench.core.ports import Device
from keybench.ui.bench.page import BenchPage
from keybench.ui.devices.page import DevicesPage
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.keys.page import KeysPage
from keybench.ui.kit.actions import COMMANDS, Action, Command, Menu, MenuBar
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import LockNow, Session
from keybench.ui.shell.lock import Cover, Lock
from keybench.ui.shell.palette import Palette, PaletteEntry, folded, found
from keybench.ui.shell.window import MainWindow

KEY, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NAMES = st.lists(st.tuples(TEXTS, TEXTS), max_size=6)


class Hand:
    """A hand on the keyboard of a window with a palette."""

    def __init__(self, qtbot: QtBot, window: MainWindow, session: Session) -> None:
        self._qtbot = qtbot
        self.window, self.session = window, session
        self.at = window.band.environment_box
        self.at.setFocus()

    @property
    def palette(self) -> Palette | None:
        palette = self.window.findChild(Palette)
        return palette if palette and palette.isVisible() else None

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self._qtbot.keyClick(self.window.focusWidget(), key, modifier)

    def open(self, text: str = "") -> Palette:
        """Open the palette and type, as far as Qt's own typist knows more than ASCII."""
        self.press(KEY.Key_K, CONTROL)
        assert self.palette
        assert self.palette.field.hasFocus()
        self.palette.field.setText(text)
        return self.palette

    def listed(self) -> list[tuple[str, str]]:
        return [(one.name, one.place) for one in self.palette.table.model().rows] if self.palette else []

    def page(self, page_id: str) -> QWidget:
        page = self.window.page(page_id)
        assert page
        return page


@pytest.fixture
async def hand(qtbot: QtBot, preferences: Preferences, session: Session, until: Until) -> Hand:
    """A window on the Bench, with keys in two environments, devices in one and sales in the other."""
    journal, elsewhere = session.console.world.journal, an_environment("Main street")
    await journal.add_environment(elsewhere)
    await journal.add_key(a_key("Till 3"))
    await journal.add_key(a_key("Größere Kasse", environment_id=elsewhere.id))
    await journal.remember_devices(
        session.environment.id, [Device("D-7", "Terrace bar"), Device("D-8", "Cellar")]
    )
    for number in range(12):
        sale = a_sale(f"KB-77AB-{number:04}", environment_id=elsewhere.id)
        await journal.note_sale(sale, a_point(sale))
    window = MainWindow(preferences)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.attach(session)
    window.activateWindow()
    bench = window.page("bench")
    assert isinstance(bench, BenchPage)
    await until(lambda: window.isActiveWindow() and bench.keys.model.items)
    return Hand(qtbot, window, session)


def entries(names: list[tuple[str, str]]) -> list[PaletteEntry]:
    return [PaletteEntry(str(number), name, place, list) for number, (name, place) in enumerate(names)]


async def test_a_command_of_another_page_goes_there(hand: Hand) -> None:
    hand.open("register")
    assert ("Register…", "on the page Devices") in hand.listed()
    hand.palette.table.select_row(hand.listed().index(("Register…", "on the page Devices")))  # type: ignore[union-attr]
    hand.press(KEY.Key_Return)
    assert hand.window.page_id == "devices"
    assert hand.palette is None
    hand.open("register")
    assert ("Register…", "on the page Devices") not in hand.listed(), "it is done here"


@given(NAMES, st.data())
def test_the_order_of_words_does_not_matter(names: list[tuple[str, str]], data: st.DataObject) -> None:
    words = ["a", *" ".join(text for pair in names for text in pair).split()]
    typed = data.draw(st.lists(st.sampled_from(words), max_size=4))
    every = entries(names)
    assert found(every, " ".join(typed)) == found(every, "  ".join(data.draw(st.permutations(typed))))


@given(NAMES)
def test_each_is_found_by_its_whole_name_and_all_by_none(names: list[tuple[str, str]]) -> None:
    every = entries(names)
    assert found(every, "") == found(every, " ") == every
    for entry in every:
        for text in (entry.name, entry.name.casefold(), f"{entry.place} {entry.name}"):
            assert entry in found(every, text)


def test_what_words_begin_comes_first() -> None:
    names = ["Latest", "Test", "Its last test…", "A key", "contest test"]
    order = [one.name for one in found(entries([(name, "Test key") for name in names]), "test")]
    assert order == ["Test", "Its last test…", "contest test", "Latest", "A key"]
    assert folded("Größe ﬁx É") == folded("GROSSE FIX e")


async def test_commands_are_those_of_the_menus_in_the_registrys_order(hand: Hand) -> None:
    hand.open()
    bar = hand.window.menuBar()
    assert isinstance(bar, MenuBar)
    bar.fill()
    listed = [one for menu in Menu for one in bar.menu(menu).actions() if one.isVisible()]
    menus = {one.text() for one in listed if one.text()}
    pages = [name for name, place in hand.listed() if place == "Page"]
    assert pages == [button.accessibleName() for button in hand.window.rail.buttons.values()]
    commands = [one for one in hand.listed() if not one[1].startswith("Page")]
    assert {*pages, *(name for name, _place in commands)} == menus - {"Command palette…"}
    can_be_done = ["not possible" not in place for _name, place in commands]
    assert can_be_done == sorted(can_be_done, reverse=True)
    possible, texts = commands[: sum(can_be_done)], [command.text for command in COMMANDS.values()]
    assert possible == sorted(possible, key=lambda one: texts.index(one[0]))
    assert ("Review", "Page · Keys") in hand.listed()


async def test_a_command_is_found_and_done_where_the_keyboard_was(hand: Hand) -> None:
    done: list[QWidget | None] = []
    count = Command("Count the tills", Menu.SALE, ("Ctrl+J",))
    Action(hand.window, count, lambda: done.append(hand.window.focusWidget()))
    for words in ("tills count", "COUNT tïlls", "sal til cou"):
        palette = hand.open(words)
        assert hand.listed() == [("Count the tills", "Sale")]
    assert palette.field.accessibleDescription() == "Count the tills, Sale, Ctrl+J"
    hand.press(KEY.Key_Return)
    assert (done, hand.palette) == ([hand.at], None)


async def test_arrows_move_in_the_list_while_the_field_keeps_the_keyboard(hand: Hand) -> None:
    palette = hand.open("text")
    rows = palette.table.model().rows
    for key, number in (
        (KEY.Key_Down, 1),
        (KEY.Key_PageDown, len(rows) - 1),
        (KEY.Key_PageUp, 0),
        (KEY.Key_Up, 0),
    ):
        hand.press(key)
        assert palette.table.selected == rows[number]
    hand.press(KEY.Key_Down)
    hand.press(KEY.Key_Tab)
    assert palette.field.hasFocus()
    palette.field.setText("no such words")
    assert (palette.table.selected, "Nothing has" in palette.field.accessibleDescription()) == (None, True)
    hand.press(KEY.Key_Return)
    palette.field.setText("text")
    assert palette.table.selected == rows[0]


async def test_what_is_not_possible_now_says_so_and_does_nothing(hand: Hand) -> None:
    Action(hand.window, Command("Open the till", Menu.SALE), hand.window.hide, lambda: False)
    hand.open("open till")
    assert hand.listed() == [("Open the till", "Sale · not possible now")]
    hand.press(KEY.Key_Return)
    assert (hand.window.isVisible(), hand.palette is None) == (True, False)


async def test_it_goes_and_gives_the_keyboard_back(qtbot: QtBot, hand: Hand) -> None:
    hand.open()
    hand.press(KEY.Key_Escape)
    assert (hand.palette, hand.at.hasFocus()) == (None, True)
    qtbot.mouseClick(hand.open(), Qt.MouseButton.LeftButton, pos=hand.window.rect().bottomLeft())
    assert (hand.palette, hand.at.hasFocus()) == (None, True)
    hand.open()
    hand.window.resize(1200, 800)
    assert (hand.palette, hand.at.hasFocus()) == (None, True)
    hand.open()
    hand.press(KEY.Key_2, CONTROL)
    assert (hand.palette, hand.window.page_id) == (None, "keys")


async def test_a_click_does_it(qtbot: QtBot, hand: Hand) -> None:
    table = hand.open("review page").table
    at = table.visualRect(table.model().index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    page = hand.page("keys")
    assert isinstance(page, KeysPage)
    assert page.segments.value == "review"


async def test_a_key_of_another_environment_and_a_device_are_gone_to(hand: Hand, until: Until) -> None:
    hand.open("kasse grossere")
    await until(lambda: hand.listed() == [("Größere Kasse", "Key · Main street")])
    hand.press(KEY.Key_Return)
    page = hand.page("keys")
    assert isinstance(page, KeysPage)
    view = page.show_view("inventory")
    assert isinstance(view, InventoryView)
    await until(lambda: [row.key.name for row in view.table.selection] == ["Größere Kasse"])
    hand.open("d-8")
    await until(lambda: hand.listed() == [("Cellar", "Device · practice")])
    hand.press(KEY.Key_Return)
    devices = hand.page("devices")
    assert isinstance(devices, DevicesPage)
    await until(lambda: [one.id for one in devices.chosen()] == ["D-8"])


@pytest.mark.parametrize("typed", ["kb-77ab-0011", "77ab-0011"])
async def test_a_sale_is_found_by_its_reference(hand: Hand, until: Until, typed: str) -> None:
    hand.open("77a")
    await until(lambda: len(hand.listed()) == 8)
    hand.press(KEY.Key_Escape)
    hand.open(typed)
    await until(lambda: hand.listed() == [("KB-77AB-0011", "Sale · Main street")])
    hand.press(KEY.Key_Return)
    bench = hand.page("bench")
    assert isinstance(bench, BenchPage)
    assert bench.sale.selection.reference == "KB-77AB-0011"
    assert hand.session.environment.name == "Main street"


async def test_locked_it_goes_and_does_not_open(hand: Hand, until: Until) -> None:
    lock = Lock(hand.window, hand.session, Preferences())
    palette = hand.open("till")
    await until(lambda: ("Till 3", "Key · practice") in hand.listed())
    hand.session.ask(LockNow())
    assert (hand.palette, palette.table.model().rows) == (None, [])
    hand.press(KEY.Key_K, CONTROL)
    assert (lock.is_locked, hand.palette) == (True, None)
    (cover,) = hand.window.findChildren(Cover)
    cover.button.click()
    assert hand.at.hasFocus()


async def test_without_a_session_there_is_none(qtbot: QtBot) -> None:
    window = MainWindow(Preferences())
    qtbot.addWidget(window)
    window.show()
    qtbot.keyClick(window, KEY.Key_K, CONTROL)
    assert window.findChild(Palette) is None


async def test_readers_find_its_parts_by_name_and_role(hand: Hand) -> None:
    palette, roles = hand.open(), QAccessible.Role
    for part, name, role in (
        (palette.field, "Find a command", roles.EditableText),
        (palette.table, "Commands", roles.Table),
    ):
        access = QAccessible.queryAccessibleInterface(part)
        assert (access.text(QAccessible.Text.Name), access.role()) == (name, role)
    assert palette.accessibleName() == "Command palette"
