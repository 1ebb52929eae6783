"""Which applications use which key, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, delete, insert, select, update

from keybench.core.application import Application, ApplicationMove
from keybench.core.errors import NameTaken, NotFound
from keybench.journal.environments import require_environment
from keybench.journal.register_tables import applications
from keybench.journal.rows import build, fold, named_values


class Applications:
    """What the journal does with applications; see `core.ports.Register`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, environment_id: str | None) -> Sequence[Application]:
        """Return those of one environment, or all, by name."""
        chosen = select(applications)
        if environment_id is not None:
            chosen = chosen.where(applications.c.environment_id == environment_id)
        found = [build(Application, row) for row in self._connection.execute(chosen).mappings()]
        return sorted(found, key=lambda a: (fold(a.name), a.name, a.id))

    def add(self, application: Application) -> None:
        """Add one; NameTaken, or NotFound for its environment."""
        self._check(application)
        self._connection.execute(insert(applications), named_values(application))

    def update(self, application_id: str, move: ApplicationMove) -> Application:
        """Apply `move` to one; NotFound, or NameTaken by another."""
        moved = self.update_if_there(application_id, move)
        if moved is None:
            raise NotFound("application", application_id)
        return moved

    def update_if_there(self, application_id: str, move: ApplicationMove) -> Application | None:
        """Apply `move` to one and return it; None if it is gone. NameTaken by another."""
        is_it = applications.c.id == application_id
        row = self._connection.execute(select(applications).where(is_it).with_for_update()).mappings().first()
        if row is None:
            return None
        before = build(Application, row)
        moved = replace(move(before), id=before.id, environment_id=before.environment_id)
        if moved != before:
            self._check(moved)
            self._connection.execute(update(applications).where(is_it).values(named_values(moved)))
        return moved

    def remove(self, application_id: str) -> None:
        """Remove one if it is there."""
        self._connection.execute(delete(applications).where(applications.c.id == application_id))

    def _check(self, application: Application) -> None:
        require_environment(self._connection, application.environment_id)
        taken = select(applications.c.id).where(
            applications.c.key_id == application.key_id,
            applications.c.folded_name == fold(application.name),
            applications.c.id != application.id,
        )
        if self._connection.execute(taken).first() is not None:
            raise NameTaken("application", application.name)
