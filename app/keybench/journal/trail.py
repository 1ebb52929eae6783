"""The trail of what was done on this computer, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, false, insert, or_, select, true

from keybench.core.ports import Activity, ActivityFilter
from keybench.journal.columns import storable
from keybench.journal.register_tables import activities
from keybench.journal.rows import Values, build, fold, values_of


def row_of(activity: Activity) -> Values:
    """Return a line's row, without the number that the database gives it."""
    row = values_of(activity)
    del row["number"]
    return row | {"folded": fold(f"{activity.action}\n{activity.subject}\n{activity.result}")}


class Trail:
    """What the journal does with activities; see `core.ports.Register`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(self, activity: Activity) -> None:
        """Append a line; the database numbers it."""
        self._connection.execute(insert(activities), row_of(activity))

    def page(self, wanted: ActivityFilter, after: int, limit: int) -> Sequence[Activity]:
        """Return the newest of the wanted lines; those behind the line `after` if it isn't 0."""
        chosen = select(activities).where(_is_wanted(wanted), self._is_behind(after))
        newest_first = activities.c.at.desc(), activities.c.number.desc()
        rows = self._connection.execute(chosen.order_by(*newest_first).limit(limit)).mappings()
        return [build(Activity, row) for row in rows]

    def _is_behind(self, after: int) -> ColumnElement[bool]:
        if not after:
            return true()
        at = self._connection.execute(select(activities.c.at).where(activities.c.number == after)).scalar()
        if at is None:
            return false()
        # The first is for the index, which has no way into the "or".
        older = or_(activities.c.at < at, activities.c.number < after)
        return and_(activities.c.at <= at, older)


def _is_wanted(wanted: ActivityFilter) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = true()
    if wanted.environment_id is not None:
        condition &= activities.c.environment_id == wanted.environment_id
    if wanted.since is not None:
        condition &= activities.c.at >= wanted.since
    if wanted.until is not None:
        condition &= activities.c.at < wanted.until
    for word in fold(storable(wanted.text)).split():
        condition &= activities.c.folded.contains(word, autoescape=True)
    return condition
