"""The two key tables, private and public, with one selection and one set of column widths between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from keybench.core.security_key import KeyKind, KeyState, SecurityKey
from keybench.ui.preferences import Preferences
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import ElidedLabel
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.keys import KeyMarks, kind_words, last_tested, looked_state, marked_state
from keybench.words.language import _

MarksOf = Callable[[SecurityKey], KeyMarks | None]

# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (
    KeyState.VALUE_LOST,
    KeyState.NO_VALUE,
    KeyState.REFUSED,
    KeyState.FORBIDDEN,
)
_CALM_ORDER: Final = ("accent", "warning", "dim", "good")
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key as the tables show it.

    Attributes:
        key: The key.
        tested: When it was last tested, in words.
        state: How it stands, in words.
        tone: The state's tone.
        rank: What sorts it by state.
        described: What a screen reader may add to the state.
        words: What the filter looks through, casefolded: the columns, purpose, fingerprint, applications.
    """

    key: SecurityKey
    tested: str
    state: str
    tone: str
    rank: int
    described: str
    words: str

    @property
    def hint(self) -> str:
        """The whole name and the purpose."""
        return f"{self.key.name}\n{self.key.purpose}".strip()


def row_of(key: SecurityKey, now: datetime, marks: KeyMarks | None = None) -> KeyRow:
    """Return the row of `key` as it reads at `now` (UTC), with its marks if they are known."""
    state, looked = marked_state(key, marks), looked_state(key)
    tested = last_tested(key, now)
    described = _("last tested {tested}").format(tested=tested)
    names = () if marks is None else marks.applications
    searched = (key.name, key.username, key.purpose, key.permission, key.fingerprint, state.text, *names)
    return KeyRow(
        key=key,
        tested=tested,
        state=state.text,
        tone=state.tone,
        rank=_rank(key, state.tone),
        described=described if state == looked else f"{looked.text}, {described}",
        words="\n".join(searched).casefold(),
    )


def _rank(key: SecurityKey, tone: str) -> int:
    if key.compromised:
        return 0
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state)
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(tone)


def _tested_at(row: KeyRow) -> datetime:
    return row.key.last_test_at or _LONG_AGO


def _standing(row: KeyRow) -> tuple[int, str]:
    return row.rank, row.state


COLUMNS: Final[tuple[Column[KeyRow], ...]] = (
    Column(
        "name", _("Key name"), lambda row: row.key.name, bold=True, stretch=True, hint=lambda row: row.hint
    ),
    Column("username", _("Username"), lambda row: row.key.username),
    Column("permission", _("Permission"), lambda row: row.key.permission),
    Column("tested", _("Last tested"), lambda row: row.tested, ink=lambda _row: "dim", sort=_tested_at),
    Column(
        "state",
        _("State"),
        lambda row: row.state,
        tone=lambda row: row.tone,
        described=lambda row: row.described,
        sort=_standing,
    ),
)


_TABLE_NAMES: Final = {KeyKind.PRIVATE: _("Private keys"), KeyKind.PUBLIC: _("Public keys")}
#: In pixels at 13 px text: what a name gets before others give way, and what it keeps before each one goes.
_NAME_FULL: Final = 180
_NAME_LEAST: Final = {"permission": 120, "username": 108, "tested": 92}
#: What a pill needs besides its text and the delegate's own margins, when text is large.
_PILL: Final = 6
#: Which columns give way first; the details below the tables have them all.
_STATE: Final = "state"
_YIELDING: Final = tuple(_NAME_LEAST)
#: A table keeps at least this many rows in sight before it lets the window cut it.
_LEAST_ROWS: Final = 2


