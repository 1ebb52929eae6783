"""The one table: columns answer Qt, rows keep what is selected, a person arranges columns and copies rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QIcon, QImage
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from keybench.core.environments.environment import EnvironmentKind
from keybench.ui.kit.icons import mark_icon
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.columns import Wish, share_out
from keybench.ui.kit.tables.model import MARK_PX, TONE_ROLE, Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import mono_font, scaled, theme, tokens

Role = Qt.ItemDataRole
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


@dataclass(frozen=True)
class Fruit:
    name: str
    grams: int = 0


def mark(_fruit: Fruit) -> QIcon:
    return mark_icon(EnvironmentKind.PRACTICE, tokens(), scaled(MARK_PX))


def ink(fruit: Fruit) -> str:
    return "bad" if fruit.grams < 0 else ""


def name(fruit: Fruit) -> str:
    return fruit.name


def weight(fruit: Fruit) -> str:
    return f"{fruit.grams} g"


def grams(fruit: Fruit) -> int:
    return fruit.grams


COLUMNS: tuple[Column[Fruit], ...] = (
    Column("name", "Name", name, stretch=True, bold=True, spoken=lambda fruit: f"fruit {fruit.name}",
           described=weight, mark=mark),
    Column("weight", "Weight", weight, right=True, mono=True, ink=ink, sort=grams,
           hint=lambda fruit: f"all of {weight(fruit)}"),
    Column("state", "State", lambda _fruit: "ripe", tone=lambda fruit: "good" if fruit.grams else ""),
    Column("note", "Note", lambda _fruit: "-", width="a note", hidden=True),
)  # fmt: skip
APPLE, PLUM, PEAR = Fruit("apple", 90), Fruit("plum", -1), Fruit("pear")


@pytest.fixture
def model(qapp: QApplication) -> TableModel[Fruit]:
    model = TableModel(COLUMNS, name)
    model.show([APPLE, PLUM, PEAR])
    return model


Make = Callable[..., Table[Fruit]]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    def made(model: TableModel[Fruit], *, several: bool = False) -> Table[Fruit]:
        table = Table("Fruits", model, several=several, empty_text="No fruit yet.")
        qtbot.addWidget(table)
        table.resize(420, 200)
        table.show()
        return table

    return made


@pytest.fixture
def table(model: TableModel[Fruit], make: Make) -> Table[Fruit]:
    return make(model)


def names(model: TableModel[Fruit]) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def colours(image: QImage) -> set[str]:
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in points}


# --- cells ----------------------------------------------------------------------------------------


def test_it_keeps_them_while_rows_come_go_move_and_change(
    model: TableModel[Fruit], qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    fig, kiwi, lime = Fruit("fig", 3), Fruit("kiwi", 4), Fruit("lime", 5)
    model.show([APPLE, fig, PLUM, kiwi, PEAR, lime])
    model.sort(0, DESCENDING)
    assert names(model) == ["plum", "pear", "lime", "kiwi", "fig", "apple"]
    model.put([Fruit("kiwi", 95)])
    model.search("p")
    model.search("")
    model.sort(1)
    model.show([lime, PEAR, Fruit("apple", -5)], has_more=True)
    model.sort(-1)
    assert names(model) == ["lime", "pear", "apple"]
    model.show([])
    model.show([PLUM, APPLE])
    assert names(model) == ["plum", "apple"]


def test_a_cell_says_what_its_column_says(model: TableModel[Fruit]) -> None:
    first, second, third = (model.index(0, model.column(one)) for one in ("name", "weight", "state"))
    assert [cell.data() for cell in (first, second, third)] == ["apple", "90 g", "ripe"]
    assert first.data(Role.AccessibleTextRole) == "fruit apple"
    assert first.data(Role.AccessibleDescriptionRole) == "90 g"
    assert isinstance(first.data(Role.DecorationRole), QIcon)
    assert first.data(Role.FontRole).bold()
    assert second.data(Role.FontRole).family() == mono_font(1.0).family()
    assert second.data(Role.ToolTipRole) == "all of 90 g"
    assert second.data(Role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert third.data(TONE_ROLE) == "good"


def test_what_isnt_said_is_left_to_qt(model: TableModel[Fruit]) -> None:
    state = model.index(2, 2)
    assert [state.data(role) for role in (Role.ToolTipRole, Role.AccessibleTextRole)] == ["ripe", "ripe"]
    for role in (Role.FontRole, Role.DecorationRole, TONE_ROLE):
        assert state.data(role) is None
    assert model.index(0, 1).data(Role.ForegroundRole) is None
    assert model.index(1, 1).data(Role.ForegroundRole).name() == tokens().bad


def test_titles_are_aligned_as_their_columns_and_can_be_read_when_elided(model: TableModel[Fruit]) -> None:
    across = Qt.Orientation.Horizontal
    assert [model.headerData(number, across) for number in range(3)] == ["Name", "Weight", "State"]
    assert model.headerData(1, across, Role.ToolTipRole) == "Weight"
    assert model.headerData(1, across, Role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.headerData(0, Qt.Orientation.Vertical) is None


# --- rows that change -----------------------------------------------------------------------------


def test_only_what_shows_something_else_is_announced(model: TableModel[Fruit]) -> None:
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    model.show([APPLE, PLUM, PEAR])
    model.put([])
    model.put([Fruit("fig", 1)])
    assert (changed, names(model)) == ([], ["apple", "plum", "pear"])
    model.show([APPLE, Fruit("plum", 5), PEAR])
    model.put([Fruit("pear", 3)])
    assert changed == [(1, 1), (2, 2)]


letters = st.lists(st.sampled_from("abcdefgh"), unique=True)
way = st.sampled_from([(-1, ASCENDING), (0, ASCENDING), (0, DESCENDING)])


@given(letters, letters, st.integers(0, 3), way, st.sampled_from(["", "a", "g"]))
def test_whatever_comes_rows_keep_their_indexes(
    before: list[str], after: list[str], weighs: int, sort: tuple[int, Qt.SortOrder], text: str
) -> None:
    model = TableModel(COLUMNS, name)
    model.show(map(Fruit, before))
    held = {one: QPersistentModelIndex(model.index(row, 0)) for row, one in enumerate(before)}
    model.sort(*sort)
    model.show(Fruit(one, weighs) for one in after)
    model.search(text)
    expected = after if sort[0] < 0 else sorted(after, reverse=sort[1] is DESCENDING)
    assert names(model) == [one for one in expected if text in f"{one}\n{weighs} g\nripe\n-"]
    assert {fruit.grams for fruit in model.rows} <= {weighs}
    assert all(held[one].isValid() for one in held if one in names(model))
    assert all(index.data() == one for one, index in held.items() if index.isValid())


def test_selection_and_current_row_stay_while_others_come_go_and_move(
    model: TableModel[Fruit], make: Make, qtbot: QtBot
) -> None:
    table = make(model, several=True)
    table.select_row(0)
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert table.selection == [APPLE, PLUM]
    with qtbot.assertNotEmitted(model.modelReset):
        model.show([PEAR, Fruit("fig"), Fruit("plum", 7), Fruit("kiwi"), APPLE])
        model.sort(0, DESCENDING)
    assert names(model) == ["plum", "pear", "kiwi", "fig", "apple"]
    assert table.selection == [Fruit("plum", 7), APPLE]
    assert (table.selected, table.currentIndex().row()) == (Fruit("plum", 7), 0)
    model.search("p")
    assert table.selection == [Fruit("plum", 7), APPLE]


def test_a_selected_row_that_goes_leaves_the_keyboard_near(table: Table[Fruit], qtbot: QtBot) -> None:
    table.select_row(1)
    reports: list[Fruit | None] = []
    table.selection_changed.connect(lambda: reports.append(table.selected))
    table.model().show([PEAR, APPLE])
    assert reports[-1] is None
    assert table.currentIndex().row() == 1
    qtbot.keyClick(table, Qt.Key.Key_Up)
    assert table.selected == PEAR


@pytest.mark.parametrize("key", ["Down", "Up", "Home", "End", "PageDown"])
def test_the_only_row_that_a_search_left_is_selected_by_any_key(
    table: Table[Fruit], qtbot: QtBot, key: str
) -> None:
    table.select("pear")
    table.model().search("plum")
    assert table.selected is None
    qtbot.keyClick(table, getattr(Qt.Key, f"Key_{key}"))
    assert table.selected is not None
    assert table.selected.name == "plum"


def test_down_goes_to_the_row_that_took_the_place_of_the_selected_one(
    table: Table[Fruit], qtbot: QtBot
) -> None:
    table.select("apple")
    table.model().show([PEAR, PLUM])
    below = table.model().row(table.currentIndex().row())
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.selected == below


def test_a_selected_row_that_shows_something_else_is_reported(table: Table[Fruit]) -> None:
    table.select("plum")
    reports: list[Fruit | None] = []
    table.selection_changed.connect(lambda: reports.append(table.selected))
    table.model().put([Fruit("plum", 8)])
    assert reports == [Fruit("plum", 8)]
    assert not table.select("fig")
    assert table.selected is None


def test_more_rows_are_wanted_at_the_end(model: TableModel[Fruit], qtbot: QtBot) -> None:
    assert not model.canFetchMore(QModelIndex())
    model.show([APPLE], has_more=True)
    with qtbot.waitSignal(model.more_wanted):
        model.fetchMore(QModelIndex())


# --- searching and sorting ------------------------------------------------------------------------


def test_texts_are_sorted_by_locale_with_numbers_in_order(qapp: QApplication) -> None:
    model = TableModel(COLUMNS, name)
    model.show(Fruit(one) for one in ("Zoo", "till 10", "Ähre", "Till 2", "birch"))
    model.sort(0)
    assert names(model) == ["Ähre", "birch", "Till 2", "till 10", "Zoo"]
    model.sort(-1)
    assert names(model)[0] == "Zoo"


def test_a_change_is_searched_and_sorted_again(model: TableModel[Fruit]) -> None:
    model.sort(1)
    assert names(model) == ["plum", "pear", "apple"]
    model.put([Fruit("plum", 95)])
    assert names(model) == ["pear", "apple", "plum"]
    model.search("9")
    assert names(model) == ["apple", "plum"]
    model.put([Fruit("pear", 9)])
    assert names(model) == ["pear", "apple", "plum"]


def test_a_click_on_a_title_sorts_unless_there_are_more_rows_to_come(
    table: Table[Fruit], qtbot: QtBot
) -> None:
    header = table.horizontalHeader()

    def click() -> None:
        at = QPoint(header.sectionViewportPosition(1) + 20, header.height() // 2)
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click()
    assert names(table.model()) == ["plum", "pear", "apple"]
    table.model().show([PLUM, APPLE, PEAR], has_more=True)
    assert names(table.model()) == ["plum", "apple", "pear"]
    click()
    assert names(table.model()) == ["plum", "apple", "pear"]


# --- what a person does ---------------------------------------------------------------------------


def test_enter_and_a_double_click_open_a_row_and_tab_leaves_the_table(
    qtbot: QtBot, table: Table[Fruit]
) -> None:
    table.setStyleSheet("QTableView { activate-on-singleclick: 1; }")  # as on some desktops
    opened: list[Fruit] = []
    activated: list[int] = []
    table.opened.connect(opened.append)
    table.activated.connect(lambda index: activated.append(index.row()))
    at = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert (activated, opened) == ([1], [])
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    table.select_row(0)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert opened == [PLUM, APPLE]
    for rows in ([], [PEAR, PLUM]):  # as a search does that finds none first
        table.model().show(rows)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert (opened[2:], table.selection) == ([PEAR], [PEAR])
    table.model().show([PLUM])
    assert table.selection == []
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert (opened[3:], table.selection) == ([PLUM], [PLUM])
    assert not table.tabKeyNavigation()


def test_selected_rows_are_copied_with_titles_as_the_columns_are_arranged(
    model: TableModel[Fruit], make: Make, qtbot: QtBot
) -> None:
    table = make(model, several=True)
    model.show([Fruit("green\tapple", 90), PLUM, Fruit("=HYPERLINK()", 5)])
    table.horizontalHeader().moveSection(0, 1)
    table.selectAll()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:2] == ["Weight\tName\tState", "90 g\tgreen apple\tripe"]
    # As in a file that is exported, no cell is a formula.
    assert lines[2:] == ["'-1 g\tplum\tripe", "5 g\t'=HYPERLINK()\tripe"]


def test_the_menu_of_a_row_has_its_actions_and_the_columns(table: Table[Fruit]) -> None:
    eaten: list[Fruit | None] = []
    eat = QAction("Eat", table)
    eat.triggered.connect(lambda: eaten.append(table.selected))
    table.set_row_actions([eat])

    def opened() -> QMenu:
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(table.viewport(), QContextMenuEvent(reason, QPoint(5, 5), QPoint(5, 5)))
        return next(menu for menu in reversed(table.findChildren(QMenu)) if menu.isVisible())

    assert [action.text() for action in opened().actions()] == ["Columns"]
    table.select_row(1)
    menu = opened()
    assert [action.text() for action in menu.actions()] == ["Eat", "", "Copy rows", "Columns"]
    menu.actions()[0].trigger()
    assert eaten == [PLUM]
    menu.close()


def test_the_usual_keys_show_the_menu_of_the_current_row(table: Table[Fruit], qtbot: QtBot) -> None:
    table.select_row(1)
    qtbot.keyClick(table, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = next(menu for menu in table.findChildren(QMenu) if menu.isVisible())
    assert [action.text() for action in menu.actions()] == ["Copy rows", "Columns"]
    menu.close()


@pytest.mark.parametrize("several", [False, True])
def test_a_click_or_a_key_is_reported_once(
    model: TableModel[Fruit],
    make: Make,
    qtbot: QtBot,
    several: bool,  # noqa: FBT001 - pytest's own form
) -> None:
    table = make(model, several=several)
    reports: list[list[str]] = []
    table.selection_changed.connect(lambda: reports.append([fruit.name for fruit in table.selection]))

    def click(row: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        at = table.visualRect(model.index(row, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, keys, at)

    click(1)
    click(1)
    click(2)
    qtbot.keyClick(table, Qt.Key.Key_Up)
    table.select("apple")
    assert reports == [["plum"], ["pear"], ["plum"], ["apple"]]
    reports.clear()
    click(2, Qt.KeyboardModifier.ShiftModifier)
    assert reports == [["apple", "plum", "pear"] if several else ["pear"]]


# --- columns --------------------------------------------------------------------------------------


def columns_menu(table: Table[Fruit]) -> dict[str, QAction]:
    table.columns.show_menu(QPoint(0, 0))
    menu = next(menu for menu in reversed(table.findChildren(QMenu)) if menu.isVisible())
    menu.hide()
    return {action.text(): action for action in menu.actions()}


def arranged(table: Table[Fruit]) -> list[str]:
    return [column.id for column in table.columns.visible]


def test_columns_come_back_as_they_were_left(model: TableModel[Fruit], make: Make) -> None:
    preferences = Preferences()
    table = make(model)
    table.columns.keep(preferences, "fruits")
    header = table.horizontalHeader()
    header.moveSection(1, 0)
    header.resizeSection(1, 133)
    header.setSortIndicator(1, DESCENDING)
    actions = columns_menu(table)
    assert not actions["Name"].isEnabled()
    actions["State"].setChecked(False)
    actions["Note"].setChecked(True)
    table.hide()
    assert json.loads(preferences.text("fruits"))["sorted"] == ["weight", True]
    again = make(TableModel(COLUMNS, name))
    again.model().show([PLUM, APPLE])
    again.columns.keep(preferences, "fruits")
    assert arranged(again) == ["weight", "name", "note"]
    assert again.horizontalHeader().sectionSize(1) == 133
    assert names(again.model()) == ["apple", "plum"]
    columns_menu(again)["Reset columns"].trigger()
    assert arranged(again) == ["name", "weight", "state"]
    assert again.horizontalHeader().sectionSize(1) != 133
    assert names(again.model()) == ["plum", "apple"]


def test_the_menu_arranges_columns_without_a_pointer(table: Table[Fruit]) -> None:
    header = table.horizontalHeader()

    def do(column: str, text: str) -> None:
        arrange = columns_menu(table)["Arrange"].menu()
        assert isinstance(arrange, QMenu)
        (part,) = (one.menu() for one in arrange.actions() if one.text() == column)
        assert isinstance(part, QMenu)
        (action,) = (one for one in part.actions() if one.text() == text)
        assert action.isEnabled()
        action.trigger()

    do("Weight", "Move left")
    assert arranged(table) == ["weight", "name", "state"]
    do("Weight", "Move right")
    do("Weight", "Move right")
    assert arranged(table) == ["name", "state", "weight"]
    before = header.sectionSize(1)
    do("Weight", "Wider")
    assert header.sectionSize(1) == before + 40
    do("Weight", "Narrower")
    assert header.sectionSize(1) == before
    do("Name", "Sort descending")
    assert names(table.model()) == sorted(names(table.model()), reverse=True)
    do("Name", "Sort ascending")
    assert names(table.model()) == sorted(names(table.model()))


@pytest.mark.parametrize(
    "text", ["nonsense", "[]", '{"order": [["name"]]}', '{"order": 3, "sorted": 1}', '{"widths": []}']
)
def test_a_damaged_layout_means_the_usual_one(table: Table[Fruit], text: str) -> None:
    preferences = Preferences()
    preferences.set_text("fruits", text)
    table.columns.keep(preferences, "fruits")
    assert arranged(table) == ["name", "weight", "state"]


def test_a_layout_that_names_columns_that_are_no_more_is_read(table: Table[Fruit]) -> None:
    preferences = Preferences()
    stored = {
        "order": ["gone", "weight", "name"],
        "widths": {"gone": 9, "weight": 99},
        "sorted": ["gone", False],
    }
    preferences.set_text("fruits", json.dumps(stored))
    table.columns.keep(preferences, "fruits")
    assert arranged(table) == ["weight", "state", "name"]  # behind its usual neighbour
    assert table.horizontalHeader().sectionSize(1) == 99


def test_a_column_without_room_is_left_out_until_a_person_wants_it(table: Table[Fruit]) -> None:
    table.resize(300, 200)
    table.columns.show_from({"state": 301})
    assert arranged(table) == ["name", "weight"]
    table.resize(301, 200)
    assert arranged(table) == ["name", "weight", "state"]
    table.resize(300, 200)
    state = columns_menu(table)["State"]
    assert not state.isChecked()
    state.setChecked(True)
    assert arranged(table) == ["name", "weight", "state"]


def test_one_column_takes_the_room_that_is_left(table: Table[Fruit]) -> None:
    header = table.horizontalHeader()
    assert header.length() == table.viewport().width()
    assert header.sectionSize(0) > header.sectionSize(1)


# --- widths -----------------------------------------------------------------------------------------

LONG = "a fruit with a name that has no end but in the middle of a sentence"


def whole(table: Table[Fruit], column_id: str) -> bool:
    """Tell whether the texts of a column aren't cut, by what its cells ask for themselves."""
    number = table.model().column(column_id)
    needs = (
        table.sizeHintForIndex(table.model().index(row, number)).width()
        for row in range(table.model().rowCount())
    )
    return max(needs) <= table.columnWidth(number)


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.85])
def test_figures_and_states_are_whole_from_the_first_row_on_and_names_get_what_is_left(
    make: Make, scale: float
) -> None:
    theme().set_scale(scale)
    table = make(TableModel(COLUMNS, name))
    table.resize(round(420 * scale), 200)
    header = table.horizontalHeader()
    assert header.length() == table.viewport().width()
    table.model().show([Fruit(LONG, 1_234_567)])
    assert whole(table, "weight")
    assert whole(table, "state")
    assert header.length() == table.viewport().width()
    assert not whole(table, "name")
    table.resize(2000, 200)
    assert whole(table, "name")
    assert header.length() == table.viewport().width()
    theme().set_scale(1.0)


