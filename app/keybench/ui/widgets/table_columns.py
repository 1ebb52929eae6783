"""A table's columns: which are shown, in which order and width, and by which rows are sorted; remembered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QFont, QFontMetrics
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from keybench.ui.preferences import Preferences
from keybench.ui.theme import mono_font, scaled, theme
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.language import _

_NARROWEST_PX: Final = 48
_WIDEST_PX: Final = 2000
#: What a title and a text that has to fit need besides, and what a title needs more than its letters.
_MARGINS_PX: Final = 22
_TITLE_PX: Final = 18
#: Dragging a column's edge reports every pixel.
_PAUSE_MS: Final = 300
_ASCENDING: Final = Qt.SortOrder.AscendingOrder


class TableColumns(QObject):
    """Arranges the columns of a table, for a person who can move, size, hide and sort by them.

    Args:
        table: Whose columns.
        model: What it shows.
        sortable: Whether a click on a title sorts. Never while the model has more rows than are here.
        arrangeable: Whether a person arranges them; else something else gives them their widths.
    """

    def __init__(
        self, table: QTableView, model: TableModel[Any], *, sortable: bool, arrangeable: bool
    ) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._sortable = sortable
        self._arrangeable = arrangeable
        self._header: QHeaderView = table.horizontalHeader()
        self._hidden = {column.id for column in model.columns if column.hidden}
        self._unavailable: set[str] = set()
        self._widths: dict[str, int] = {}
        self._arranging = False
        self._preferences: Preferences | None = None
        self._layout_id = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._remember)
        self._set_up()
        self._header.sectionMoved.connect(self._on_moved)
        self._header.sectionResized.connect(self._on_resized)
        self._header.sortIndicatorChanged.connect(self._on_sorted)
        self._header.customContextMenuRequested.connect(self._on_menu)

    def _set_up(self) -> None:
        header, ways = self._header, QHeaderView.ResizeMode
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionsMovable(self._arrangeable)
        header.setSectionsClickable(self._sortable)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, _ASCENDING)
        header.setSortIndicatorShown(self._sortable)
        header.setStretchLastSection(False)
        header.setResizeContentsPrecision(0)  # rows in sight are enough, and all that is quick
        policies = Qt.ContextMenuPolicy
        header.setContextMenuPolicy(
            policies.CustomContextMenu if self._arrangeable else policies.NoContextMenu
        )
        own = ways.Interactive if self._arrangeable else ways.Fixed
        for number, column in enumerate(self._model.columns):
            header.setSectionResizeMode(number, ways.Stretch if column.stretch else own)
            header.setSectionHidden(number, column.hidden)

    def keep(self, preferences: Preferences, layout_id: str) -> None:
        """Arrange the columns as a person left them last time, and remember how they leave them.

        Args:
            preferences: Where they are remembered.
            layout_id: Under which name.
        """
        self._preferences, self._layout_id = preferences, layout_id
        ids = {column.id: column.id for column in self._model.columns}
        ids |= {column.title: column.id for column in self._model.columns}  # as they were remembered before
        stored = _read(preferences.text(layout_id))
        columns = [(ids[name], width, hidden) for name, width, hidden in stored["columns"] if name in ids]
        self._widths = {name: min(width, _WIDEST_PX) for name, width, _ in columns if width > 0}
        first = self._model.columns[0].id
        if columns:
            self._hidden = {name for name, _, hidden in columns if hidden and name != first}
            self._hidden |= {one.id for one in self._model.columns if one.hidden} - {
                name for name, *_ in columns
            }
        self._arrange([name for name, *_ in columns])
        sort, descending = stored["sorted"]
        if sort in ids and self._sortable:
            order = Qt.SortOrder.DescendingOrder if descending else _ASCENDING
            self._header.setSortIndicator(self._model.column(ids[sort]), order)

    def set_available(self, column_id: str, *, available: bool) -> None:
        """Leave a column out where there is nothing to tell by it or no room, whatever a person chose."""
        was = column_id not in self._unavailable
        if was != available:
            self._unavailable ^= {column_id}
            self._show_columns()

    def set_widths(self, widths: Mapping[str, int]) -> None:
        """Give columns these widths, in pixels, which aren't remembered."""
        with self._arranged():
            for column_id, width in widths.items():
                self._header.resizeSection(self._model.column(column_id), width)

    def show_rows(self) -> None:
        """Fit the columns to other rows; rows that aren't all here can't be sorted."""
        can_sort = self._sortable and not self._model.has_more
        if not can_sort:
            self._header.setSortIndicator(-1, _ASCENDING)
        self._header.setSectionsClickable(can_sort)
        if self._table.isVisible():
            self.fit()

    def fit(self) -> None:
        """Give each column the width a person chose, else its own, else that of what is in sight."""
        self._header.setMinimumSectionSize(scaled(_NARROWEST_PX))
        if not self._arrangeable:
            return
        with self._arranged():
            for number, column in enumerate(self._model.columns):
                if not column.stretch and not self._header.isSectionHidden(number):
                    self._header.resizeSection(number, self._width(number, column))

    def show_menu(self, where: QPoint) -> None:
        """Show the menu at a point of the screen."""
        menu = self.menu(self._table)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def reset(self) -> None:
        """Arrange the columns as they are at first, and the rows in their own order."""
        self._widths.clear()
        self._hidden = {column.id for column in self._model.columns if column.hidden}
        self._arrange([])
        self._header.setSortIndicator(-1, _ASCENDING)
        self._remember()

    def _width(self, number: int, column: Column[Any]) -> int:
        if column.id in self._widths:
            return scaled(self._widths[column.id])
        if isinstance(column.width, int):
            return scaled(column.width)
        if column.width:
            metrics = QFontMetrics(mono_font(theme().scale)) if column.mono else self._table.fontMetrics()
            return metrics.horizontalAdvance(column.width) + scaled(_MARGINS_PX)
        return max(self._table.sizeHintForColumn(number), self.title_width(column.id))

    def title_width(self, column_id: str) -> int:
        """Return the width of a column's title, without the sort mark that Qt keeps room for everywhere."""
        title = self._model.columns[self._model.column(column_id)].title
        font = QFont(self._table.font())
        font.setPixelSize(max(font.pixelSize() - 1, 8))
        font.setBold(True)
        return QFontMetrics(font).horizontalAdvance(title) + scaled(_TITLE_PX)

    def _arrange(self, order: Sequence[str]) -> None:
        """Put columns in this order, the others behind them."""
        header = self._header
        ids = [*order, *(column.id for column in self._model.columns if column.id not in order)]
        with self._arranged():
            for visual, column_id in enumerate(ids):
                header.moveSection(header.visualIndex(self._model.column(column_id)), visual)
        self._show_columns()

    def _show_columns(self) -> None:
        with self._arranged():
            for number, column in enumerate(self._model.columns):
                self._header.setSectionHidden(number, column.id in self._hidden | self._unavailable)
        self.fit()

    @property
    def visible(self) -> list[Column[Any]]:
        """The visible columns, in the order shown."""
        numbers = (self._header.logicalIndex(visual) for visual in range(self._header.count()))
        return [self._model.columns[one] for one in numbers if not self._header.isSectionHidden(one)]

    @contextmanager
    def _arranged(self) -> Iterator[None]:
        """Don't take what happens to the columns meanwhile for a person's wish."""
        before, self._arranging = self._arranging, True
        try:
            yield
        finally:
            self._arranging = before

    def menu(self, parent: QWidget) -> QMenu:
        """Return a menu that shows and hides columns, and puts them all back."""
        menu = QMenu(parent)
        for number, column in enumerate(self._model.columns):
            if column.id not in self._unavailable and column.title:
                action = QAction(column.title, menu, checkable=True, checked=column.id not in self._hidden)
                action.setData(column.id)
                action.setEnabled(number > 0)  # one column at least stays, or there would be no row to see
                action.toggled.connect(self._on_column_toggled)
                menu.addAction(action)
        menu.addSeparator()
        menu.addAction(_("Usual columns")).triggered.connect(self.reset)
        return menu

    def _on_column_toggled(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._hidden ^= {action.data()}
            self._show_columns()
            self._pause.start()

    def _on_menu(self, at: QPoint) -> None:
        self.show_menu(self._header.mapToGlobal(at))

    def _on_moved(self) -> None:
        if not self._arranging:
            self._pause.start()

    def _on_resized(self, number: int, before: int, after: int) -> None:
        column = self._model.columns[number]
        if before and after and not self._arranging and not column.stretch:
            self._widths[column.id] = round(after / theme().scale)
            self._pause.start()

    def _on_sorted(self, number: int, order: Qt.SortOrder) -> None:
        self._model.sort(number, order)
        self._pause.start()

    def remember_now(self) -> None:
        """Remember at once what was to be remembered in a moment."""
        if self._pause.isActive():
            self._remember()

    def _remember(self) -> None:
        self._pause.stop()
        if self._preferences is None:
            return
        header, columns = self._header, self._model.columns
        order = sorted(range(len(columns)), key=header.visualIndex)
        ids = [columns[number].id for number in order]
        sort = header.sortIndicatorSection()
        descending = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        stored = {
            "columns": [[one, self._widths.get(one, 0), one in self._hidden] for one in ids],
            "sorted": [columns[sort].id, descending] if 0 <= sort < len(columns) else None,
        }
        self._preferences.set_text(self._layout_id, json.dumps(stored))


def _read(text: str) -> dict[str, Any]:
    """Return a remembered layout, or an empty one where it is damaged: it is only looks."""
    try:
        stored = json.loads(text) if text else {"columns": [], "sorted": None}
        columns = [(str(name), int(width), bool(hidden)) for name, width, hidden in stored["columns"]]
        name, descending = stored["sorted"] or ("", False)
        return {"columns": columns, "sorted": (str(name), bool(descending))}
    except (ValueError, TypeError, KeyError):
        return {"columns": [], "sorted": ("", False)}
