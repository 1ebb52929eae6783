"""Finds past sales, a page at a time, the newest first.

The newest few thousand are looked through one by one, which fills nearly every page. Where they don't, sales
are found by an index for each thing that a text may be: a word of a device's or a key's name, the beginning
of an identifier, an amount. A sale's environment, device and key never change and are few together, so each
such group is a row of `sale_groups`, and names are searched for there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    String,
    and_,
    func,
    or_,
    select,
    true,
    type_coerce,
    union,
)

from keybench.core.input_errors import NotFound
from keybench.core.sales.history import UNDER_WAY, SaleFilter
from keybench.core.sales.sale import Sale
from keybench.journal.columns import storable
from keybench.journal.rows import sale_of
from keybench.journal.tables import GIVEN, HAS_REQUEST_ID, devices, sale_groups, sales

#: So many of the newest sales are looked through one by one before anything else.
RECENT: Final = 2000
#: The last character there is, so that no text with a certain beginning comes behind it.
_LAST: Final = "\U0010ffff"
#: Where amounts stand that are searched for, as they are written there: ``10`` and ``10.00`` are two.
_AMOUNTS: Final = ("amount", "approved_amount")

_Position = Row[tuple[int, datetime]]


def find_sales(connection: Connection, wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
    """Return the newest of the wanted sales; those behind the sale `after` if it isn't empty."""
    wanted = replace(wanted, text=storable(wanted.text))
    last = _position_of(connection, after) if after else None
    numbers = [position.number for position in _positions(connection, wanted, last, limit)]
    chosen = select(sales).where(sales.c.number.in_(numbers)).order_by(*_newest_first())
    return [sale_of(row) for row in connection.execute(chosen).mappings()]


def count_sales(connection: Connection, wanted: SaleFilter) -> int:
    """Return how many sales are wanted; counts them one by one, in an index where it can."""
    wanted = replace(wanted, text=storable(wanted.text))
    if _has_an_index(wanted):
        found: FromClause = select(sales.c.number).where(_ended(wanted), _here(wanted)).subquery()
    else:
        found = union(*(select(sales.c.number).where(way) for way in _ways(wanted))).subquery()
    return connection.execute(select(func.count()).select_from(found)).scalar_one()


def _positions(
    connection: Connection, wanted: SaleFilter, last: _Position | None, limit: int
) -> Sequence[_Position]:
    ended = _ended(wanted, last)
    if _has_an_index(wanted):
        return _newest(connection, and_(ended, _here(wanted)), limit)
    # With an outcome, the index to go back in time by is the outcome's: those that are rare have few entries.
    if wanted.environment_id is not None and wanted.state is None:
        ended &= sales.c.environment_id == wanted.environment_id
    newest = select(sales).where(ended).order_by(*_newest_first())
    recent = newest.limit(RECENT).subquery()
    found = _newest(connection, and_(_here(wanted, recent), _named(wanted, recent)), limit, recent)
    if len(found) == limit or connection.execute(newest.offset(RECENT).limit(1)).first() is None:
        return found
    positions: set[_Position] = set()
    # Sorted by what is no column: else the database might go back in time through all sales to find a few.
    by_time = (type_coerce(sales.c.noted_at, BigInteger) + 0).desc(), sales.c.number.desc()
    for way in _ways(wanted, last):
        chosen: Select[tuple[int, datetime]] = select(sales.c.number, sales.c.noted_at).where(way)
        positions.update(connection.execute(chosen.order_by(*by_time).limit(limit)).all())
    return sorted(positions, key=lambda one: (one.noted_at, one.number), reverse=True)[:limit]


def _has_an_index(wanted: SaleFilter) -> bool:
    """Return whether one index has all that is wanted in the order of time."""
    is_one = wanted.environment_id is None or wanted.state is None
    return is_one and not wanted.words and wanted.key_ids is None


def _newest(
    connection: Connection, condition: ColumnElement[bool], limit: int, of: FromClause = sales
) -> Sequence[_Position]:
    chosen: Select[tuple[int, datetime]] = select(of.c.number, of.c.noted_at).where(condition)
    return connection.execute(chosen.order_by(*_newest_first(of)).limit(limit)).all()


def _position_of(connection: Connection, reference: str) -> _Position:
    chosen: Select[tuple[int, datetime]] = select(sales.c.number, sales.c.noted_at)
    found = connection.execute(chosen.where(sales.c.reference == reference)).first()
    if found is None:
        raise NotFound("sale", reference)
    return found


