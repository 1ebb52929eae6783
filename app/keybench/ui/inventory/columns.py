"""Which columns of a table are shown, in which order, how wide and by which it is sorted: remembered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHeaderView, QMenu, QWidget

from keybench.ui.preferences import Preferences
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.old_table import Table

#: Dragging a column's edge tells of every pixel.
_PAUSE_MS: Final = 300
_WIDEST_PX: Final = 2000


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table's columns stand to begin with.

    Attributes:
        widths: In pixels at 13 px text, by the columns' titles; all columns are named.
        hidden: The titles of columns that aren't shown.
    """

    widths: Mapping[str, int]
    hidden: Sequence[str] = ()


class ColumnsMemory(QObject):
    """Puts a table's columns as they were last time, and remembers how a person leaves them.

    Args:
        table: With its model, which sorts itself.
        preferences: Where it is remembered.
        name: Under which name.
        usual: How they stand to begin with.
    """

    def __init__(self, table: Table, preferences: Preferences, name: str, usual: Layout) -> None:
        super().__init__(table)
        self._table = table
        self._preferences = preferences
        self._name = name
        self._usual = usual
        self._titles = tuple(usual.widths)
        self._scale = theme().scale
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.remember)
        self.header: QHeaderView = table.horizontalHeader()
        self.header.setSectionsMovable(True)
        self.header.setSectionsClickable(True)
        self.header.setSortIndicatorShown(True)
        self.header.setSortIndicatorClearable(True)
        self.header.setStretchLastSection(False)
        for column in range(len(self._titles)):
            self.header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        self.reset()
        self._restore()
        self.header.sectionMoved.connect(self._pause.start)
        self.header.sectionResized.connect(self._pause.start)
        self.header.sortIndicatorChanged.connect(self._on_sorted)
        theme().changed.connect(self._on_theme)

    def menu(self, parent: QWidget) -> QMenu:
        """Return a menu with a tick for each column, and one that puts all back."""
        menu = QMenu(parent)
        for column, title in enumerate(self._titles):
            action = QAction(title, menu, checkable=True, checked=not self.header.isSectionHidden(column))
            action.setData(column)
            # One column at least stays, or there would be no row left to see.
            action.setEnabled(column > 0)
            action.toggled.connect(self._on_ticked)
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction("Usual columns").triggered.connect(self._on_reset)
        return menu

    def reset(self) -> None:
        """Put the columns as they stand to begin with, in the model's own order."""
        for column, title in enumerate(self._titles):
            self.header.moveSection(self.header.visualIndex(column), column)
            self.header.setSectionHidden(column, title in self._usual.hidden)
            self.header.resizeSection(column, scaled(self._usual.widths[title]))
        self.header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    def remember(self) -> None:
        """Remember how they stand now."""
        self._pause.stop()
        order = sorted(range(len(self._titles)), key=self.header.visualIndex)
        columns = [
            [self._titles[column], self._width(column), self.header.isSectionHidden(column)]
            for column in order
        ]
        section = self.header.sortIndicatorSection()
        descending = self.header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        sorted_by = [self._titles[section], descending] if 0 <= section < len(self._titles) else None
        self._preferences.set_text(self._name, json.dumps({"columns": columns, "sorted": sorted_by}))

    def _width(self, column: int) -> int:
        hidden = self.header.isSectionHidden(column)
        width = (
            scaled(self._usual.widths[self._titles[column]]) if hidden else self.header.sectionSize(column)
        )
        return round(width / theme().scale)

    def _restore(self) -> None:
        known = _read(self._preferences.text(self._name))
        place = 0
        for title, width, hidden in known.get("columns", ()):
            if title in self._titles:
                column = self._titles.index(title)
                self.header.moveSection(self.header.visualIndex(column), place)
                self.header.resizeSection(column, scaled(min(max(width, 1), _WIDEST_PX)))
                self.header.setSectionHidden(column, hidden and column > 0)
                place += 1
        title, descending = known.get("sorted") or ("", False)
        if title in self._titles:
            order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
            self.header.setSortIndicator(self._titles.index(title), order)
            self._table.model().sort(self._titles.index(title), order)

    def _on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        self._table.model().sort(column, order)
        self._pause.start()

    def _on_ticked(self, shown: bool) -> None:  # noqa: FBT001 - the signal's own shape
        action = self.sender()
        if isinstance(action, QAction):
            self.header.setSectionHidden(action.data(), not shown)
            self._pause.start()

    def _on_reset(self) -> None:
        self.reset()
        self.remember()

    def _on_theme(self) -> None:
        """Keep the widths in step with the size of text."""
        before, self._scale = self._scale, theme().scale
        if before != self._scale:
            for column in range(len(self._titles)):
                size = self.header.sectionSize(column)
                if size:
                    self.header.resizeSection(column, round(size * self._scale / before))


def _read(text: str) -> dict[str, Any]:
    """Return what was remembered, or nothing if it was damaged: it is only looks."""
    try:
        known = json.loads(text) if text else {}
        columns = [(str(title), int(width), bool(hidden)) for title, width, hidden in known["columns"]]
        sorted_by = known["sorted"]
        return {"columns": columns, "sorted": (str(sorted_by[0]), bool(sorted_by[1])) if sorted_by else None}
    except (ValueError, TypeError, KeyError, IndexError):
        return {}
