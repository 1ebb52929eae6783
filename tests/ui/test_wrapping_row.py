"""A row of widgets wraps where there is little room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.ui.kit.boxes import WrappingRow


@pytest.fixture
def row(qtbot: QtBot) -> WrappingRow:
    row = WrappingRow((QPushButton("Rotate"), QPushButton("Compromised"), QPushButton("Forget")), spread=True)
    qtbot.addWidget(row)
    row.resize(600, 40)
    row.show()
    return row


def buttons(row: WrappingRow) -> list[QPushButton]:
    return row.findChildren(QPushButton)


async def test_the_last_one_stands_at_the_right_while_all_fit(row: WrappingRow) -> None:
    first, second, last = buttons(row)
    await until(lambda: last.geometry().right() == row.rect().right())
    assert first.y() == second.y() == last.y()


async def test_it_begins_on_the_right_where_text_is_read_from_right_to_left(row: WrappingRow) -> None:
    first, _second, last = buttons(row)
    await until(lambda: last.geometry().right() == row.rect().right())
    from_left = [one.x() for one in buttons(row)]
    row.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    await until(lambda: first.geometry().right() == row.rect().right())
    assert [row.width() - one.x() - one.width() for one in buttons(row)] == from_left


async def test_it_goes_on_in_a_further_line(row: WrappingRow) -> None:
    first, second, last = buttons(row)
    width = first.sizeHint().width() + second.sizeHint().width() + 12
    row.resize(width, row.heightForWidth(width))
    await until(lambda: last.y() > first.y())
    assert last.x() == first.x() == 0
    assert row.rect().contains(last.geometry())


async def test_what_changed_out_of_sight_has_its_room_when_it_is_seen_again(row: WrappingRow) -> None:
    first = buttons(row)[0]
    await until(lambda: first.width() == first.sizeHint().width())
    row.hide()
    first.setText("Rotate it at once and altogether")
    row.show()
    await until(lambda: first.width() == first.sizeHint().width())
