"""What is known of security keys besides their values, and which applications use them.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    delete,
    false,
    func,
    insert,
    or_,
    select,
    true,
    tuple_,
    update,
)

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyMove, KeyState, SecurityKey
from keybench.core.team.desk import Held, Holding
from keybench.journal import tables
from keybench.journal.rows import NamedTable, Values, build, exchange_of, exchange_values, fold, values_of
from keybench.journal.store import database_now, put, take_turns, this_desk
from keybench.journal.tables import (
    WAS_SENT,
    desk_values,
    environments,
    rotations,
    sale_groups,
    sales,
    security_keys,
)

_applications: Final = tables.applications
_exchanges: Final = tables.key_exchanges
_WHICH: Final = "which_key"
_AT: Final = "used_then"
# Made once, because every sale needs it.
_USED: Final = (
    update(security_keys)
    .where(security_keys.c.id == bindparam(_WHICH))
    .where(or_(security_keys.c.used_at.is_(None), security_keys.c.used_at < bindparam(_AT)))
    .values(used_at=bindparam(_AT))
)
# A key goes from here when it was seen to be refused and its value is erased: one that is still here and was
# once taken for compromised hasn't been dealt with, also where its rotation was given up.
# Others with its value in its environment are the same key to the gateway.
_LEAKED: Final = select(rotations.c.old_key_id).where(rotations.c.compromised.is_(true()))
_other: Final = security_keys.alias("other")
COMPROMISED: Final = or_(
    security_keys.c.id.in_(_LEAKED),
    tuple_(security_keys.c.environment_id, security_keys.c.fingerprint).in_(
        select(_other.c.environment_id, _other.c.fingerprint).where(
            _other.c.id.in_(_LEAKED), _other.c.fingerprint != ""
        )
    ),
)
_HELD_HERE: Final = and_(
    desk_values.c.key_id == security_keys.c.id, desk_values.c.desk_id == bindparam("desk")
)
#: What a test shows of a key, which a desk that hasn't its value can't tell.
_SHOWN: Final = ("status", "tested_at", "tried_at", "trial")


class _KeyTable(NamedTable[SecurityKey]):
    """Keys as this desk has them: without a value where its keystore hasn't the key's present one."""

    def read(self, connection: Connection, chosen: Select[Any]) -> list[SecurityKey]:
        rows = connection.execute(chosen, {"desk": this_desk(connection)}).mappings()
        return [_as_here(row) for row in rows]

    def add(self, connection: Connection, record: SecurityKey) -> None:
        super().add(connection, record if record.has_value else replace(record, state=KeyState.KEPT))
        if record.state is not KeyState.NO_VALUE:
            note_held(connection, record, _held(record))

    def update(self, connection: Connection, record_id: str, move: KeyMove) -> SecurityKey:
        seen: list[SecurityKey] = []

        def moved_here(stored: SecurityKey) -> SecurityKey:
            moved = move(stored)
            if not moved.has_value and moved.fingerprint == stored.fingerprint:
                moved = replace(moved, **{name: getattr(stored, name) for name in _SHOWN})
            seen.append(stored)
            return moved

        moved = super().update(connection, record_id, moved_here)
        before = seen[0]
        if not moved.has_value and moved.fingerprint != before.fingerprint:
            is_it = security_keys.c.id == record_id
            connection.execute(update(security_keys).where(is_it).values(state=KeyState.KEPT))
        if (moved.state, moved.fingerprint) != (before.state, before.fingerprint):
            note_held(connection, moved, None if moved.state is KeyState.NO_VALUE else _held(moved))
        return moved

    def remove(self, connection: Connection, record_id: str) -> None:
        super().remove(connection, record_id)
        its, here = desk_values.c.key_id == record_id, desk_values.c.desk_id == this_desk(connection)
        # Other desks are told so: that a key is missing doesn't show it, as while a backup is restored.
        held = its, ~here, desk_values.c.held == Held.HELD
        connection.execute(update(desk_values).where(*held).values(held=Held.TO_ERASE))
        connection.execute(delete(desk_values).where(its, desk_values.c.held != Held.TO_ERASE))

    def _row(self, record: SecurityKey) -> Values:
        row = super()._row(record)
        if not record.has_value:  # no fact of the key: what tests showed of it elsewhere stays
            del row["state"]
        return row


def _held(key: SecurityKey) -> Held:
    return Held.HELD if key.has_value else Held.LOST


def _as_here(row: RowMapping) -> SecurityKey:
    if row["held"] is None or row["held_fingerprint"] != row["fingerprint"]:
        return build(SecurityKey, row, state=KeyState.NO_VALUE)
    if row["held"] is Held.LOST:
        return build(SecurityKey, row, state=KeyState.VALUE_LOST)
    return build(SecurityKey, row)


def note_held(connection: Connection, key: SecurityKey, held: Held | None, proof: str = "") -> bool:
    """Note what this desk holds of a key's value, as its keystore shows; None for that it never had it.

    Return whether that is news. A value that stays keeps the proof it has where none is given.
    """
    desk = this_desk(connection)
    is_it = desk_values.c.key_id == key.id, desk_values.c.desk_id == desk
    before = connection.execute(select(desk_values).where(*is_it)).mappings().first()
    if held is None:
        connection.execute(delete(desk_values).where(*is_it))
        return before is not None
    stays = before if before and (before["held"], before["fingerprint"]) == (held, key.fingerprint) else None
    if stays is None or proof not in {"", stays["proof"]}:
        at = stays["at"] if stays else database_now(connection)
        holding = Holding(desk, key.environment_id, key.id, held, key.fingerprint, proof, at)
        put(connection, desk_values, values_of(holding))
    return stays is None


#: When a key was last used and whether it is compromised are known here alone.
KEYS: Final = _KeyTable(
    security_keys,
    select(
        security_keys,
        COMPROMISED.label("compromised"),
        desk_values.c.held,
        desk_values.c.fingerprint.label("held_fingerprint"),
    ).select_from(security_keys.outerjoin(desk_values, _HELD_HERE)),
    SecurityKey,
    "key",
    fixed=("id", "environment_id", "used_at", "compromised"),
    scope=("environment_id",),
)
APPLICATIONS: Final = NamedTable(
    _applications,
    select(_applications),
    Application,
    "application",
    fixed=("id", "environment_id"),
    scope=("key_id",),
)
_ITS_SALES: Final = (
    select(sale_groups.c.id).where(sale_groups.c.key_id == security_keys.c.id).correlate(security_keys)
)
#: When a sale was last sent with each key, from the sales that are kept.
LAST_SENT: Final = (
    select(func.max(sales.c.noted_at))
    .where(sales.c.group_id.in_(_ITS_SALES), WAS_SENT)
    .correlate(security_keys)
    .scalar_subquery()
)


def expect_right_to_remove(connection: Connection) -> None:
    """Change nothing, and fail as removing keys and environments would for want of a right."""
    for table in (security_keys, environments):
        connection.execute(delete(table).where(false()))


def keys(connection: Connection, environment_id: str) -> Sequence[SecurityKey]:
    """Return an environment's keys by name."""
    chosen = KEYS.chosen.where(security_keys.c.environment_id == environment_id)
    found = KEYS.read(connection, chosen)
    return sorted(found, key=lambda key: (fold(key.name), key.name))


