"""A write that fails leaves the entry as it was, whatever the native keystore did meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds, rendered, tells
from fakes.waiting import until
from keybench.core.errors import KeystoreDenied, KeystoreFailed, KeystoreSilent, ValueLost
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.os_keystore import OsKeystore
from keybench.keystore.safe_write import write
from keystore.native_fakes import (
    ScriptedStore,
    hanging,
    impatient,
    macos_like,
    raising,
    through_macos,
    through_windows,
    windows_like,
)


def in_store(scripted: ScriptedStore, text: str | None) -> bool:
    """Tell whether exactly `text` is there, or nothing for None."""
    return scripted.values.get(ENTRY) == text


@pytest.mark.parametrize("before", [None, OTHER], ids=["nothing before", "a value before"])
@pytest.mark.parametrize(
    "tamper",
    [lambda _text: None, lambda text: text[:-1], lambda _text: "\ud800"],
    ids=["drops it", "changes it", "gives back nonsense"],
)
async def test_a_store_that_does_not_keep_a_value_is_found_out_and_undone(
    scripted: ScriptedStore, tamper: Callable[[str], str | None], before: str | None
) -> None:
    if before is not None:
        scripted.values[ENTRY] = before
    scripted.tamper = lambda text: tamper(text) if text == MADE_UP else text
    with pytest.raises(ValueLost) as caught:
        await OsKeystore("tests", scripted.system_store).write(ENTRY, Secret(MADE_UP))
    assert not tells(rendered(caught.value), MADE_UP)
    assert in_store(scripted, before)


@pytest.mark.parametrize("before", [None, OTHER], ids=["nothing before", "a value before"])
async def test_a_value_that_was_kept_before_the_failure_is_undone(
    scripted: ScriptedStore, before: str | None
) -> None:
    if before is not None:
        scripted.values[ENTRY] = before
    failures = iter([OSError(MADE_UP)])

    def fail_once() -> None:
        for failure in failures:
            raise failure

    scripted.after_put = fail_once
    with pytest.raises(KeystoreFailed):
        await OsKeystore("tests", scripted.system_store).write(ENTRY, Secret(MADE_UP))
    assert in_store(scripted, before)


async def test_a_restore_that_fails_too_tells_the_first_reason(scripted: ScriptedStore) -> None:
    scripted.misbehave(raising(PermissionError(MADE_UP)), "put")
    scripted.misbehave(raising(OSError(MADE_UP)), "erase")
    with pytest.raises(KeystoreDenied):
        await OsKeystore("tests", scripted.system_store).write(ENTRY, Secret(MADE_UP))


async def test_a_replacing_keychain_that_fails_half_way_gets_its_value_back() -> None:
    backend = macos_like()
    keystore = OsKeystore("tests", through_macos(backend))
    await keystore.write(ENTRY, Secret(OTHER))
    backend.failing_adds.append(-128)
    with pytest.raises(KeystoreDenied) as caught:
        await keystore.write(ENTRY, Secret(MADE_UP))
    assert not tells(rendered(caught.value), MADE_UP, OTHER)
    assert await holds(keystore, ENTRY, OTHER)


async def test_an_overwritten_value_leaves_no_copy_in_the_locker() -> None:
    backend = windows_like()
    keystore = OsKeystore("tests", through_windows(backend))
    await keystore.write(ENTRY, Secret(OTHER))
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert list(backend.targets) == [f"Keybench/tests/{ENTRY}"]


async def test_an_erase_that_does_nothing_is_found_out(scripted: ScriptedStore) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.erase = lambda entry, attempt: None  # type: ignore[method-assign]  # says yes and keeps it
    with pytest.raises(KeystoreFailed):
        await keystore.erase(ENTRY)


@pytest.mark.parametrize("call", ["get", "put"])
async def test_a_write_that_hung_never_takes_effect(scripted: ScriptedStore, call: str) -> None:
    scripted.values[ENTRY] = OTHER
    answer = threading.Event()
    scripted.misbehave(hanging(answer), call)
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.probe()
    with impatient(keystore), pytest.raises(KeystoreSilent):
        await keystore.write(ENTRY, Secret(MADE_UP))
    hung = thread_of_keystore()
    answer.set()
    hung.join()
    assert in_store(scripted, OTHER)
    assert ("put" in scripted.asked) == (call == "put")


async def test_a_cancelled_write_is_undone(scripted: ScriptedStore) -> None:
    answer, began = threading.Event(), threading.Event()
    scripted.misbehave(hanging(answer, began), "put")
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.probe()
    writing = asyncio.get_running_loop().create_task(keystore.write(ENTRY, Secret(MADE_UP)))
    await until(began.is_set)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    hung = thread_of_keystore()
    answer.set()
    keystore.close()
    hung.join()
    assert in_store(scripted, None)


def test_undoing_a_late_write_spares_what_was_written_since(scripted: ScriptedStore) -> None:
    attempt = Attempt(3.0)

    def meanwhile() -> None:
        attempt.given_up.set()
        scripted.values[ENTRY] = OTHER

    scripted.after_put = meanwhile
    with pytest.raises(ValueLost):  # nobody hears it
        write(scripted, attempt, ENTRY, Secret(MADE_UP), {})
    assert in_store(scripted, OTHER)


def thread_of_keystore() -> threading.Thread:
    """Return the keystore's newest thread."""
    return [thread for thread in threading.enumerate() if thread.name == "keybench keystore"][-1]
