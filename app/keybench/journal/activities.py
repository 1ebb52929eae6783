"""What was done on this computer, line by line, inside a transaction; see `core.ports.Journal`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, false, insert, or_, select, true

from keybench.core.ports import (
    ENVIRONMENT_ADDED,
    ENVIRONMENT_EDITED,
    ENVIRONMENT_REMOVED,
    Activity,
    ActivityFilter,
)
from keybench.journal import tables
from keybench.journal.columns import storable
from keybench.journal.rows import Values, build, fold, values_of
from keybench.journal.tables import activities

#: A text is searched for in so many lines at a time, some ten milliseconds' worth.
WINDOW: Final = 20_000


def row_of(activity: Activity) -> Values:
    """Return a line's row, without the number that the database gives it."""
    row = values_of(activity)
    del row["number"]
    return row | {"folded": fold(f"{activity.action}\n{activity.subject}\n{activity.result}\n{activity.who}")}


def record_activity(connection: Connection, activity: Activity) -> None:
    """Append a line; the database numbers it."""
    connection.execute(insert(activities), row_of(activity))


def find_some(
    connection: Connection, wanted: ActivityFilter, after: int, limit: int
) -> tuple[Sequence[Activity], int]:
    """Return the newest of the wanted lines; those behind the line `after` if it isn't 0.

    A text is searched for in so many lines at most that another call needn't wait long.

    Returns:
        The lines, and the number of the last one looked at; 0 if there are no more.
    """
    here = and_(_is_here(wanted), _is_behind(connection, after))
    words = fold(storable(wanted.text)).split()
    last = _last_looked_at(connection, here) if words else None
    if last is not None:
        here &= _is_no_older(last.at, last.number)
    named = (activities.c.folded.contains(word, autoescape=True) for word in words)
    chosen = select(activities).where(here, *named).order_by(*_newest_first()).limit(limit)
    lines = [build(Activity, row) for row in connection.execute(chosen).mappings()]
    return lines, last.number if last else 0


def removed_environments(connection: Connection, ids: Collection[str]) -> Mapping[str, str]:
    """Return what environments that were removed were called, by id, as their newest lines say."""
    here = select(tables.environments.c.id).where(tables.environments.c.id.in_(ids))
    gone = set(ids).difference(connection.execute(here).scalars())
    # A program that ended between removing an environment and saying so has left its earlier lines.
    telling = activities.c.action.in_((ENVIRONMENT_REMOVED, ENVIRONMENT_EDITED, ENVIRONMENT_ADDED))
    named: dict[str, str] = {}
    for one in gone:
        line = select(activities.c.subject).where(activities.c.environment_id == one, telling)
        name = connection.execute(line.order_by(*_newest_first()).limit(1)).scalar()
        if name is not None:
            named[one] = name
    return named


def _last_looked_at(connection: Connection, here: ColumnElement[bool]) -> Row[datetime, int] | None:
    """Return the time and the number of the last of so many lines; None if there are fewer."""
    newest = select(activities.c.at, activities.c.number).where(here).order_by(*_newest_first())
    return connection.execute(newest.offset(WINDOW - 1).limit(1)).first()


def _is_behind(connection: Connection, after: int) -> ColumnElement[bool]:
    if not after:
        return true()
    at = connection.execute(select(activities.c.at).where(activities.c.number == after)).scalar()
    if at is None:
        return false()
    # The first is for the index, which has no way into the "or".
    older = or_(activities.c.at < at, activities.c.number < after)
    return and_(activities.c.at <= at, older)


def _newest_first() -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return activities.c.at.desc(), activities.c.number.desc()


def _is_no_older(at: datetime, number: int) -> ColumnElement[bool]:
    """Return the condition that a line doesn't come behind that one."""
    # As above, the first is for the index.
    return and_(activities.c.at >= at, or_(activities.c.at > at, activities.c.number >= number))


def _is_here(wanted: ActivityFilter) -> ColumnElement[bool]:
    """Return the condition on a line's environment and time."""
    condition: ColumnElement[bool] = true()
    if wanted.environment_id is not None:
        condition &= activities.c.environment_id == wanted.environment_id
    if wanted.since is not None:
        condition &= activities.c.at >= wanted.since
    if wanted.until is not None:
        condition &= activities.c.at < wanted.until
    return condition
