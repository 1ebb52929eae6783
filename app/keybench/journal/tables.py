"""The journal's tables: what is kept, which rules the database itself holds, what is found fast.

Text is unbounded and storable whatever it holds, identifiers too, because people type them to look things
up. Rows that people read in order carry a `number` that only grows. A column has the name of its attribute
in `core`.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    ForeignKey,
    Index,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
    literal_column,
    or_,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.compiler import DDLCompiler

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyKind, KeyState, Trial
from keybench.core.sales.sale import Mark, Outcome, SaleMode, SaleStage
from keybench.core.team.desk import Held
from keybench.journal.columns import (
    Amount,
    Compressed,
    FreeText,
    HeaderList,
    count,
    counted,
    environment,
    metadata,
    seconds,
    text,
    time,
    word,
)

#: Raised by one with every change to what is below; `meta` keeps the version a journal has, and
#: `journal.sqlite.upgrading` brings an older one up to this. Tables, columns and indexes are only ever added.
SCHEMA_VERSION: Final = 14
#: The oldest version whose programs may work on a journal of this one: desks of a team aren't all brought up
#: to date on one day. A column that is added after that version has a `server_default`, or is nullable.
COMPATIBLE_SINCE: Final = 14
#: The names of the facts in `meta`: which tables a journal has.
VERSION: Final = "schema_version"
#: `COMPATIBLE_SINCE` of the Keybench that brought the schema to its version.
COMPATIBLE: Final = "schema_compatible_since"
#: The installation's identifier, which stood here before version 14.
INSTALLATION: Final = "installation"
#: The version of Keybench that brought the schema to its version.
WRITER: Final = "schema_writer"
#: Of a team's journal, a salt and a hash of the team's secret by it, by which a wrong code is told.
TEAM_CHECK: Final = "team_check"


def _sale() -> Column[str]:
    return Column("reference", FreeText, ForeignKey("sales.reference"), nullable=False, index=True)


@compiles(CreateIndex, "postgresql")
def _partial_there_too(create: CreateIndex, compiler: DDLCompiler, **options: Any) -> str:
    """Make an index partial in PostgreSQL that is partial in SQLite.

    To name the condition for PostgreSQL at the index would import that dialect with every start: 30 ms.
    """
    where = create.element.dialect_options["sqlite"]["where"]
    create.element.dialect_options["postgresql"]["where"] = where
    return str(compiler.visit_create_index(create, **options))  # type: ignore[no-untyped-call]  # SQLAlchemy's own


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
    text("name"),
    text("folded_name", unique=True),
    word("kind", EnvironmentKind),
    text("base_url"),
    text("contract"),
    time("created_at"),
    Column("amount_limit", Amount),
    text("proxy"),
    text("portal_url"),
)

security_keys = Table(
    "security_keys",
    metadata,
    Column("id", FreeText, primary_key=True),
    environment(),
    text("name"),
    text("folded_name"),
    text("username"),
    text("permission"),
    word("kind", KeyKind),
    text("purpose"),
    text("fingerprint"),
    time("created_at"),
    text("gateway_id"),
    word("state", KeyState),
    count("status"),
    time("tested_at", nullable=True),
    text("owner"),
    time("used_at", nullable=True),
    time("tried_at", nullable=True),
    word("trial", Trial, nullable=True),
    text("folded_fingerprint"),
    time("imported_at", nullable=True),
    UniqueConstraint("environment_id", "folded_name"),
)

# Who works on the journal at present. A program renews its row as long as it runs, and takes it away.
# `renewed_at` is by the database's clock; `works_on` is what a person has open there, such as a rotation.
programs = Table(
    "programs",
    metadata,
    Column("id", FreeText, primary_key=True),
    text("computer"),
    count("process"),
    time("began_at"),
    time("renewed_at"),
    text("desk_id"),
    text("works_on"),
)

desks = Table(
    "desks",
    metadata,
    Column("id", FreeText, primary_key=True),
    text("name"),
    text("who"),
    time("seen_at"),
)

# What each desk last saw of the keys' values in its keystore. Neither the desk nor the key is a foreign key:
# of a key that is gone, a desk learns from its rows here that it has a value to erase.
desk_values = Table(
    "desk_values",
    metadata,
    Column("desk_id", FreeText, primary_key=True),
    Column("key_id", FreeText, primary_key=True, index=True),
    text("environment_id"),
    word("held", Held),
    text("fingerprint"),
    text("proof"),
    time("at"),
)

# Edits that contradict: `kept` stands in the record, `other` is what somebody else wrote who hadn't seen it.
contradictions = Table(
    "contradictions",
    metadata,
    counted(),
    time("at"),
    text("what"),
    text("record_id"),
    text("environment_id"),
    text("field"),
    text("kept"),
    text("other"),
    text("other_by"),
)

devices = Table(
    "devices",
    metadata,
    environment(primary_key=True),
    Column("id", FreeText, primary_key=True),
    text("nickname"),
    text("folded_nickname"),
    text("connection"),
)

# What a gateway last told of a device, which needn't be among those listed.
device_states = Table(
    "device_states",
    metadata,
    environment(primary_key=True),
    Column("device_id", FreeText, primary_key=True),
    time("read_at"),
    text("nickname"),
    Column("is_connected", Boolean),
    text("connection"),
    count("battery_percent", nullable=True),
    text("network"),
    time("last_connected_at", nullable=True),
    time("last_sale_at", nullable=True),
    Column("is_busy", Boolean),
    text("busy_with"),
)

# What text and keys are searched for in, kept apart because it is the same for many sales, see
# `journal.history`.
# `folded_names` holds the device's and the key's, in the form in which case makes no difference.
sale_groups = Table(
    "sale_groups",
    metadata,
    counted("id"),
    text("environment_id"),
    text("device"),
    text("key_id"),
    text("key_name"),
    text("folded_names"),
    UniqueConstraint("environment_id", "device", "key_id", "key_name"),
)

# Sales outlive the environment and the key they were made with, so neither is a foreign key here. The
# outcome's columns are all empty until there is one.
sales = Table(
    "sales",
    metadata,
    counted(),
    text("reference", unique=True),
    Column("group_id", ForeignKey("sale_groups.id"), nullable=False),
    text("environment_id"),
    text("key_id"),
    text("key_name"),
    text("device"),
    Column("amount", Amount, nullable=False),
    Column("currency", String(3), nullable=False),
    word("mode", SaleMode),
    word("stage", SaleStage),
    time("noted_at"),
    time("accepted_at", nullable=True),
    time("finished_at", nullable=True),
    text("request_id"),
    count("polls"),
    text("owner"),
    word("outcome", Outcome, nullable=True),
    text("reason", nullable=True),
    text("message", nullable=True),
    count("status", nullable=True),
    text("gateway_status", nullable=True),
    text("transaction_id", nullable=True),
    text("authorisation", nullable=True),
    text("response_code", nullable=True),
    text("error_reference", nullable=True),
    Column("approved_amount", Amount),
    seconds("lasted_s"),
    text("sent_to"),
    Index(None, "noted_at"),
    Index(None, "environment_id", "noted_at"),
    Index(None, "stage", "noted_at"),
    Index(None, "outcome", "noted_at"),
    Index(None, "group_id", "noted_at", "outcome"),
    Index(None, "amount", "noted_at", "currency", "outcome", "group_id"),
)
# Few sales are approved for a part.
_PART: Final = ("approved_amount", "noted_at", "currency", "outcome", "group_id")
Index(None, *(sales.c[one] for one in _PART), sqlite_where=sales.c.approved_amount.is_not(None))

#: Which sales' requests went out, as `Sale.was_sent` has it.
WAS_SENT: Final = or_(sales.c.stage == SaleStage.ACCEPTED, sales.c.outcome != Outcome.NOT_SENT)

#: Which sales are in the index by request id; a noted one isn't, so noting costs nothing more.
HAS_REQUEST_ID: Final = sales.c.request_id != literal_column("''")
# Both columns that are asked for, or SQLite may take an environment's index instead, whichever it knew first.
Index(None, sales.c.request_id, sales.c.environment_id, sqlite_where=HAS_REQUEST_ID)

#: What the gateway calls a sale, as people look it up; most sales that aren't approved have none. The indexes
#: hold all that a search asks for, so that it needn't read thousands of sales that begin alike.
GIVEN: Final = {one: one > literal_column("''") for one in (sales.c.transaction_id, sales.c.authorisation)}
for _given, _is_given in GIVEN.items():
    Index(None, _given, sales.c.noted_at, sales.c.outcome, sales.c.group_id, sqlite_where=_is_given)

sale_events = Table(
    "sale_events",
    metadata,
    counted(),
    _sale(),
    time("at"),
    word("mark", Mark),
    text("detail"),
    seconds("took_s"),
    text("reason"),
)


def _exchange() -> tuple[Column[Any], ...]:
    """Return what is kept of an exchange besides whose it is."""
    return (
        time("at"),
        text("method"),
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


# As they were kept before version 12; nothing is added, and they go by their age.
older_exchanges = Table("exchanges", metadata, counted(), _sale(), *_exchange(), Index(None, "at"))

# What was asked and answered, once for all exchanges that have it in common. `rounds` has a line in JSON for
# each: when it was in microseconds since the first, its timings, and values of headers that differ from the
# first answer's, by their places. What is left out of an answer has no `digest`.
sale_exchanges = Table(
    "sale_exchanges",
    metadata,
    counted(),
    _sale(),
    time("at"),
    text("digest"),
    count("status"),
    text("failure"),
    Column("rounds", Text, nullable=False),
    Column("request", Compressed, nullable=False),
    Column("headers", Compressed, nullable=False),
    Column("body", Compressed, nullable=False),
    Index(None, "at"),
)

# Of a key's last test alone; they go with the key.
key_exchanges = Table(
    "key_exchanges",
    metadata,
    counted(),
    Column(
        "key_id", FreeText, ForeignKey("security_keys.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    *_exchange(),
)

# The key isn't a foreign key: an application that was forgotten in a rotation still names the key that went.
applications = Table(
    "applications",
    metadata,
    Column("id", FreeText, primary_key=True),
    environment(),
    text("key_id"),
    text("name"),
    text("folded_name"),
    text("owner"),
    text("contact"),
    text("place"),
    text("instructions"),
    time("changed_at", nullable=True),
    text("changed_by"),
    time("seen_at", nullable=True),
    text("seen_by"),
    UniqueConstraint("key_id", "folded_name"),
)

# Rotations outlive their environment and their keys, because auditors read them. A rotation is one whole in
# `document`, see `runtime.documents`; the other columns are for finding it and for the rule below.
rotations = Table(
    "rotations",
    metadata,
    counted(),
    text("id", unique=True),
    text("environment_id"),
    text("old_key_id"),
    Column("is_open", Boolean, nullable=False),
    Column("compromised", Boolean, nullable=False),
    time("started_at"),
    Column("document", Text, nullable=False),
)

#: Of one key, one rotation at most is open.
IS_OPEN: Final = rotations.c.is_open.is_(true())
Index("uq_rotations_open", rotations.c.old_key_id, unique=True, sqlite_where=IS_OPEN)

# A key that is being added. As with a rotation, the plan is one whole in `document`.
key_plans = Table(
    "key_plans",
    metadata,
    counted(),
    text("key_id", unique=True),
    environment(),
    Column("document", Text, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", String(100), primary_key=True),
    text("value"),
)

# `folded` holds action, subject, result and who, in the form in which case makes no difference.
activities = Table(
    "activities",
    metadata,
    counted(),
    time("at"),
    text("action"),
    text("environment_id"),
    text("subject"),
    text("result"),
    text("folded"),
    text("who"),
    text("fingerprint"),
    Index(None, "at", "number"),
    Index(None, "environment_id", "at", "number"),
)

# Lines are only ever added, whoever asks. SQLite replaces a row without telling a trigger for deleting, so
# adding one under a number that is taken is refused too.
_REFUSE: Final = "BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
_IS_TAKEN: Final = "EXISTS (SELECT 1 FROM activities WHERE number = NEW.number)"
NEVER_CHANGE: Final = f"CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities {_REFUSE}"
_SQLITE_RULES: Final = (
    NEVER_CHANGE,
    f"CREATE TRIGGER activities_never_go BEFORE DELETE ON activities {_REFUSE}",
    f"CREATE TRIGGER activities_are_never_replaced BEFORE INSERT ON activities WHEN {_IS_TAKEN} {_REFUSE}",
)
_POSTGRESQL_RULES: Final = (
    """CREATE FUNCTION activities_are_only_added() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'activities are only added'; END $$""",
    """CREATE TRIGGER activities_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON activities
    FOR EACH STATEMENT EXECUTE FUNCTION activities_are_only_added()""",
)
for _dialect, _rules in (("sqlite", _SQLITE_RULES), ("postgresql", _POSTGRESQL_RULES)):
    for _rule in _rules:
        _made = DDL(_rule)  # type: ignore[no-untyped-call]  # SQLAlchemy's own
        event.listen(activities, "after_create", _made.execute_if(dialect=_dialect))
