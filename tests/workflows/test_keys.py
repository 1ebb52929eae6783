"""What is done with a kept key: test, reveal, forget; and the devices it can see."""

from __future__ import annotations

import pytest

from fakes.world import MADE_UP, TILL_KEY, Bench
from keybench.core.errors import (
    AnswerLost,
    Forbidden,
    GatewayError,
    GatewayFailed,
    JournalUnwritable,
    KeyRefused,
    KeystoreLocked,
    NotFound,
    NotSent,
    SalesUnderWay,
    ValueLost,
)
from keybench.core.events import DevicesChanged, GatewayChanged
from keybench.core.ports import Device, entry_of
from keybench.core.sale import SaleDraft
from keybench.core.secret import Secret
from keybench.core.security_key import KeyState, SecurityKey


@pytest.fixture
async def key(bench: Bench) -> SecurityKey:
    return (await bench.console.add_key.create(await bench.practice_environment(), TILL_KEY)).key


async def stored(bench: Bench) -> SecurityKey:
    return (await bench.journal.keys("practice"))[0]


async def last_activity(bench: Bench) -> tuple[str, str]:
    line = (await bench.journal.activities(1))[0]
    return line.action, line.result


async def test_a_key_that_is_accepted_works(bench: Bench, key: SecurityKey) -> None:
    await bench.clock.advance(60)
    tested = await bench.console.keys.test(await bench.practice_environment(), key)
    assert (tested.state, tested.status, tested.tested_at) == (KeyState.WORKING, 200, bench.clock.now())
    assert await stored(bench) == tested
    assert await last_activity(bench) == ("key tested", "200 accepted")


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (KeyRefused("unauthorised", status=401, message="key not found"), KeyState.REFUSED),
        (Forbidden("forbidden", status=403, message="no permission"), KeyState.FORBIDDEN),
    ],
)
async def test_a_refusal_is_remembered_and_raised(
    bench: Bench, key: SecurityKey, error: GatewayError, state: KeyState
) -> None:
    bench.gateway.to_probe = [error]
    with pytest.raises(type(error)):
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert ((await stored(bench)).state, (await stored(bench)).status) == (state, error.status)
    assert await last_activity(bench) == ("key tested", f"{error.status} {error.message}")


@pytest.mark.parametrize(
    "error",
    [
        NotSent("connection refused"),
        AnswerLost("timeout"),
        GatewayFailed("failed", status=503),
        Forbidden("rate limit", status=403, retry_after_s=7.0),
    ],
)
async def test_an_answer_that_says_nothing_of_the_key_leaves_its_state(
    bench: Bench, key: SecurityKey, error: GatewayError
) -> None:
    bench.gateway.to_probe = [error]
    with pytest.raises(type(error)):
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert await stored(bench) == key


async def test_a_value_that_is_gone_is_remembered(bench: Bench, key: SecurityKey) -> None:
    await bench.keystore.erase(entry_of(key))
    with pytest.raises(ValueLost):
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert (await stored(bench)).state is KeyState.VALUE_LOST


async def test_a_locked_keystore_says_nothing_of_the_key(bench: Bench, key: SecurityKey) -> None:
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert await stored(bench) == key


@pytest.mark.parametrize("purpose", ["revealed", "copied"])
async def test_that_a_value_was_handed_out_is_noted_without_it(
    bench: Bench, key: SecurityKey, purpose: str
) -> None:
    value = await bench.console.keys.value(key, purpose)
    assert value.matches(Secret(MADE_UP))
    line = (await bench.journal.activities(1))[0]
    assert (line.action, line.subject) == (f"value {purpose}", "Till")
    assert MADE_UP[:8] not in repr(line)


async def test_a_value_that_cannot_be_noted_is_not_handed_out(bench: Bench, key: SecurityKey) -> None:
    bench.journal.failure = JournalUnwritable("the disk", "full")
    with pytest.raises(JournalUnwritable):
        await bench.console.keys.value(key, "revealed")


async def test_a_forgotten_key_is_gone_everywhere(bench: Bench, key: SecurityKey) -> None:
    await bench.console.keys.forget(await bench.practice_environment(), key)
    assert not [*bench.portal.active, *bench.keystore.entries, *await bench.journal.keys("practice")]
    assert await last_activity(bench) == ("key forgotten", key.fingerprint)


async def test_a_key_the_gateway_keeps_is_kept_here_too(bench: Bench, key: SecurityKey) -> None:
    bench.portal.to_delete = NotSent("connection refused")
    with pytest.raises(NotSent):
        await bench.console.keys.forget(await bench.practice_environment(), key)
    assert bench.holds_value_of(key)
    assert await stored(bench) == key


async def test_a_key_whose_value_stays_is_listed_until_it_can_be_erased(
    bench: Bench, key: SecurityKey
) -> None:
    where = await bench.practice_environment()
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await bench.console.keys.forget(where, key)
    assert await stored(bench) == key
    bench.keystore.failure = None
    await bench.console.keys.forget(where, key)
    assert not await bench.journal.keys(where.id)


async def test_a_pasted_key_is_forgotten_here_alone(bench: Bench) -> None:
    where = await bench.add()
    key = await bench.add_key(where)
    bench.portal.failure = NotSent("nobody asks it")
    await bench.console.keys.forget(where, key)
    assert not bench.keystore.entries


async def test_a_key_is_found_by_name_in_any_case(bench: Bench, key: SecurityKey) -> None:
    where = await bench.practice_environment()
    assert await bench.console.keys.named(where, " tILL ") == key
    with pytest.raises(NotFound):
        await bench.console.keys.named(where, "Tills")


async def test_keys_are_listed_without_a_call_to_the_keystore(bench: Bench, key: SecurityKey) -> None:
    bench.keystore.calls.clear()
    assert list(await bench.console.keys.listed(await bench.practice_environment())) == [key]
    assert not bench.keystore.calls


async def test_devices_are_asked_for_remembered_and_announced(bench: Bench, key: SecurityKey) -> None:
    where = await bench.practice_environment()
    heard: list[DevicesChanged] = []
    bench.events.subscribe(DevicesChanged, heard.append)
    found = await bench.console.keys.refresh_devices(where, key)
    assert (
        list(found) == [Device("D-1", "Till 1", "connected")] == list(await bench.journal.devices(where.id))
    )
    assert heard == [DevicesChanged(where.id)]


async def test_devices_that_cannot_be_had_leave_the_known_ones(bench: Bench, key: SecurityKey) -> None:
    where = await bench.practice_environment()
    await bench.console.keys.refresh_devices(where, key)
    bench.gateway.device_list = AnswerLost("timeout")
    with pytest.raises(AnswerLost):
        await bench.console.keys.refresh_devices(where, key)
    assert [device.id for device in await bench.console.keys.devices(where)] == ["D-1"]


async def test_every_exchange_tells_whether_the_gateway_is_up(bench: Bench) -> None:
    heard: list[GatewayChanged] = []
    bench.events.subscribe(GatewayChanged, heard.append)
    await bench.carry(bench.console.sell.carry_out(await bench.console.sell.note(await bench.draft())))
    assert set(heard) == {GatewayChanged("practice", up=True, address="127.0.0.1:4001")}


async def test_a_key_that_a_sale_needs_is_kept_until_the_outcome_is_there(
    bench: Bench, key: SecurityKey
) -> None:
    where = await bench.practice_environment()
    await bench.console.sell.note(SaleDraft(where.id, key.id, "D-1", "10.00", "USD"))
    with pytest.raises(SalesUnderWay):
        await bench.console.keys.forget(where, key)
    assert bench.holds_value_of(key)
    assert await stored(bench) == key