def test_a_table_scrolls_sideways_where_names_have_no_more_to_give(table: Table[Fruit]) -> None:
    table.model().show([Fruit(LONG, 1_234_567_890)])
    table.resize(240, 200)
    assert whole(table, "weight")
    assert whole(table, "state")
    assert table.columnWidth(0) >= 100
    assert table.horizontalScrollBar().maximum() > 0


def test_columns_grow_for_what_comes_and_stay_when_it_goes(table: Table[Fruit]) -> None:
    narrow = table.columnWidth(1)
    table.model().show([APPLE, Fruit("melon", 1_234_567)])
    wide = table.columnWidth(1)
    assert wide > narrow
    table.model().show([APPLE])
    assert table.columnWidth(1) == wide
    table.hide()
    table.show()
    assert table.columnWidth(1) == narrow


def test_columns_fit_what_comes_in_sight_while_one_scrolls(table: Table[Fruit]) -> None:
    table.model().show([Fruit(f"fruit {number}", 10**number) for number in range(15)])
    assert not whole(table, "weight")
    table.scrollToBottom()
    assert whole(table, "weight")


def test_a_width_that_a_person_set_is_theirs_until_they_give_it_back(
    table: Table[Fruit], qtbot: QtBot
) -> None:
    header = table.horizontalHeader()
    fitting = table.columnWidth(1)
    header.resizeSection(1, 40)
    header.resizeSection(0, 150)
    table.model().show([Fruit(LONG, 1_234_567)])
    table.resize(700, 200)
    assert (table.columnWidth(0), table.columnWidth(1)) == (150, 40)
    header.sectionHandleDoubleClicked.emit(1)
    assert whole(table, "weight")
    assert table.columnWidth(1) > fitting
    assert table.columnWidth(0) == 150


