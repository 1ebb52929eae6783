"""The table model over an environment's keys, and the filter that gives each table its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject, QSortFilterProxyModel

from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.keys.rows import COLUMNS, NAME, PERMISSION, STATE, TESTED, USERNAME, KeyRow, row_of
from keybench.ui.widgets.rows_model import ROW_ROLE, SORT_ROLE, Column, Index, Look, RowsModel
from keybench.words.keys import KeyMarks

MarksOf = Callable[[SecurityKey], KeyMarks | None]


def _column(number: int, look: Look[KeyRow]) -> Column[KeyRow]:
    return Column(
        COLUMNS[number], lambda row: row.texts[number], look, sort=lambda row: row.sort_keys[number]
    )


_COLUMNS: Final = (
    _column(NAME, Look(bold=True, hint=lambda row: f"{row.key.name}\n{row.key.purpose}".strip())),
    _column(USERNAME, Look()),
    _column(PERMISSION, Look()),
    _column(TESTED, Look(ink=lambda _row: "dim")),
    _column(STATE, Look(tone=lambda row: row.tone, described=lambda row: row.described)),
)


def _unmarked(_key: SecurityKey) -> None:
    """Know nothing of the register."""


class KeyTableModel(RowsModel[KeyRow]):
    """One row a key, over immutable rows that are replaced as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self._marks_of: MarksOf = _unmarked

    def show_keys(self, keys: Sequence[SecurityKey], now: datetime) -> None:
        """Show `keys` with times as they read at `now` (UTC).

        If the same keys stay in the same order, only what they say changes and selections stay.
        """
        fresh = [row_of(key, now, self._marks_of(key)) for key in keys]
        if [row.key.id for row in fresh] == [row.key.id for row in self.rows]:
            self.put_rows(dict(enumerate(fresh)))
        else:
            self.show_rows(fresh)

    def refresh_times(self, now: datetime) -> None:
        """Let "2 min ago" grow older."""
        self.show_keys([row.key for row in self.rows], now)

    def show_marks(self, marks_of: MarksOf, now: datetime) -> None:
        """Show what the register says of the keys from now on; asked again whenever rows are made anew."""
        self._marks_of = marks_of
        self.refresh_times(now)

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        """The keys shown, in the order they were given."""
        return tuple(row.key for row in self.rows)


class KeyFilter(QSortFilterProxyModel):
    """The keys of one kind that hold every word of the filter text, sorted by a column."""

    def __init__(self, kind: KeyKind, source: KeyTableModel, parent: QObject | None = None) -> None:
        # Never a child of its source: that would be taken down while it still listens to it.
        super().__init__(parent)
        self._kind = kind
        self._words: tuple[str, ...] = ()
        self.setSortRole(SORT_ROLE)
        self.setSourceModel(source)
        self.sort(NAME)

    def look_for(self, text: str) -> None:
        """Keep only rows that hold every word of `text`, in any case of letters."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Tell whether the table shows a row of the source."""
        row: KeyRow = self.sourceModel().index(source_row, NAME, source_parent).data(ROW_ROLE)
        return row.key.kind is self._kind and all(word in row.haystack for word in self._words)

    def row_of_key(self, key_id: str) -> int:
        """Return the row that shows a key, or -1."""
        for row in range(self.rowCount()):
            if self.index(row, NAME).data(ROW_ROLE).key.id == key_id:
                return row
        return -1
