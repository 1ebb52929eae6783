"""An edge between two parts that the keyboard reaches and moves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from keybench.ui.kit.boxes import Splitter

KEYS = {
    Qt.Orientation.Horizontal: (Qt.Key.Key_Right, Qt.Key.Key_Left),
    Qt.Orientation.Vertical: (Qt.Key.Key_Down, Qt.Key.Key_Up),
}


@pytest.mark.parametrize("orientation", KEYS)
@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_tab_comes_to_an_edge_and_the_arrows_move_it(
    qtbot: QtBot, orientation: Qt.Orientation, direction: Qt.LayoutDirection
) -> None:
    splitter = Splitter(orientation)
    qtbot.addWidget(splitter)
    splitter.setLayoutDirection(direction)
    splitter.setChildrenCollapsible(False)
    first, second = QListWidget(), QListWidget()
    splitter.addWidget(first)
    splitter.addWidget(second)
    splitter.resize(600, 600)
    splitter.setSizes([300, 300])
    splitter.show()
    splitter.activateWindow()
    qtbot.waitUntil(splitter.isActiveWindow)
    moved: list[tuple[int, int]] = []
    splitter.splitterMoved.connect(lambda *how: moved.append(how))
    second.setFocus()
    qtbot.keyClick(second, Qt.Key.Key_Tab)
    edge = splitter.handle(1)
    assert edge.hasFocus()
    assert edge.accessibleName()

    before = splitter.sizes()[0]
    larger, smaller = KEYS[orientation]
    if orientation is Qt.Orientation.Horizontal and direction is Qt.LayoutDirection.RightToLeft:
        larger, smaller = smaller, larger  # the first part stands at the right
    qtbot.keyClick(edge, larger)
    assert splitter.sizes()[0] == before + 24
    assert len(moved) == 1, "as when it is dragged, so that it is remembered"
    qtbot.keyClick(edge, smaller)
    qtbot.keyClick(edge, smaller)
    assert splitter.sizes()[0] == before - 24
