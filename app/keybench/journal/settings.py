"""What people set for administering keys, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable

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

    def update(self, name: str, move: Callable[[str], str]) -> str:
        """Apply `move` to what was set, empty if nothing was, and return the result."""
        is_it = settings.c.name == name
        stored = self._connection.execute(select(settings.c.value).where(is_it).with_for_update()).scalar()
        moved = move(stored or "")
        if stored is None:
            self._connection.execute(insert(settings).values(name=name, value=moved))
        elif moved != stored:
            self._connection.execute(update(settings).where(is_it).values(value=moved))
        return moved
