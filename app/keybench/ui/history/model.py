"""The table of past sales: pages are read as they are scrolled to, and rows stay where they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject, Signal

from keybench.core.sale import Sale
from keybench.ui.sale.sales_model import outcome_text, outcome_tone, took_text
from keybench.ui.widgets.rows_model import Column, Index, Look, RowsModel
from keybench.words.formats import day_and_time

#: Nicknames by environment and device.
Nicknames = Mapping[tuple[str, str], str]

TIME, ENVIRONMENT, DEVICE, AMOUNT, KEY, OUTCOME, TOOK, REFERENCE = range(8)
_REMOVED: Final = "removed"


class _Names:
    """What environments and devices are called, for the columns that show them."""

    def __init__(self) -> None:
        self.nicknames: Nicknames = {}
        self.environments: Mapping[str, str] = {}

    def environment(self, sale: Sale) -> str:
        return self.environments.get(sale.environment_id, _REMOVED)

    def device(self, sale: Sale) -> str:
        return self.nicknames.get((sale.environment_id, sale.device)) or sale.device


def _columns(names: _Names) -> tuple[Column[Sale], ...]:
    return (
        Column("Time", lambda sale: day_and_time(sale.noted_at)),
        Column("Environment", names.environment),
        Column("Device", names.device, Look(hint=lambda sale: sale.device)),
        Column("Amount", lambda sale: str(sale.money), Look(right=True)),
        Column("Key", lambda sale: sale.key_name),
        Column("Outcome", outcome_text, Look(tone=outcome_tone)),
        Column("Took", took_text, Look(right=True)),
        Column("Reference", lambda sale: sale.reference, Look(mono=True)),
    )


class HistoryModel(RowsModel[Sale]):
    """The sales found so far, newest first.

    Signals:
        more_wanted: The view has come to the end of what is here, and there is more.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        self._names = _Names()
        super().__init__(_columns(self._names), parent)
        self.has_more = False

    def show_page(self, sales: Sequence[Sale], *, has_more: bool) -> None:
        """Show these sales in place of all others."""
        self.has_more = has_more
        self.show_rows(sales)

    def add_page(self, sales: Sequence[Sale], *, has_more: bool) -> None:
        """Add the sales of the next page below."""
        self.has_more = has_more
        known = {sale.reference for sale in self._rows[-len(sales) :]} if sales else set()
        self.insert_rows(len(self._rows), [sale for sale in sales if sale.reference not in known])

    def renew(self, sale: Sale) -> bool:
        """Show what has become of a sale, if it is here; tell whether it is."""
        row = self.row_of(sale)
        if row is None:
            return False
        before, self._rows[row] = self._rows[row], sale
        if (before.verdict, before.finished_at) != (sale.verdict, sale.finished_at):
            self.tell_changed(row, row)
        return True

    def insert(self, sale: Sale) -> None:
        """Put a sale in its place by time, unless that is behind all that are here and more are to come."""
        row = self._row_for(sale.noted_at)
        if row < len(self._rows) or not self.has_more:
            self.insert_rows(row, [sale])

    def name(self, environments: Mapping[str, str], nicknames: Nicknames) -> None:
        """Show environments and devices by these names."""
        if (environments, nicknames) != (self._names.environments, self._names.nicknames):
            self._names.environments, self._names.nicknames = dict(environments), dict(nicknames)
            if self._rows:
                self.tell_changed(0, len(self._rows) - 1, (ENVIRONMENT, DEVICE))

    def row_of(self, sale: Sale) -> int | None:
        """Return the number of a sale's row, or None if it isn't here."""
        row = self._row_for(sale.noted_at)
        while row < len(self._rows) and self._rows[row].noted_at == sale.noted_at:
            if self._rows[row].reference == sale.reference:
                return row
            row += 1
        return None

    def device_of(self, sale: Sale) -> str:
        """Return what a sale's device is called."""
        return self._names.device(sale)

    @property
    def last_reference(self) -> str:
        """The reference of the last sale here; empty if there is none."""
        return self._rows[-1].reference if self._rows else ""

    def canFetchMore(self, parent: Index) -> bool:
        """Tell whether there are more sales than are here."""
        return not parent.isValid() and self.has_more

    def fetchMore(self, parent: Index) -> None:
        """Ask for the next page; it comes when it has been read."""
        if not parent.isValid() and self.has_more:
            self.more_wanted.emit()

    def _row_for(self, noted_at: datetime) -> int:
        return bisect_left(self._rows, -noted_at.timestamp(), key=lambda sale: -sale.noted_at.timestamp())
