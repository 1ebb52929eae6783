"""What the window says where it can't work as usual, and that it leaves alone what it can't use."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window
from keystore.buses import Bus, private_bus

TROUBLE = 1


def _a_file_in_its_place(folder: Path) -> Path:
    folder.write_text("This is no folder.", encoding="utf-8")
    return folder


def _a_newer_journal(folder: Path) -> Path:
    journal = _a_journal(folder)
    with closing(sqlite3.connect(journal, isolation_level=None)) as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE name = 'schema_version'")
        connection.execute("PRAGMA journal_mode = DELETE")  # the one file is all there is
    return journal


def _a_damaged_journal(folder: Path) -> Path:
    journal = _a_journal(folder)
    content = bytearray(journal.read_bytes())
    content[:100] = os.urandom(100)
    journal.write_bytes(content)
    return journal


def _a_journal(folder: Path) -> Path:
    assert Keybench(folder).run("history").status == 0
    return folder / "journal.sqlite3"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_a_file_in_its_place, "The data folder can't be written"),
        (_a_newer_journal, "This journal was written by a newer Keybench"),
        (_a_damaged_journal, "The journal's file is damaged or isn't a journal"),
    ],
)
def test_a_folder_it_cannot_use_is_explained_and_left_alone(
    tmp_path: Path, spoil: Callable[[Path], Path], said: str
) -> None:
    folder = tmp_path / "data"
    spoiled = spoil(folder)
    before = _fingerprint(spoiled)
    with open_window(folder) as window:
        window.wait_for_words(said)
        assert window.quit() == TROUBLE
    assert _fingerprint(spoiled) == before


@pytest.fixture
def bare_bus() -> Iterator[Bus]:
    """A session bus without a keystore; its path has to be short."""
    with tempfile.TemporaryDirectory(prefix="kb-") as folder, private_bus(Path(folder)) as bus:
        yield bus


def test_without_a_keystore_it_says_so_and_sells_in_practice_but_not_live(
    tmp_path: Path, bare_bus: Bus
) -> None:
    folder = tmp_path / "data"
    live = ("environment", "add", "shop", "--kind", "live", "--base-url", "https://gateway.example")
    assert Keybench(folder).run(*live).status == 0
    with open_window(folder, DBUS_SESSION_BUS_ADDRESS=bare_bus.address) as window:
        window.wait_until_ready()
        window.wait_for_words("Keys are kept in this session's memory only")
        window.add_key("till")
        window.send("10.00")
        window.wait_for_outcome("Approved")
        assert window.wait_for_words("Keys are kept in this session's memory only")

        window.choose_environment("shop")
        barred = window.wait_for("Send LIVE sale", "push button", enabled=False)
        assert not barred.is_enabled
        assert "Live sales need a keystore" in barred.description
        assert window.wait_for_words("Keys are kept in this session's memory only")
        assert window.quit() == 0


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
