"""What the window says where it can't work as usual, and that it leaves alone what it can't use."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window
from keystore.buses import Bus, private_bus, stop
from keystore.daemons import KeePassXC, private_desk

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


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_a_file_in_its_place, "The data folder can't be written"),
        (_a_newer_journal, "This journal was written by a newer Keybench"),
        (_a_damaged_journal, "The journal's file is damaged"),
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
        window.press("ctrl+q")
        window.wait_for_words("1 key is kept in this session's memory only")
        window.press_button("Close")
        assert window.ended() == 0


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.sweep
def test_a_keystore_that_was_used_and_is_missing_is_waited_for(tmp_path: Path, bare_bus: Bus) -> None:
    folder = tmp_path / "data"
    daemon = bare_bus.start_keyring(unlocked=True)
    with open_window(folder, DBUS_SESSION_BUS_ADDRESS=bare_bus.address) as window:
        window.wait_until_ready()
        window.add_key("till")
        assert window.quit() == 0
    stop(daemon)
    with open_window(folder, DBUS_SESSION_BUS_ADDRESS=bare_bus.address) as window:
        window.wait_until_ready()
        window.wait_for_words("GNOME Keyring isn't there, and this installation keeps its keys in it")
        assert window.wait_for("Try again", "push button")
        assert window.wait_for("Use this session's memory", "push button")
        # One that is started has its keys, and nobody has to press anything.
        bare_bus.start_keyring(unlocked=True)
        window.wait_for_words("Keys kept in GNOME Keyring")
        window.send("10.00")
        window.wait_for_outcome("Approved")
        assert window.quit() == 0


@pytest.mark.sweep
def test_a_keyring_that_answers_again_sells_again(tmp_path: Path, bare_bus: Bus) -> None:
    folder = tmp_path / "data"
    daemon = bare_bus.start_keyring(unlocked=True)
    with open_window(folder, DBUS_SESSION_BUS_ADDRESS=bare_bus.address) as window:
        window.wait_until_ready()
        window.add_key("till")
        daemon.send_signal(signal.SIGSTOP)
        try:
            window.wait_for_words("GNOME Keyring gives no answer")
        finally:
            daemon.send_signal(signal.SIGCONT)
        window.wait_for_words("Keys kept in GNOME Keyring")
        window.send("10.00")
        window.wait_for_outcome("Approved")
        assert window.quit() == 0


@pytest.mark.sweep
def test_keepassxc_is_waited_for_and_can_be_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with private_desk() as start:
        keepassxc = start(KeePassXC)
        assert isinstance(keepassxc, KeePassXC)
        bus = {"DBUS_SESSION_BUS_ADDRESS": keepassxc.bus.address}
        with open_window(folder, **bus) as window:
            window.wait_until_ready()
            window.add_key("till")
            assert window.quit() == 0
        with open_window(folder, **bus) as window:
            # The device list is renewed with the key when the window opens.
            window.wait_for_words("KeePassXC asks for your permission")
            window.press_button("Stop waiting")
            window.wait_for_words("The device list couldn't be renewed. Access to the keystore was refused.")
            keepassxc.refuse_entry()  # it leaves its dialogs there
            window.wait_until_ready()
            window.send("10.00")
            window.wait_for_words("KeePassXC asks for your permission")
            window.press_button("Stop waiting")
            window.wait_for_outcome("Not sent")
            keepassxc.refuse_entry()
            window.send("10.00")
            window.wait_for_words("KeePassXC asks for your permission")
            keepassxc.allow_entry()
            window.wait_for_outcome("Approved")
            assert window.quit() == 0


@pytest.mark.sweep
def test_a_command_waits_for_keepassxc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with private_desk() as start:
        keepassxc = start(KeePassXC)
        assert isinstance(keepassxc, KeePassXC)
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keepassxc.bus.address)
        keybench = Keybench(tmp_path / "data")
        keybench.add_key()
        tested = keybench.arguments("key", "test", "--environment", "practice", "--name", "till")
        for answer, status in ((keepassxc.refuse_entry, 40), (keepassxc.allow_entry, 0)):
            with subprocess.Popen(
                tested, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            ) as testing:
                assert testing.stderr
                assert "KeePassXC asks for your permission" in testing.stderr.readline()
                answer()
                testing.communicate()
            assert testing.returncode == status
        with subprocess.Popen(
            tested, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as testing:
            assert testing.stderr
            testing.stderr.readline()
            testing.send_signal(signal.SIGINT)
            assert "Stopped" in testing.communicate()[1]
        assert testing.returncode == 130
