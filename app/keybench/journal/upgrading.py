"""Brings a journal that an older Keybench made up to this one's tables, step by step, in one transaction.

Each step stands for one version and is never changed once it was released: it names tables and columns as
they were then, in SQLite's words where databases differ, because no other database had a journal yet. The
statements are Alembic's operations. There is no way back; what was there before is in a copy next to
the journal.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Text,
    delete,
    insert,
    select,
    text,
    update,
)

from keybench import __version__
from keybench.journal.columns import metadata
from keybench.journal.tables import SCHEMA_VERSION, VERSION, WRITER, meta

#: What was noted in version 12 of one key of a rotation, by the end of its words.
_OF_A_KEY: Final = ("value given anew", "new key revoked", "new key not revoked after all")
#: How long a copy from before an upgrade is kept.
_COPIES_KEPT: Final = timedelta(days=30)

if TYPE_CHECKING:  # slow to import, and needed once in a journal's life
    from alembic.operations import Operations


def bring_up_to_date(connection: Connection, path: Path) -> None:
    """Make an older journal's tables like a new one's; nothing is changed in one that is up to date."""
    is_version = meta.c.name == VERSION
    version = int(connection.execute(select(meta.c.value).where(is_version)).scalar_one())
    if version >= SCHEMA_VERSION:
        return
    _keep_copy(connection, path, version)
    from alembic.migration import MigrationContext  # noqa: PLC0415 - see above
    from alembic.operations import Operations  # noqa: PLC0415 - see above

    # The tables' naming of their rules holds for the steps, too.
    context = MigrationContext.configure(connection, opts={"target_metadata": metadata})
    operations = Operations(context)
    for step in STEPS[version - 1 :]:
        step(operations)
    connection.execute(update(meta).where(is_version).values(value=str(SCHEMA_VERSION)))
    connection.execute(delete(meta).where(meta.c.name == WRITER))
    connection.execute(insert(meta).values(name=WRITER, value=__version__))


def copy_of(path: Path, version: int) -> Path:
    """Return where the copy is that is kept of a journal's file before it leaves a version behind."""
    return path.with_name(f"{path.name}.schema-{version}")


def readable_copy_of(path: Path) -> Path | None:
    """Return the latest copy of a journal's file that this program can read; None if there is none."""
    copies = (copy_of(path, version) for version in range(SCHEMA_VERSION, 0, -1))
    return next((copy for copy in copies if copy.is_file()), None)


def clear_away(path: Path, now: datetime) -> None:
    """Delete old copies from before upgrades, and what older versions left beside a journal."""
    oldest = (now - _COPIES_KEPT).timestamp()
    copies = [one for one in path.parent.glob(f"{path.name}.schema-*") if one.stat().st_mtime < oldest]
    for file in (*copies, path.with_name(f"{path.name}.reserve"), path.with_name(f"{path.name}.erasing")):
        with suppress(OSError):  # another program may have it open
            file.unlink(missing_ok=True)


def _keep_copy(connection: Connection, path: Path, version: int) -> None:
    """Copy what is committed; the connection's lock keeps everybody from writing meanwhile."""
    copy = copy_of(path, version)
    draft = copy.with_name(f"{copy.name}.new")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    own = cast("sqlite3.Connection", connection.connection.driver_connection)
    try:
        with closing(sqlite3.connect(draft)) as target:
            if own.execute("PRAGMA locking_mode").fetchone()[0] == "exclusive":
                # It lets no other connection in, can't be copied in a transaction, and outlives that.
                own.execute("COMMIT")
                own.backup(target)
                own.execute("BEGIN IMMEDIATE")
            else:
                uri = f"{path.absolute().as_uri()}?mode=ro"
                with closing(sqlite3.connect(uri, uri=True)) as source:
                    source.backup(target)
        draft.replace(copy)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _from_1(operations: Operations) -> None:
    """Add what is known of tests without a result; a sale that wasn't sent was no use of its key."""
    operations.add_column("security_keys", Column("tried_at", BigInteger))
    operations.add_column("security_keys", Column("trial", String(40)))
    operations.execute(
        text(
            "UPDATE security_keys SET used_at = (SELECT max(noted_at) FROM sales WHERE group_id IN"
            " (SELECT id FROM sale_groups WHERE key_id = security_keys.id)"
            " AND (stage = 'accepted' OR outcome != 'not_sent'))"
        )
    )


