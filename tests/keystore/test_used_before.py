"""A keystore that was used before and isn't there, and what is undone when it is back."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds
from fakes.waiting import until
from keybench.core.errors import (
    KeystoreDenied,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueLost,
)
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.keystore.native import Sighting
from keybench.keystore.os_keystore import OsKeystore
from keystore.native_fakes import NOTHING, ScriptedStore, hanging, impatient, raising

GONE = raising(KeystoreMissing("no such thing"))


async def test_one_that_was_used_and_is_missing_is_no_reason_for_memory() -> None:
    keystore = OsKeystore("tests", NOTHING, used=["GNOME Keyring"])
    with pytest.raises(KeystoreGone, match="GNOME Keyring"):
        await keystore.write(ENTRY, Secret(MADE_UP))
    with pytest.raises(KeystoreGone):
        await keystore.read(ENTRY)
    status = keystore.status
    assert (status.name, status.durable, type(status.trouble)) == ("GNOME Keyring", True, KeystoreGone)
    assert not keystore.use_memory().durable
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_its_first_use_is_noted_once(scripted: ScriptedStore) -> None:
    noted: list[str] = []

    async def note(name: str) -> None:
        noted.append(name)

    keystore = OsKeystore("tests", scripted.system_store, on_use=note)
    await keystore.probe()
    with pytest.raises(ValueLost):
        await keystore.read(ENTRY)
    assert noted == []
    await keystore.write(ENTRY, Secret(MADE_UP))
    await keystore.read(ENTRY)
    assert noted == ["Scripted Keyring"]


async def test_a_value_that_is_missing_may_be_in_the_one_used_before(scripted: ScriptedStore) -> None:
    keystore = OsKeystore("tests", scripted.system_store, used=["GNOME Keyring"])
    for call in (keystore.read(ENTRY), keystore.erase(ENTRY)):
        with pytest.raises(KeystoreGone, match="GNOME Keyring"):
            await call
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)
    await keystore.erase(ENTRY)


async def test_memory_moves_when_it_is_there_and_stays_chosen_until_then(scripted: ScriptedStore) -> None:
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.probe()
    keystore.use_memory()
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert not (await keystore.refresh()).durable
    scripted.sighting = Sighting("Scripted Keyring")
    assert (await keystore.refresh()).durable
    assert scripted.values.keys() == {ENTRY}


async def test_every_change_is_announced_once(scripted: ScriptedStore) -> None:
    told: list[KeystoreStatus] = []
    keystore = OsKeystore("tests", scripted.system_store, on_change=told.append)
    for sighting in (None, None, KeystoreLocked("locked"), KeystoreLocked("locked"), None):
        scripted.sighting = Sighting("Scripted Keyring", sighting)
        await keystore.refresh()
    assert [type(status.trouble) for status in told] == [type(None), KeystoreLocked, type(None)]


async def test_an_asking_store_is_waited_for_and_says_so(
    scripted: ScriptedStore, end_of_test: threading.Event
) -> None:
    answered = threading.Event()

    def ask() -> None:
        with scripted.attempt.prompt():
            while not (answered.is_set() or scripted.attempt.withdrawn.is_set() or end_of_test.is_set()):
                answered.wait(0.01)
            if not answered.is_set():
                raise KeystoreDenied("taken back")

    told: list[KeystoreStatus] = []
    keystore = OsKeystore("tests", scripted.system_store, on_change=told.append)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.misbehave(ask, "get")
    with impatient(keystore):
        reading = asyncio.get_running_loop().create_task(holds(keystore, ENTRY, MADE_UP))
        await until(lambda: keystore.status.asking)
        began = asyncio.get_running_loop().time()
        await until(lambda: asyncio.get_running_loop().time() > began + 0.5)
        assert not reading.done()
        answered.set()
        assert await reading
    assert told[-2:] == [replace(told[0], asking=True), told[0]]
    answered.clear()
    reading = asyncio.get_running_loop().create_task(holds(keystore, ENTRY, MADE_UP))
    await until(lambda: keystore.status.asking)
    keystore.stop_asking()
    with pytest.raises(KeystoreDenied):
        await reading


async def test_who_waits_behind_a_silent_call_is_told_the_same_and_later_ones_look_again(
    scripted: ScriptedStore, end_of_test: threading.Event
) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.misbehave(hanging(end_of_test), "get")
    with impatient(keystore):
        asked = scripted.asked.count("look")
        both = await asyncio.gather(keystore.read(ENTRY), keystore.read(ENTRY), return_exceptions=True)
    assert [type(one) for one in both] == [KeystoreSilent, KeystoreSilent]
    assert scripted.asked.count("look") == asked
    scripted.behave()
    assert await holds(keystore, ENTRY, MADE_UP)
    assert keystore.status.trouble is None


@pytest.mark.parametrize("before", [None, OTHER], ids=["nothing before", "a value before"])
async def test_what_cannot_be_put_back_now_is_put_back_later(
    scripted: ScriptedStore, before: str | None
) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.misbehave(raising(OSError()), "get", "has", "put", "erase")
    await keystore.put_back(ENTRY, None if before is None else Secret(before))
    assert scripted.values.keys() == {ENTRY}
    scripted.behave()
    await keystore.refresh()
    if before is None:
        assert ENTRY not in scripted.values
    else:
        assert await holds(keystore, ENTRY, before)


async def test_a_later_write_is_not_undone(scripted: ScriptedStore) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.misbehave(raising(OSError()), "has")
    await keystore.put_back(ENTRY, None)
    await keystore.write(ENTRY, Secret(OTHER))
    scripted.behave()
    await keystore.refresh()
    assert await holds(keystore, ENTRY, OTHER)


async def test_one_that_goes_while_it_is_used_is_gone_by_its_name(scripted: ScriptedStore) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.misbehave(GONE, "look", "get")
    with pytest.raises(KeystoreGone, match="Scripted Keyring"):
        await keystore.read(ENTRY)
    assert (await keystore.refresh()).durable
