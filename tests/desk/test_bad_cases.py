"""What goes wrong around the window on people's computers, with the real program on a real desktop."""

from __future__ import annotations

import hashlib
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from desk.desktops import Desktop, until
from desk.test_starts_and_ends import BUTTON, assert_it_ends, started
from endtoend.conftest import Keybench
from endtoend.window_fixtures import Window, open_window
from keybench import __version__

#: A folder as people name theirs, with what means something to shells, URIs and files of settings.
ODD = 'Müller, "Büro" 東京; 50% #1?'

#: Keybench of another version, as far as it can be told from outside.
OTHER_VERSION = """
import sys, keybench
keybench.__version__ = "9.9.9"
from keybench.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("desk", ["openbox"], indirect=True)
def test_a_session_bus_that_says_nothing_holds_no_window_up(desk: Desktop, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kb-") as place, socket.socket(socket.AF_UNIX) as bus:
        bus.bind(f"{place}/bus")
        bus.listen()
        address = f"unix:path={place}/bus"
        with open_window(
            tmp_path / "data", desk, **desk.variables, DBUS_SESSION_BUS_ADDRESS=address
        ) as window:
            until(lambda: desk.shown(window.process.pid), "the window")
            desk.close(window.process.pid)
            assert_it_ends(window)


@pytest.mark.sweep
@pytest.mark.parametrize("desk", ["openbox"], indirect=True)
def test_a_start_of_another_version_shows_the_open_window_and_both_say_so(
    desk: Desktop, tmp_path: Path
) -> None:
    folder = tmp_path / ODD
    with started(desk, folder) as window:
        second = subprocess.run(
            [sys.executable, "-c", OTHER_VERSION, "--data-dir", str(folder)],
            env={**os.environ, **desk.variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 0
        assert second.stderr.startswith(f"Keybench {__version__} is open already on {folder}")
        window.wait_for_words(f"Keybench 9.9.9 was started, and this window is Keybench {__version__}.")
        desk.close(window.process.pid)
        assert_it_ends(window)


@pytest.mark.parametrize("desk", ["sway"], indirect=True)
def test_a_newer_journal_is_told_left_alone_and_opened_once_it_can_be_read(
    desk: Desktop, tmp_path: Path
) -> None:
    keybench = Keybench(tmp_path / ODD)
    assert keybench.run("environment", "list").status == 0
    journal, settings = keybench.folder / "journal.sqlite3", keybench.folder / "window.ini"
    settings.write_text("[later]\nthing=42\n")
    known = set_version(journal, "99")
    before = fingerprints(journal, settings)
    refused = keybench.run("history")
    assert refused.status == 1
    assert f"This journal was written by a newer Keybench, {__version__}." in refused.err
    with open_window(keybench.folder, desk, **desk.variables) as window:
        window.wait_for("Open another data folder…", BUTTON)
        window.activate("Try again")
        window.wait_for("Try again", BUTTON)
        assert fingerprints(journal, settings) == before
        set_version(journal, known)
        # Where the machine is busy, the first try may only now be made.
        window.until(
            lambda: window.ask("activate", name="Try again", role=BUTTON) or is_open(window), "the next"
        )
        window.wait_until_ready()
        desk.close(window.process.pid)
        assert_it_ends(window)


def is_open(window: Window) -> bool:
    return window.find("Add a New Key", BUTTON) is not None


def set_version(journal: Path, version: str) -> str:
    """Give a journal another version of its schema and return the one that it had."""
    with closing(sqlite3.connect(journal, isolation_level=None)) as database:
        (before,) = database.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()
        database.execute("UPDATE meta SET value = ? WHERE name != 'schema_writer'", (version,))
    return str(before)


def fingerprints(*files: Path) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
