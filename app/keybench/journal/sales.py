"""Sales, their timelines and their exchanges, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, update

from keybench.core.errors import NotFound
from keybench.core.exchange import Exchange
from keybench.core.ports import PollNote
from keybench.core.sale import RequestIdTaken, Sale, SaleEvent, SaleStage
from keybench.journal import tables
from keybench.journal.keys import Keys
from keybench.journal.rows import build, exchange_of, exchange_values, fold, sale_of, sale_values, values_of

_sales = tables.sales
_events = tables.sale_events
_groups = tables.sale_groups
_exchanges = tables.exchanges

# Statements that following sales repeats are made once.
_WHICH: Final = "which_reference"
_ONE: Final = select(_sales).where(_sales.c.reference == bindparam(_WHICH))
# For databases that lock rows; SQLite's writers take turns.
_ONE_TO_CHANGE: Final = _ONE.with_for_update()
_CHANGE: Final = update(_sales).where(_sales.c.reference == bindparam(_WHICH))
#: The index's own condition stands here too, word for word, or SQLite wouldn't use the index.
OF_REQUEST: Final = (
    select(_sales.c.reference)
    .where(_sales.c.environment_id == bindparam("environment"), _sales.c.request_id == bindparam("request"))
    .where(tables.HAS_REQUEST_ID, _sales.c.reference != bindparam(_WHICH))
    .limit(1)
)
_UNFINISHED: Final = _sales.c.stage.in_([SaleStage.NOTED, SaleStage.ACCEPTED])
_HOW_MANY_UNFINISHED: Final = select(func.count()).select_from(_sales).where(_UNFINISHED)
_COUNT: Final = _CHANGE.values(polls=_sales.c.polls + 1)


class Sales:
    """What the journal does with sales; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def note(self, sale: Sale, event: SaleEvent) -> None:
        """Add one with the first point of its timeline."""
        self._connection.execute(insert(_sales), sale_values(sale) | {"group_id": self._group_of(sale)})
        self._add_events([event])

    def advance(
        self,
        reference: str,
        move: Callable[[Sale], Sale],
        events: Sequence[SaleEvent],
        exchanges: Sequence[Exchange],
    ) -> Sale:
        """Apply `move` to what is stored, and note the key's use; the row is held until the commit."""
        before = self._read(reference, for_update=True)
        moved = move(before)
        if moved.request_id != before.request_id:
            self._check_request_id(moved)
        if moved != before:
            self._connection.execute(_CHANGE, {_WHICH: reference, **sale_values(moved)})
        if moved.was_sent and not before.was_sent:
            Keys(self._connection).used(moved.key_id, moved.noted_at)
        elif before.was_sent and not moved.was_sent:
            Keys(self._connection).not_used(moved.key_id, moved.noted_at)
        self._add_events(events)
        self._add_exchanges([(reference, exchange) for exchange in exchanges])
        return moved

    def note_polls(self, notes: Sequence[PollNote]) -> None:
        """Count polls and add their points and exchanges."""
        if notes:
            self._connection.execute(_COUNT, [{_WHICH: note.event.reference} for note in notes])
        self._add_events([note.event for note in notes])
        said = [(note.event.reference, exchange) for note in notes for exchange in note.exchanges]
        self._add_exchanges(said)

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
        chosen = select(_sales).where(_UNFINISHED).order_by(_sales.c.noted_at, _sales.c.number)
        return [sale_of(row) for row in self._connection.execute(chosen).mappings()]

    def count_unfinished(self) -> int:
        """Return how many are noted or accepted."""
        return int(self._connection.execute(_HOW_MANY_UNFINISHED).scalar_one())

    def events(self, reference: str) -> Sequence[SaleEvent]:
        """Return a timeline as it was written."""
        chosen = select(_events).where(_events.c.reference == reference).order_by(_events.c.number)
        return [build(SaleEvent, row) for row in self._connection.execute(chosen).mappings()]

    def record_exchange(self, reference: str, exchange: Exchange) -> None:
        """Add an exchange; NotFound for its sale."""
        self._read(reference)
        self._add_exchanges([(reference, exchange)])

    def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges as they were written."""
        chosen = select(_exchanges).where(_exchanges.c.reference == reference).order_by(_exchanges.c.number)
        return [exchange_of(row) for row in self._connection.execute(chosen).mappings()]

    def _read(self, reference: str, *, for_update: bool = False) -> Sale:
        chosen = _ONE_TO_CHANGE if for_update else _ONE
        row = self._connection.execute(chosen, {_WHICH: reference}).mappings().first()
        if row is None:
            raise NotFound("sale", reference)
        return sale_of(row)

    def _check_request_id(self, sale: Sale) -> None:
        """Raise RequestIdTaken if another sale of the environment has its request id."""
        same = {_WHICH: sale.reference, "environment": sale.environment_id, "request": sale.request_id}
        if sale.request_id and self._connection.execute(OF_REQUEST, same).first():
            raise RequestIdTaken(sale)

    def _group_of(self, sale: Sale) -> int:
        """Return the number under which sales of the same environment, device and key are found."""
        same = {"environment_id": sale.environment_id, "device": sale.device}
        same |= {"key_id": sale.key_id, "key_name": sale.key_name}
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

    def _add_exchanges(self, said: Sequence[tuple[str, Exchange]]) -> None:
        if said:
            rows = [exchange_values(reference, exchange) for reference, exchange in said]
            self._connection.execute(insert(_exchanges), rows)
