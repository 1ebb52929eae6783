"""The journal's tables: what is kept, which rules the database itself holds, what is found fast.

Text is unbounded and storable whatever it holds, identifiers too, because people type them to look things
up. Rows that people read in order carry a `number` that only grows. A column has the name of its attribute
in `core`.
"""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    literal_column,
)

from keybench.core.environment import EnvironmentKind
from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, SaleMode, SaleStage
from keybench.core.security_key import KeyKind, KeyState
from keybench.journal.columns import Amount, FreeText, HeaderList, UtcTime, Word

#: Raised by one with every change to what is below; `meta` keeps the version a journal was made with.
SCHEMA_VERSION: Final = 1

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _text(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, FreeText, nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> Column[datetime]:
    return Column(name, UtcTime, nullable=nullable)


def _count(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, Integer, nullable=nullable)


def _word(name: str, words: type[enum.StrEnum], *, nullable: bool = False) -> Column[enum.StrEnum]:
    return Column(name, Word(words), nullable=nullable)


def _seconds(name: str, *, nullable: bool = True) -> Column[float]:
    return Column(name, Double, nullable=nullable)


def _number() -> Column[int]:
    # SQLite counts by itself in a column of type INTEGER only.
    return Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True)


def _environment(*, primary_key: bool = False) -> Column[str]:
    parent = ForeignKey("environments.id", ondelete="CASCADE")
    return Column("environment_id", FreeText, parent, nullable=False, primary_key=primary_key)


def _sale() -> Column[str]:
    return Column("reference", FreeText, ForeignKey("sales.reference"), nullable=False, index=True)


meta = Table(
    "meta",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", String(200), nullable=False),
)

environments = Table(
    "environments",
    metadata,
    Column("id", FreeText, primary_key=True),
    _text("name"),
    Column("folded_name", FreeText, nullable=False, unique=True),
    _word("kind", EnvironmentKind),
    _text("base_url"),
    _text("contract"),
    _time("created_at"),
    Column("amount_limit", Amount),
)

security_keys = Table(
    "security_keys",
    metadata,
    Column("id", FreeText, primary_key=True),
    _environment(),
    _text("name"),
    _text("folded_name"),
    _text("username"),
    _text("permission"),
    _word("kind", KeyKind),
    _text("purpose"),
    _text("fingerprint"),
    _time("created_at"),
    _text("gateway_id"),
    _word("state", KeyState),
    _count("status"),
    _time("tested_at", nullable=True),
    UniqueConstraint("environment_id", "folded_name"),
)

devices = Table(
    "devices",
    metadata,
    _environment(primary_key=True),
    Column("id", FreeText, primary_key=True),
    _text("nickname"),
    _text("folded_nickname"),
    _text("connection"),
)

# What text is looked for in, kept apart because it is the same for many sales, see `journal.history`.
# `folded_names` holds the device's and the key's, in the form in which case makes no difference.
sale_groups = Table(
    "sale_groups",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    _text("environment_id"),
    _text("device"),
    _text("key_name"),
    _text("folded_names"),
    UniqueConstraint("environment_id", "device", "key_name"),
)

# Sales outlive the environment and the key they were made with, so neither is a foreign key here. The
# outcome's columns are all empty until there is one.
sales = Table(
    "sales",
    metadata,
    _number(),
    Column("reference", FreeText, nullable=False, unique=True),
    Column("group_id", ForeignKey("sale_groups.id"), nullable=False),
    _text("environment_id"),
    _text("key_id"),
    _text("key_name"),
    _text("device"),
    Column("amount", Amount, nullable=False),
    Column("currency", String(3), nullable=False),
    _word("mode", SaleMode),
    _word("stage", SaleStage),
    _time("noted_at"),
    _time("accepted_at", nullable=True),
    _time("finished_at", nullable=True),
    _text("request_id"),
    _count("polls"),
    _text("owner"),
    _word("outcome", Outcome, nullable=True),
    _text("reason", nullable=True),
    _text("message", nullable=True),
    _count("status", nullable=True),
    _text("gateway_status", nullable=True),
    _text("transaction_id", nullable=True),
    _text("authorisation", nullable=True),
    _text("response_code", nullable=True),
    _text("error_reference", nullable=True),
    Index(None, "noted_at"),
    Index(None, "environment_id", "noted_at"),
    Index(None, "stage", "noted_at"),
    Index(None, "outcome", "noted_at"),
    Index(None, "group_id", "noted_at", "outcome"),
)

#: Which sales are in the index by request id; a noted one isn't, so noting costs nothing more.
HAS_REQUEST_ID: Final = sales.c.request_id != literal_column("''")
Index(None, sales.c.request_id, sqlite_where=HAS_REQUEST_ID, postgresql_where=HAS_REQUEST_ID)

sale_events = Table(
    "sale_events",
    metadata,
    _number(),
    _sale(),
    _time("at"),
    _word("mark", Mark),
    _text("detail"),
    _seconds("took_s"),
)

exchanges = Table(
    "exchanges",
    metadata,
    _number(),
    _sale(),
    _time("at"),
    _text("method"),
    _text("url"),
    Column("request_headers", HeaderList, nullable=False),
    _text("request_body"),
    _count("status"),
    Column("response_headers", HeaderList, nullable=False),
    _text("response_body"),
    _text("failure"),
    _seconds("total_s", nullable=False),
    _seconds("dns_s"),
    _seconds("connect_s"),
    _seconds("tls_s"),
    _seconds("wait_s"),
    _seconds("read_s"),
)

activities = Table(
    "activities",
    metadata,
    _number(),
    _time("at"),
    _text("action"),
    _text("environment_id"),
    _text("subject"),
    _text("result"),
)