widths = st.integers(20, 600)


@given(st.integers(50, 1500), st.lists(st.tuples(widths, widths, st.booleans()), min_size=1, max_size=9))
def test_room_is_shared_out_whole_and_nobody_gets_less_than_their_least(
    room: int, asked: list[tuple[int, int, bool]]
) -> None:
    wishes = {
        str(number): Wish(max(one, other), min(one, other), rest)
        for number, (one, other, rest) in enumerate(asked)
    }
    given_out = share_out(room, wishes)
    assert all(given_out[one] >= wish.least for one, wish in wishes.items())
    least, need = (sum(getattr(wish, name) for wish in wishes.values()) for name in ("least", "need"))
    some_take = any(wish.takes_rest for wish in wishes.values())
    total = sum(given_out.values())
    expected = max(least, room) if room < need or some_take else need
    assert expected - len(wishes) < total <= expected
    if room >= need:
        assert all(given_out[one] >= wish.need for one, wish in wishes.items())
    cut = [given_out[one] for one, wish in wishes.items() if wish.least < given_out[one] < wish.need]
    whole = [wish.need for one, wish in wishes.items() if given_out[one] >= wish.need > wish.least]
    assert not cut or max(whole, default=0) <= min(cut), "the widest give way first"


def test_a_text_that_may_be_cut_is_whole_in_the_tooltip(model: TableModel[Fruit]) -> None:
    column = Column[Fruit]("name", "Name", name, hint=lambda _fruit: "from the garden")
    assert column.data(APPLE, Role.ToolTipRole) == "apple\nfrom the garden"
    assert model.index(0, 0).data(Role.ToolTipRole) == "apple"


