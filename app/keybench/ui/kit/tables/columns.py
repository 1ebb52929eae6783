"""A table's columns: which are shown, in which order and width, and by which rows are sorted; remembered.

A column is as wide as a person made it, else as what is in it; names get what is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.model import MARK_PX, Column, TableModel
from keybench.ui.kit.tables.pill import PILL_MARGINS_PX, pill_font
from keybench.ui.kit.theme import scaled, theme
from keybench.words.language import _

_NARROWEST_PX: Final = 32
_WIDEST_PX: Final = 2000
#: By how much the menu makes a column wider or narrower.
_STEP_PX: Final = 40
#: Dragging a column's edge reports every pixel; the other columns follow when it is let go.
_PAUSE_MS: Final = 300
#: What a title needs more than its letters, and more still with the mark of the column that sorts.
_TITLE_PX: Final = 18
_SORTS_PX: Final = 16
#: What a cell needs more than its letters, and beside a mark; and for rounding on scaled screens.
_CELL_PX: Final = 20
_BESIDE_MARK_PX: Final = 6
_SPARE_PX: Final = 2
#: What a name keeps where there isn't room for all, in pixels at 13 px text; a row's own name keeps more.
_LEAST_PX: Final = 72
_LEAST_NAME_PX: Final = 132
_ASCENDING: Final = Qt.SortOrder.AscendingOrder
_DESCENDING: Final = Qt.SortOrder.DescendingOrder


@dataclass
class Layout:
    """What a person has made of a table's columns, by their ids.

    Attributes:
        order: The columns they know, in the order shown.
        widths: In pixels at 13 px text.
        sorted: By which column rows are sorted, and whether the other way round; None for their own order.
    """

    order: list[str] = field(default_factory=list)
    widths: dict[str, int] = field(default_factory=dict)
    shown: dict[str, bool] = field(default_factory=dict)
    sorted: tuple[str, bool] | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What a column asks for, in pixels: for what is in it, and the least that it keeps."""

    need: int
    least: int
    takes_rest: bool = False


