"""The desks of a team, and what each holds of the keys' values.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, select

from keybench.core.keys.key import SecurityKey
from keybench.core.team.desk import Held, Holding, TeamDesk
from keybench.journal import tables
from keybench.journal.keys import note_held
from keybench.journal.rows import build, fold
from keybench.journal.store import database_now, put, this_desk, this_role
from keybench.journal.tables import desk_values, security_keys


def keep_desk(connection: Connection, name: str, who: str = "") -> None:
    """Note what this desk is called, that it was seen now, and by `who` unless somebody is logged in."""
    who, now = this_role(connection) or who, database_now(connection)
    put(connection, tables.desks, {"id": this_desk(connection), "name": name, "who": who, "seen_at": now})


def desks(connection: Connection) -> Sequence[TeamDesk]:
    """Return the desks by name."""
    now = database_now(connection)
    rows = connection.execute(select(tables.desks)).mappings()
    found = [build(TeamDesk, row, silent=now - row["seen_at"]) for row in rows]
    return sorted(found, key=lambda one: (fold(one.name), one.id))


def holdings(connection: Connection) -> Sequence[Holding]:
    """Return what desks last saw of keys' values."""
    return [build(Holding, row) for row in connection.execute(select(desk_values)).mappings()]


def holdings_stamp(connection: Connection) -> object:
    """Return what changes whenever a holding does, for to read all of many desks takes long."""
    counted = select(desk_values.c.held, func.count(), func.max(desk_values.c.at)).group_by(
        desk_values.c.held
    )
    return sorted(map(tuple, connection.execute(counted)))


def note_value(connection: Connection, key: SecurityKey, held: Held | None, proof: str) -> bool:
    """Note what this desk's keystore has of a key, unless that is gone; return whether it is news."""
    is_there = connection.execute(select(security_keys.c.id).where(security_keys.c.id == key.id)).first()
    return is_there is not None and note_held(connection, key, held, proof)


def values_to_erase(connection: Connection) -> Sequence[Holding]:
    """Return what this desk noted of keys that another desk deleted or forgot."""
    here = desk_values.c.desk_id == this_desk(connection), desk_values.c.held == Held.TO_ERASE
    return [build(Holding, row) for row in connection.execute(select(desk_values).where(*here)).mappings()]


def drop_holding(connection: Connection, key_id: str) -> None:
    """Note that this desk has nothing of a key's value any more."""
    its = desk_values.c.key_id == key_id, desk_values.c.desk_id == this_desk(connection)
    connection.execute(delete(desk_values).where(*its))