def test_sizes_follow_the_size_of_text(table: Table[Fruit]) -> None:
    table.horizontalHeader().resizeSection(1, 100)
    height = table.verticalHeader().defaultSectionSize()
    theme().set_scale(2.0)
    assert table.horizontalHeader().sectionSize(1) == 200
    assert table.verticalHeader().defaultSectionSize() == 2 * height
    theme().set_scale(1.0)
    assert table.horizontalHeader().sectionSize(1) == 100


def test_a_narrow_column_that_large_text_widens_isnt_taken_for_a_persons_wish(make: Make) -> None:
    columns = Column("name", "Name", name, stretch=True), Column("mark", "M", lambda _fruit: "1", right=True)
    table = make(TableModel(columns, name))
    table.model().show([APPLE])
    preferences = Preferences()
    table.columns.keep(preferences, "fruits")
    theme().set_scale(2.0)
    table.columns.remember_now()
    stored = preferences.text("fruits")
    theme().set_scale(1.0)
    assert not stored or not json.loads(stored)["widths"]


# --- painting -------------------------------------------------------------------------------------


def test_a_state_in_a_cell_is_painted_as_a_pill(table: Table[Fruit]) -> None:
    assert tokens().soft("good") in colours(table.grab().toImage())


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_mark_has_its_size_and_keeps_its_colours_where_its_row_is_selected(
    table: Table[Fruit], scale: float
) -> None:
    theme().set_scale(scale)
    cell = table.visualRect(table.model().index(0, 0))
    before = table.viewport().grab(cell).toImage()
    table.select_row(0)
    selected = table.viewport().grab(cell).toImage()
    theme().set_scale(1.0)
    for image in (before, selected):
        middle = [image.pixelColor(x, image.height() // 2).name() for x in range(image.width())]
        assert 0.6 * MARK_PX * scale <= middle.count(tokens().practice) <= MARK_PX * scale


def test_pills_and_words_are_mirrored_where_text_is_read_from_the_right(table: Table[Fruit]) -> None:
    model = table.model()

    def left_of_pill() -> int:
        image, soft = table.viewport().grab().toImage(), tokens().soft("good")
        cell = table.visualRect(model.index(0, 2))
        row = (cell.left() + x for x in range(cell.width()))
        return next(x for x in row if image.pixelColor(x, cell.center().y()).name() == soft) - cell.left()

    table.horizontalHeader().resizeSection(2, 150)
    near = left_of_pill()
    table.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert left_of_pill() > near
    model.show([])
    image = table.viewport().grab().toImage()
    ground = image.pixelColor(0, image.height() - 1)
    inked = [x for x in range(image.width()) if image.pixelColor(x, 16) != ground]
    assert min(inked) > image.width() // 2


def test_an_empty_table_says_so_to_eye_and_ear(table: Table[Fruit]) -> None:
    full = table.grab().toImage()
    assert table.accessibleDescription() == ""
    table.model().show([])
    words = table.grab().toImage()
    assert table.accessibleDescription() == "No fruit yet."
    table.empty_text = ""
    assert table.grab().toImage() != words
    assert words != full


def test_the_height_for_some_rows_shows_them_without_scrolling(table: Table[Fruit]) -> None:
    table.resize(420, table.height_for_rows(3))
    assert not table.verticalScrollBar().isVisible()