def _from_2(operations: Operations) -> None:
    """Add proxies, who is at work, keys that are being added, and room for a text to be erased.

    A program of version 2 that still runs writes rows without the new columns, so these have defaults.
    """
    operations.add_column("environments", Column("proxy", Text, nullable=False, server_default="system"))
    operations.add_column(
        "security_keys", Column("folded_fingerprint", Text, nullable=False, server_default="")
    )
    operations.create_table(
        "programs",
        Column("id", Text, primary_key=True),
        Column("computer", Text, nullable=False),
        Column("process", Integer, nullable=False),
        Column("began_at", BigInteger, nullable=False),
        Column("renewed_at", BigInteger, nullable=False),
    )
    operations.create_table(
        "key_plans",
        Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("key_id", Text, nullable=False, unique=True),
        Column("environment_id", Text, ForeignKey("environments.id", ondelete="CASCADE"), nullable=False),
        Column("document", Text, nullable=False),
    )
    operations.execute(text("DROP TRIGGER activities_never_change"))
    operations.execute(
        text(
            "CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities WHEN NOT ("
            "NEW.number = OLD.number AND NEW.at = OLD.at AND NEW.action = OLD.action"
            " AND NEW.environment_id = OLD.environment_id"
            " AND (NEW.subject = OLD.subject OR NEW.subject LIKE '%[erased%')"
            " AND (NEW.result = OLD.result OR NEW.result LIKE '%[erased%')"
            " AND (NEW.folded = OLD.folded OR NEW.folded LIKE '%[erased%'))"
            " BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
        )
    )


def _from_3(operations: Operations) -> None:
    """Add who did what is in the activity; of older lines nobody knows it.

    A program of version 3 that still runs writes lines without it, so it has a default.
    """
    operations.add_column("activities", Column("who", Text, nullable=False, server_default=""))
    operations.execute(text("DROP TRIGGER activities_never_change"))
    operations.execute(
        text(
            "CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities WHEN NOT ("
            "NEW.number = OLD.number AND NEW.at = OLD.at AND NEW.action = OLD.action"
            " AND NEW.environment_id = OLD.environment_id"
            " AND (NEW.subject = OLD.subject OR NEW.subject LIKE '%[erased%')"
            " AND (NEW.result = OLD.result OR NEW.result LIKE '%[erased%')"
            " AND (NEW.who = OLD.who OR NEW.who LIKE '%[erased%')"
            " AND (NEW.folded = OLD.folded OR NEW.folded LIKE '%[erased%'))"
            " BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
        )
    )


def _from_4(operations: Operations) -> None:
    """Add the address of an environment's portal, with a default for programs of version 4 that still run."""
    operations.add_column("environments", Column("portal_url", Text, nullable=False, server_default=""))


def _from_5(operations: Operations) -> None:
    """Add the indexes by which a sale is found by its amount, transaction and authorisation.

    No row changes: SQLite makes the three for 100,000 sales in some tenths of a second.
    """
    operations.create_index(None, "sales", ["amount", "noted_at", "currency", "outcome", "group_id"])
    for column in ("transaction_id", "authorisation"):
        operations.create_index(
            None, "sales", [column, "noted_at", "outcome", "group_id"], sqlite_where=text(f"{column} > ''")
        )


def _from_6(operations: Operations) -> None:
    """Add how long a sale took by the gateway's own clock; of older sales nobody knows it."""
    operations.add_column("sales", Column("lasted_s", Double))


def _from_7(operations: Operations) -> None:
    """Add what gateways told of devices and when; a program of version 7 that still runs knows none of it."""
    operations.create_table(
        "device_states",
        Column("environment_id", Text, ForeignKey("environments.id", ondelete="CASCADE"), primary_key=True),
        Column("device_id", Text, primary_key=True),
        Column("read_at", BigInteger, nullable=False),
        Column("nickname", Text, nullable=False),
        Column("is_connected", Boolean),
        Column("connection", Text, nullable=False),
        Column("battery_percent", Integer),
        Column("network", Text, nullable=False),
        Column("last_connected_at", BigInteger),
        Column("last_sale_at", BigInteger),
        Column("is_busy", Boolean),
        Column("busy_with", Text, nullable=False),
    )


def _from_8(operations: Operations) -> None:
    """Add what was asked and answered when a key was last tested; of older tests it wasn't kept."""
    operations.create_table(
        "key_exchanges",
        Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("key_id", Text, ForeignKey("security_keys.id", ondelete="CASCADE"), nullable=False),
        Column("at", BigInteger, nullable=False),
        Column("method", Text, nullable=False),
        Column("url", Text, nullable=False),
        Column("request_headers", Text, nullable=False),
        Column("request_body", Text, nullable=False),
        Column("status", Integer, nullable=False),
        Column("response_headers", Text, nullable=False),
        Column("response_body", Text, nullable=False),
        Column("failure", Text, nullable=False),
        Column("total_s", Double, nullable=False),
        *(Column(f"{name}_s", Double) for name in ("dns", "connect", "tls", "wait", "read")),
    )
    operations.create_index(None, "key_exchanges", ["key_id"])


