"""The table model over an environment's keys, and the filter that gives each table its kind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor, QFont

from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.keys import rows
from keybench.ui.keys.rows import COLUMNS, NAME, STATE, TESTED, KeyRow, row_of
from keybench.ui.theme import tokens
from keybench.ui.widgets.table import TONE_ROLE

#: Asked of any cell: the row's `KeyRow`, and what the column sorts by.
ROW_ROLE: Final = Qt.ItemDataRole.UserRole
SORT_ROLE: Final = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex
_NOWHERE: Final = QModelIndex()


def _bold() -> QFont:
    # Only the weight is asked for, so family and size stay the view's.
    font = QFont()
    font.setBold(True)
    return font


def _extra(row: KeyRow, column: int, role: int) -> Any:
    """Return what one column says besides its text."""
    match role, column:
        case Qt.ItemDataRole.FontRole, rows.NAME:
            return _bold()
        case Qt.ItemDataRole.ForegroundRole, rows.TESTED:
            return QColor(tokens().dim)
        case Qt.ItemDataRole.AccessibleDescriptionRole, rows.STATE:
            return f"last tested {row.texts[TESTED]}"
        case Qt.ItemDataRole.ToolTipRole, rows.NAME:
            return f"{row.key.name}\n{row.key.purpose}".strip()
        case Qt.ItemDataRole.ToolTipRole, _:
            return row.texts[column]
        case _:
            return row.tone if (role, column) == (TONE_ROLE, STATE) else None


class KeyTableModel(QAbstractTableModel):
    """One row a key, over immutable rows that are replaced as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[KeyRow, ...] = ()

    def show_keys(self, keys: Sequence[SecurityKey], now: datetime) -> None:
        """Show `keys` with times as they read at `now` (UTC).

        If the same keys stay in the same order, only what they say changes and selections stay.
        """
        fresh = tuple(row_of(key, now) for key in keys)
        if [row.key.id for row in fresh] == [row.key.id for row in self._rows]:
            self._rows = fresh
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self._rows = fresh
        self.endResetModel()

    def refresh_times(self, now: datetime) -> None:
        """Let "2 min ago" grow older."""
        self.show_keys([row.key for row in self._rows], now)

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        """The keys shown, in the order they were given."""
        return tuple(row.key for row in self._rows)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of keys."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says under `role`."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return row.texts[column]
        if role == ROW_ROLE:
            return row
        if role == SORT_ROLE:
            return row.sort_keys[column]
        return _extra(row, column, role)


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
