"""Copies a team's journal to this desk, so that there is something to read while the server is away.

Small tables are copied whole, of the large ones the newest rows and all that somebody has to look after. The
copy keeps rows as the team's database has them, under their numbers, and holds none of its rules: its
connections check no foreign keys, because a row that is replaced must not take others with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    TableClause,
    column,
    func,
    or_,
    select,
    table,
    true,
    tuple_,
)

from keybench.core.sales.sale import Outcome, SaleStage
from keybench.journal import tables as _tables

#: So many of the newest sales, and lines of the activity, are copied.
SALES: Final = 1000
LINES: Final = 2000
#: So many keys are named in one statement.
_AT_A_TIME: Final = 500

Rows = dict[Any, tuple[Any, ...]]


def _plain(kept: Table) -> TableClause:
    """Return a table without its columns' types: what it holds goes to the other database as it is."""
    return table(kept.name, *(column(one.name) for one in kept.c))


_SMALL: Final = (
    *(_tables.environments, _tables.security_keys, _tables.devices, _tables.device_states),
    *(_tables.applications, _tables.rotations, _tables.key_plans, _tables.settings, _tables.programs),
    *(_tables.desks, _tables.desk_values, _tables.contradictions, _tables.key_exchanges),
)
_sales: Final = _plain(_tables.sales)
_groups: Final = _plain(_tables.sale_groups)
_lines: Final = _plain(_tables.activities)
_OF_SALES: Final = (_tables.sale_events, _tables.sale_exchanges, _tables.older_exchanges)
_LATEST_FIRST: Final = _sales.c.noted_at.desc(), _sales.c.number.desc()
_NEWEST: Final = select(_sales.c.number).order_by(*_LATEST_FIRST).limit(SALES)
_IN_SIGHT: Final = or_(
    _sales.c.number.in_(_NEWEST),
    _sales.c.stage.in_([SaleStage.NOTED.value, SaleStage.ACCEPTED.value]),
    _sales.c.outcome == Outcome.UNKNOWN.value,
)
_NUMBERS: Final = select(_lines.c.number)


def refresh(source: Connection, target: Connection, told: Collection[str] | None = None) -> None:
    """Make the copy in `target` what `source` shows at one moment.

    Args:
        told: The names of the tables that may have changed; all of them if left out.
    """
    for kept in _SMALL:
        if told is None or kept.name in told:
            _copy(source, target, _plain(kept), _key(kept))
    if told is None or not {_tables.sales.name, *(one.name for one in _OF_SALES)}.isdisjoint(told):
        _copy_sales(source, target)
    if told is None or _lines.name in told:
        newest = _NUMBERS.order_by(_lines.c.number.desc()).limit(LINES)
        _add(source, target, _lines, set(source.scalars(newest)), set(target.scalars(_NUMBERS)))


def _key(kept: Table) -> list[str]:
    return [one.name for one in kept.primary_key]


def _copy(
    source: Connection,
    target: Connection,
    of: TableClause,
    key: Sequence[str],
    wanted: ColumnElement[bool] = true(),  # noqa: B008 - it never changes
) -> None:
    """Have the target hold the wanted rows alone; those that are as they were stay untouched."""
    places = [list(of.c.keys()).index(one) for one in key]

    def by_key(rows: Iterable[Any]) -> Rows:
        return {tuple(row[place] for place in places): tuple(row) for row in rows}

    there, here = by_key(source.execute(select(of).where(wanted))), by_key(target.execute(select(of)))
    changed = [row for one, row in there.items() if here.get(one) != row]
    _delete(target, of, key, [one for one, row in here.items() if there.get(one) != row])
    _insert(target, of, changed)


def _copy_sales(source: Connection, target: Connection) -> None:
    """Copy the sales in sight, and what belongs to each where that has grown."""
    in_sight: Select[Any] = select(_sales.c.reference).where(_IN_SIGHT)
    _copy(source, target, _groups, ["id"], _groups.c.id.in_(select(_sales.c.group_id).where(_IN_SIGHT)))
    _copy(source, target, _sales, ["number"], _IN_SIGHT)
    for kept in _OF_SALES:
        of = _plain(kept)
        # An exchange like the one before makes its row longer.
        size = func.sum(func.length(of.c.rounds)) if "rounds" in of.c else func.count()
        marks = select(of.c.reference, func.max(of.c.number), size).group_by(of.c.reference)
        there = {tuple(row) for row in source.execute(marks.where(of.c.reference.in_(in_sight)))}
        here = {tuple(row) for row in target.execute(marks)}
        _delete(target, of, ["reference"], [(row[0],) for row in here - there])
        references = [row[0] for row in there - here]
        for start in range(0, len(references), _AT_A_TIME):
            some = of.c.reference.in_(references[start : start + _AT_A_TIME])
            _insert(target, of, [tuple(row) for row in source.execute(select(of).where(some))])


def _add(source: Connection, target: Connection, of: TableClause, there: set[int], here: set[int]) -> None:
    """Have the target hold the rows with the numbers `there`; none of them ever changes."""
    _delete(target, of, ["number"], [(one,) for one in here - there])
    missing = sorted(there - here)
    if missing:
        rows = source.execute(select(of).where(of.c.number >= missing[0]))
        _insert(target, of, [row for row in map(tuple, rows) if row[0] in there - here])


def _delete(target: Connection, of: TableClause, key: Sequence[str], gone: Sequence[Any]) -> None:
    columns = tuple_(*(of.c[one] for one in key))
    for start in range(0, len(gone), _AT_A_TIME):
        target.execute(of.delete().where(columns.in_(gone[start : start + _AT_A_TIME])))


def _insert(target: Connection, of: TableClause, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        names = list(of.c.keys())
        target.execute(of.insert(), [dict(zip(names, row, strict=True)) for row in rows])