def all_keys(connection: Connection) -> Sequence[SecurityKey]:
    """Return the keys of every environment, practice's first, then by environment and name."""
    names: dict[str, str] = dict(connection.execute(select(environments.c.id, environments.c.name)).all())
    found = KEYS.read(connection, KEYS.chosen)

    def place(key: SecurityKey) -> tuple[bool, str, str, str]:
        where = key.environment_id
        return where != PRACTICE_ID, fold(names[where]), fold(key.name), key.name

    return sorted(found, key=place)


def keep_key_exchanges(connection: Connection, key_id: str, exchanges: Sequence[Exchange]) -> None:
    """Keep the exchanges of a key's last test alone; NotFound."""
    if connection.execute(select(security_keys.c.id).where(security_keys.c.id == key_id)).first() is None:
        raise NotFound("key", key_id)
    take_turns(connection, f"{_exchanges.name}\n{key_id}")
    connection.execute(delete(_exchanges).where(_exchanges.c.key_id == key_id))
    if exchanges:
        rows = [exchange_values(exchange, key_id=key_id) for exchange in exchanges]
        connection.execute(insert(_exchanges), rows)


def key_exchanges(connection: Connection, key_id: str) -> Sequence[Exchange]:
    """Return the exchanges of a key's last test in order."""
    chosen = select(_exchanges).where(_exchanges.c.key_id == key_id).order_by(_exchanges.c.number)
    return [exchange_of(row) for row in connection.execute(chosen).mappings()]


def note_use(connection: Connection, key_id: str, at: datetime) -> None:
    """Note when a key was last used; nothing if it isn't there, or was used since."""
    connection.execute(_USED, {_WHICH: key_id, _AT: at})


def take_back_use(connection: Connection, key_id: str, at: datetime) -> None:
    """Note that a use turned out to be none: the last one before it counts again."""
    is_it = security_keys.c.id == key_id, security_keys.c.used_at == at
    connection.execute(update(security_keys).where(*is_it).values(used_at=LAST_SENT))


def applications(connection: Connection, environment_id: str | None = None) -> Sequence[Application]:
    """Return the applications of one environment, or all, by name."""
    chosen = APPLICATIONS.chosen
    if environment_id is not None:
        chosen = chosen.where(_applications.c.environment_id == environment_id)
    found = [build(Application, row) for row in connection.execute(chosen).mappings()]
    return sorted(found, key=lambda a: (fold(a.name), a.name, a.id))