def _newest_first(of: FromClause = sales) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return of.c.noted_at.desc(), of.c.number.desc()


def _here(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on a sale's environment and key."""
    condition: ColumnElement[bool] = true()
    if wanted.environment_id is not None:
        condition &= of.c.environment_id == wanted.environment_id
    if wanted.key_ids is not None:
        condition &= of.c.key_id.in_(wanted.key_ids)
    return condition


def _ended(wanted: SaleFilter, last: _Position | None = None) -> ColumnElement[bool]:
    """Return the condition on a sale's time and outcome, and that it comes behind `last` in pages."""
    if wanted.state is None:
        return _in_time(wanted, last)
    outcome = sales.c.outcome
    ended = outcome.is_(None) if wanted.state == UNDER_WAY else outcome == wanted.state
    return and_(ended, _in_time(wanted, last))


def _in_time(wanted: SaleFilter, last: _Position | None) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.since is not None:
        conditions.append(sales.c.noted_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(sales.c.noted_at < wanted.until)
    if last is not None:
        # The first is for the index, which has no way into the "or".
        conditions.append(sales.c.noted_at <= last.noted_at)
        conditions.append(or_(sales.c.noted_at < last.noted_at, sales.c.number < last.number))
    return and_(true(), *conditions)


def _ways(wanted: SaleFilter, last: _Position | None = None) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions by which wanted sales are found, each with an index of its own.

    Outcome and group are compared so that no index is chosen for them: the others have them next to the time.
    """
    ended = _in_time(wanted, last)
    if wanted.state is not None:
        outcome = func.coalesce(type_coerce(sales.c.outcome, String), UNDER_WAY)
        ended = and_(outcome == str(wanted.state), ended)
    yield and_(ended, sales.c.group_id.in_(_groups(wanted, wanted.words)))
    if not wanted.words:
        return
    if wanted.environment_id is not None or wanted.key_ids is not None:
        ended = and_(ended, (sales.c.group_id + 0).in_(_groups(wanted, ())))
    for start in wanted.reference_starts:
        yield and_(ended, _begins(sales.c.reference, start))
    # SQLite goes through a whole index for ranges that are joined by "or" in it, and through what is below a
    # range if a lower bound is met before it.
    for column, is_known in {sales.c.request_id: HAS_REQUEST_ID, **GIVEN}.items():
        for start in wanted.identifier_starts:
            yield and_(_begins(column, start), is_known, ended)
    for one, amount in product(_AMOUNTS, wanted.amounts):
        yield and_(ended, type_coerce(sales.c[one], String) == amount, _in_currency(wanted))


def _begins(column: ColumnElement[str], start: str) -> ColumnElement[bool]:
    """Return the condition on how an identifier begins, as a range that its index can find."""
    return and_(column >= start, column < start + _LAST)


def _in_currency(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on the currency that the text names; every one if it names none."""
    return of.c.currency == wanted.amount[1] if wanted.amount and wanted.amount[1] else true()


def _named(wanted: SaleFilter, of: FromClause) -> ColumnElement[bool]:
    """Return the condition on a sale that the text finds in one way or the other, for reading one by one."""
    if not wanted.words:
        return true()
    begins = [_reads(of.c.reference, start) for start in wanted.reference_starts]
    for name in ("request_id", "transaction_id", "authorisation"):
        begins += [_reads(of.c[name], start) for start in wanted.identifier_starts]
    currency = _in_currency(wanted, of)
    amounts = (and_(type_coerce(of.c[one], String).in_(wanted.amounts), currency) for one in _AMOUNTS)
    return or_(*begins, *amounts, of.c.group_id.in_(_groups(wanted, wanted.words)))


def _reads(column: ColumnElement[str], start: str) -> ColumnElement[bool]:
    return func.substr(column, 1, len(start)) == start


def _groups(wanted: SaleFilter, words: Sequence[str]) -> Select[tuple[Any]]:
    """Return the groups of the wanted environment and keys whose device's and key's names have every word."""
    same_device = and_(
        devices.c.environment_id == sale_groups.c.environment_id, devices.c.id == sale_groups.c.device
    )
    chosen = select(sale_groups.c.id).outerjoin(devices, same_device).where(_here(wanted, sale_groups))
    for word in words:
        named = sale_groups.c.folded_names.contains(word, autoescape=True)
        chosen = chosen.where(or_(named, devices.c.folded_nickname.contains(word, autoescape=True)))
    return chosen
