"""Rows that become columns where there is little room."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from keybench.ui.kit.boxes import in_row_or_column

_FROM_PX = 400


def test_a_row_becomes_a_column_where_there_is_less_room_and_a_row_again(qtbot: QtBot) -> None:
    within, first, second = QWidget(), QPushButton("Add key"), QPushButton("Rotate")
    qtbot.addWidget(within)
    turned: list[bool] = []
    box = in_row_or_column(first, (second, 1), from_px=lambda: _FROM_PX, within=within)
    box.turned.connect(turned.append)
    within.resize(_FROM_PX, 100)
    within.show()
    assert first.y() == second.y()
    within.resize(_FROM_PX - 1, 100)
    assert first.x() == second.x()
    assert first.y() < second.y()
    within.resize(_FROM_PX, 100)
    assert turned == [True, False, True]
    assert box.is_row


def test_a_row_can_become_as_narrow_as_its_column(qtbot: QtBot) -> None:
    within, first, second = QWidget(), QPushButton("Add key"), QPushButton("Rotate")
    qtbot.addWidget(within)
    in_row_or_column(first, second, from_px=lambda: _FROM_PX, within=within, margins=(7, 0, 9, 0))
    within.resize(_FROM_PX, 100)
    within.show()
    widest = max(first.minimumSizeHint().width(), second.minimumSizeHint().width())
    assert within.minimumSizeHint().width() == widest + 16
