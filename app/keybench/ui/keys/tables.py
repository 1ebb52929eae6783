"""The two key tables, private and public, with one choice and one set of column widths between them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QItemSelection, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QVBoxLayout, QWidget

from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.keys.columns import column_widths
from keybench.ui.keys.model import KeyFilter, KeyTableModel, MarksOf
from keybench.ui.keys.rows import COLUMNS, NAME, STATE
from keybench.ui.widgets.elided import ElidedLabel
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.pill import PillDelegate
from keybench.ui.widgets.rows_model import ROW_ROLE
from keybench.words.keys import kind_words

_TABLE_NAMES: Final = {KeyKind.PRIVATE: "Private keys", KeyKind.PUBLIC: "Public keys"}
#: A table keeps at least this many rows in sight before it lets the window cut it.
_LEAST_ROWS: Final = 2
#: As many as a window shows; measuring hundreds with every change would hold the loop for a quarter second.
_MEASURED_ROWS: Final = 40


class KeyTables(QWidget):
    """Private keys above public keys; at most one row of the two is chosen.

    Signals:
        chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = KeyTableModel(self)
        self._filters = {kind: KeyFilter(kind, self._model, self) for kind in KeyKind}
        self._tables = {kind: _table(kind, self._filters[kind]) for kind in KeyKind}
        self._chosen: SecurityKey | None = None
        self._quiet = False
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        for kind, table in self._tables.items():
            self._layout.addWidget(_heading(kind))
            self._layout.addWidget(table)
            table.selectionModel().selectionChanged.connect(self._on_selection)
            table.verticalScrollBar().rangeChanged.connect(self._on_scroll_range)
        # One header serves both tables, as they have the same columns.
        header = self._tables[KeyKind.PRIVATE].horizontalHeader()
        header.sortIndicatorChanged.connect(self._filters[KeyKind.PUBLIC].sort)
        # The room for columns is known once both tables are laid out, with a scroll bar or without.
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self._fit)

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key."""
        return self._chosen

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        """All keys, whatever the filter shows."""
        return self._model.keys

    def table(self, kind: KeyKind) -> Table:
        """Return the table of a kind."""
        return self._tables[kind]

    def show_keys(self, keys: Sequence[SecurityKey], now: datetime) -> None:
        """Show `keys`; the chosen one stays chosen if it is still among them."""
        self._quiet = True
        self._model.show_keys(keys, now)
        self._quiet = False
        self._fit()
        known = {key.id: key for key in keys}
        self.choose(self._chosen.id if self._chosen and self._chosen.id in known else "")

    def refresh_times(self, now: datetime) -> None:
        """Let the times grow older."""
        self._model.refresh_times(now)

    def show_marks(self, marks_of: MarksOf, now: datetime) -> None:
        """Show in the states what the register says of the keys."""
        self._model.show_marks(marks_of, now)
        self._fit()

    def look_for(self, text: str) -> None:
        """Show only keys that hold every word of `text`; a chosen key that is filtered away stays chosen."""
        self._quiet = True
        for kind, filtered in self._filters.items():
            filtered.look_for(text)
            self._tables[kind].empty_text = _empty_text(kind, filtering=bool(text.strip()))
        self._quiet = False
        self._fit()
        if self._chosen:
            self._mark(self._chosen.id)

    def choose(self, key_id: str) -> None:
        """Choose a key by id; an id that isn't there chooses none."""
        before = self._chosen
        self._chosen = next((key for key in self._model.keys if key.id == key_id), None)
        self._mark(key_id)
        if self._chosen != before:
            self.chosen.emit(self._chosen)

    def choose_first(self) -> None:
        """Choose the first row there is, private keys first."""
        for filtered in self._filters.values():
            if filtered.rowCount():
                self.choose(filtered.index(0, NAME).data(ROW_ROLE).key.id)
                return

    def neighbour(self, key_id: str) -> str:
        """Return the id of the key below a key in its table, else above it, or an empty text."""
        for filtered in self._filters.values():
            row = filtered.row_of_key(key_id)
            if row >= 0:
                beside = row + 1 if row + 1 < filtered.rowCount() else row - 1
                return str(filtered.index(beside, NAME).data(ROW_ROLE).key.id) if beside >= 0 else ""
        return ""

    def focus_chosen(self) -> None:
        """Give the keyboard to the table with the chosen key."""
        kind = self._chosen.kind if self._chosen else KeyKind.PRIVATE
        self._tables[kind].setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out anew."""
        super().resizeEvent(event)
        self._fit()
        self._fit_soon.start()

    def _on_selection(self, selected: QItemSelection, _deselected: QItemSelection) -> None:
        indexes: list[QModelIndex] = selected.indexes()
        if self._quiet or not indexes:
            return
        self.choose(indexes[0].data(ROW_ROLE).key.id)

    def _on_scroll_range(self, _least: int, _most: int) -> None:
        self._fit_soon.start()

    def _mark(self, key_id: str) -> None:
        self._quiet = True
        for kind, table in self._tables.items():
            row = self._filters[kind].row_of_key(key_id)
            if row < 0 or row != table.current_row():
                table.choose_row(row)
        self._quiet = False

    def _fit(self) -> None:
        tables = tuple(self._tables.values())
        narrowest = min(table.viewport().width() for table in tables)
        widths = column_widths(tables, narrowest)
        for table in tables:
            # The last column has what a scroll bar leaves free, so that columns stand below each other.
            spare = {STATE: table.viewport().width() - narrowest}
            for column, width in widths.items():
                table.setColumnHidden(column, not width)
                if width:
                    table.horizontalHeader().resizeSection(column, width + spare.get(column, 0))
        self._fit_heights()
        header = self._tables[KeyKind.PRIVATE].horizontalHeader()
        header.setSortIndicatorShown(header.sectionSize(NAME) >= header.sectionSizeHint(NAME))

    def _fit_heights(self) -> None:
        most = 0
        for kind, table in self._tables.items():
            rows = max(self._filters[kind].rowCount(), 1)
            table.setMinimumHeight(table.height_for_rows(min(rows, _LEAST_ROWS)))
            table.setMaximumHeight(table.height_for_rows(rows))
            self._layout.setStretchFactor(table, rows)
            most += table.maximumHeight() - table.minimumHeight()
        self.setMaximumHeight(self.minimumSizeHint().height() + most)


def _heading(kind: KeyKind) -> ElidedLabel:
    heading = ElidedLabel(f"{_TABLE_NAMES[kind]} · {kind_words(kind)}")
    heading.setProperty("role", "heading")
    return heading


def _empty_text(kind: KeyKind, *, filtering: bool) -> str:
    return f"No {kind} key matches the filter." if filtering else f"No {kind} keys."


def _table(kind: KeyKind, filtered: KeyFilter) -> Table:
    table = Table(_TABLE_NAMES[kind], stretch=NAME, empty_text=_empty_text(kind, filtering=False))
    table.setModel(filtered)
    table.setItemDelegateForColumn(STATE, PillDelegate(table))
    # It asks for no more than its least height and takes what there is: a short window keeps the details.
    table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
    header = table.horizontalHeader()
    header.setResizeContentsPrecision(_MEASURED_ROWS)
    if kind is KeyKind.PRIVATE:
        header.setSectionsClickable(True)
        header.setSortIndicator(NAME, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
    else:
        header.hide()
    for column in range(len(COLUMNS)):
        if column != NAME:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
    return table