class KeyTables(QWidget):
    """Private keys above public keys; at most one row of the two is selected.

    Args:
        preferences: Remembers by which column they are sorted.

    Signals:
        chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
    """

    chosen = Signal(object)

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys: tuple[SecurityKey, ...] = ()
        self._marks_of: MarksOf = _unmarked
        self._tables = {kind: _table(kind) for kind in KeyKind}
        self._chosen: SecurityKey | None = None
        self._quiet = False
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        for kind, table in self._tables.items():
            self._layout.addWidget(_heading(kind))
            self._layout.addWidget(table)
            table.selection_changed.connect(self._on_selection)
            table.verticalScrollBar().rangeChanged.connect(self._on_scroll_range)
        # One header serves both tables, as they have the same columns.
        header = self._tables[KeyKind.PRIVATE].horizontalHeader()
        header.sortIndicatorChanged.connect(self._tables[KeyKind.PUBLIC].model().sort)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self._tables[KeyKind.PRIVATE].columns.keep(preferences, "bench/keys columns")
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
        return self._keys

    def table(self, kind: KeyKind) -> Table[KeyRow]:
        """Return the table of a kind."""
        return self._tables[kind]

    def show_keys(self, keys: Sequence[SecurityKey], now: datetime) -> None:
        """Show `keys`; the chosen one stays chosen if it is still among them."""
        self._keys = tuple(keys)
        self._show(now)
        known = {key.id for key in keys}
        self.choose(self._chosen.id if self._chosen and self._chosen.id in known else "")

    def refresh_times(self, now: datetime) -> None:
        """Let the times grow older."""
        self._show(now)

    def show_marks(self, marks_of: MarksOf, now: datetime) -> None:
        """Show in the states what the register says of the keys."""
        self._marks_of = marks_of
        self._show(now)

    def search(self, text: str) -> None:
        """Show only keys that hold every word of `text`; a chosen key that is filtered away stays chosen."""
        self._quiet = True
        for kind, table in self._tables.items():
            table.model().search(text)
            table.empty_text = _empty_text(kind, filtering=bool(text.strip()))
        self._quiet = False
        self._fit()
        if self._chosen:
            self._select(self._chosen.id)

    def set_row_actions(self, actions: Sequence[QAction]) -> None:
        """Offer these actions in the menus of the rows."""
        for table in self._tables.values():
            table.set_row_actions(actions)

    def choose(self, key_id: str) -> None:
        """Choose a key by id; an id that isn't there chooses none."""
        before = self._chosen
        self._chosen = next((key for key in self._keys if key.id == key_id), None)
        self._select(key_id)
        if self._chosen != before:
            self.chosen.emit(self._chosen)

    def choose_first(self) -> None:
        """Choose the first row there is, private keys first."""
        for table in self._tables.values():
            if table.model().rows:
                self.choose(table.model().row(0).key.id)
                return

    def neighbour(self, key_id: str) -> str:
        """Return the id of the key below a key in its table, else above it, or an empty text."""
        for table in self._tables.values():
            rows, number = table.model().rows, table.model().number(key_id)
            if number >= 0:
                others = [*rows[number + 1 :], *rows[:number][::-1]]
                return others[0].key.id if others else ""
        return ""

    def focus_chosen(self) -> None:
        """Give the keyboard to the table with the chosen key."""
        kind = self._chosen.kind if self._chosen else KeyKind.PRIVATE
        self._tables[kind].setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out again."""
        super().resizeEvent(event)
        self._fit()
        self._fit_soon.start()

    def _show(self, now: datetime) -> None:
        rows = [row_of(key, now, self._marks_of(key)) for key in self._keys]
        self._quiet = True
        for kind, table in self._tables.items():
            table.model().show(row for row in rows if row.key.kind is kind)
        self._quiet = False
        self._fit()

    def _on_selection(self) -> None:
        if self._quiet:
            return
        chosen = self._chosen.id if self._chosen else ""
        rows = (table.selected for table in self._tables.values())
        other = next((row for row in rows if row and row.key.id != chosen), None)
        if other:
            self.choose(other.key.id)

    def _on_scroll_range(self, _least: int, _most: int) -> None:
        self._fit_soon.start()

    def _select(self, key_id: str) -> None:
        self._quiet = True
        for table in self._tables.values():
            number = table.model().number(key_id)
            if number < 0 or number != table.selected_number:
                table.select_row(number)
        self._quiet = False

    def _fit(self) -> None:
        tables = tuple(self._tables.values())
        narrowest = min(table.viewport().width() for table in tables)
        widths = column_widths(tables, narrowest)
        for table in tables:
            for column_id, width in widths.items():
                table.columns.set_available(column_id, available=width > 0)
            # The last column has what a scroll bar leaves free, so that columns stand below each other.
            spare = table.viewport().width() - narrowest
            table.columns.set_widths(
                {name: width + spare * (name == _STATE) for name, width in widths.items() if width}
            )
        self._fit_heights()
        header = self._tables[KeyKind.PRIVATE].horizontalHeader()
        header.setSortIndicatorShown(header.sectionSize(0) >= header.sectionSizeHint(0))

    def _fit_heights(self) -> None:
        most = 0
        for table in self._tables.values():
            rows = max(table.model().rowCount(), 1)
            table.setMinimumHeight(table.height_for_rows(min(rows, _LEAST_ROWS)))
            table.setMaximumHeight(table.height_for_rows(rows))
            self._layout.setStretchFactor(table, rows)
            most += table.maximumHeight() - table.minimumHeight()
        self.setMaximumHeight(self.minimumSizeHint().height() + most)


def _heading(kind: KeyKind) -> ElidedLabel:
    return ElidedLabel(f"{_TABLE_NAMES[kind]} · {kind_words(kind)}", "heading")


def _empty_text(kind: KeyKind, *, filtering: bool) -> str:
    return (
        _("No {kind} key matches the filter.").format(kind=kind)
        if filtering
        else _("No {kind} keys.").format(kind=kind)
    )


def _unmarked(_key: SecurityKey) -> None:
    """Know nothing of the register."""


def _table(kind: KeyKind) -> Table[KeyRow]:
    model = TableModel(COLUMNS, lambda row: row.key.id, words=lambda row: row.words)
    table = Table(_TABLE_NAMES[kind], model, arrangeable=False, empty_text=_empty_text(kind, filtering=False))
    # It asks for no more than its least height and takes what there is: a short window keeps the details.
    table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
    table.horizontalHeader().setHidden(kind is KeyKind.PUBLIC)
    return table


def column_widths(tables: Sequence[Table[KeyRow]], available: int) -> dict[str, int]:
    """Return the width of every column but the name, which takes what is left; 0 leaves a column out.

    Where there is too little room, columns are first elided down to their titles, then the name gives way,
    then columns go.

    Args:
        tables: Their contents are measured, of the rows in sight.
        available: The width to share out, in pixels.
    """
    contents = {
        column.id: max(table.sizeHintForColumn(number) for table in tables)
        for number, column in enumerate(COLUMNS)
    }
    titles = {name: tables[0].columns.title_width(name) for name in _YIELDING}
    widths = {name: max(contents[name], title) for name, title in titles.items()}
    widths[_STATE] = contents[_STATE] + scaled(_PILL)
    name = min(contents["name"], scaled(_NAME_FULL))
    for column in _YIELDING:
        lacking = sum(widths.values()) + name - available
        widths[column] -= min(max(lacking, 0), widths[column] - titles[column])
    for column in _YIELDING:
        if sum(widths.values()) + min(name, scaled(_NAME_LEAST[column])) > available:
            widths[column] = 0
    return widths
