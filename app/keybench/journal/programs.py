"""Who works on the journal at present, inside a transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from keybench.core.ports import RunningProgram
from keybench.journal.rows import build, values_of
from keybench.journal.tables import programs


class Programs:
    """What the journal does with running programs; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> Sequence[RunningProgram]:
        """Return those that are noted, the oldest first."""
        chosen = select(programs).order_by(programs.c.began_at, programs.c.id)
        return [build(RunningProgram, row) for row in self._connection.execute(chosen).mappings()]

    def keep(self, program: RunningProgram) -> None:
        """Note one, in place of what was noted of it."""
        row = values_of(program)
        changed = update(programs).where(programs.c.id == program.id).values(row)
        if self._connection.execute(changed).rowcount == 0:
            self._connection.execute(insert(programs).values(row))

    def remove(self, ids: Collection[str]) -> None:
        """Take away those that are there."""
        self._connection.execute(delete(programs).where(programs.c.id.in_(ids)))
