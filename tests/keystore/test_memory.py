"""When values are in memory, and how they get into the keystore once there is one."""

from __future__ import annotations

import asyncio
import threading

import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds
from keybench.core.errors import KeystoreLocked, KeystoreMissing, KeystoreSilent, ValueLost
from keybench.core.secret import Secret
from keybench.keystore.native import Sighting
from keybench.keystore.os_keystore import MEMORY, OsKeystore
from keystore.native_fakes import ScriptedStore, hanging, impatient, raising

GONE = KeystoreMissing("gone")


@pytest.fixture
def keystore(scripted: ScriptedStore) -> OsKeystore:
    return OsKeystore("tests", scripted.system_store)


def test_before_the_first_look_nothing_is_promised(keystore: OsKeystore, scripted: ScriptedStore) -> None:
    assert keystore.status.durable is False
    assert not keystore.status.is_known
    assert scripted.asked == []


async def test_values_move_into_a_keystore_that_turns_up(
    keystore: OsKeystore, scripted: ScriptedStore
) -> None:
    scripted.misbehave(raising(GONE), "look")
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert (keystore.status.name, keystore.status.durable) == (MEMORY, False)
    assert not scripted.values
    assert keystore.memory_only == (ENTRY,)
    scripted.behave()
    assert (await keystore.probe()).durable is True
    assert keystore.memory_only == ()
    assert list(scripted.values) == [ENTRY]
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_what_was_erased_from_memory_is_put_back(keystore: OsKeystore, scripted: ScriptedStore) -> None:
    scripted.misbehave(raising(GONE), "look")
    await keystore.write(ENTRY, Secret(MADE_UP))
    await keystore.erase(ENTRY)
    await keystore.put_back(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_a_value_that_cannot_move_stays_readable(keystore: OsKeystore, scripted: ScriptedStore) -> None:
    scripted.misbehave(raising(GONE), "look")
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.behave()
    scripted.misbehave(raising(PermissionError()), "put")
    await keystore.probe()
    assert await holds(keystore, ENTRY, MADE_UP)
    scripted.behave()
    await keystore.probe()
    assert list(scripted.values) == [ENTRY]


async def test_values_do_not_move_into_a_locked_keystore(
    keystore: OsKeystore, scripted: ScriptedStore
) -> None:
    keystore.use_memory()
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    await keystore.probe()
    assert scripted.asked == ["look"]
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_a_person_may_choose_memory_over_a_locked_keystore(
    keystore: OsKeystore, scripted: ScriptedStore
) -> None:
    scripted.values["environment-1/key-2"] = OTHER
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    await keystore.probe()
    status = keystore.use_memory()
    assert (status.name, status.durable, type(status.trouble)) == (MEMORY, False, KeystoreLocked)
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)
    with pytest.raises(KeystoreLocked):  # it may well be there, so it isn't called lost
        await keystore.read("environment-1/key-2")
    with pytest.raises(KeystoreLocked):
        await keystore.erase("environment-1/key-2")
    await keystore.erase(ENTRY)
    assert scripted.asked == ["look"]


async def test_a_value_replaced_after_the_move_is_the_new_one(
    keystore: OsKeystore, scripted: ScriptedStore
) -> None:
    keystore.use_memory()
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    await keystore.probe()
    await keystore.write(ENTRY, Secret(OTHER))
    assert await holds(keystore, ENTRY, OTHER)
    await keystore.erase(ENTRY)
    with pytest.raises(ValueLost):
        await keystore.read(ENTRY)


async def test_a_look_that_is_broken_off_changes_nothing(
    keystore: OsKeystore, scripted: ScriptedStore, end_of_test: threading.Event
) -> None:
    scripted.misbehave(raising(GONE), "look")
    await keystore.write(ENTRY, Secret(MADE_UP))
    before = keystore.status
    scripted.misbehave(hanging(end_of_test), "look")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(keystore.probe(), 0.1)
    assert keystore.status == before
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_memory_chosen_while_a_call_waits_stays_chosen(
    scripted: ScriptedStore, end_of_test: threading.Event
) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    await keystore.probe()
    scripted.misbehave(hanging(end_of_test))

    async def choose() -> None:
        keystore.use_memory()

    with impatient(keystore):
        outcomes = await asyncio.gather(keystore.read(ENTRY), choose(), return_exceptions=True)
    assert isinstance(outcomes[0], KeystoreSilent)
    assert (keystore.status.name, type(keystore.status.trouble)) == (MEMORY, KeystoreLocked)
