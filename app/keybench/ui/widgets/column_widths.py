"""How wide a table's columns are: what is in them is measured, and names get what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

from keybench.ui.theme import scaled
from keybench.ui.widgets.pill import PILL_MARGINS_PX, pill_font
from keybench.ui.widgets.table_model import Column, TableModel

#: So many rows are measured at once, at the most; a high screen shows fewer.
_ROWS: Final = 100
#: What a title needs more than its letters, and more still with the mark of the column that sorts.
_TITLE_PX: Final = 18
_MARK_PX: Final = 16
#: What a cell needs more than its letters, until there is a cell to ask; and for rounding on scaled screens.
_CELL_PX: Final = 20
_SPARE_PX: Final = 2
#: What a name keeps where there isn't room for all, in pixels at 13 px text; a row's own name keeps more.
_LEAST_PX: Final = 72
_LEAST_NAME_PX: Final = 132


@dataclass(frozen=True, slots=True)
class Wish:
    """What a column asks for, in pixels.

    Attributes:
        need: What is in it.
        least: What it keeps where there isn't room for all.
        takes_rest: Whether it takes the room that is left.
    """

    need: int
    least: int
    takes_rest: bool = False


def share_out(room: int, wishes: Mapping[str, Wish]) -> dict[str, int]:
    """Return a width for each column, by id.

    Where there is too little room the widest gives way first, then the widest ones together, none below its
    least. If that isn't enough the widths come to more than the room, and the table scrolls.

    Args:
        room: What there is, in pixels.
    """
    widths = {one: wish.need for one, wish in wishes.items()}
    while (excess := sum(widths.values()) - room) > 0:
        giving = [one for one, wish in wishes.items() if widths[one] > wish.least]
        if not giving:
            break
        top = max(widths[one] for one in giving)
        widest = [one for one in giving if widths[one] == top]
        stops = [widths[one] for one in giving if widths[one] < top] + [wishes[one].least for one in widest]
        step = min(top - max(stops), ceil(excess / len(widest)))
        for one in widest:
            give = min(step, sum(widths.values()) - room)
            widths[one] -= max(give, 0)
    taking = [one for one, wish in wishes.items() if wish.takes_rest]
    for number, one in enumerate(taking):
        left = room - sum(widths.values())
        widths[one] += max(left, 0) // (len(taking) - number)
    return widths


class ColumnMeasures:
    """Measures what is in the columns of a table, of the rows in sight.

    What it has found only grows, so that columns don't move to and fro under a person's eyes while rows come
    and go; `forget` starts anew.
    """

    def __init__(self, table: QTableView, model: TableModel[Any]) -> None:
        self._table = table
        self._model = model
        self._needs: dict[str, int] = {}
        self._measured: dict[str, set[str]] = {}
        self._margins: dict[str, int] = {}

    def forget(self) -> None:
        self._needs.clear()
        self._measured.clear()
        self._margins.clear()

    def wish(self, number: int, rows: Sequence[Any], *, sorts: bool, takes_rest: bool) -> Wish:
        """Return what a column asks for.

        Args:
            sorts: Whether its title carries the mark of the column that sorts.
        """
        column = self._model.columns[number]
        title = self._title_width(column) + (scaled(_MARK_PX) if sorts else 0)
        need = max(title, self._need(number, column, rows))
        if column.is_firm:
            return Wish(need, need, takes_rest)
        least = scaled(_LEAST_NAME_PX if column.bold else _LEAST_PX)
        return Wish(need, min(need, max(title, least)), takes_rest)

    def _title_width(self, column: Column[Any]) -> int:
        metrics = QFontMetrics(pill_font(self._table.font()))  # titles have the same font
        return metrics.horizontalAdvance(column.title) + scaled(_TITLE_PX)

    def rows_in_sight(self) -> list[Any]:
        rows = self._model.rows
        if not rows:
            return []
        first = max(self._table.rowAt(0), 0)
        last = self._table.rowAt(self._table.viewport().height() - 1)
        end = len(rows) if last < 0 else last + 1
        return list(rows[first : min(end, first + _ROWS)])

    def _need(self, number: int, column: Column[Any], rows: Sequence[Any]) -> int:
        """Return the width of the widest text so far; each is measured once."""
        measured = self._measured.setdefault(column.id, {""})
        texts = {column.width, *map(column.text, rows)} - measured
        need = self._needs.get(column.id, 0)
        if texts:
            measured |= texts
            need = self._needs[column.id] = max(need, *self._widths(number, column, texts))
        return need

    def _widths(self, number: int, column: Column[Any], texts: Iterable[str]) -> Iterator[int]:
        font = self._font(column)
        metrics = QFontMetrics(font)
        margin = self._margin(number, column, metrics) + _SPARE_PX
        for text in texts:
            yield metrics.horizontalAdvance(text) + margin
        if column.tone:
            pill = QFontMetrics(pill_font(font))
            for text in texts:
                yield pill.horizontalAdvance(text) + PILL_MARGINS_PX + _SPARE_PX

    def _font(self, column: Column[Any]) -> QFont:
        font = column.font
        if font is None:
            return self._table.font()
        return font.resolve(self._table.font())

    def _margin(self, number: int, column: Column[Any], metrics: QFontMetrics) -> int:
        margin = self._margins.get(column.id)
        if margin is None:
            if column.tone or not self._model.rowCount():
                return scaled(_CELL_PX)
            index = self._model.index(0, number)
            hint = self._table.sizeHintForIndex(index).width()
            margin = hint - metrics.horizontalAdvance(column.text(self._model.row(0)))
            self._margins[column.id] = margin
        return margin
