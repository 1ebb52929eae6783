"""What is known of security keys besides their values, and which applications use them.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import (
    Connection,
    bindparam,
    delete,
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
from keybench.core.keys.application import Application, ApplicationMove
from keybench.core.keys.key import KeyMove, SecurityKey
from keybench.journal import tables
from keybench.journal.environments import require_environment
from keybench.journal.rows import (
    Values,
    build,
    exchange_of,
    exchange_values,
    fold,
    named_values,
    require_free_name,
)
from keybench.journal.tables import WAS_SENT, environments, rotations, sale_groups, sales, security_keys

_applications: Final = tables.applications
_exchanges: Final = tables.key_exchanges
_ENVIRONMENT_NAME: Final = "environment_name"
_WHICH: Final = "which_key"
_AT: Final = "used_then"
#: What no move changes.
_FIXED: Final = ("id", "environment_id", "used_at", "compromised")
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
_KEYS: Final = select(security_keys, COMPROMISED.label("compromised"))
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


def keys(connection: Connection, environment_id: str) -> Sequence[SecurityKey]:
    """Return an environment's keys by name."""
    chosen = _KEYS.where(security_keys.c.environment_id == environment_id)
    found = [build(SecurityKey, row) for row in connection.execute(chosen).mappings()]
    return sorted(found, key=lambda key: (fold(key.name), key.name))


def all_keys(connection: Connection) -> Sequence[SecurityKey]:
    """Return the keys of every environment, practice's first, then by environment and name."""
    chosen = _KEYS.add_columns(environments.c.name.label(_ENVIRONMENT_NAME)).join(environments)
    rows = connection.execute(chosen).mappings()
    found = [(fold(row[_ENVIRONMENT_NAME]), build(SecurityKey, row)) for row in rows]
    found.sort(
        key=lambda pair: (pair[1].environment_id != PRACTICE_ID, pair[0], fold(pair[1].name), pair[1].name)
    )
    return [key for _, key in found]


def add_key(connection: Connection, key: SecurityKey) -> None:
    """Add a key; NameTaken, or NotFound for its environment."""
    _check_key(connection, key)
    connection.execute(insert(security_keys), _row(key))


def update_key(connection: Connection, key_id: str, move: KeyMove) -> SecurityKey:
    """Apply `move` to a key; NotFound, or NameTaken by another."""
    chosen = _KEYS.where(security_keys.c.id == key_id).with_for_update(of=security_keys)
    row = connection.execute(chosen).mappings().first()
    if row is None:
        raise NotFound("key", key_id)
    before = build(SecurityKey, row)
    # When it was last used and whether it is compromised are known here alone.
    fixed = {name: getattr(before, name) for name in _FIXED}
    moved = replace(move(before), **fixed)
    if moved != before:
        _check_key(connection, moved)
        connection.execute(update(security_keys).where(security_keys.c.id == key_id).values(_row(moved)))
    return moved


def keep_key_exchanges(connection: Connection, key_id: str, exchanges: Sequence[Exchange]) -> None:
    """Keep the exchanges of a key's last test alone; NotFound."""
    if connection.execute(select(security_keys.c.id).where(security_keys.c.id == key_id)).first() is None:
        raise NotFound("key", key_id)
    connection.execute(delete(_exchanges).where(_exchanges.c.key_id == key_id))
    if exchanges:
        rows = [exchange_values(exchange, key_id=key_id) for exchange in exchanges]
        connection.execute(insert(_exchanges), rows)


def key_exchanges(connection: Connection, key_id: str) -> Sequence[Exchange]:
    """Return the exchanges of a key's last test in order."""
    chosen = select(_exchanges).where(_exchanges.c.key_id == key_id).order_by(_exchanges.c.number)
    return [exchange_of(row) for row in connection.execute(chosen).mappings()]


def remove_key(connection: Connection, key_id: str) -> None:
    """Remove a key if it is there."""
    connection.execute(delete(security_keys).where(security_keys.c.id == key_id))


def note_use(connection: Connection, key_id: str, at: datetime) -> None:
    """Note when a key was last used; nothing if it isn't there, or was used since."""
    connection.execute(_USED, {_WHICH: key_id, _AT: at})


def take_back_use(connection: Connection, key_id: str, at: datetime) -> None:
    """Note that a use turned out to be none: the last one before it counts again."""
    is_it = security_keys.c.id == key_id, security_keys.c.used_at == at
    connection.execute(update(security_keys).where(*is_it).values(used_at=LAST_SENT))


def applications(connection: Connection, environment_id: str | None = None) -> Sequence[Application]:
    """Return the applications of one environment, or all, by name."""
    chosen = select(_applications)
    if environment_id is not None:
        chosen = chosen.where(_applications.c.environment_id == environment_id)
    found = [build(Application, row) for row in connection.execute(chosen).mappings()]
    return sorted(found, key=lambda a: (fold(a.name), a.name, a.id))


def add_application(connection: Connection, application: Application) -> None:
    """Add an application; NameTaken, or NotFound for its environment."""
    _check_application(connection, application)
    connection.execute(insert(_applications), named_values(application))


def update_application(connection: Connection, application_id: str, move: ApplicationMove) -> Application:
    """Apply `move` to an application; NotFound, or NameTaken by another."""
    is_it = _applications.c.id == application_id
    row = connection.execute(select(_applications).where(is_it).with_for_update()).mappings().first()
    if row is None:
        raise NotFound("application", application_id)
    before = build(Application, row)
    moved = replace(move(before), id=before.id, environment_id=before.environment_id)
    if moved != before:
        _check_application(connection, moved)
        connection.execute(update(_applications).where(is_it).values(named_values(moved)))
    return moved


def remove_application(connection: Connection, application_id: str) -> None:
    """Remove an application if it is there."""
    connection.execute(delete(_applications).where(_applications.c.id == application_id))


def _check_key(connection: Connection, key: SecurityKey) -> None:
    require_environment(connection, key.environment_id)
    require_free_name(connection, security_keys, key, "key", "environment_id")


def _check_application(connection: Connection, application: Application) -> None:
    require_environment(connection, application.environment_id)
    require_free_name(connection, _applications, application, "application", "key_id")


def _row(key: SecurityKey) -> Values:
    row = named_values(key)
    del row["compromised"]  # known from its rotations
    return row
