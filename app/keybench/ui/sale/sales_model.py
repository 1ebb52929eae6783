"""The table of recent sales: newest first, changed row by row as sales move on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.sale import Sale
from keybench.ui.widgets.rows_model import Column, Look, RowsModel
from keybench.words.formats import clock_time, day_and_time, duration
from keybench.words.outcomes import outcome_headline, outcome_shape, tone_of_outcome

LIMIT: Final = 50
TIME, DEVICE, AMOUNT, KEY, OUTCOME, TOOK = range(6)
_NOT_YET: Final = "\N{EN DASH}"
IN_PROGRESS: Final = "in progress"


def outcome_text(sale: Sale) -> str:
    """Return a sale's outcome as sign and word, or that it is in progress."""
    verdict = sale.verdict
    return f"{outcome_shape(verdict.outcome)} {outcome_headline(sale)}" if verdict else f"… {IN_PROGRESS}"


def outcome_tone(sale: Sale) -> str:
    """Return the tone of a sale's outcome; the accent while it is under way."""
    return tone_of_outcome(sale.verdict.outcome) if sale.verdict else "accent"


def took_text(sale: Sale) -> str:
    """Return how long a sale took; a dash while it is under way."""
    return _NOT_YET if sale.elapsed_s is None else duration(sale.elapsed_s)


def _hint(sale: Sale) -> str:
    return f"{sale.reference} · {day_and_time(sale.noted_at)} · {sale.device}"


def _rank(sale: Sale) -> tuple[datetime, str]:
    return sale.noted_at, sale.reference


class _Nicknames:
    """What the devices are called, for the column that shows them."""

    def __init__(self) -> None:
        self.by_device: Mapping[str, str] = {}

    def of(self, sale: Sale) -> str:
        return self.by_device.get(sale.device) or sale.device


def _columns(nicknames: _Nicknames) -> tuple[Column[Sale], ...]:
    plain, figure = Look[Sale](hint=_hint), Look[Sale](hint=_hint, right=True)
    return (
        Column("Time", lambda sale: clock_time(sale.noted_at), plain),
        Column("Device", nicknames.of, plain),
        Column("Amount", lambda sale: str(sale.money), figure),
        Column("Key", lambda sale: sale.key_name, plain),
        Column("Outcome", outcome_text, Look(hint=_hint, tone=outcome_tone)),
        Column("Took", took_text, figure),
    )


class SalesModel(RowsModel[Sale]):
    """One environment's recent sales."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._nicknames = _Nicknames()
        super().__init__(_columns(self._nicknames), parent)

    def show_sales(self, sales: Sequence[Sale]) -> None:
        """Show other sales altogether."""
        self.show_rows(sorted(sales, key=_rank, reverse=True)[:LIMIT])

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Renew the rows of sales that are there, and put new ones in their places by time.

        Views measure their columns anew at each change, so rows that look as before, as after a poll,
        aren't announced, and the others are announced at one stroke.
        """
        known = []
        for sale in sales:
            if self.row_of(sale.reference) is None:
                self._insert(sale)
            else:
                known.append(sale)
        changed = [row for sale in known if (row := self._replace(sale)) is not None]
        if changed:
            self.tell_changed(min(changed), max(changed), (OUTCOME, TOOK))

    def name_devices(self, nicknames: Mapping[str, str]) -> None:
        """Show devices by their nicknames, given by identifier."""
        if nicknames != self._nicknames.by_device:
            self._nicknames.by_device = dict(nicknames)
            if self._rows:
                self.tell_changed(0, len(self._rows) - 1, (DEVICE, DEVICE))

    def row_of(self, reference: str) -> int | None:
        """Return the number of a sale's row, or None if it isn't among them."""
        return next((row for row, sale in enumerate(self._rows) if sale.reference == reference), None)

    def _replace(self, sale: Sale) -> int | None:
        """Put a sale in the place of what it was; return its row if that looks otherwise now."""
        row = self.row_of(sale.reference)
        if row is None:  # pushed out by a newer one meanwhile
            return None
        before, self._rows[row] = self._rows[row], sale
        same = before.verdict == sale.verdict and before.finished_at == sale.finished_at
        return None if same else row

    def _insert(self, sale: Sale) -> None:
        # Newest first, so the search runs over the sales from the oldest.
        number = len(self._rows) - bisect_left(self._rows[::-1], _rank(sale), key=_rank)
        if number < LIMIT:
            self.insert_rows(number, [sale])
            self.remove_rows(LIMIT, len(self._rows) - LIMIT)
