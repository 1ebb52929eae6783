"""Sales, their timelines and their exchanges, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, insert, select, update

from keybench.core.errors import NotFound
from keybench.core.exchange import Exchange
from keybench.core.sale import Sale, SaleEvent, SaleStage
from keybench.journal import tables
from keybench.journal.rows import build, exchange_of, exchange_values, fold, sale_of, sale_values, values_of

_sales = tables.sales
_events = tables.sale_events
_groups = tables.sale_groups
_exchanges = tables.exchanges


class Sales:
    """What the journal does with sales; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def note(self, sale: Sale, event: SaleEvent) -> None:
        """Add one with the first point of its timeline."""
        self._connection.execute(insert(_sales), sale_values(sale) | {"group_id": self._group_of(sale)})
        self._add_events([event])

    def advance(self, reference: str, move: Callable[[Sale], Sale], events: Sequence[SaleEvent]) -> Sale:
        """Apply `move` to what is stored; the row is held from the reading to the commit."""
        moved = move(self._read(reference, for_update=True))
        changed = update(_sales).where(_sales.c.reference == reference).values(sale_values(moved))
        self._connection.execute(changed)
        self._add_events(events)
        return moved

    def one(self, reference: str) -> Sale:
        """Return one; NotFound."""
        return self._read(reference)

    def newest(self, environment_id: str | None, limit: int) -> Sequence[Sale]:
        """Return the newest first, of one environment or of all."""
        chosen = select(_sales).order_by(_sales.c.noted_at.desc(), _sales.c.number.desc()).limit(limit)
        if environment_id is not None:
            chosen = chosen.where(_sales.c.environment_id == environment_id)
        return [sale_of(row) for row in self._connection.execute(chosen).mappings()]

    def unfinished(self) -> Sequence[Sale]:
        """Return those noted or accepted, oldest first."""
        chosen = (
            select(_sales)
            .where(_sales.c.stage.in_([SaleStage.NOTED, SaleStage.ACCEPTED]))
            .order_by(_sales.c.noted_at, _sales.c.number)
        )
        return [sale_of(row) for row in self._connection.execute(chosen).mappings()]

    def events(self, reference: str) -> Sequence[SaleEvent]:
        """Return a timeline as it was written."""
        chosen = select(_events).where(_events.c.reference == reference).order_by(_events.c.number)
        return [build(SaleEvent, row) for row in self._connection.execute(chosen).mappings()]

    def record_exchange(self, reference: str, exchange: Exchange) -> None:
        """Add an exchange; NotFound for its sale."""
        self._read(reference)
        self._connection.execute(insert(_exchanges), exchange_values(reference, exchange))

    def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges as they were written."""
        chosen = select(_exchanges).where(_exchanges.c.reference == reference).order_by(_exchanges.c.number)
        return [exchange_of(row) for row in self._connection.execute(chosen).mappings()]

    def _read(self, reference: str, *, for_update: bool = False) -> Sale:
        chosen = select(_sales).where(_sales.c.reference == reference)
        if for_update:
            chosen = chosen.with_for_update()  # for databases that lock rows; SQLite's writers take turns
        row = self._connection.execute(chosen).mappings().first()
        if row is None:
            raise NotFound("sale", reference)
        return sale_of(row)

    def _group_of(self, sale: Sale) -> int:
        """Return the number under which sales of the same environment, device and key are found."""
        same = {"environment_id": sale.environment_id, "device": sale.device, "key_name": sale.key_name}
        known = select(_groups.c.id).where(*(_groups.c[name] == value for name, value in same.items()))
        number: int | None = self._connection.execute(known).scalar()
        if number is None:
            folded = {"folded_names": f"{fold(sale.device)}\n{fold(sale.key_name)}"}
            made = insert(_groups).values(same | folded).returning(_groups.c.id)
            number = self._connection.execute(made).scalar_one()
        return number

    def _add_events(self, events: Sequence[SaleEvent]) -> None:
        if events:  # an empty list would insert a row of defaults
            self._connection.execute(insert(_events), [values_of(event) for event in events])
