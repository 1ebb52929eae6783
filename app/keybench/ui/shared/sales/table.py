"""Tables of sales: what a column says of one, and the recent sales of the Bench."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon

from keybench.core.environments.environment import Environment
from keybench.core.sales.sale import Sale
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.environment_cells import mark_of_kind, name_of
from keybench.ui.shared.reading import READING
from keybench.words.formats import both_times, clock_time, day_and_time, day_and_time_in, duration
from keybench.words.language import _
from keybench.words.sales.outcomes import outcome_headline, outcome_shape, sale_amount, tone_of_outcome

LIMIT: Final = 50
#: So many are in sight at the least, or what is around them scrolls.
_LEAST_ROWS: Final = 2
#: From this width on, for 13 px text, every column has room.
_WITH_TOOK_PX: Final = 520
IN_PROGRESS: Final = _("in progress")
_NOT_YET: Final = "\N{EN DASH}"
_EMPTY: Final = _("No sale yet. What you send here is kept in the journal and listed.")


def outcome_text(sale: Sale) -> str:
    verdict = sale.verdict
    return f"{outcome_shape(verdict.outcome)} {outcome_headline(sale)}" if verdict else f"… {IN_PROGRESS}"


def outcome_tone(sale: Sale) -> str:
    return tone_of_outcome(sale.verdict.outcome) if sale.verdict else "accent"


@dataclass(frozen=True, slots=True)
class SaleRow:
    """A sale with the names it is listed by."""

    sale: Sale
    device: str = ""
    environment: str = ""
    place: Environment | None = None
    year: int = 0

    @property
    def reference(self) -> str:
        return self.sale.reference

    @property
    def device_name(self) -> str:
        return self.device or self.sale.device

    @property
    def at(self) -> datetime:
        return self.sale.noted_at


def _transaction(row: SaleRow) -> str:
    return (row.sale.verdict.transaction_id if row.sale.verdict else "") or _NOT_YET


_AMOUNT: Final = Column[SaleRow](
    "amount",
    _("Amount"),
    lambda row: sale_amount(row.sale),
    right=True,
    sort=lambda row: (row.sale.money.currency, row.sale.money.amount),
)
_KEY: Final = Column[SaleRow]("key", _("Key"), lambda row: row.sale.key_name)
_OUTCOME: Final = Column[SaleRow](
    "outcome", _("Outcome"), lambda row: outcome_text(row.sale), tone=lambda row: outcome_tone(row.sale)
)
_TOOK: Final = Column[SaleRow](
    "took",
    _("Took"),
    lambda row: _NOT_YET if row.sale.elapsed_s is None else duration(row.sale.elapsed_s),
    right=True,
    sort=lambda row: row.sale.elapsed_s or 0.0,
)
_RECENT: Final[tuple[Column[SaleRow], ...]] = tuple(
    replace(column, hint=lambda row: f"{row.reference} · {day_and_time(row.at)} · {row.sale.device}")
    for column in (
        Column[SaleRow]("time", _("Time"), lambda row: clock_time(row.at), sort=lambda row: row.at),
        Column[SaleRow]("device", _("Device"), lambda row: row.device_name, stretch=True),
        *(_AMOUNT, _KEY, _OUTCOME, _TOOK),
    )
)
# As wide as what is in them usually, at least, so that they stay while one scrolls.
HISTORY: Final[tuple[Column[SaleRow], ...]] = (
    Column(
        "time",
        _("Time"),
        lambda row: day_and_time_in(row.year, row.at),
        width=_("28 Sep, 20:58:08"),
        hint=lambda row: both_times(row.at),
        sort=lambda row: row.at,
    ),
    Column(
        "environment",
        _("Environment"),
        lambda row: name_of(row.place) if row.place else row.environment,
        mark=lambda row: mark_of_kind(row.place.kind) if row.place else QIcon(),
        ink=lambda row: row.place.kind.value if row.place else "dim",
    ),
    Column(
        "device", _("Device"), lambda row: row.device_name, hint=lambda row: row.sale.device, stretch=True
    ),
    replace(_AMOUNT, width=_("1 000.00 USD")),
    _KEY,
    replace(_OUTCOME, width=_("◐ Partly approved")),
    Column("reference", _("Reference"), lambda row: row.reference, width="KB-0000-0000-0000", mono=True),
    Column("transaction", _("Transaction"), _transaction, mono=True),
    _TOOK,
)


class RecentSales(Table[SaleRow]):
    """An environment's last fifty sales, the newest first; the selected one is shown in the outcome card.

    Signals:
        chosen: A person selected a sale, by mouse or keyboard (its reference).
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        model = TableModel(_RECENT, lambda row: row.reference)
        super().__init__(_("Recent sales"), model, least_rows=_LEAST_ROWS)
        self._nicknames: Mapping[str, str] = {}
        self._marked = ""
        self.selection_changed.connect(self._on_selected)
        self.columns.show_from({"took": _WITH_TOOK_PX})

    def show_loading(self) -> None:
        self.empty_text = READING
        self._show({})

    def read(self, sales: Iterable[Sale]) -> None:
        self.empty_text = _EMPTY
        self._show({sale.reference: sale for sale in sales})

    def take_in(self, sales: Iterable[Sale]) -> None:
        known = {row.reference: row.sale for row in self.model().items}
        self._show(known | {sale.reference: sale for sale in sales})

    def name_devices(self, nicknames: Mapping[str, str]) -> None:
        self._nicknames = dict(nicknames)
        rows = self.model().items
        self.model().put(replace(row, device=self._nicknames.get(row.sale.device, "")) for row in rows)

    def mark(self, reference: str) -> None:
        """Select the sale that the card shows, without reporting that a person did."""
        self._marked = reference
        marked = self.selected
        if (marked.reference if marked else "") != reference:
            self.select(reference)

    def _show(self, sales: Mapping[str, Sale]) -> None:
        newest = sorted(sales.values(), key=lambda sale: (sale.noted_at, sale.reference), reverse=True)
        self.model().show(SaleRow(sale, self._nicknames.get(sale.device, "")) for sale in newest[:LIMIT])
        self.mark(self._marked)

    def _on_selected(self) -> None:
        row = self.selected
        if row and row.reference != self._marked:
            self._marked = row.reference
            self.chosen.emit(row.reference)
