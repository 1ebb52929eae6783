"""Finds sales among a million: a page at a time, newest first, by indexes alone.

A sale's environment, device and key never change, and there are few of them together, so each such group
is a row of `sale_groups`. Text is searched for there, and each group's sales lie in order in an index. The
groups are visited from the one with the newest sale on, until no other can have a newer one than the page
holds: so even a text that finds only old sales, or none, reads a few thousand index entries at most.

A text may also be an amount, asked for or approved of it, or the beginning of an identifier. An amount's
sales lie in order in an index, as a group's do. Of the identifiers that begin alike, the newest sales are
taken from an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    String,
    and_,
    bindparam,
    desc,
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
#: From so many references on that begin with a text, they are found soonest by going back in time.
MANY: Final = 2000
#: The last character there is, so that no text with a certain beginning comes behind it.
_LAST: Final = "\U0010ffff"
_NO_LIMIT: Final = 2**31 - 1

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
    if not _is_in_groups(wanted):
        return _counted(connection, and_(_ended(wanted), _here(wanted)))
    matching = _matching(wanted)
    in_groups = and_(_ended_in_group(wanted, None), sales.c.group_id.in_(matching))
    if not wanted.words:
        return _counted(connection, in_groups)
    # Limits that are never met, see `_positions`.
    ways = [select(sales.c.number).where(way).limit(_NO_LIMIT).subquery() for way in _ways(wanted)]
    named = union(*(select(way.c.number) for way in ways))
    others = and_(
        sales.c.number.in_(named),
        _ended_in_group(wanted, None),
        _in_groups_here(wanted),
        sales.c.group_id.not_in(matching),
    )
    return _counted(connection, in_groups) + _counted(connection, others)


def _counted(connection: Connection, condition: ColumnElement[bool]) -> int:
    found = connection.execute(select(func.count()).select_from(sales).where(condition))
    return found.scalar_one()


def _positions(
    connection: Connection, wanted: SaleFilter, last: _Position | None, limit: int
) -> Sequence[_Position]:
    ended = _ended(wanted, last)
    if not _is_in_groups(wanted) and wanted.state is None:
        return _newest(connection, and_(ended, _here(wanted)), limit)
    # With an outcome, the index to go back in time by is the outcome's: those that are rare have few entries.
    own = wanted.environment_id is not None and wanted.state is None
    first = and_(ended, sales.c.environment_id == wanted.environment_id) if own else ended
    recent = _among_recent(connection, wanted, first, limit)
    if len(recent) == limit or _are_few(connection, first):
        return recent
    if not wanted.words:
        return _in_groups(connection, wanted, last, limit)
    numbers = _numbers_referred(connection, wanted)
    if len(numbers) == MANY:
        return _newest(connection, and_(ended, _here(wanted), _named_or_in_group(wanted)), limit)
    # Its limit keeps the few together: else the database might go through all sales to find them again.
    few = select(sales).where(sales.c.number.in_(numbers)).limit(MANY).subquery()
    found = [
        *_in_groups(connection, wanted, last, limit),
        *_newest(connection, and_(_ended(wanted, last, few), _here(wanted, few)), limit, few),
        *_identified(connection, wanted, last, limit),
        *_of_amount(connection, wanted, last, limit),
    ]
    return sorted({position.number: position for position in found}.values(), key=_rank, reverse=True)[:limit]


def _among_recent(
    connection: Connection, wanted: SaleFilter, ended: ColumnElement[bool], limit: int
) -> Sequence[_Position]:
    """Return the wanted among the few newest sales, which often fill the page at next to no cost."""
    recent = select(sales).where(ended).order_by(*_newest_first()).limit(RECENT).subquery()
    condition = _here(wanted, recent)
    if wanted.words:
        condition = and_(condition, _named_or_in_group(wanted, recent))
    return _newest(connection, condition, limit, recent)


def _are_few(connection: Connection, ended: ColumnElement[bool]) -> bool:
    """Return whether the newest sales, as many as are looked through first, are all there are."""
    next_one = select(sales.c.noted_at).where(ended).order_by(sales.c.noted_at.desc())
    return connection.execute(next_one.offset(RECENT).limit(1)).first() is None


def _newest(
    connection: Connection, condition: ColumnElement[bool], limit: int, of: FromClause = sales
) -> Sequence[_Position]:
    chosen: Select[tuple[int, datetime]] = select(of.c.number, of.c.noted_at).where(condition)
    return connection.execute(chosen.order_by(*_newest_first(of)).limit(limit)).all()


def _numbers_referred(connection: Connection, wanted: SaleFilter) -> Sequence[int]:
    """Return the numbers of the sales whose reference the text finds, `MANY` at most."""
    return connection.execute(select(sales.c.number).where(_referred(wanted)).limit(MANY)).scalars().all()


def _identified(
    connection: Connection, wanted: SaleFilter, last: _Position | None, limit: int
) -> Sequence[_Position]:
    """Return the newest sales whose payment request, transaction or authorisation the text finds."""
    found: list[_Position] = []
    for way in _identifiers(wanted):
        # A limit that is never met: else the database might go back in time through all sales instead.
        columns = (sales.c.number, sales.c.noted_at, sales.c.outcome, sales.c.group_id)
        of = select(*columns).where(way).limit(_NO_LIMIT).subquery()
        found += _newest(connection, and_(_ended(wanted, last, of), _in_groups_here(wanted, of)), limit, of)
    return found


def _of_amount(
    connection: Connection, wanted: SaleFilter, last: _Position | None, limit: int
) -> Sequence[_Position]:
    """Return the newest sales of the amount that the text names."""
    condition = and_(_ended_in_group(wanted, last), _in_currency(wanted), _in_groups_here(wanted))
    found: list[_Position] = []
    for written, amount in product(wanted.amounts, _AMOUNTS):
        found += _newest(connection, and_(type_coerce(sales.c[amount], String) == written, condition), limit)
    return found


def _in_groups(
    connection: Connection, wanted: SaleFilter, last: _Position | None, limit: int
) -> Sequence[_Position]:
    found: list[_Position] = []
    ended = _ended_in_group(wanted, last)
    one = select(sales.c.number, sales.c.noted_at).where(sales.c.group_id == bindparam("one"), ended)
    one = one.order_by(*_newest_first()).limit(limit)
    for group_id, newest in connection.execute(_groups_by_time(wanted, ended)).all():
        if newest is None:
            continue
        if len(found) >= limit and newest < found[limit - 1].noted_at:
            break
        more = connection.execute(one, {"one": group_id}).all()
        found = sorted((*found, *more), key=_rank, reverse=True)[:limit]
    return found


def _position_of(connection: Connection, reference: str) -> _Position:
    chosen: Select[tuple[int, datetime]] = select(sales.c.number, sales.c.noted_at)
    found = connection.execute(chosen.where(sales.c.reference == reference)).first()
    if found is None:
        raise NotFound("sale", reference)
    return found


def _newest_first(of: FromClause = sales) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return of.c.noted_at.desc(), of.c.number.desc()


def _rank(position: _Position) -> tuple[datetime, int]:
    return position.noted_at, position.number


def _is_in_groups(wanted: SaleFilter) -> bool:
    """Return whether something is searched for that is the same for all sales of a group."""
    return bool(wanted.words) or wanted.key_ids is not None


def _here(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on a sale's environment and key."""
    condition: ColumnElement[bool] = true()
    if wanted.environment_id is not None:
        condition &= of.c.environment_id == wanted.environment_id
    if wanted.key_ids is not None:
        condition &= of.c.key_id.in_(wanted.key_ids)
    return condition


