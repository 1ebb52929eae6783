"""The bases of table models: columns answer Qt's roles, what stays keeps its place, what is sought shows."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from keybench.ui.theme import mono_font, tokens
from keybench.ui.widgets.arranged_model import ArrangedModel
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.rows_model import ROW_ROLE, SORT_ROLE, Column, Look, RowsModel
from keybench.ui.widgets.table_model import TONE_ROLE

Role = Qt.ItemDataRole


@dataclass(frozen=True)
class Fruit:
    name: str
    grams: int = 0


def mark(_fruit: Fruit) -> QPixmap:
    return QPixmap(1, 1)


def ink(fruit: Fruit) -> str:
    return "bad" if fruit.grams < 0 else ""


def weight(fruit: Fruit) -> str:
    return f"{fruit.grams} g"


COLUMNS = (
    Column[Fruit](
        "Name",
        lambda fruit: fruit.name,
        Look(bold=True, spoken=lambda fruit: f"fruit {fruit.name}", described=weight, mark=mark),
    ),
    Column[Fruit](
        "Weight",
        weight,
        Look(right=True, mono=True, ink=ink, hint=lambda fruit: f"all of {weight(fruit)}"),
        sort=lambda fruit: fruit.grams,
    ),
    Column[Fruit]("State", lambda fruit: "ripe", Look(tone=lambda fruit: "good" if fruit.grams else "")),
)


@pytest.fixture
def model(qapp: QApplication) -> RowsModel[Fruit]:
    model = RowsModel(COLUMNS)
    model.show_rows([Fruit("apple", 90), Fruit("plum", -1), Fruit("pear")])
    return model


def names(model: RowsModel[Fruit]) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_it_keeps_qts_rules(model: RowsModel[Fruit], qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)


def test_a_cell_says_what_its_column_says(model: RowsModel[Fruit]) -> None:
    name, grams, state = (model.index(0, column) for column in range(3))
    assert [cell.data() for cell in (name, grams, state)] == ["apple", "90 g", "ripe"]
    assert name.data(Role.AccessibleTextRole) == "fruit apple"
    assert name.data(Role.AccessibleDescriptionRole) == "90 g"
    assert isinstance(name.data(Role.DecorationRole), QPixmap)
    assert name.data(Role.FontRole).bold()
    assert grams.data(Role.FontRole).family() == mono_font(1.0).family()
    assert grams.data(Role.ToolTipRole) == "all of 90 g"
    assert grams.data(Role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert state.data(TONE_ROLE) == "good"


def test_proxies_get_the_row_and_what_it_is_sorted_by(model: RowsModel[Fruit]) -> None:
    model.show_rows([Fruit("Fig", 30)])
    assert model.index(0, 2).data(ROW_ROLE) == Fruit("Fig", 30)
    assert [model.index(0, column).data(SORT_ROLE) for column in range(3)] == ["fig", 30, "ripe"]


def test_what_isnt_said_is_left_to_qt(model: RowsModel[Fruit]) -> None:
    state = model.index(2, 2)
    assert [state.data(role) for role in (Role.ToolTipRole, Role.AccessibleTextRole)] == ["ripe", "ripe"]
    for role in (Role.FontRole, Role.DecorationRole, TONE_ROLE):
        assert state.data(role) is None
    assert model.index(0, 1).data(Role.ForegroundRole) is None
    assert model.index(1, 1).data(Role.ForegroundRole).name() == tokens().bad


def test_heads_stand_where_their_columns_do_and_can_be_read_when_cut(model: RowsModel[Fruit]) -> None:
    across = Qt.Orientation.Horizontal
    assert model.heads == ("Name", "Weight", "State")
    assert [model.headerData(column, across) for column in range(3)] == list(model.heads)
    assert model.headerData(1, across, Role.ToolTipRole) == "Weight"
    assert model.headerData(1, across, Role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.headerData(0, Qt.Orientation.Vertical) is None


def test_a_chosen_row_stays_chosen_while_others_come_and_go(model: RowsModel[Fruit], qtbot: QtBot) -> None:
    table = Table("Fruits")
    qtbot.addWidget(table)
    table.setModel(model)
    table.choose_row(1)
    fresh = [Fruit("apple", 91), Fruit("fig"), Fruit("plum", 7), Fruit("pear")]
    with qtbot.assertNotEmitted(model.modelReset):
        model.renew_rows(fresh, key=lambda fruit: fruit.name)
    assert list(model.rows) == fresh
    assert model.row(table.current_row()) == Fruit("plum", 7)


def test_only_what_says_something_else_is_announced(model: RowsModel[Fruit]) -> None:
    told: list[tuple[int, int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row(), last.column())))
    same = list(model.rows)
    model.renew_rows(same, key=lambda fruit: fruit.name)
    model.put_rows({})
    assert told == []
    model.renew_rows([same[0], Fruit("plum", 5), same[2]], key=lambda fruit: fruit.name)
    model.tell_changed(0, 1, (1, 1))
    assert told == [(1, 1, 2), (0, 1, 1)]


letters = st.lists(st.sampled_from("abcdef"), unique=True)


@given(letters, letters, st.integers(0, 3))
def test_renewing_always_comes_to_the_rows_that_were_given(
    before: list[str], after: list[str], grams: int
) -> None:
    model = RowsModel(COLUMNS)
    model.show_rows(map(Fruit, before))
    held = {name: QPersistentModelIndex(model.index(row, 0)) for row, name in enumerate(before)}
    model.renew_rows([Fruit(name, grams) for name in after], key=lambda fruit: fruit.name)
    assert names(model) == after
    assert {fruit.grams for fruit in model.rows} <= {grams}
    assert all(index.data() == name for name, index in held.items() if index.isValid())


# --- searched and sorted -----------------------------------------------------------------------------


NUMBERS = (Column[int]("Number", str, sort=lambda number: number),)


def test_a_change_is_searched_and_sorted_anew(qapp: object) -> None:
    model = ArrangedModel(NUMBERS)
    model.show_items([3, 10, 2])
    model.sort(0)
    assert model.shown_items() == (2, 0, 1)
    model.put_items({0: 11})
    assert model.shown_items() == (2, 1, 0)
    model.look_for("1")
    assert model.shown_items() == (1, 0)
    assert model.row_of(2) is None
    model.put_items({2: 12})
    assert model.shown_items() == (1, 0, 2)


def test_the_order_stays_while_many_change(qapp: object) -> None:
    model = ArrangedModel(NUMBERS)
    model.show_items(range(2000))
    model.sort(0, Qt.SortOrder.DescendingOrder)
    model.put_items({0: 5000})
    assert model.row_of(0) == 1999
    model.renew()
    assert model.row_of(0) == 0
