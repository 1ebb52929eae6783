"""A table model over a list of rows: each column says what it shows of a row, and Qt is answered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QPixmap

from keybench.ui.theme import mono_font, theme, tokens
from keybench.ui.widgets.plain import literal
from keybench.ui.widgets.table_model import TONE_ROLE

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
Said = Callable[[Row], str]
_Role = Qt.ItemDataRole
_NOWHERE: Final = QModelIndex()
#: Asked of any cell, through proxies too: its row, and what its column sorts the row by.
ROW_ROLE: Final = Qt.ItemDataRole.UserRole
SORT_ROLE: Final = Qt.ItemDataRole.UserRole + 1
#: Which roles the text answers where a look says nothing else.
_TEXT: Final = (_Role.DisplayRole, _Role.ToolTipRole, _Role.AccessibleTextRole)
#: Which attribute of a look answers a role with words.
_SAID: Final[Mapping[int, str]] = {
    _Role.ToolTipRole: "hint",
    _Role.AccessibleTextRole: "spoken",
    _Role.AccessibleDescriptionRole: "described",
    TONE_ROLE: "tone",
}


@dataclass(frozen=True, kw_only=True)
class Look(Generic[Row]):
    """How a column looks, and what it says besides its text; what is None is left to Qt.

    A function here must not hold the model that it is given to: models are taken down by Qt, at once.

    Attributes:
        right: Whether it stands at the right, as figures do.
        mono: Whether it is an identifier, in the fixed font.
        bold: Whether it is what the row is about.
        tone: The tone of `pill.PillDelegate` for a row, one of `tokens.TONES`; empty for none.
        ink: The name of the colour of the text in `tokens.Tokens`; empty for the usual one.
        hint: The tooltip, if not the text, which may be cut short.
        spoken: What a screen reader says, if not the text.
        described: What a screen reader may add.
        mark: The picture before the text.
    """

    right: bool = False
    mono: bool = False
    bold: bool = False
    tone: Said[Row] | None = None
    ink: Said[Row] | None = None
    hint: Said[Row] | None = None
    spoken: Said[Row] | None = None
    described: Said[Row] | None = None
    mark: Callable[[Row], QPixmap] | None = None

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Where the text and the head stand."""
        side = Qt.AlignmentFlag.AlignRight if self.right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def answer(self, row: Row, role: int) -> Any:
        """Return what Qt is told of a row under any role but the text's."""
        if role in _SAID:
            said: Said[Row] | None = getattr(self, _SAID[role])
            return said(row) or None if said else None
        match role:
            case _Role.TextAlignmentRole:
                return self.alignment
            case _Role.FontRole:
                return self._font()
            case _Role.DecorationRole if self.mark:
                return self.mark(row)
            case _Role.ForegroundRole if self.ink and (ink := self.ink(row)):
                return QColor(getattr(tokens(), ink))
            case _:
                return None

    def _font(self) -> QFont | None:
        if self.mono:
            return QFont(mono_font(theme().scale))
        if not self.bold:
            return None
        # Only the weight is asked for, so family and size stay the view's.
        font = QFont()
        font.setBold(True)
        return font


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table.

    Attributes:
        head: Its title.
        text: What it shows of a row.
        look: How it looks, if not as plain text at the left.
        sort: What it is sorted by, if not the text in any case of letters; one type for all rows.
    """

    head: str
    text: Said[Row]
    look: Look[Row] = Look()
    sort: Callable[[Row], Any] | None = None

    def sort_key(self, row: Row) -> Any:
        """Return what a row is sorted by."""
        return self.text(row).casefold() if self.sort is None else self.sort(row)

    def answer(self, row: Row, role: int) -> Any:
        """Return what Qt is told of a row under a role, one of this file's own included."""
        if role == ROW_ROLE:
            return row
        if role == SORT_ROLE:
            return self.sort_key(row)
        said = self.look.answer(row, role)
        if said is None and role in _TEXT:
            said = self.text(row)
        return literal(said) if role == _Role.ToolTipRole and said else said


class RowsModel(QAbstractTableModel, Generic[Row]):
    """Rows to look at; subclasses change them through the methods here, which tell the views.

    Args:
        columns: From left to right. Their functions get the row and nothing else; what they need besides,
            such as names, is put into the row or held by an object of its own, not by the model.
    """

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._rows: list[Row] = []

    # --- content ---------------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, in order."""
        return self._rows

    @property
    def heads(self) -> tuple[str, ...]:
        """The columns' titles."""
        return tuple(column.head for column in self._columns)

    def row(self, number: int) -> Row:
        """Return a row by its number, from 0."""
        return self._rows[number]

    def show_rows(self, rows: Iterable[Row]) -> None:
        """Show other rows altogether; what was chosen in a view is no longer."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def renew_rows(self, rows: Iterable[Row], key: Callable[[Row], Hashable]) -> None:
        """Show these rows; those that stay at the beginning and at the end keep their places and choice.

        Args:
            rows: All rows, in order.
            key: What tells whether a row is the same one as before, whatever it says now.
        """
        old, new = [key(row) for row in self._rows], list(rows)
        keys = [key(row) for row in new]
        head = _shared(old, keys)
        tail = _shared(old[head:][::-1], keys[head:][::-1])
        self.remove_rows(head, len(old) - head - tail)
        self.insert_rows(head, new[head : len(new) - tail])
        self.put_rows({number: row for number, row in enumerate(new) if row != self._rows[number]})

    def insert_rows(self, number: int, rows: Sequence[Row]) -> None:
        """Put rows before the one that has `number` now."""
        if rows:
            self.beginInsertRows(_NOWHERE, number, number + len(rows) - 1)
            self._rows[number:number] = rows
            self.endInsertRows()

    def remove_rows(self, number: int, count: int) -> None:
        """Take out `count` rows from `number` on."""
        if count > 0:
            self.beginRemoveRows(_NOWHERE, number, number + count - 1)
            del self._rows[number : number + count]
            self.endRemoveRows()

    def put_rows(self, changed: Mapping[int, Row]) -> None:
        """Put rows in the places of what they were, given by number, and announce them at one stroke."""
        for number, row in changed.items():
            self._rows[number] = row
        if changed:
            self.tell_changed(min(changed), max(changed))

    def tell_changed(self, first: int, last: int, columns: tuple[int, int] | None = None) -> None:
        """Tell the views that rows say something else now.

        Args:
            first: The first such row's number.
            last: The last one's.
            columns: The first and the last column concerned; all if left out.
        """
        left, right = columns or (0, len(self._columns) - 1)
        self.dataChanged.emit(self.index(first, left), self.index(last, right))

    # --- Qt's model ------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of rows; rows have no children."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, also for where it is cut short, and its side."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self._columns[section]
        if role in {_Role.DisplayRole, _Role.ToolTipRole}:
            return column.head
        return column.look.alignment if role == _Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says under `role`."""
        if not index.isValid():
            return None
        return self._columns[index.column()].answer(self._rows[index.row()], role)


def _shared(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return how many keys two lists have in common before they differ."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
