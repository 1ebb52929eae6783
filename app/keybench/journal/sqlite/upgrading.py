"""Brings a journal that an older Keybench made up to this one's tables, in one transaction.

Versions only ever added tables, columns and indexes, so those that are missing are added. Then rows of before
are told what newer ones tell by themselves, version by version, in SQLite's words, because no other database
had a journal yet. There is no way back; what was there before is in a copy next to the journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, select, text

from keybench.journal.schema import add_what_is_missing, note_version
from keybench.journal.sqlite.engine import copy_committed
from keybench.journal.store import database_now, this_desk
from keybench.journal.tables import INSTALLATION, NEVER_CHANGE, SCHEMA_VERSION, VERSION, meta, settings

#: What was noted in version 12 of one key of a rotation, by the end of its words.
_OF_A_KEY: Final = ("value given anew", "new key revoked", "new key not revoked after all")
#: The setting that had the names of the keystores the installation had kept values in, before version 14.
KEYSTORES_USED: Final = "keystore.used"
#: How long a copy from before an upgrade is kept.
_COPIES_KEPT: Final = timedelta(days=30)


def bring_up_to_date(connection: Connection, path: Path) -> None:
    """Make an older journal's tables like a new one's; nothing is changed in one that is up to date."""
    is_version = meta.c.name == VERSION
    version = int(connection.execute(select(meta.c.value).where(is_version)).scalar_one())
    if version >= SCHEMA_VERSION:  # of a newer one, too, with which this Keybench can work
        return
    _keep_copy(connection, path, version)
    add_what_is_missing(connection)
    connection.execute(text("DROP TRIGGER IF EXISTS activities_never_change"))
    for since, tell in TOLD_SINCE.items():
        if version < since:
            tell(connection)
    connection.execute(text(NEVER_CHANGE))
    note_version(connection)


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
    try:
        copy_committed(connection, path, draft)
        draft.replace(copy)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _last_uses(connection: Connection) -> None:
    """A sale that wasn't sent was no use of its key."""
    connection.execute(
        text(
            "UPDATE security_keys SET used_at = (SELECT max(noted_at) FROM sales WHERE group_id IN"
            " (SELECT id FROM sale_groups WHERE key_id = security_keys.id)"
            " AND (stage = 'accepted' OR outcome != 'not_sent'))"
        )
    )


def _where_sales_went(connection: Connection) -> None:
    """Where an unknown sale went, its own request tells; else that its environment wasn't moved since.

    The activity says that in these words. Where neither tells, it stays empty: nobody knows.
    """
    connection.execute(
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


def _imports(connection: Connection) -> None:
    """When a key was imported, the activity tells under the name it had then."""
    connection.execute(
        text(
            "UPDATE security_keys SET imported_at = (SELECT max(at) FROM activities"
            " WHERE action = 'key imported' AND environment_id = security_keys.environment_id"
            " AND subject = security_keys.name)"
        )
    )


def _unfinished_erasing(connection: Connection) -> None:
    """Texts were erased before version 12: of one that wasn't erased to the end, the activity says so."""
    connection.execute(
        text(
            "INSERT INTO activities (at, action, environment_id, subject, result, folded, who)"
            " SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 'text not erased everywhere', '',"
            " '#' || value, '', 'text not erased everywhere' || char(10) || '#' || value"
            " || char(10) || char(10), '' FROM meta WHERE name = 'erasing'"
        )
    )
    connection.execute(text("DELETE FROM meta WHERE name IN ('erasing', 'unswept')"))


def _fields_for_texts(connection: Connection) -> None:
    """Add as fields what the program read out of texts for people: the texts of before say it once more.

    That is a trouble's reason, which stood behind its status, the value that a line of the activity is about,
    and the key of a rotation that evidence is about.
    """
    connection.execute(
        text("UPDATE sale_events SET reason = ltrim(detail, '0123456789 ') WHERE mark = 'trouble'")
    )
    told = text(
        "SELECT number, result FROM activities WHERE action = 'value given'"
        " OR (action = 'key tested' AND result LIKE '%accepted %')"
    )
    said = text("UPDATE activities SET fingerprint = :fingerprint WHERE number = :number")
    for line in connection.execute(told).all():
        connection.execute(said, {"fingerprint": line.result.rpartition(" ")[2], "number": line.number})
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


def _values_at_this_desk(connection: Connection) -> None:
    """Whose keystore lacks a value stood in the key's own row, as did which installation this is."""
    at = int(database_now(connection).timestamp() * 1_000_000)
    connection.execute(
        text(
            "INSERT INTO desk_values (desk_id, key_id, environment_id, held, fingerprint, proof, at)"
            " SELECT :desk, id, environment_id, CASE state WHEN 'value_lost' THEN 'lost' ELSE 'held' END,"
            " fingerprint, '', :at FROM security_keys"
            " WHERE state != 'no_value'"
        ),
        {"desk": this_desk(connection), "at": at},
    )
    connection.execute(
        text("UPDATE security_keys SET state = 'kept' WHERE state IN ('value_lost', 'no_value')")
    )
    connection.execute(delete(meta).where(meta.c.name == INSTALLATION))
    connection.execute(delete(settings).where(settings.c.name == KEYSTORES_USED))


#: What rows of before a version are told, by that version, the oldest first.
TOLD_SINCE: Final[dict[int, Callable[[Connection], None]]] = {
    2: _last_uses,
    10: _where_sales_went,
    11: _imports,
    12: _unfinished_erasing,
    13: _fields_for_texts,
    14: _values_at_this_desk,
}
