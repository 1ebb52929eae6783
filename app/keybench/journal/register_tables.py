"""The tables for administering keys: applications, rotations, settings, and the lines of the activity."""

from __future__ import annotations

from typing import Final

from sqlalchemy import DDL, Boolean, Column, Index, String, Table, Text, UniqueConstraint, event, true

from keybench.core.secret import ERASED
from keybench.journal.columns import FreeText
from keybench.journal.schema import NEEDED, counted, environment, folded, metadata, needed, text, time

# The key isn't a foreign key: an application that was forgotten in a rotation still names the key that went.
applications = Table(
    "applications",
    metadata,
    Column("id", FreeText, primary_key=True),
    environment(),
    needed("key_id"),
    text("name"),
    folded("folded_name", "name"),
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
# `document`, see `journal.documents`; the other columns are for finding it and for the rule below.
rotations = Table(
    "rotations",
    metadata,
    counted(),
    Column("id", FreeText, nullable=False, unique=True, info={NEEDED: True}),
    needed("environment_id"),
    needed("old_key_id"),
    Column("is_open", Boolean, nullable=False),
    Column("compromised", Boolean, nullable=False),
    time("started_at"),
    Column("document", Text, nullable=False),
)

#: Of one key, one rotation at most is open.
IS_OPEN: Final = rotations.c.is_open.is_(true())
Index(
    "uq_rotations_open", rotations.c.old_key_id, unique=True, sqlite_where=IS_OPEN, postgresql_where=IS_OPEN
)

# A key that is being added. As with a rotation, the plan is one whole in `document`.
key_plans = Table(
    "key_plans",
    metadata,
    counted(),
    Column("key_id", FreeText, nullable=False, unique=True, info={NEEDED: True}),
    environment(),
    Column("document", Text, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", String(100), primary_key=True),
    text("value"),
)

# `folded` holds action, subject and result, in the form in which case makes no difference.
activities = Table(
    "activities",
    metadata,
    counted(),
    time("at"),
    needed("action"),
    needed("environment_id"),
    text("subject"),
    text("result"),
    folded("folded", "action", "subject", "result"),
    Index(None, "at", "number"),
    Index(None, "environment_id", "at", "number"),
)

# Lines are only ever added, whoever asks; the one change is that a text in them is erased, which leaves its
# mark in every column that changed. SQLite replaces a row without telling a trigger for deleting, so adding
# one under a number that is taken is refused too.
_REFUSE: Final = "BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
_IS_TAKEN: Final = "EXISTS (SELECT 1 FROM activities WHERE number = NEW.number)"
# A percent sign is written twice: DDL is a format.
_IS_ERASED: Final = " AND ".join(
    (
        *(f"NEW.{name} = OLD.{name}" for name in ("number", "at", "action", "environment_id")),
        *(
            f"(NEW.{name} = OLD.{name} OR NEW.{name} LIKE '%%{ERASED}%%')"
            for name in ("subject", "result", "folded")
        ),
    )
)
_SQLITE_RULES: Final = (
    f"CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities WHEN NOT ({_IS_ERASED}) {_REFUSE}",
    f"CREATE TRIGGER activities_never_go BEFORE DELETE ON activities {_REFUSE}",
    f"CREATE TRIGGER activities_are_never_replaced BEFORE INSERT ON activities WHEN {_IS_TAKEN} {_REFUSE}",
)
_POSTGRESQL_RULES: Final = (
    """CREATE FUNCTION activities_are_only_added() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'activities are only added'; END $$""",
    f"""CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities
    FOR EACH ROW WHEN (NOT ({_IS_ERASED})) EXECUTE FUNCTION activities_are_only_added()""",
    """CREATE TRIGGER activities_never_go BEFORE DELETE OR TRUNCATE ON activities
    FOR EACH STATEMENT EXECUTE FUNCTION activities_are_only_added()""",
)
for _dialect, _rules in (("sqlite", _SQLITE_RULES), ("postgresql", _POSTGRESQL_RULES)):
    for _rule in _rules:
        _made = DDL(_rule)  # type: ignore[no-untyped-call]  # SQLAlchemy's own
        event.listen(activities, "after_create", _made.execute_if(dialect=_dialect))