def _from_9(operations: Operations) -> None:
    """Add what was approved of a partial approval, and where a sale was sent.

    Where an unknown sale went, its own request tells; else that its environment wasn't moved since, which
    the activity says in these words. Where neither does, and in what a program of version 9 that still runs
    writes, it stays empty: nobody knows.
    """
    operations.add_column("sales", Column("approved_amount", String(40)))
    operations.add_column("sales", Column("sent_to", Text, nullable=False, server_default=""))
    in_part = ["approved_amount", "noted_at", "currency", "outcome", "group_id"]
    operations.create_index(None, "sales", in_part, sqlite_where=text("approved_amount IS NOT NULL"))
    operations.execute(
        text(
            "UPDATE sales SET sent_to = environments.base_url FROM environments"
            " WHERE environments.id = sales.environment_id AND (outcome IS NULL OR outcome = 'unknown')"
            " AND NOT EXISTS (SELECT 1 FROM exchanges WHERE reference = sales.reference AND method = 'POST'"
            " AND substr(url, 1, length(base_url) + 1) != base_url || '/')"
            " AND (EXISTS (SELECT 1 FROM exchanges WHERE reference = sales.reference AND method = 'POST')"
            " OR NOT EXISTS (SELECT 1 FROM activities WHERE environment_id = environments.id"
            " AND action = 'environment edited' AND result LIKE '%base URL:%' AND at >= sales.noted_at))"
        )
    )


def _from_10(operations: Operations) -> None:
    """Add when a key was imported; of older ones the activity tells it, under the name they had then."""
    operations.add_column("security_keys", Column("imported_at", BigInteger))
    operations.execute(
        text(
            "UPDATE security_keys SET imported_at = (SELECT max(at) FROM activities"
            " WHERE action = 'key imported' AND environment_id = security_keys.environment_id"
            " AND subject = security_keys.name)"
        )
    )


def _from_11(operations: Operations) -> None:
    """Add exchanges that are kept once each; those that are there stay as they are, and are read so.

    Texts were erased before: of one that a program hasn't erased to the end, the activity says so.
    """
    operations.create_table(
        "sale_exchanges",
        Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("reference", Text, ForeignKey("sales.reference"), nullable=False),
        Column("at", BigInteger, nullable=False),
        Column("digest", Text, nullable=False),
        Column("status", Integer, nullable=False),
        Column("failure", Text, nullable=False),
        Column("rounds", Text, nullable=False),
        Column("request", LargeBinary, nullable=False),
        Column("headers", LargeBinary, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )
    for table, column in (("sale_exchanges", "reference"), ("sale_exchanges", "at"), ("exchanges", "at")):
        operations.create_index(None, table, [column])
    operations.execute(
        text(
            "INSERT INTO activities (at, action, environment_id, subject, result, folded, who)"
            " SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 'text not erased everywhere', '',"
            " '#' || value, '', 'text not erased everywhere' || char(10) || '#' || value"
            " || char(10) || char(10), '' FROM meta WHERE name = 'erasing'"
        )
    )
    operations.execute(text("DELETE FROM meta WHERE name IN ('erasing', 'unswept')"))
    operations.execute(text("DROP TRIGGER activities_never_change"))
    operations.execute(
        text(
            "CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities"
            " BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
        )
    )


def _from_12(operations: Operations) -> None:
    """Add as fields what the program read out of texts for people: the texts of before say it once more.

    That is a trouble's reason, which stood behind its status, the value that a line of the activity is about,
    and the key of a rotation that evidence is about.
    """
    operations.add_column("sale_events", Column("reason", Text, nullable=False, server_default=""))
    operations.execute(
        text("UPDATE sale_events SET reason = ltrim(detail, '0123456789 ') WHERE mark = 'trouble'")
    )
    operations.add_column("activities", Column("fingerprint", Text, nullable=False, server_default=""))
    operations.execute(text("DROP TRIGGER activities_never_change"))
    connection = operations.get_bind()
    told = text(
        "SELECT number, result FROM activities WHERE action = 'value given'"
        " OR (action = 'key tested' AND result LIKE '%accepted %')"
    )
    said = text("UPDATE activities SET fingerprint = :fingerprint WHERE number = :number")
    for line in connection.execute(told).all():
        connection.execute(said, {"fingerprint": line.result.rpartition(" ")[2], "number": line.number})
    operations.execute(
        text(
            "CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities"
            " BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
        )
    )
    kept = text("UPDATE rotations SET document = :document WHERE id = :id")
    for one in connection.execute(text("SELECT id, document FROM rotations")).all():
        document = json.loads(one.document)
        for key in filter(None, (document["old"], document.get("replacement"))):
            for evidence in document["evidence"]:
                if evidence["what"] in _OF_A_KEY and evidence["detail"].endswith(
                    f", fingerprint {key['fingerprint']}"
                ):
                    evidence["key_id"] = key["key_id"]
        connection.execute(kept, {"document": json.dumps(document, separators=(",", ":")), "id": one.id})


#: What leads from each version to the next one, version 1 first.
STEPS: Final[Sequence[Callable[[Operations], None]]] = (
    *(_from_1, _from_2, _from_3, _from_4),
    *(_from_5, _from_6, _from_7, _from_8, _from_9, _from_10),
    *(_from_11, _from_12),
)
