"""What is done to a journal's file in its tests."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from keybench.core.errors import JournalError
from keybench.core.ports import Clock
from keybench.journal import SqlJournal

#: For what only POSIX has.
posix_only = pytest.mark.xfail(os.name != "posix", reason="modes and owners are POSIX", run=False)


def content_of(path: Path) -> bytes:
    return path.read_bytes()


def fingerprint(path: Path) -> str:
    return hashlib.sha256(content_of(path)).hexdigest()


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def remove(path: Path) -> None:
    path.unlink()


def move(path: Path, to: Path) -> Path:
    return path.rename(to)


def make_folder(path: Path) -> None:
    path.mkdir(parents=True)


def set_mode(path: Path, mode: int) -> None:
    path.chmod(mode)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def make_newer(path: Path) -> None:
    """Have the journal be of a version with which this Keybench can't work."""
    change(path, "UPDATE meta SET value = '99' WHERE name != 'schema_writer'")


def as_of_version_13(path: Path) -> None:
    """Take away what version 14 brought: the installation stood in the journal."""
    desk = path.with_name("desk.json")
    installation = json.loads(content_of(desk))["installation"]
    for table in ("desks", "desk_values", "contradictions"):
        change(path, f"DROP TABLE {table}")
    for column in ("desk_id", "works_on"):
        change(path, f"ALTER TABLE programs DROP COLUMN {column}")
    change(path, "DELETE FROM meta WHERE name = 'schema_compatible_since'")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO meta VALUES ('installation', ?)", (installation,))
    change(path, "UPDATE meta SET value = '13' WHERE name = 'schema_version'")
    remove(desk)


async def refusal(path: Path, clock: Clock, *, wait_s: float = 5.0) -> JournalError:
    """Return the error that opening raises, after showing that it carries no other."""
    journal = SqlJournal(path, clock, wait_s=wait_s)
    with pytest.raises(JournalError) as raised:
        await journal.open()
    await journal.close()
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return raised.value


async def make(path: Path, clock: Clock) -> str:
    journal = SqlJournal(path, clock)
    installation = await journal.open()
    await journal.close()
    return installation
