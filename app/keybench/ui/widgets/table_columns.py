"""A table's columns: which are shown, in which order and width, and by which rows are sorted; remembered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from keybench.ui.preferences import Preferences
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.column_widths import ColumnMeasures, Wish, share_out
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.language import _

_NARROWEST_PX: Final = 32
_WIDEST_PX: Final = 2000
#: By how much the menu makes a column wider or narrower.
_STEP_PX: Final = 40
#: Dragging a column's edge reports every pixel; the other columns follow when it is let go.
_PAUSE_MS: Final = 300
_ASCENDING: Final = Qt.SortOrder.AscendingOrder
_DESCENDING: Final = Qt.SortOrder.DescendingOrder


@dataclass
class Layout:
    """What a person has made of a table's columns.

    Attributes:
        order: The columns they know, by id, in the order shown.
        widths: The widths they set, in pixels at 13 px text.
        shown: Which columns they turned on and off.
        sort: By which column rows are sorted, and whether the other way round; None for their own order.
    """

    order: list[str] = field(default_factory=list)
    widths: dict[str, int] = field(default_factory=dict)
    shown: dict[str, bool] = field(default_factory=dict)
    sort: tuple[str, bool] | None = None


class TableColumns(QObject):
    """Arranges the columns of a table, for a person who can move, size, hide and sort by them.

    A column is as wide as a person made it, else as what is in it; names get what is left. A double click on
    a title's edge takes a width back.
    """

    def __init__(self, table: QTableView, model: TableModel[Any], *, sortable: bool) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._sortable = sortable
        self._header: QHeaderView = table.horizontalHeader()
        self._measures = ColumnMeasures(table, model)
        self._layout = Layout()
        self._filled: set[str] = set()
        self._without_room: set[str] = set()
        self._arranging = False
        self._preferences: Preferences | None = None
        self._layout_id = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._on_pause)
        self._set_up()
        self._header.sectionMoved.connect(self._on_moved)
        self._header.sectionResized.connect(self._on_resized)
        self._header.sectionHandleDoubleClicked.connect(self._on_edge_double_clicked)
        self._header.sortIndicatorChanged.connect(self._on_sorted)
        self._header.customContextMenuRequested.connect(self._on_menu)
        table.verticalScrollBar().valueChanged.connect(self.fit)

    def _set_up(self) -> None:
        header = self._header
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionsMovable(True)
        header.setSectionsClickable(self._sortable)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, _ASCENDING)
        header.setSortIndicatorShown(self._sortable)
        header.setStretchLastSection(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        for number in range(len(self._model.columns)):
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            header.setSectionHidden(number, not self._is_shown(number))

    def keep(self, preferences: Preferences, layout_id: str) -> None:
        """Arrange the columns as a person left them last time, and remember how they leave them."""
        self._preferences, self._layout_id = preferences, layout_id
        ids = {column.title: column.id for column in self._model.columns}  # as they were remembered before
        ids |= {column.id: column.id for column in self._model.columns}
        usual_sort = self._layout.sort
        stored = preferences.text(layout_id)
        self._layout = _read(stored, ids) if stored else Layout(sort=usual_sort)
        self._arrange()
        self._show_sort()

    def set_room(self, column_id: str, *, enough: bool) -> None:
        """Leave a column out where there isn't enough room for it, until a person wants it."""
        if enough is (column_id in self._without_room):
            self._without_room ^= {column_id}
            self._show_columns()

    def show_rows(self) -> None:
        """Fit the columns to other rows; rows that aren't all here can't be sorted."""
        self._show_sort()
        filled = {column.id for column in self._model.columns if self._is_filled(column)}
        if filled != self._filled:
            self._filled = filled
            self._show_columns()
        else:
            self.fit()

    def measure_again(self) -> None:
        self._measures.forget()
        self.fit()

    def fit(self) -> None:
        with self._arranged():
            self._header.setMinimumSectionSize(scaled(_NARROWEST_PX))  # it widens what is narrower by now
            if not self._table.isVisible():
                return
            for column_id, width in share_out(self._table.viewport().width(), self._wishes()).items():
                self._header.resizeSection(self._model.column(column_id), width)

    @property
    def widths(self) -> tuple[int, int]:
        """How wide the columns are at the least, and with room for all that is in them, in pixels."""
        wishes = self._wishes().values()
        return sum(one.least for one in wishes), sum(one.need for one in wishes)

    def _wishes(self) -> dict[str, Wish]:
        own = self._layout.widths
        shown = [column for column in self.visible if column.id not in own]
        names = [column for column in shown if not column.is_firm]
        taking = [column.id for column in names if column.stretch] or [one.id for one in names[:1]]
        sorts, rows = self._header.sortIndicatorSection(), self._measures.rows_in_sight()
        wishes = {}
        for column in shown:
            number = self._model.column(column.id)
            is_taking = column.id in taking
            wishes[column.id] = self._measures.wish(number, rows, sorts=number == sorts, takes_rest=is_taking)
        for column in self.visible:
            if column.id in own:
                width = scaled(own[column.id])
                wishes[column.id] = Wish(width, width)
        return wishes

    def show_menu(self, where: QPoint) -> None:
        menu = self.menu(self._table)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def reset(self) -> None:
        self._layout = Layout()
        self._arrange()
        self._show_sort()
        self._remember()

    def _is_filled(self, column: Column[Any]) -> bool:
        """Tell whether a column has something to tell of any row; once it had, it stays."""
        if column.empty is None or column.id in self._filled:
            return True
        return any(column.text(row) != column.empty for row in self._model.items)

    def _is_shown(self, number: int) -> bool:
        column = self._model.columns[number]
        has_room = column.id not in self._without_room
        usual = has_room and not column.hidden and (column.empty is None or column.id in self._filled)
        # The first column says what a row is about.
        return number == 0 or self._layout.shown.get(column.id, usual)

    def _arrange(self) -> None:
        """Put the columns in a person's order; those that they don't know come behind their usual neighbours."""
        order = list(self._layout.order)
        for number, column in enumerate(self._model.columns):
            if column.id not in order:
                before = self._model.columns[number - 1].id if number else ""
                order.insert(order.index(before) + 1 if before else 0, column.id)
        with self._arranged():
            for visual, column_id in enumerate(order):
                self._header.moveSection(self._header.visualIndex(self._model.column(column_id)), visual)
        self._show_columns()

    def _show_columns(self) -> None:
        with self._arranged():
            for number in range(len(self._model.columns)):
                self._header.setSectionHidden(number, not self._is_shown(number))
        self.fit()

    def _show_sort(self) -> None:
        can_sort = self._sortable and not self._model.has_more
        self._header.setSectionsClickable(can_sort)
        number, descending = -1, False
        if can_sort and self._layout.sort:
            number, descending = self._model.column(self._layout.sort[0]), self._layout.sort[1]
        order = _DESCENDING if descending else _ASCENDING
        now = self._header.sortIndicatorSection(), self._header.sortIndicatorOrder()
        if now != (number, order) and max(number, now[0]) >= 0:
            with self._arranged():
                self._header.setSortIndicator(number, order)

    @property
    def visible(self) -> list[Column[Any]]:
        numbers = (self._header.logicalIndex(visual) for visual in range(self._header.count()))
        return [self._model.columns[one] for one in numbers if not self._header.isSectionHidden(one)]

    @contextmanager
    def _arranged(self) -> Iterator[None]:
        before, self._arranging = self._arranging, True
        try:
            yield
        finally:
            self._arranging = before

    def menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        for number, column in enumerate(self._model.columns):
            if column.title:
                action = QAction(column.title, menu, checkable=True, checked=self._is_shown(number))
                action.setData(column.id)
                action.setEnabled(number > 0)  # one column at least stays, or there would be no row to see
                action.toggled.connect(self._on_column_toggled)
                menu.addAction(action)
        menu.addSeparator()
        arrange = menu.addMenu(_("Arrange"))
        for column in self.visible:
            if column.title:
                arrange.addMenu(self._column_menu(column, arrange))
        menu.addAction(_("Reset columns")).triggered.connect(self.reset)
        return menu

    def _column_menu(self, column: Column[Any], parent: QWidget) -> QMenu:
        menu = QMenu(column.title, parent)
        header, number = self._header, self._model.column(column.id)
        if header.sectionsClickable():
            for text, order in ((_("Sort ascending"), _ASCENDING), (_("Sort descending"), _DESCENDING)):
                menu.addAction(text).triggered.connect(partial(header.setSortIndicator, number, order))
            menu.addSeparator()
        at, shown = header.visualIndex(number), [self._model.column(one.id) for one in self.visible]
        is_mirrored = self._table.layoutDirection() is Qt.LayoutDirection.RightToLeft
        for text, by in ((_("Move left"), -1), (_("Move right"), 1)):
            beside = shown.index(number) + (-by if is_mirrored else by)
            move = menu.addAction(text)
            move.setEnabled(0 <= beside < len(shown))
            if move.isEnabled():
                move.triggered.connect(partial(header.moveSection, at, header.visualIndex(shown[beside])))
        for text, by in ((_("Wider"), _STEP_PX), (_("Narrower"), -_STEP_PX)):
            width = max(header.sectionSize(number) + scaled(by), scaled(_NARROWEST_PX))
            menu.addAction(text).triggered.connect(partial(header.resizeSection, number, width))
        menu.addAction(_("As wide as what is in it")).triggered.connect(
            partial(self._on_edge_double_clicked, number)
        )
        return menu

    def _on_column_toggled(self, on: bool) -> None:  # noqa: FBT001 - the signal's own shape
        action = self.sender()
        if isinstance(action, QAction):
            self._layout.shown[action.data()] = on
            self._show_columns()
            self._pause.start()

    def _on_menu(self, at: QPoint) -> None:
        self.show_menu(self._header.mapToGlobal(at))

    def _on_moved(self) -> None:
        if not self._arranging:
            self._pause.start()

    def _on_resized(self, number: int, before: int, after: int) -> None:
        if before and after and not self._arranging:
            self._layout.widths[self._model.columns[number].id] = round(after / theme().scale)
            self._pause.start()

    def _on_edge_double_clicked(self, number: int) -> None:
        self._layout.widths.pop(self._model.columns[number].id, None)
        self.measure_again()
        self._pause.start()

    def _on_sorted(self, number: int, order: Qt.SortOrder) -> None:
        if not self._arranging:
            descending = order is _DESCENDING
            self._layout.sort = (self._model.columns[number].id, descending) if number >= 0 else None
            self._pause.start()
        self._model.sort(number, order)

    def _on_pause(self) -> None:
        if QGuiApplication.mouseButtons():
            self._pause.start()  # the edge is still held
            return
        self._remember()
        self.fit()

    def remember_now(self) -> None:
        if self._pause.isActive():
            self._remember()

    def _remember(self) -> None:
        self._pause.stop()
        if self._preferences is None:
            return
        columns = self._model.columns
        order = sorted(range(len(columns)), key=self._header.visualIndex)
        stored = {
            "order": [columns[number].id for number in order],
            "widths": self._layout.widths,
            "shown": self._layout.shown,
            "sorted": self._layout.sort,
        }
        self._preferences.set_text(self._layout_id, json.dumps(stored))


def _read(text: str, ids: Mapping[str, str]) -> Layout:
    """Return a remembered layout, as far as it names columns there are; damaged, it is none: it is only looks."""
    try:
        stored = json.loads(text)
        if "columns" in stored:  # of a version whose usual columns were others
            widths = {str(name): int(width) for name, width, _hidden in stored["columns"]}
            stored = {"order": list(widths), "widths": widths, "sorted": stored["sorted"]}
        order = [ids[str(name)] for name in stored.get("order", ()) if str(name) in ids]
        widths = {ids[one]: int(px) for one, px in stored.get("widths", {}).items() if one in ids and px > 0}
        shown = {ids[one]: bool(on) for one, on in stored.get("shown", {}).items() if one in ids}
        name, descending = stored.get("sorted") or ("", False)
        sort = (ids[str(name)], bool(descending)) if str(name) in ids else None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return Layout()
    narrow = {one: min(width, _WIDEST_PX) for one, width in widths.items()}
    return Layout(list(dict.fromkeys(order)), narrow, shown, sort)