def share_out(room: int, wishes: Mapping[str, Wish]) -> dict[str, int]:
    """Return a width in pixels for each column; where there is too little room the widest give way first.

    None goes below its least. If that isn't enough the widths come to more than the room, and the table scrolls.
    """

    def at_most(width: int) -> dict[str, int]:
        return {one: max(min(wish.need, width), wish.least) for one, wish in wishes.items()}

    low, high = 0, max((wish.need for wish in wishes.values()), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(at_most(middle).values()) <= room else (low, middle - 1)
    widths = at_most(low)
    left = room - sum(widths.values())
    taking = [one for one, wish in wishes.items() if wish.takes_rest]
    for number, one in enumerate(taking):
        more = max(left, 0) // (len(taking) - number)
        widths[one], left = widths[one] + more, left - more
    return widths


class TableColumns(QObject):
    """Arranges the columns of a table, for a person who can move, size, hide and sort by them.

    What is in a column is measured of the rows in sight. It only grows, so that columns don't move to and fro
    under a person's eyes while rows come and go. A double click on a title's edge takes a width back.
    """

    def __init__(self, table: QTableView, model: TableModel[Any], *, sortable: bool) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._sortable = sortable
        self._header: QHeaderView = table.horizontalHeader()
        self._needs: dict[str, int] = {}
        self._layout = Layout()
        self._filled: set[str] = set()
        self._from_px: Mapping[str, int] = {}
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
        self._header.customContextMenuRequested.connect(
            lambda at: self.show_menu(self._header.mapToGlobal(at))
        )
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
        stored = preferences.text(layout_id)
        known = {column.id for column in self._model.columns}
        self._layout = _read(stored, known) if stored else Layout(sorted=self._layout.sorted)
        self._arrange()
        self._show_sort()

    @property
    def visible(self) -> list[Column[Any]]:
        numbers = (self._header.logicalIndex(visual) for visual in range(self._header.count()))
        return [self._model.columns[one] for one in numbers if not self._header.isSectionHidden(one)]

    # --- widths ----------------------------------------------------------------------------------

    def measure_again(self) -> None:
        self._needs.clear()
        self.fit()

    def on_resized(self) -> None:
        self._make_room()
        self.fit()

    def fit(self) -> None:
        with self._arranged():
            self._header.setMinimumSectionSize(scaled(_NARROWEST_PX))  # it widens what is narrower by now
            if not self._table.isVisible():
                return
            for column_id, width in share_out(self._table.viewport().width(), self._wishes()).items():
                self._header.resizeSection(self._model.column(column_id), width)

    def _wishes(self) -> dict[str, Wish]:
        own, rows = self._layout.widths, self._rows_in_sight()
        names = [one for one in self.visible if one.id not in own and not one.is_firm]
        taking = [one.id for one in names if one.stretch] or [one.id for one in names[:1]]
        wishes = {}
        for column in self.visible:
            if column.id in own:
                width = scaled(own[column.id])
                wishes[column.id] = Wish(width, width)
                continue
            title = self._title_width(column)
            need = max(title, self._need(column, rows))
            least = scaled(_LEAST_NAME_PX if column.bold else _LEAST_PX)
            least = need if column.is_firm else min(need, max(title, least))
            wishes[column.id] = Wish(need, least, column.id in taking)
        return wishes

    def _rows_in_sight(self) -> Sequence[Any]:
        first = max(self._table.rowAt(0), 0)
        last = self._table.rowAt(self._table.viewport().height() - 1)
        return self._model.rows[first : None if last < 0 else last + 1]

    def _title_width(self, column: Column[Any]) -> int:
        metrics = QFontMetrics(pill_font(self._table.font()))  # titles have the same font
        is_sorting = self._model.column(column.id) == self._header.sortIndicatorSection()
        return metrics.horizontalAdvance(column.title) + scaled(_TITLE_PX + is_sorting * _SORTS_PX)

    def _need(self, column: Column[Any], rows: Sequence[Any]) -> int:
        """Return the width of the widest text so far."""
        font = column.font.resolve(self._table.font()) if column.font else self._table.font()
        margin = PILL_MARGINS_PX if column.tone else scaled(_CELL_PX)
        if column.mark:
            margin += scaled(MARK_PX + _BESIDE_MARK_PX)
        metrics = QFontMetrics(pill_font(font) if column.tone else font)
        widest = max(map(metrics.horizontalAdvance, {column.width, *map(column.text, rows)}))
        self._needs[column.id] = max(self._needs.get(column.id, 0), widest + margin + _SPARE_PX)
        return self._needs[column.id]

    # --- which, and in which order ---------------------------------------------------------------

    def show_from(self, from_px: Mapping[str, int]) -> None:
        """Leave columns out where the table is narrower than this, in pixels at 13 px text, until a person wants them."""
        self._from_px = from_px
        self._make_room()

    def _make_room(self) -> None:
        without = {one for one, px in self._from_px.items() if self._table.width() < scaled(px)}
        if without != self._without_room:
            self._without_room = without
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
        if can_sort and self._layout.sorted:
            number, descending = self._model.column(self._layout.sorted[0]), self._layout.sorted[1]
        order = _DESCENDING if descending else _ASCENDING
        now = self._header.sortIndicatorSection(), self._header.sortIndicatorOrder()
        if now != (number, order) and max(number, now[0]) >= 0:
            with self._arranged():
                self._header.setSortIndicator(number, order)

    @contextmanager
    def _arranged(self) -> Iterator[None]:
        before, self._arranging = self._arranging, True
        try:
            yield
        finally:
            self._arranging = before

    # --- what a person does ----------------------------------------------------------------------

    def show_menu(self, where: QPoint) -> None:
        menu = self.menu(self._table)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

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
                self._fill_column_menu(arrange.addMenu(column.title), self._model.column(column.id))
        menu.addAction(_("Reset columns")).triggered.connect(self._reset)
        return menu

    def _fill_column_menu(self, menu: QMenu, number: int) -> None:
        """Have the keyboard do what a pointer does with the titles."""
        header = self._header
        if header.sectionsClickable():
            for text, order in ((_("Sort ascending"), _ASCENDING), (_("Sort descending"), _DESCENDING)):
                menu.addAction(text).triggered.connect(partial(header.setSortIndicator, number, order))
        shown = [self._model.column(one.id) for one in self.visible]
        is_mirrored = self._table.layoutDirection() is Qt.LayoutDirection.RightToLeft
        for text, by in ((_("Move left"), -1), (_("Move right"), 1)):
            beside = shown.index(number) + (-by if is_mirrored else by)
            if 0 <= beside < len(shown):
                places = header.visualIndex(number), header.visualIndex(shown[beside])
                menu.addAction(text).triggered.connect(partial(header.moveSection, *places))
        for text, by in ((_("Wider"), _STEP_PX), (_("Narrower"), -_STEP_PX)):
            width = max(header.sectionSize(number) + scaled(by), scaled(_NARROWEST_PX))
            menu.addAction(text).triggered.connect(partial(header.resizeSection, number, width))

    def _reset(self) -> None:
        self._layout = Layout()
        self._arrange()
        self._show_sort()
        self._remember()

    def _on_column_toggled(self, on: bool) -> None:  # noqa: FBT001 - the signal's own shape
        action = self.sender()
        if isinstance(action, QAction):
            self._layout.shown[action.data()] = on
            self._show_columns()
            self._pause.start()

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
            self._layout.sorted = (self._model.columns[number].id, descending) if number >= 0 else None
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
        if self._preferences:
            numbers = sorted(range(len(self._model.columns)), key=self._header.visualIndex)
            self._layout.order = [self._model.columns[number].id for number in numbers]
            self._preferences.set_text(self._layout_id, json.dumps(asdict(self._layout)))


def _read(text: str, known: set[str]) -> Layout:
    """Return a remembered layout, as far as it names columns there are; damaged, it is none: it is only looks."""
    try:
        stored = json.loads(text)
        order = [one for one in stored.get("order", ()) if one in known]
        widths = {one: min(int(px), _WIDEST_PX) for one, px in stored.get("widths", {}).items() if px > 0}
        shown = {str(one): bool(on) for one, on in stored.get("shown", {}).items()}
        name, descending = stored.get("sorted") or ("", False)
        sort = (str(name), bool(descending)) if name in known else None
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return Layout()
    return Layout(list(dict.fromkeys(order)), widths, shown, sort)
