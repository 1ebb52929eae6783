"""The table of the environment's keys, of which one is chosen for the card below it, and the filter above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.ui.kit.boxes import in_row_or_column
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shared.keys.columns import bench_columns, words_of_row
from keybench.ui.shared.list_page import search_field
from keybench.words.language import _

#: From which width of the table on, in pixels at 13 px text, a column is shown unless a person decides otherwise.
#: None comes or goes with what the rows say; the card below the table has it all.
_SHOWN_FROM: Final = {"username": 490, "kind": 430, "used": 310}


class KeyTable(Table[InventoryRow]):
    """All keys, or those of one kind, as far as they are searched for; at most one is chosen.

    Args:
        now: Tells the time, UTC.

    Signals:
        chosen: Another key is chosen, or what is known of it changed (an `InventoryRow` or None).
    """

    chosen = Signal(object)

    def __init__(
        self, preferences: Preferences, now: Callable[[], datetime], parent: QWidget | None = None
    ) -> None:
        model = TableModel(bench_columns(now), lambda row: row.key.id, words=words_of_row)
        self._all: tuple[InventoryRow, ...] = ()
        self._kind: KeyKind | None = None
        self._searched = ""
        self._chosen: InventoryRow | None = None
        self._quiet = False
        super().__init__(_("Security keys"), model, parent=parent)
        self.columns.show_from(_SHOWN_FROM)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.selection_changed.connect(self._on_selection)
        self.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.columns.keep(preferences, "bench/security keys columns")
        self._sight = QTimer(self, singleShot=True, interval=0)
        self._sight.timeout.connect(self._bring_into_sight)

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key."""
        return self._chosen.key if self._chosen else None

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        """All keys, shown or not."""
        return tuple(row.key for row in self._all)

    def show_rows(self, rows: Sequence[InventoryRow]) -> None:
        """Show keys; the chosen one stays chosen if it is still among them."""
        before = self.key
        self._all = tuple(rows)
        self._show_all()
        self.choose(before.id if before else "")
        if before and self.key and before.name != self.key.name:
            self.keep_in_sight()  # sorted by name, it is elsewhere now

    def show_kind(self, kind: KeyKind | None) -> None:
        """Show only keys of a kind, or all; a chosen key of the other kind stays chosen."""
        self._kind = kind
        self._describe_none()
        self._show_all()

    def search(self, text: str) -> None:
        """Show only keys that hold every word of `text`; a chosen key that is filtered away stays chosen."""
        self._searched = text.strip()
        self._describe_none()
        self._quiet = True
        self.model().search(text)
        self._quiet = False
        if self.key:
            self._select_quietly(self.key.id)

    def choose(self, key_id: str) -> None:
        """Choose a key by id; an id that isn't there chooses none."""
        before = self._chosen
        self._chosen = next((row for row in self._all if row.key.id == key_id), None)
        self._select_quietly(key_id)
        if self._chosen != before:
            self.chosen.emit(self._chosen)

    def choose_first(self) -> None:
        if self.model().rows:
            self.choose(self.model().row(0).key.id)

    def neighbour(self, key_id: str) -> str:
        """Return the id of the key below a key, else above it, or an empty text."""
        rows, number = self.model().rows, self.model().number(key_id)
        others = [*rows[number + 1 :], *rows[: max(number, 0)][::-1]]
        return others[0].key.id if others else ""

    def keep_in_sight(self) -> None:
        if self.key:
            self._sight.start()

    def refresh_times(self) -> None:
        """Show how long ago everything was by now."""
        self.viewport().update()

    def _show_all(self) -> None:
        self._quiet = True
        self.model().show(row for row in self._all if self._kind in {None, row.key.kind})
        self._quiet = False
        if self.key:
            self._select_quietly(self.key.id)

    def _describe_none(self) -> None:
        if self._searched:
            self.empty_text = _("No key matches the filter.")
        elif self._kind is KeyKind.PRIVATE:
            self.empty_text = _("No private keys. They are for servers and tills, and only they can sell.")
        else:
            self.empty_text = _("No public keys. They are for web pages and apps, and can't sell.")

    def _on_selection(self) -> None:
        if not self._quiet and (row := self.selected) and row.key.id != (self.key.id if self.key else ""):
            self.choose(row.key.id)

    def _select_quietly(self, key_id: str) -> None:
        self._quiet = True
        number = self.model().number(key_id)
        if number < 0 or number != self.selected_number:
            self.select_row(number)
        self._quiet = False

    def _bring_into_sight(self) -> None:
        number = self.model().number(self.key.id) if self.key else -1
        if number >= 0:
            self.scrollTo(self.model().index(number, 0))

    def sizeHint(self) -> QSize:
        """Ask for no more than it needs; it takes what there is."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())


_ALL: Final = "all"
#: What the filter needs beside the kinds, in pixels at 13 px text; with less, each has a line of its own.
_FILTER_PX: Final = 130


class KeyFinder(QWidget):
    """A field whose words are looked for as one types, and the kinds to choose from.

    Signals:
        kind_changed: Keys of another kind are wanted (a `KeyKind`), or all (None).
    """

    kind_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = search_field(_("Filter keys"), _("Filter by name, user, purpose, fingerprint…"))
        choices = (_ALL, _("All")), (KeyKind.PRIVATE.value, _("Private")), (KeyKind.PUBLIC.value, _("Public"))
        self.kinds = Segments(choices, _("Kind of the keys shown"))
        self.kinds.changed.connect(self._on_kind)
        in_row_or_column((self.filter, 1), self.kinds, from_px=self._one_line_px, within=self)

    def clear(self) -> None:
        self.filter.clear()
        self.kinds.choose(_ALL)

    def _one_line_px(self) -> int:
        return self.kinds.sizeHint().width() + 8 + scaled(_FILTER_PX)

    def _on_kind(self, value: str) -> None:
        self.kind_changed.emit(None if value == _ALL else KeyKind(value))
