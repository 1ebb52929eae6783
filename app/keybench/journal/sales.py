"""Sales and their timelines.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, Select, bindparam, insert, select, update

from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.ports import PollNote
from keybench.core.sales.sale import RequestIdTaken, Sale, SaleEvent, SaleStage
from keybench.journal import keys, tables
from keybench.journal.columns import storable
from keybench.journal.exchanges import add_exchanges
from keybench.journal.rows import (
    event_of,
    fold,
    sale_of,
    sale_values,
    values_of,
)
from keybench.journal.store import take_turns

_sales = tables.sales
_events = tables.sale_events
_groups = tables.sale_groups

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
_NEWEST_FIRST: Final = (_sales.c.noted_at.desc(), _sales.c.number.desc())
_UNFINISHED: Final = _sales.c.stage.in_([SaleStage.NOTED, SaleStage.ACCEPTED])
_COUNT: Final = _CHANGE.values(polls=_sales.c.polls + 1)


def note_sale(connection: Connection, sale: Sale, event: SaleEvent) -> None:
    """Add a sale with the first point of its timeline."""
    connection.execute(insert(_sales), sale_values(sale) | {"group_id": _group_of(connection, sale)})
    _add_events(connection, [event])


def advance_sale(
    connection: Connection,
    reference: str,
    move: Callable[[Sale], Sale],
    events: Sequence[SaleEvent] = (),
    exchanges: Sequence[Exchange] = (),
) -> Sale:
    """Apply `move` to what is stored, and note the key's use; the row is held until the commit."""
    before = sale(connection, reference, for_update=True)
    moved = move(before)
    if moved.request_id != before.request_id:
        _check_request_id(connection, moved)
    if moved != before:
        connection.execute(_CHANGE, {_WHICH: reference, **sale_values(moved)})
    if moved.was_sent and not before.was_sent:
        keys.note_use(connection, moved.key_id, moved.noted_at)
    elif before.was_sent and not moved.was_sent:
        keys.take_back_use(connection, moved.key_id, moved.noted_at)
    _add_events(connection, events)
    add_exchanges(connection, [(reference, exchange) for exchange in exchanges])
    return moved


def note_polls(connection: Connection, notes: Sequence[PollNote]) -> None:
    """Count polls and add their points and exchanges."""
    if notes:
        # In one order, so that two who count the same ones don't wait for each other.
        connection.execute(_COUNT, [{_WHICH: one} for one in sorted(note.event.reference for note in notes)])
    _add_events(connection, [note.event for note in notes])
    made = [(note.event.reference, exchange) for note in notes for exchange in note.exchanges]
    add_exchanges(connection, made)


def sale(connection: Connection, reference: str, *, for_update: bool = False) -> Sale:
    """Return a sale, its row held until the commit if it is `for_update`; NotFound."""
    chosen = _ONE_TO_CHANGE if for_update else _ONE
    row = connection.execute(chosen, {_WHICH: reference}).mappings().first()
    if row is None:
        raise NotFound("sale", reference)
    return sale_of(row)


def sales(connection: Connection, environment_id: str | None, limit: int, device: str = "") -> Sequence[Sale]:
    """Return the newest first, of one environment or of all, of one device or of all."""
    chosen = select(_sales).order_by(*_NEWEST_FIRST)
    if device:
        chosen = chosen.where(_sales.c.number.in_(newest_of_device(environment_id, device, limit)))
    elif environment_id is not None:
        chosen = chosen.where(_sales.c.environment_id == environment_id)
    return [sale_of(row) for row in connection.execute(chosen.limit(limit)).mappings()]


def newest_of_device(environment_id: str | None, device: str, limit: int) -> Select[tuple[int]]:
    """Return what selects the numbers of a device's newest sales, of which an index alone tells."""
    same = select(_groups.c.id).where(_groups.c.device == storable(device))
    if environment_id is not None:
        same = same.where(_groups.c.environment_id == environment_id)
    return select(_sales.c.number).where(_sales.c.group_id.in_(same)).order_by(*_NEWEST_FIRST).limit(limit)


def unfinished_sales(connection: Connection) -> Sequence[Sale]:
    """Return those noted or accepted, oldest first."""
    chosen = select(_sales).where(_UNFINISHED).order_by(_sales.c.noted_at, _sales.c.number)
    return [sale_of(row) for row in connection.execute(chosen).mappings()]


def sale_events(connection: Connection, reference: str) -> Sequence[SaleEvent]:
    """Return a timeline as it was written."""
    chosen = select(_events).where(_events.c.reference == reference).order_by(_events.c.number)
    return [event_of(row) for row in connection.execute(chosen).mappings()]


def timelines(connection: Connection, references: Collection[str]) -> Mapping[str, Sequence[SaleEvent]]:
    """Return several timelines as they were written."""
    found: dict[str, list[SaleEvent]] = {reference: [] for reference in references}
    chosen = select(_events).where(_events.c.reference.in_(found)).order_by(_events.c.number)
    for row in connection.execute(chosen).mappings():
        found[row["reference"]].append(event_of(row))
    return found


def _check_request_id(connection: Connection, sale: Sale) -> None:
    """Raise RequestIdTaken if another sale of the environment has its request id."""
    same = {_WHICH: sale.reference, "environment": sale.environment_id, "request": sale.request_id}
    take_turns(connection, f"request\n{sale.environment_id}\n{sale.request_id}")
    if sale.request_id and connection.execute(OF_REQUEST, same).first():
        raise RequestIdTaken(sale)


def _group_of(connection: Connection, sale: Sale) -> int:
    """Return the number under which sales of the same environment, device and key are found."""
    same = {"environment_id": sale.environment_id, "device": sale.device}
    same |= {"key_id": sale.key_id, "key_name": sale.key_name}
    known = select(_groups.c.id).where(*(_groups.c[name] == value for name, value in same.items()))
    number: int | None = connection.execute(known).scalar()
    if number is None:
        take_turns(connection, "\n".join((_groups.name, *same.values())))
        number = connection.execute(known).scalar()  # another desk may have been first
    if number is None:
        folded = {"folded_names": f"{fold(sale.device)}\n{fold(sale.key_name)}"}
        made = insert(_groups).values(same | folded).returning(_groups.c.id)
        number = connection.execute(made).scalar_one()
    return number


def _add_events(connection: Connection, events: Sequence[SaleEvent]) -> None:
    if events:  # an empty list would insert a row of defaults
        connection.execute(insert(_events), [values_of(event) for event in events])