def _ended(wanted: SaleFilter, last: _Position | None = None, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on a sale's time and outcome, and that it comes behind `last` in pages."""
    if wanted.state is None:
        return _in_time(wanted, last, of)
    outcome = of.c.outcome
    ended = outcome.is_(None) if wanted.state == UNDER_WAY else outcome == wanted.state
    return and_(ended, _in_time(wanted, last, of))


def _ended_in_group(wanted: SaleFilter, last: _Position | None) -> ColumnElement[bool]:
    """Return the same condition for the sales of one group.

    The outcome is compared so that no index is chosen for it: the group's own has it next to the time.
    """
    if wanted.state is None:
        return _in_time(wanted, last, sales)
    outcome = func.coalesce(type_coerce(sales.c.outcome, String), UNDER_WAY)
    return and_(outcome == str(wanted.state), _in_time(wanted, last, sales))


def _in_time(wanted: SaleFilter, last: _Position | None, of: FromClause) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.since is not None:
        conditions.append(of.c.noted_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(of.c.noted_at < wanted.until)
    if last is not None:
        # The first is for the index, which has no way into the "or".
        conditions.append(of.c.noted_at <= last.noted_at)
        conditions.append(or_(of.c.noted_at < last.noted_at, of.c.number < last.number))
    return and_(true(), *conditions)


def _ways(wanted: SaleFilter) -> Sequence[ColumnElement[bool]]:
    """Return the conditions by which the text finds a sale otherwise than by its group; each has an index."""
    return [_referred(wanted), *_identifiers(wanted), *(_amounts(wanted, sales) if wanted.amounts else ())]


def _identifiers(wanted: SaleFilter) -> Sequence[ColumnElement[bool]]:
    """Return each on its own: SQLite goes through a whole index for ranges that are joined by "or" in it."""
    known = {sales.c.request_id: HAS_REQUEST_ID, **GIVEN}
    return [
        and_(is_known, _begins(one, start))
        for one, is_known in known.items()
        for start in wanted.identifier_starts
    ]


def _referred(wanted: SaleFilter) -> ColumnElement[bool]:
    return or_(*(_begins(sales.c.reference, start) for start in wanted.reference_starts))


def _begins(column: ColumnElement[str], start: str) -> ColumnElement[bool]:
    """Return the condition on how an identifier begins, as a range that its index can find."""
    return and_(column >= start, column < start + _LAST)


def _in_currency(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on the currency that the text names; every one if it names none."""
    return of.c.currency == wanted.amount[1] if wanted.amount and wanted.amount[1] else true()


def _amounts(wanted: SaleFilter, of: FromClause) -> Sequence[ColumnElement[bool]]:
    """Return the conditions on the amount that the text names, each for an index of its own."""
    currency = _in_currency(wanted, of)
    return [and_(type_coerce(of.c[one], String).in_(wanted.amounts), currency) for one in _AMOUNTS]


def _named_or_in_group(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on a sale that the text finds in one way or the other, for reading one by one.

    Identifiers are compared so that no index of theirs is used: it gives the matches in no order of time.
    """
    begins = [_reads(of.c.reference, start) for start in wanted.reference_starts]
    for name in ("request_id", "transaction_id", "authorisation"):
        begins += [_reads(of.c[name], start) for start in wanted.identifier_starts]
    return or_(*begins, *_amounts(wanted, of), of.c.group_id.in_(_matching(wanted)))


def _reads(column: ColumnElement[str], start: str) -> ColumnElement[bool]:
    return func.substr(column, 1, len(start)) == start


def _in_groups_here(wanted: SaleFilter, of: FromClause = sales) -> ColumnElement[bool]:
    """Return the condition on a sale's environment and key, by its group."""
    if wanted.environment_id is None and wanted.key_ids is None:
        return true()
    return of.c.group_id.in_(select(sale_groups.c.id).where(_here(wanted, sale_groups)))


def _matching(wanted: SaleFilter) -> Select[tuple[Any]]:
    """Return the groups of the wanted key whose device's and key's names have every word of the text."""
    same_device = and_(
        devices.c.environment_id == sale_groups.c.environment_id, devices.c.id == sale_groups.c.device
    )
    chosen = select(sale_groups.c.id).outerjoin(devices, same_device)
    if wanted.environment_id is not None:
        chosen = chosen.where(sale_groups.c.environment_id == wanted.environment_id)
    if wanted.key_ids is not None:
        chosen = chosen.where(sale_groups.c.key_id.in_(wanted.key_ids))
    for word in wanted.words:
        named = sale_groups.c.folded_names.contains(word, autoescape=True)
        chosen = chosen.where(or_(named, devices.c.folded_nickname.contains(word, autoescape=True)))
    return chosen


def _groups_by_time(wanted: SaleFilter, ended: ColumnElement[bool]) -> Select[tuple[Any, Any]]:
    """Return the matching groups with the time of the newest wanted sale, or None, the newest first."""
    matching = _matching(wanted).subquery()
    newest = (
        select(sales.c.noted_at)
        .where(sales.c.group_id == matching.c.id, ended)
        .order_by(sales.c.noted_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    # Only its order is by the time: a condition on it would have every time looked up twice.
    return select(matching.c.id, newest.label("newest")).order_by(desc("newest"))
