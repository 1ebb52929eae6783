"""What was done on this computer, line by line, inside a transaction; see `core.ports.Journal`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, false, insert, or_, select, true

from keybench.core.ports import (
    ENVIRONMENT_ADDED,
    ENVIRONMENT_EDITED,
    ENVIRONMENT_REMOVED,
    EVERY_LINE,
    Activity,
    ActivityFilter,
)
from keybench.journal import tables
from keybench.journal.columns import storable
from keybench.journal.rows import Values, build, fold, values_of
from keybench.journal.store import this_role

_lines: Final = tables.activities


def row_of(activity: Activity) -> Values:
    """Return a line's row, without the number that the database gives it."""
    row = values_of(activity)
    del row["number"]
    return row | {"folded": fold(f"{activity.action}\n{activity.subject}\n{activity.result}\n{activity.who}")}


def record_activity(connection: Connection, activity: Activity) -> None:
    """Append a line; the database numbers it. Where people log in to it, the line has the role's name."""
    line = replace(activity, who=this_role(connection) or activity.who)
    connection.execute(insert(_lines), row_of(line))


def activities(
    connection: Connection, limit: int, wanted: ActivityFilter = EVERY_LINE, *, after: int = 0
) -> Sequence[Activity]:
    """Return the newest of the wanted lines; those behind the line `after` if it isn't 0."""
    named = (_lines.c.folded.contains(word, autoescape=True) for word in fold(storable(wanted.text)).split())
    chosen = select(_lines).where(_is_here(wanted), _is_behind(connection, after), *named)
    rows = connection.execute(chosen.order_by(*_newest_first()).limit(limit)).mappings()
    return [build(Activity, row) for row in rows]


def removed_environments(connection: Connection, ids: Collection[str]) -> Mapping[str, str]:
    """Return what environments that were removed were called, by id, as their newest lines say."""
    here = select(tables.environments.c.id).where(tables.environments.c.id.in_(ids))
    gone = set(ids).difference(connection.execute(here).scalars())
    # A program that ended between removing an environment and saying so has left its earlier lines.
    telling = _lines.c.action.in_((ENVIRONMENT_REMOVED, ENVIRONMENT_EDITED, ENVIRONMENT_ADDED))
    named: dict[str, str] = {}
    for one in gone:
        line = select(_lines.c.subject).where(_lines.c.environment_id == one, telling)
        name = connection.execute(line.order_by(*_newest_first()).limit(1)).scalar()
        if name is not None:
            named[one] = name
    return named


def _is_behind(connection: Connection, after: int) -> ColumnElement[bool]:
    if not after:
        return true()
    at = connection.execute(select(_lines.c.at).where(_lines.c.number == after)).scalar()
    if at is None:
        return false()
    # The first is for the index, which has no way into the "or".
    older = or_(_lines.c.at < at, _lines.c.number < after)
    return and_(_lines.c.at <= at, older)


def _newest_first() -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return _lines.c.at.desc(), _lines.c.number.desc()


def _is_here(wanted: ActivityFilter) -> ColumnElement[bool]:
    """Return the condition on a line's environment and time."""
    condition: ColumnElement[bool] = true()
    if wanted.environment_id is not None:
        condition &= _lines.c.environment_id == wanted.environment_id
    if wanted.since is not None:
        condition &= _lines.c.at >= wanted.since
    if wanted.until is not None:
        condition &= _lines.c.at < wanted.until
    return condition
