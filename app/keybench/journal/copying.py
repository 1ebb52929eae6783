"""Copies a team's journal to this desk, so that there is something to read while the server is away.

Small tables are copied whole, of the large ones the newest rows and all that somebody has to look after. The
copy holds rows as the team's database has them, under their numbers, and none of its rules: it checks no
foreign keys, because a row that is replaced must not take others with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    TableClause,
    bindparam,
    column,
    func,
    or_,
    select,
    table,
)

from keybench.core.sales.sale import Outcome, SaleStage
from keybench.journal import tables as _tables

#: So many of the newest sales, and lines of the activity, are copied.
SALES: Final = 1000
LINES: Final = 2000

Row = tuple[Any, ...]


def _plain(kept: Table) -> TableClause:
    """Return a table without its columns' types: what it holds goes to the other database as it is."""
    return table(kept.name, *(column(one.name) for one in kept.c))


_SMALL: Final = (
    *(_tables.environments, _tables.security_keys, _tables.devices, _tables.device_states),
    *(_tables.applications, _tables.rotations, _tables.key_plans, _tables.settings, _tables.programs),
    *(_tables.desks, _tables.desk_values, _tables.contradictions),
)
_OF_SALES: Final = (_tables.sale_events, _tables.sale_exchanges, _tables.older_exchanges)
_sales: Final = _plain(_tables.sales)
_groups: Final = _plain(_tables.sale_groups)
_lines: Final = _plain(_tables.activities)
_LATEST_FIRST: Final = _sales.c.noted_at.desc(), _sales.c.number.desc()
_IN_SIGHT: Final = or_(
    _sales.c.number.in_(select(_sales.c.number).order_by(*_LATEST_FIRST).limit(bindparam("most"))),
    _sales.c.stage.in_([SaleStage.NOTED.value, SaleStage.ACCEPTED.value]),
    _sales.c.outcome == Outcome.UNKNOWN.value,
)
_NEWEST_LINES: Final = select(_lines.c.number).order_by(_lines.c.number.desc()).limit(bindparam("most"))


def refresh(source: Connection, target: Connection, told: set[str] | None = None) -> None:
    """Make the copy in `target` what `source` shows at one moment.

    Args:
        told: The tables that changed, as far as anybody tells; what takes long is copied for its own alone.
            All is looked at if left out.
    """

    def may_have_changed(*names: str) -> bool:
        return told is None or not told.isdisjoint(names)

    tests = [_tables.key_exchanges] if may_have_changed("security_keys", "key_exchanges") else []
    for kept in (*_SMALL, *tests):
        _copy(source, target, _plain(kept), *(one.name for one in kept.primary_key))
    if may_have_changed(_sales.name, *(one.name for one in _OF_SALES)):
        _copy_sales(source, target)
    if may_have_changed(_lines.name):
        _copy(source, target, _lines, "number", wanted=_lines.c.number.in_(_NEWEST_LINES), most=LINES)


def _copy(
    source: Connection,
    target: Connection,
    of: TableClause,
    *key: str,
    wanted: ColumnElement[bool] | None = None,
    most: int = 0,
) -> None:
    """Have the target hold the wanted rows alone; those that are as they were stay untouched."""
    asked = select(of) if wanted is None else select(of).where(wanted)
    there = set(map(tuple, source.execute(asked, {"most": most} if most else {})))
    here = set(map(tuple, target.execute(select(of))))
    places = [list(of.c.keys()).index(one) for one in key]
    _replace(target, of, key, [tuple(row[one] for one in places) for row in here - there], there - here)


def _copy_sales(source: Connection, target: Connection) -> None:
    """Copy the sales in sight, and what belongs to each where that has grown."""
    groups = select(_sales.c.group_id).where(_IN_SIGHT)
    _copy(source, target, _groups, "id", wanted=_groups.c.id.in_(groups), most=SALES)
    _copy(source, target, _sales, "number", wanted=_IN_SIGHT, most=SALES)
    in_sight = set(target.scalars(select(_sales.c.reference)))
    for kept in _OF_SALES:
        of = _plain(kept)
        # An exchange like the one before makes its row longer.
        size = func.sum(func.length(of.c.rounds)) if "rounds" in of.c else func.count()
        marks = select(of.c.reference, func.max(of.c.number), size).group_by(of.c.reference)
        there = set(map(tuple, source.execute(marks.where(of.c.reference.in_(in_sight)))))
        here = set(map(tuple, target.execute(marks)))
        grown = source.execute(select(of).where(of.c.reference.in_([one for one, *_ in there - here])))
        _replace(target, of, ("reference",), [(one,) for one, *_ in here - there], map(tuple, grown))


def _replace(
    target: Connection, of: TableClause, key: Sequence[str], gone: Sequence[Row], come: Iterable[Row]
) -> None:
    """Delete the rows under some keys, and add others."""
    its = [f"its_{one}" for one in key]
    if gone:
        is_it = (of.c[one] == bindparam(name) for one, name in zip(key, its, strict=True))
        target.execute(of.delete().where(*is_it), [dict(zip(its, one, strict=True)) for one in gone])
    if rows := [dict(zip(of.c.keys(), row, strict=True)) for row in come]:
        target.execute(of.insert(), rows)
