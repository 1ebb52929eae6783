"""The journal's tables: what is kept, which rules the database itself holds, what is found fast.

Text is unbounded and storable whatever it holds, identifiers too, because people type them to look things
up. Rows that people read in order carry a `number` that only grows. A column has the name of its attribute
in `core`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, ForeignKey, Index, String, Table, UniqueConstraint, literal_column, or_

from keybench.core.environment import EnvironmentKind
from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, SaleMode, SaleStage
from keybench.core.security_key import KeyKind, KeyState, Trial
from keybench.journal.columns import Amount, FreeText, HeaderList
from keybench.journal.register_tables import activities, applications, key_plans, rotations, settings
from keybench.journal.schema import (
    NEEDED,
    count,
    counted,
    environment,
    folded,
    metadata,
    needed,
    seconds,
    text,
    time,
    word,
)

__all__ = [
    "HAS_REQUEST_ID",
    "SCHEMA_VERSION",
    "WAS_SENT",
    "activities",
    "applications",
    "devices",
    "environments",
    "exchanges",
    "key_plans",
    "meta",
    "metadata",
    "programs",
    "rotations",
    "sale_events",
    "sale_groups",
    "sales",
    "security_keys",
    "settings",
]

#: Raised by one with every change to what is below; `meta` keeps the version a journal has, and
#: `journal.upgrading` brings an older one up to this.
SCHEMA_VERSION: Final = 3


def _sale() -> Column[str]:
    return Column("reference", FreeText, ForeignKey("sales.reference"), nullable=False, index=True)


meta = Table(
    "meta",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", String(200), nullable=False, info={NEEDED: True}),
)

environments = Table(
    "environments",
    metadata,
    Column("id", FreeText, primary_key=True),
    text("name"),
    folded("folded_name", "name", unique=True),
    word("kind", EnvironmentKind),
    needed("base_url"),
    needed("contract"),
    time("created_at"),
    Column("amount_limit", Amount),
    needed("proxy"),
)

security_keys = Table(
    "security_keys",
    metadata,
    Column("id", FreeText, primary_key=True),
    environment(),
    text("name"),
    folded("folded_name", "name"),
    text("username"),
    text("permission"),
    word("kind", KeyKind),
    text("purpose"),
    needed("fingerprint"),
    time("created_at"),
    needed("gateway_id"),
    word("state", KeyState),
    count("status"),
    time("tested_at", nullable=True),
    text("owner"),
    time("used_at", nullable=True),
    time("tried_at", nullable=True),
    word("trial", Trial, nullable=True),
    needed("folded_fingerprint"),
    UniqueConstraint("environment_id", "folded_name"),
)

# Who works on the journal at present. A program renews its row as long as it runs, and takes it away.
programs = Table(
    "programs",
    metadata,
    Column("id", FreeText, primary_key=True),
    needed("computer"),
    count("process"),
    time("began_at"),
    time("renewed_at"),
)

devices = Table(
    "devices",
    metadata,
    environment(primary_key=True),
    Column("id", FreeText, primary_key=True, info={NEEDED: False}),
    text("nickname"),
    folded("folded_nickname", "nickname"),
    text("connection"),
)

# What text and keys are looked for in, kept apart because it is the same for many sales, see
# `journal.history`.
# `folded_names` holds the device's and the key's, in the form in which case makes no difference.
sale_groups = Table(
    "sale_groups",
    metadata,
    counted("id"),
    needed("environment_id"),
    text("device"),
    needed("key_id"),
    text("key_name"),
    folded("folded_names", "device", "key_name"),
    UniqueConstraint("environment_id", "device", "key_id", "key_name"),
)

# Sales outlive the environment and the key they were made with, so neither is a foreign key here. The
# outcome's columns are all empty until there is one.
sales = Table(
    "sales",
    metadata,
    counted(),
    Column("reference", FreeText, nullable=False, unique=True, info={NEEDED: True}),
    Column("group_id", ForeignKey("sale_groups.id"), nullable=False),
    needed("environment_id"),
    needed("key_id"),
    text("key_name"),
    text("device"),
    Column("amount", Amount, nullable=False),
    Column("currency", String(3), nullable=False, info={NEEDED: True}),
    word("mode", SaleMode),
    word("stage", SaleStage),
    time("noted_at"),
    time("accepted_at", nullable=True),
    time("finished_at", nullable=True),
    needed("request_id"),
    count("polls"),
    needed("owner"),
    word("outcome", Outcome, nullable=True),
    text("reason", nullable=True),
    text("message", nullable=True),
    count("status", nullable=True),
    text("gateway_status", nullable=True),
    text("transaction_id", nullable=True),
    text("authorisation", nullable=True),
    text("response_code", nullable=True),
    text("error_reference", nullable=True),
    Index(None, "noted_at"),
    Index(None, "environment_id", "noted_at"),
    Index(None, "stage", "noted_at"),
    Index(None, "outcome", "noted_at"),
    Index(None, "group_id", "noted_at", "outcome"),
)

#: Which sales' requests went out, as `Sale.was_sent` has it.
WAS_SENT: Final = or_(sales.c.stage == SaleStage.ACCEPTED, sales.c.outcome != Outcome.NOT_SENT)

#: Which sales are in the index by request id; a noted one isn't, so noting costs nothing more.
HAS_REQUEST_ID: Final = sales.c.request_id != literal_column("''")
# Both columns that are asked for, or SQLite may take an environment's index instead, whichever it knew first.
Index(
    None,
    sales.c.request_id,
    sales.c.environment_id,
    sqlite_where=HAS_REQUEST_ID,
    postgresql_where=HAS_REQUEST_ID,
)

sale_events = Table(
    "sale_events",
    metadata,
    counted(),
    _sale(),
    time("at"),
    word("mark", Mark),
    text("detail"),
    seconds("took_s"),
)

exchanges = Table(
    "exchanges",
    metadata,
    counted(),
    _sale(),
    time("at"),
    needed("method"),
    text("url"),
    Column("request_headers", HeaderList, nullable=False),
    text("request_body"),
    count("status"),
    Column("response_headers", HeaderList, nullable=False),
    text("response_body"),
    text("failure"),
    seconds("total_s", nullable=False),
    seconds("dns_s"),
    seconds("connect_s"),
    seconds("tls_s"),
    seconds("wait_s"),
    seconds("read_s"),
)
