"""The Secret Service in its real states: no bus, no daemon, no keyring yet, locked, waiting, gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds
from keybench.core.errors import (
    KeystoreDenied,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    Lack,
    ValueLost,
)
from keybench.core.secret import Secret
from keybench.keystore.os_keystore import MEMORY, OsKeystore
from keystore.buses import Bus, stop
from keystore.native_fakes import impatient


@pytest.fixture
def keystore() -> Iterator[OsKeystore]:
    found = OsKeystore("tests")
    yield found
    found.close()


@pytest.fixture
def screen(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name a screen; it is only asked whether there is one."""
    monkeypatch.setenv("DISPLAY", ":99")


async def test_without_a_bus_values_are_in_memory(
    keystore: OsKeystore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    await assert_in_memory(keystore, Lack.BUS)


@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "nonsense", "tcp:host=127.0.0.1,port=1", ""])
async def test_a_bus_that_is_not_there_is_no_keystore(
    keystore: OsKeystore, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    await assert_in_memory(keystore, Lack.BUS)


async def test_the_bus_is_found_in_the_runtime_folder_too(
    keystore: OsKeystore, bus: Bus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bus").symlink_to(bus.address.partition("=")[2].partition(",")[0])
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    bus.start_keyring(unlocked=True)
    assert (await keystore.probe()).name == "GNOME Keyring"


async def test_a_bus_without_a_daemon_is_no_keystore(keystore: OsKeystore, bus: Bus) -> None:
    await assert_in_memory(keystore, Lack.PROGRAM)


async def test_a_keyring_nobody_made_or_can_make_is_no_keystore(keystore: OsKeystore, bus: Bus) -> None:
    bus.start_keyring(unlocked=False)
    await assert_in_memory(keystore, Lack.SCREEN)


@pytest.mark.usefixtures("screen")
async def test_a_keyring_that_a_prompt_could_make_is_waited_for(keystore: OsKeystore, bus: Bus) -> None:
    bus.start_keyring(unlocked=False)
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == ("GNOME Keyring", True, KeystoreLocked)
    with pytest.raises(ValueLost):
        await keystore.read(ENTRY)
    with pytest.raises(KeystoreDenied):  # the bus has no prompter, so the prompt is dismissed
        await keystore.write(ENTRY, Secret(MADE_UP))


async def test_a_locked_keyring_is_told_and_waited_for(keystore: OsKeystore, bus: Bus) -> None:
    bus.start_keyring(unlocked=True)
    await keystore.write(ENTRY, Secret(MADE_UP))
    bus.lock()
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == ("GNOME Keyring", True, KeystoreLocked)
    for call in (keystore.read(ENTRY), keystore.write(ENTRY, Secret(OTHER)), keystore.erase(ENTRY)):
        with pytest.raises(KeystoreLocked):
            await call
    bus.unlock()
    assert (await keystore.probe()).trouble is None
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_a_keyring_locked_since_log_in_is_told(keystore: OsKeystore, bus: Bus) -> None:
    stop(bus.start_keyring(unlocked=True))
    bus.start_keyring(unlocked=False)
    assert isinstance((await keystore.probe()).trouble, KeystoreLocked)


async def test_a_prompt_nobody_answers_is_silence(bus: Bus) -> None:
    bus.start_keyring(unlocked=True)
    keystore = OsKeystore("tests")
    await keystore.write(ENTRY, Secret(MADE_UP))
    bus.lock()
    with bus.unanswered():
        with impatient(keystore), pytest.raises(KeystoreSilent):
            await keystore.write(ENTRY, Secret(OTHER))
        assert isinstance(keystore.status.trouble, KeystoreSilent)
        bus.unlock()
        assert (await keystore.probe()).trouble is None
        assert await holds(keystore, ENTRY, MADE_UP)
    keystore.close()


async def test_a_daemon_that_died_is_waited_for_and_memory_is_the_persons_choice(
    keystore: OsKeystore, bus: Bus
) -> None:
    daemon = bus.start_keyring(unlocked=True)
    await keystore.write(ENTRY, Secret(MADE_UP))
    stop(daemon)
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == ("GNOME Keyring", True, KeystoreGone)
    assert isinstance(status.trouble, KeystoreGone)
    assert status.trouble.lack == Lack.PROGRAM
    with pytest.raises(KeystoreGone):
        await keystore.write("environment-1/key-2", Secret(OTHER))
    assert not keystore.use_memory().durable
    for call in (keystore.read(ENTRY), keystore.erase(ENTRY)):
        with pytest.raises(KeystoreGone):
            await call
    await keystore.write("environment-1/key-2", Secret(OTHER))
    assert not (await keystore.refresh()).durable, "memory stays chosen while it is gone"
    bus.start_keyring(unlocked=True)
    assert (await keystore.refresh()).durable
    assert await holds(keystore, ENTRY, MADE_UP)
    assert await holds(OsKeystore("tests"), "environment-1/key-2", OTHER), "it has moved there"


async def test_the_keyrings_file_has_no_value_in_it(keystore: OsKeystore, bus: Bus) -> None:
    bus.start_keyring(unlocked=True)
    await keystore.write(ENTRY, Secret(MADE_UP))
    files = [path for path in bus.folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".keyring" for path in files)
    assert not any(MADE_UP.encode() in path.read_bytes() for path in files)


@pytest.mark.usefixtures("on_open_keyring")
async def test_keyrings_own_tools_find_a_value() -> None:
    from keyring.backends.SecretService import Keyring  # noqa: PLC0415 - the other way in, for this test alone

    await OsKeystore("tools").write(ENTRY, Secret(MADE_UP))
    found = Keyring().get_password(f"Keybench/tools/{ENTRY}", "api key")
    same = found == MADE_UP
    assert same


async def assert_in_memory(keystore: OsKeystore, lack: Lack) -> None:
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == (MEMORY, False, KeystoreMissing)
    assert isinstance(status.trouble, KeystoreMissing)
    assert status.trouble.lack == lack
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)
