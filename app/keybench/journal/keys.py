"""What is known of security keys besides their values, and which applications use them.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, true, tuple_, update

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.journal import tables
from keybench.journal.rows import NamedTable, build, exchange_of, exchange_values, fold
from keybench.journal.tables import WAS_SENT, environments, rotations, sale_groups, sales, security_keys

_applications: Final = tables.applications
_exchanges: Final = tables.key_exchanges
_ENVIRONMENT_NAME: Final = "environment_name"
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
#: When a key was last used and whether it is compromised are known here alone.
KEYS: Final = NamedTable(
    security_keys,
    select(security_keys, COMPROMISED.label("compromised")),
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


def keys(connection: Connection, environment_id: str) -> Sequence[SecurityKey]:
    """Return an environment's keys by name."""
    chosen = KEYS.chosen.where(security_keys.c.environment_id == environment_id)
    found = [build(SecurityKey, row) for row in connection.execute(chosen).mappings()]
    return sorted(found, key=lambda key: (fold(key.name), key.name))


def all_keys(connection: Connection) -> Sequence[SecurityKey]:
    """Return the keys of every environment, practice's first, then by environment and name."""
    chosen = KEYS.chosen.add_columns(environments.c.name.label(_ENVIRONMENT_NAME)).join(environments)
    rows = connection.execute(chosen).mappings()
    found = [(fold(row[_ENVIRONMENT_NAME]), build(SecurityKey, row)) for row in rows]
    found.sort(
        key=lambda pair: (pair[1].environment_id != PRACTICE_ID, pair[0], fold(pair[1].name), pair[1].name)
    )
    return [key for _, key in found]


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
