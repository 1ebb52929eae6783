"""Which applications use which key, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select, update

from keybench.core.application import Application
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

    def update(self, application: Application) -> None:
        """Replace one; NotFound, or NameTaken by another."""
        if not self.update_if_there(application):
            raise NotFound("application", application.name)

    def update_if_there(self, application: Application) -> bool:
        """Replace one and tell whether it was there; NameTaken by another."""
        is_it = applications.c.id == application.id
        if self._connection.execute(select(applications.c.id).where(is_it)).first() is None:
            return False
        self._check(application)
        self._connection.execute(update(applications).where(is_it).values(named_values(application)))
        return True

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
