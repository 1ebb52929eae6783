"""A list above the card of what is chosen in it, with an edge between them that can be moved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

_LIST, _CARD = 3, 2
_EDGE_PX = 12


class ListAndCard(QSplitter):
    """Both, one above the other; the card scrolls where it is higher than its room.

    Args:
        listed: The list.
        card: What is known of the chosen row.
        heights: How high both are at first, in pixels.
    """

    def __init__(self, listed: QWidget, card: QWidget, heights: tuple[int, int]) -> None:
        super().__init__(Qt.Orientation.Vertical)
        below = QScrollArea()
        below.setWidgetResizable(True)
        below.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        below.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        below.setWidget(card)
        below.viewport().setAutoFillBackground(False)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(_EDGE_PX)
        self.addWidget(listed)
        self.addWidget(below)
        self.setStretchFactor(0, _LIST)
        self.setStretchFactor(1, _CARD)
        self.setSizes(list(heights))
