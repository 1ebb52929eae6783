"""What people set for administering keys, inside a transaction."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from keybench.journal.register_tables import settings


class Settings:
    """What the journal does with settings; see `core.ports.Register`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def one(self, name: str) -> str:
        """Return what was set; empty if nothing was."""
        return (
            self._connection.execute(select(settings.c.value).where(settings.c.name == name)).scalar() or ""
        )

    def put(self, name: str, value: str) -> None:
        """Set it, in place of what was there."""
        changed = update(settings).where(settings.c.name == name).values(value=value)
        if self._connection.execute(changed).rowcount == 0:
            self._connection.execute(insert(settings).values(name=name, value=value))
