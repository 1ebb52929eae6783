"""The trail of what was done on this computer, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from keybench.core.ports import Activity
from keybench.journal.rows import build, values_of
from keybench.journal.tables import activities


class Trail:
    """What the journal does with activities; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(self, activity: Activity) -> None:
        """Append a line."""
        self._connection.execute(insert(activities), values_of(activity))

    def newest(self, limit: int) -> Sequence[Activity]:
        """Return the lines written last, newest first."""
        chosen = select(activities).order_by(activities.c.number.desc()).limit(limit)
        return [build(Activity, row) for row in self._connection.execute(chosen).mappings()]
