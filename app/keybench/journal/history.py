"""Finds sales among a million: a page at a time, newest first, by indexes alone.

A sale's environment, device and key never change, and there are few of them together, so each such group
is a row of `sale_groups`. Text is looked for there, and each group's sales lie in order in an index. The
groups are visited from the one with the newest sale on, until no other can have a newer one than the page
holds: so even a text that finds only old sales, or none, reads a few thousand index entries at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, desc, func, or_, select, true

from keybench.core.errors import NotFound
from keybench.core.history import UNDER_WAY, SaleFilter
from keybench.core.sale import Sale
from keybench.journal.columns import storable
from keybench.journal.rows import sale_of
from keybench.journal.tables import devices, sale_groups, sales

#: So many of the newest sales are looked through one by one before anything else.
RECENT: Final = 2000
#: From so many references on that begin with a text, they are found soonest by going back in time.
MANY: Final = 2000
#: The last character there is, so that no text with a certain beginning comes behind it.
_LAST: Final = "\U0010ffff"

_Place = Row[tuple[int, datetime]]
_newest_first = (sales.c.noted_at.desc(), sales.c.number.desc())


class History:
    """What the journal does to find sales; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def page(self, wanted: SaleFilter, after: str, limit: int) -> Sequence[Sale]:
        """Return the newest of the wanted sales; those behind the sale `after` if it isn't empty."""
        wanted = replace(wanted, text=storable(wanted.text))
        numbers = [place.number for place in self._places(wanted, self._time(wanted, after), limit)]
        chosen = select(sales).where(sales.c.number.in_(numbers)).order_by(*_newest_first)
        return [sale_of(row) for row in self._connection.execute(chosen).mappings()]

    def count(self, wanted: SaleFilter) -> int:
        """Return how many sales are wanted; counts them one by one, in an index where it can."""
        wanted = replace(wanted, text=storable(wanted.text))
        ended = and_(self._time(wanted, ""), _ended(wanted))
        if not wanted.words:
            return self._counted(and_(ended, _here(wanted)))
        in_groups = sales.c.group_id.in_(_matching(wanted))
        return self._counted(and_(ended, in_groups)) + self._counted(
            and_(ended, _here(wanted), _named(wanted), ~in_groups)
        )

    def _counted(self, condition: ColumnElement[bool]) -> int:
        found = self._connection.execute(select(func.count()).select_from(sales).where(condition))
        return found.scalar_one()

    def _places(self, wanted: SaleFilter, time: ColumnElement[bool], limit: int) -> Sequence[_Place]:
        if not wanted.words and wanted.state is None:
            return self._newest(and_(time, _here(wanted)), limit)
        ended = and_(time, _ended(wanted))
        recent = self._among_recent(wanted, ended, limit)
        if len(recent) == limit or self._are_few(ended):
            return recent
        if not wanted.words:
            return self._in_groups(wanted, ended, limit)
        numbers = self._numbers_named(wanted)
        if len(numbers) == MANY:
            return self._newest(and_(ended, _here(wanted), _named_or_in_group(wanted)), limit)
        places = {place.number: place for place in self._in_groups(wanted, ended, limit)}
        if numbers:
            named = and_(ended, _here(wanted), sales.c.number.in_(numbers))
            places |= {place.number: place for place in self._newest(named, limit)}
        return sorted(places.values(), key=_rank, reverse=True)[:limit]

    def _among_recent(self, wanted: SaleFilter, ended: ColumnElement[bool], limit: int) -> Sequence[_Place]:
        """Return the wanted among the few newest sales, which often fill the page at next to no cost."""
        recent = select(sales).where(ended).order_by(*_newest_first).limit(RECENT).subquery()
        chosen: Select[tuple[int, datetime]] = select(recent.c.number, recent.c.noted_at)
        if wanted.environment_id is not None:
            chosen = chosen.where(recent.c.environment_id == wanted.environment_id)
        if wanted.words:
            chosen = chosen.where(_named_or_in_group(wanted, recent.c.reference, recent.c.group_id))
        newest_first = (recent.c.noted_at.desc(), recent.c.number.desc())
        return self._connection.execute(chosen.order_by(*newest_first).limit(limit)).all()

    def _are_few(self, ended: ColumnElement[bool]) -> bool:
        """Tell whether the newest sales, as many as are looked through first, are all there are."""
        next_one = select(sales.c.noted_at).where(ended).order_by(sales.c.noted_at.desc())
        return self._connection.execute(next_one.offset(RECENT).limit(1)).first() is None

    def _newest(self, condition: ColumnElement[bool], limit: int) -> Sequence[_Place]:
        chosen: Select[tuple[int, datetime]] = select(sales.c.number, sales.c.noted_at).where(condition)
        return self._connection.execute(chosen.order_by(*_newest_first).limit(limit)).all()

    def _numbers_named(self, wanted: SaleFilter) -> Sequence[int]:
        """Return the numbers of the sales whose reference the text finds, `MANY` at most."""
        return (
            self._connection.execute(select(sales.c.number).where(_named(wanted)).limit(MANY)).scalars().all()
        )

    def _in_groups(self, wanted: SaleFilter, ended: ColumnElement[bool], limit: int) -> Sequence[_Place]:
        found: list[_Place] = []
        one = select(sales.c.number, sales.c.noted_at).where(sales.c.group_id == bindparam("one"), ended)
        one = one.order_by(*_newest_first).limit(limit)
        for group_id, newest in self._connection.execute(_groups_by_time(wanted, ended)).all():
            if newest is None:
                continue
            if len(found) >= limit and newest < found[limit - 1].noted_at:
                break
            more = self._connection.execute(one, {"one": group_id}).all()
            found = sorted((*found, *more), key=_rank, reverse=True)[:limit]
        return found

    def _time(self, wanted: SaleFilter, after: str) -> ColumnElement[bool]:
        """Return the condition on when a sale was noted."""
        conditions: list[ColumnElement[bool]] = []
        if wanted.since is not None:
            conditions.append(sales.c.noted_at >= wanted.since)
        if wanted.until is not None:
            conditions.append(sales.c.noted_at < wanted.until)
        if after:
            conditions.append(self._behind(after))
        return and_(true(), *conditions)

    def _behind(self, reference: str) -> ColumnElement[bool]:
        """Return the condition on sales that come behind one in the order of pages."""
        last = select(sales.c.number, sales.c.noted_at).where(sales.c.reference == reference)
        found = self._connection.execute(last).first()
        if found is None:
            raise NotFound("sale", reference)
        number, noted_at = found
        # The first part is for the index, which has no way into an "or".
        earlier = or_(sales.c.noted_at < noted_at, sales.c.number < number)
        return and_(sales.c.noted_at <= noted_at, earlier)


