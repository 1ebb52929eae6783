"""What the gateway remembers: across openings, about values, and for how long."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from keybench.practice import database
from keybench.practice.database import NewerStateError, open_database
from keybench.practice.state import (
    KEPT_ENTRIES,
    LogEntry,
    State,
)
from practice.bench import START, Bench


def test_a_new_state_is_seeded_once(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    first = State(path, START)
    instance = first.facts.instance
    changed = first.users.find("counter1")
    assert changed is not None
    first.users.put(replace(changed, enabled=False))
    first.fleet.remove("till-2")
    first.close()
    second = State(path, START + 10)
    counter = second.users.find("counter1")
    assert counter is not None
    assert not counter.enabled
    assert [device.id for device in second.fleet.every()] == ["till-1", "counter-1", "kiosk-1", "offline-1"]
    assert second.facts.instance == instance
    second.close()


def test_a_request_that_made_a_key_is_known_after_a_restart(
    tmp_path: Path,
) -> None:
    first = State(tmp_path / "state.sqlite3", START)
    key, _ = first.keys.create("Till", "counter1", "API", "private", START, "request-1")
    first.close()
    for _ in range(2):
        again = State(tmp_path / "state.sqlite3", START + 10)
        made = again.keys.made_for("request-1")
        assert made is not None
        assert made.id == key.id
        again.keys.delete(key.id, START + 20)
        again.close()


def test_a_newer_state_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(NewerStateError):
        open_database(path)


def test_where_no_memory_is_shared_it_keeps_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite fails so on sshfs with direct_io, on many shared folders of virtual machines, and elsewhere."""
    prepare = database._prepare

    def prepare_there(connection: sqlite3.Connection, steps: tuple[str, ...]) -> None:
        if connection.execute("PRAGMA locking_mode").fetchone()[0] == "normal":
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMMAP
            raise error
        prepare(connection, steps)

    monkeypatch.setattr(database, "_prepare", prepare_there)
    state = State(tmp_path / "state.sqlite3", START)
    assert state.users.find("counter1")
    assert not list(tmp_path.glob("*-shm"))
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        sqlite3.connect(tmp_path / "state.sqlite3", timeout=0).execute("SELECT * FROM user")
    state.close()


def test_no_value_is_in_the_file_or_its_journal(tmp_path: Path) -> None:
    state = State(tmp_path / "state.sqlite3", START)
    key, value = state.keys.create("Till", "counter1", "API", "private", START)
    found = state.keys.by_value(value)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    state.close()
    leaked = value.encode() in kept
    assert not leaked
    assert found == key


async def test_a_sale_keeps_its_pace_when_the_speed_changes(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    fast = Bench(speed=100.0, state=State(path, START))
    key = await fast.key()
    accepted = (await fast.sell(key)).json()
    await fast.close()
    slow = Bench(speed=0.1, state=State(path, START))
    slow.clock.now += 0.1
    assert (await slow.status(key, accepted["id"]))["status"] == "interactionComplete"
    await slow.close()


def test_the_log_keeps_the_latest(tmp_path: Path) -> None:
    state = State(":memory:", START)
    for number in range(KEPT_ENTRIES + 5):
        state.log.add(LogEntry(START + number, "GET", "/x", 200, None, None))
    entries = state.log.latest(KEPT_ENTRIES + 5)
    assert len(entries) == KEPT_ENTRIES
    assert entries[0].time == START + KEPT_ENTRIES + 4
    state.close()


@pytest.mark.parametrize(
    "text", ["A1b2C3d4" * 4, "abcdef-123456-ABCDEF-654321", "v4_secret_abcdefgh", "4111111111111111"]
)
def test_the_log_withholds_what_looks_secret(text: str) -> None:
    state = State(":memory:", START)
    state.log.add(LogEntry(START, "GET", f"/api/{text}/x", 404, None, text))
    (entry,) = state.log.latest(1)
    assert (entry.path, entry.order_id) == ("(withheld)", "(withheld)")
    state.close()
