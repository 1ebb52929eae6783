"""A table's model: columns as data, and rows that are matched by key, searched and sorted here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QCollator,
    QCollatorSortKey,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QIcon

from keybench.ui.kit.labels import literal
from keybench.ui.kit.theme import mono_font, theme, tokens
from keybench.words.language import locale_tag

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
Text = Callable[[Row], str]
_Role = Qt.ItemDataRole
_NOWHERE: Final = QModelIndex()
#: Names the full form of the layout signals; PySide takes the shortest by default.
_LAYOUT: Final = ("QList<QPersistentModelIndex>", "QAbstractItemModel::LayoutChangeHint")
#: A cell's tone, for `pill.PillDelegate`; the cell's text is its display role as usual.
TONE_ROLE: Final = Qt.ItemDataRole.UserRole
#: How high and wide a mark before a text is, in pixels at 13 px text.
MARK_PX: Final = 11
#: Which of a column's functions answers a role with words, and for which roles its text stands in.
_TEXTS: Final[Mapping[int, str]] = {
    _Role.DisplayRole: "text",
    _Role.ToolTipRole: "hint",
    _Role.AccessibleTextRole: "spoken",
    _Role.AccessibleDescriptionRole: "described",
    TONE_ROLE: "tone",
}
_OR_ITS_TEXT: Final = (_Role.ToolTipRole, _Role.AccessibleTextRole)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table.

    The functions get a row and nothing else. What they need besides, such as names, is in the row or in an
    object of its own, never in the model: Qt destroys models without asking Python.

    Attributes:
        id: Names the column in what is remembered of a table; stable, and never shown.
        width: A text that has to fit whatever is in sight, so that the column stays while one scrolls.
        hidden: Whether it isn't shown until a person wants it.
        empty: What it shows of a row that has nothing to tell by it. While that is so of every row, the
            column isn't shown until a person wants it.
        bold: Whether it is what the row is about.
        tone: The tone of the pill in which the text is shown, one of `tokens.TONES`; empty for no pill.
        ink: The name of the text's colour in `tokens.Tokens`; empty for the usual one.
        hint: The tooltip, if not the text; a text that it doesn't hold stands above it, since it may be cut.
        mark: A picture before the text, `MARK_PX` high; `icons` has those whose colours stay in a selected row.
        sort: What it is sorted by, if not the text; texts are sorted by locale, with numbers in order.
    """

    id: str
    title: str
    text: Text[Row]
    _: KW_ONLY
    width: str = ""
    stretch: bool = False
    hidden: bool = False
    empty: str | None = None
    right: bool = False
    mono: bool = False
    bold: bool = False
    tone: Text[Row] | None = None
    ink: Text[Row] | None = None
    hint: Text[Row] | None = None
    spoken: Text[Row] | None = None
    described: Text[Row] | None = None
    mark: Callable[[Row], QIcon] | None = None
    sort: Callable[[Row], Any] | None = None

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Where text and title are; views mirror it where text is read from right to left, but for figures."""
        figures = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute
        return (figures if self.right else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter

    @property
    def is_firm(self) -> bool:
        """Whether it is a figure, a time, a state or an identifier, which says nothing when it is cut.

        Names give way before it does. Times are told by what they are sorted by.
        """
        return not self.stretch and (self.right or self.mono or bool(self.tone) or self.sort is not None)

    @property
    def font(self) -> QFont | None:
        if self.mono:
            return QFont(mono_font(theme().scale))
        if not self.bold:
            return None
        font = QFont()  # only the weight is set, so family and size stay the view's
        font.setBold(True)
        return font

    def sort_value(self, row: Row) -> Any:
        value = self.text(row) if self.sort is None else self.sort(row)
        return _sort_key(value) if isinstance(value, str) else value

    def data(self, row: Row, role: int) -> Any:
        if role in _TEXTS:
            own: Text[Row] | None = getattr(self, _TEXTS[role])
            text = own(row) if own else ""
            if not text and role in _OR_ITS_TEXT:
                text = self.text(row)
            if role == _Role.ToolTipRole:
                whole = self.text(row)
                text = literal(text if whole in text else f"{whole}\n{text}")
            return text if text or role == _Role.DisplayRole else None
        match role:
            case _Role.TextAlignmentRole:
                return self.alignment
            case _Role.FontRole:
                return self.font
            case _Role.DecorationRole if self.mark:
                return self.mark(row)
            case _Role.ForegroundRole if self.ink and (ink := self.ink(row)):
                return QColor(getattr(tokens(), ink))
            case _:
                return None


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows of any type, matched by key.

    Whatever happens to the rows, those that stay keep their persistent indexes, and so views keep selection,
    current row and position by themselves. There is no reset.

    Args:
        key: Identifies a row, whatever else it says later; its position among all if left out.
        words: What a row is found by, casefolded; all its texts if left out.

    Attributes:
        has_more: Whether there are more rows than were given; a view that comes to the end wants them then.
        is_changing: Whether rows are being moved; a selection is reported again once they are in place.
    """

    changed = Signal()
    more_wanted = Signal()

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable] | None = None,
        *,
        words: Text[Row] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.has_more = False
        self.is_changing = False
        self._key = key
        self._words = words or self._all_texts
        self._items: dict[Hashable, Row] = {}
        self._sorted: list[Hashable] = []
        self._order: list[Hashable] = []
        self._rows: list[Row] = []
        self._numbers: dict[Hashable, int] = {}
        self._search: tuple[str, ...] = ()
        self._sort_column = -1
        self._descending = False

    # --- rows ------------------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def items(self) -> tuple[Row, ...]:
        return tuple(self._items.values())

    def row(self, number: int) -> Row:
        return self._rows[number]

    def item(self, key: Hashable) -> Row | None:
        return self._items.get(key)

    def key(self, number: int) -> Hashable:
        return self._order[number]

    def number(self, key: Hashable) -> int:
        if not self._numbers:
            self._numbers = {one: number for number, one in enumerate(self._order)}
        return self._numbers.get(key, -1)

    def column(self, column_id: str) -> int:
        return next(number for number, column in enumerate(self.columns) if column.id == column_id)

    def show(self, rows: Iterable[Row], *, has_more: bool = False) -> None:
        self.has_more = has_more
        self._items = {self._key(row) if self._key else at: row for at, row in enumerate(rows)}
        self._arrange()

    def put(self, rows: Iterable[Row]) -> None:
        """Show rows in place of those with the same keys; unknown ones are left out."""
        self._items |= {key: row for row in rows if self._key and (key := self._key(row)) in self._items}
        self._arrange()

    # --- searching and sorting -------------------------------------------------------------------

    def search(self, text: str) -> None:
        words = tuple(text.casefold().split())
        if words != self._search:
            self._search = words
            self._show_found()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort_column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def _arrange(self) -> None:
        self._sorted = list(self._items)
        if self._sort_column >= 0:
            value = self.columns[self._sort_column].sort_value
            self._sorted.sort(key=lambda key: value(self._items[key]), reverse=self._descending)
        self._show_found()

    def _show_found(self) -> None:
        self._take_in([key for key in self._sorted if self._is_found(key)] if self._search else self._sorted)

    def _is_found(self, key: Hashable) -> bool:
        text = self._words(self._items[key])
        return all(word in text for word in self._search)

    def _all_texts(self, row: Row) -> str:
        return "\n".join(column.text(row) for column in self.columns).casefold()

    # --- changing rows in the views --------------------------------------------------------------

    def _take_in(self, keys: Sequence[Hashable]) -> None:
        if keys != self._order:
            self.is_changing = True
            self._reshape(keys)
            self.is_changing = False
        rows = enumerate(self._items[key] for key in keys)
        self._replace({number: row for number, row in rows if row is not self._rows[number]})
        self.changed.emit()

    def _reshape(self, keys: Sequence[Hashable]) -> None:
        head = _shared(self._order, keys)
        tail = _shared(self._order[head:][::-1], keys[head:][::-1])
        old, new = self._order[head : len(self._order) - tail], keys[head : len(keys) - tail]
        was, will = set(old), set(new)
        kept, gone = [key for key in new if key in was], [key for key in old if key not in will]
        if gone:
            self._move(head, kept + gone)
            self._remove(head + len(kept), len(gone))
        added = [key for key in new if key not in was]
        if kept:
            self._insert(head + len(kept), added)
            self._move(head, new)
        else:
            self._insert(head, added)

    def _insert(self, number: int, keys: Sequence[Hashable]) -> None:
        if keys:
            self.beginInsertRows(_NOWHERE, number, number + len(keys) - 1)
            self._order[number:number] = keys
            self._rows[number:number] = [self._items[key] for key in keys]
            self._numbers = {}
            self.endInsertRows()

    def _remove(self, number: int, count: int) -> None:
        self.beginRemoveRows(_NOWHERE, number, number + count - 1)
        del self._order[number : number + count], self._rows[number : number + count]
        self._numbers = {}
        self.endRemoveRows()

    def _move(self, first: int, keys: Sequence[Hashable]) -> None:
        last = first + len(keys)
        if self._order[first:last] == keys:
            return
        hint = self.LayoutChangeHint.VerticalSortHint  # or Qt would keep an index a cell, not a row
        self.layoutAboutToBeChanged[_LAYOUT].emit([], hint)  # type: ignore[index]  # the stubs forget that
        before = self._order[first:last]
        rows = dict(zip(before, self._rows[first:last], strict=True))
        self._order[first:last] = keys
        self._rows[first:last] = [rows[key] for key in keys]
        self._numbers = {}
        held = self.persistentIndexList()
        moved = [
            self.index(self.number(before[index.row() - first]), index.column())
            if first <= index.row() < last
            else index
            for index in held
        ]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged[_LAYOUT].emit([], hint)  # type: ignore[index]  # the same

    def _replace(self, rows: dict[int, Row]) -> None:
        changed = [number for number, row in rows.items() if row != self._rows[number]]
        for number, row in rows.items():
            self._rows[number] = row
        if changed:
            self.dataChanged.emit(
                self.index(min(changed), 0), self.index(max(changed), len(self.columns) - 1)
            )

    # --- Qt's model ------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self.has_more

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self.more_wanted.emit()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role in {_Role.DisplayRole, _Role.ToolTipRole}:
            return column.title
        return column.alignment if role == _Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        return self.columns[index.column()].data(self._rows[index.row()], role)


@cache
def _collator() -> QCollator:
    """Return what compares texts, as the locale does."""
    collator = QCollator(QLocale(locale_tag()))
    collator.setNumericMode(True)
    collator.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    return collator


@lru_cache(maxsize=20_000)
def _sort_key(text: str) -> QCollatorSortKey:
    """Return what a text is sorted by; many rows say the same, and are sorted again when one changes."""
    return _collator().sortKey(text)


def _shared(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