def _rank(place: _Place) -> tuple[datetime, int]:
    return place.noted_at, place.number


def _here(wanted: SaleFilter) -> ColumnElement[bool]:
    return true() if wanted.environment_id is None else sales.c.environment_id == wanted.environment_id


def _named(wanted: SaleFilter) -> ColumnElement[bool]:
    """Return the condition on a sale's reference, as ranges that its index can find."""
    ranges = [
        and_(sales.c.reference >= start, sales.c.reference < start + _LAST)
        for start in wanted.reference_starts
    ]
    return or_(*ranges)


def _ended(wanted: SaleFilter) -> ColumnElement[bool]:
    """Return the condition on a sale's outcome."""
    if wanted.state is None:
        return true()
    outcome = sales.c.outcome
    return outcome.is_(None) if wanted.state == UNDER_WAY else outcome == wanted.state


def _named_or_in_group(
    wanted: SaleFilter,
    reference: ColumnElement[Any] = sales.c.reference,
    group_id: ColumnElement[Any] = sales.c.group_id,
) -> ColumnElement[bool]:
    """Return the condition on a sale that the text finds in one way or the other, for reading one by one.

    References are compared so that their index isn't used: it would give all matches in no order of time.
    """
    begins = [func.substr(reference, 1, len(start)) == start for start in wanted.reference_starts]
    return or_(*begins, group_id.in_(_matching(wanted)))


def _matching(wanted: SaleFilter) -> Select[tuple[Any]]:
    """Return the groups whose device and key have every word of the text."""
    same_device = and_(
        devices.c.environment_id == sale_groups.c.environment_id, devices.c.id == sale_groups.c.device
    )
    chosen = select(sale_groups.c.id).outerjoin(devices, same_device)
    if wanted.environment_id is not None:
        chosen = chosen.where(sale_groups.c.environment_id == wanted.environment_id)
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
