"""What is done with a kept key: test, reveal, rename, forget."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from contracts.journal_samples import an_exchange
from fakes.journal import put_key
from fakes.scripted_gateway import ScriptedGateway
from fakes.snapshot import rotation as an_open_rotation
from fakes.world import MADE_UP, TILL_KEY, Bench
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    JournalForbidden,
    JournalUnwritable,
    KeyRefused,
    KeystoreDenied,
    KeystoreError,
    KeystoreLocked,
    KeystoreSilent,
    NotSent,
    ValueDiffers,
    ValueLost,
    ValueNeverHere,
)
from keybench.core.events import GatewayChanged, RotationChanged
from keybench.core.input_errors import InputInvalid, NameTaken, NotFound, RotationUnderWay, SalesUnderWay
from keybench.core.keys.key import KeyPlan, KeyState, PlannedKey, SecurityKey, Trial
from keybench.core.ports import Activity, Caller, entry_of
from keybench.core.sales.sale import SaleDraft
from keybench.core.secret import Secret
from keybench.words.activity import result_words
from keybench.words.keys import states as words
from keybench.workflows.administration import Administration
from keybench.workflows.keys.creation import entry_for


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
    assert await last_activity(bench) == ("key tested", f"200 accepted {tested.fingerprint}")


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


class Telling(ScriptedGateway):
    """Makes an exchange of each test, as a real one does."""

    async def probe_key(self, caller: Caller) -> int:
        caller.on_exchange(an_exchange(f"https://gateway.example/{len(self.to_probe)}"))
        return await super().probe_key(caller)


@pytest.mark.parametrize(
    "answer",
    [200, KeyRefused("unauthorised", status=401, message="no"), AnswerLost("timeout")],
    ids=["accepted", "refused", "lost"],
)
async def test_what_was_asked_and_answered_is_kept_until_the_next_test(answer: int | GatewayError) -> None:
    bench = Bench(gateway=Telling())
    await bench.journal.open()
    practice = await bench.practice_environment()
    key = await bench.add_key(practice)
    assert list(await bench.console.keys.last_test(key)) == []
    bench.gateway.to_probe = [answer, 200]
    with suppress(GatewayError):
        await bench.console.keys.test(practice, key)
    assert list(await bench.console.keys.last_test(key)) == [an_exchange("https://gateway.example/2")]
    await bench.console.keys.test(practice, key)
    (kept,) = await bench.console.keys.last_test(key)
    assert kept.url == "https://gateway.example/1"


@pytest.mark.parametrize(
    ("error", "trial"),
    [
        (NotSent("connection refused"), Trial.NOT_REACHED),
        (AnswerLost("timeout"), Trial.NO_ANSWER),
        (GatewayFailed("failed", status=503), Trial.GATEWAY_FAILED),
        (AnswerUnreadable("not json", status=200), Trial.UNCLEAR),
        (Forbidden("rate limit", status=403, retry_after_s=7.0), Trial.TOO_OFTEN),
        (Forbidden("rate limit", status=403), Trial.TOO_OFTEN),
    ],
)
async def test_an_answer_that_says_nothing_of_the_key_leaves_its_state(
    bench: Bench, key: SecurityKey, error: GatewayError, trial: Trial
) -> None:
    bench.gateway.to_probe = [error]
    with pytest.raises(type(error)):
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert await stored(bench) == key.tried(trial, bench.clock.now())
    assert "never" not in words.test_words(await stored(bench), bench.clock.now())
    bench.gateway.to_probe = [200]
    again = await bench.console.keys.test(await bench.practice_environment(), await stored(bench))
    assert (again.tried_at, again.trial, again.state) == (None, None, KeyState.WORKING)


@pytest.mark.parametrize("shows", [True, False])
async def test_a_value_that_is_gone_is_remembered(bench: Bench, key: SecurityKey, *, shows: bool) -> None:
    await bench.keystore.erase(entry_of(key))
    keys = bench.console.keys
    with pytest.raises(ValueLost):
        await (keys.value(key, "shown") if shows else keys.test(await bench.practice_environment(), key))
    assert (await stored(bench)).state is KeyState.VALUE_LOST


async def test_another_value_in_the_keystore_is_neither_sent_nor_shown(
    bench: Bench, key: SecurityKey
) -> None:
    bench.keystore.change(entry_of(key), Secret("SomebodyElsesMadeUpValue00000001"))
    with pytest.raises(ValueDiffers) as raised:
        await bench.console.keys.test(await bench.practice_environment(), key)
    assert (raised.value.name, raised.value.expected) == (key.name, key.fingerprint)
    assert raised.value.found != key.fingerprint
    assert (await stored(bench)).state is KeyState.VALUE_LOST
    assert await last_activity(bench) == ("key tested", "another value in the keystore")
    with pytest.raises(ValueDiffers):
        await bench.console.keys.value(key, "revealed")
    assert await last_activity(bench) == ("value not revealed", "ValueDiffers")


async def test_a_sale_does_not_use_another_value(bench: Bench, key: SecurityKey) -> None:
    bench.keystore.change(entry_of(key), Secret("SomebodyElsesMadeUpValue00000001"))
    where = await bench.practice_environment()
    with pytest.raises(ValueDiffers):
        async with bench.console.calling.shared_connection(where, key):
            raise AssertionError("there was a connection")
    bench.keystore.change(entry_of(key), Secret(MADE_UP))
    async with bench.console.calling.shared_connection(where, key) as connection:
        assert connection.caller.value.matches(Secret(MADE_UP))


async def test_a_key_that_was_only_described_has_no_value_to_lose(bench: Bench, key: SecurityKey) -> None:
    described = replace(key, fingerprint="", state=KeyState.NO_VALUE)
    await put_key(bench.journal, described)
    calls = len(bench.keystore.calls)
    with pytest.raises(ValueNeverHere):
        await bench.console.keys.value(described, "copied")
    with pytest.raises(ValueNeverHere):
        await bench.console.keys.test(await bench.practice_environment(), described)
    assert await stored(bench) == described
    assert len(bench.keystore.calls) == calls
    line = (await bench.journal.activities(1))[0]
    assert (line.action, result_words(line)) == ("key tested", "This key never had a value here.")


@pytest.mark.parametrize("error", [KeystoreLocked(), KeystoreDenied(), KeystoreSilent()])
async def test_an_entry_that_fails_leaves_the_others_alone(
    bench: Bench, key: SecurityKey, error: KeystoreError
) -> None:
    where = await bench.practice_environment()
    other = await bench.add_key(where, "Other")
    bench.keystore.failures[entry_of(key)] = error
    with pytest.raises(type(error)):
        await bench.console.keys.test(where, key)
    assert key in await bench.journal.keys(where.id), "it says nothing of the key"
    assert (await bench.console.keys.test(where, other)).state is KeyState.WORKING


@pytest.mark.parametrize("side", ["old", "replacement"])
async def test_a_key_in_an_open_rotation_is_not_forgotten(bench: Bench, key: SecurityKey, side: str) -> None:
    where = await bench.practice_environment()
    other = await bench.add_key(where, "Other")
    old, new = (key, other) if side == "old" else (other, key)
    rotation = an_open_rotation(old, to=new)
    started = Activity(bench.clock.now(), "rotation started", where.id, old.name, "")
    await bench.journal.start_rotation(rotation, started)
    with pytest.raises(RotationUnderWay):
        await bench.console.keys.forget(where, key)
    assert bench.holds_value_of(key)
    await bench.journal.advance_rotation(
        rotation.id, lambda stored: replace(stored, abandoned_at=bench.clock.now())
    )
    await bench.console.keys.forget(where, key)
    assert not bench.holds_value_of(key)


@pytest.mark.parametrize("purpose", ["revealed", "copied"])
async def test_that_a_value_was_handed_out_is_noted_without_it(
    bench: Bench, key: SecurityKey, purpose: str
) -> None:
    value = await bench.console.keys.value(key, purpose)
    assert value.matches(Secret(MADE_UP))
    line = (await bench.journal.activities(1))[0]
    assert (line.action, line.subject) == (f"value {purpose}", "Till")
    assert MADE_UP[:8] not in repr(line)


async def test_that_a_value_was_wanted_and_not_had_is_noted_too(bench: Bench, key: SecurityKey) -> None:
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await bench.console.keys.value(key, "revealed")
    line = (await bench.journal.activities(1))[0]
    assert (line.action, line.result) == ("value not revealed", "KeystoreLocked")
    assert result_words(line) == "The keystore is locked."


async def test_a_value_that_cannot_be_noted_is_not_handed_out(bench: Bench, key: SecurityKey) -> None:
    bench.journal.failure = JournalUnwritable("the disk", "full")
    with pytest.raises(JournalUnwritable):
        await bench.console.keys.value(key, "revealed")


async def test_a_forgotten_key_is_gone_everywhere(bench: Bench, key: SecurityKey) -> None:
    await bench.console.keys.forget(await bench.practice_environment(), key)
    assert not [*bench.portal.active, *bench.keystore.entries, *await bench.journal.keys("practice")]
    assert await last_activity(bench) == ("key forgotten", key.fingerprint)


async def test_who_may_not_remove_a_key_deletes_it_nowhere(bench: Bench, key: SecurityKey) -> None:
    there = list(bench.portal.active)
    bench.journal.failure = JournalForbidden("the team")
    with pytest.raises(JournalForbidden):
        await bench.console.keys.forget(await bench.practice_environment(), key)
    assert bench.holds_value_of(key)
    assert bench.portal.active == there


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


# --- rename ------------------------------------------------------------------------------------------


async def test_a_renamed_key_keeps_its_value_and_the_activity_tells_both_names(
    bench: Bench, key: SecurityKey
) -> None:
    before = await bench.keystore.read(entry_of(key))
    renamed = await bench.console.keys.rename(key, " counter till ")
    assert renamed == replace(key, name="counter till") == await stored(bench)
    assert (await bench.console.keys.value(renamed, "revealed")).matches(before)
    line = (await bench.journal.activities(2))[1]
    assert (line.action, line.subject) == ("key renamed", "counter till")
    assert line.result == f"{key.name} → counter till"
    assert await bench.console.keys.rename(renamed, "counter till") == renamed
    assert len([one for one in await bench.journal.activities(9) if one.action == "key renamed"]) == 1
    assert (await bench.console.keys.rename(renamed, "COUNTER till")).name == "COUNTER till"


async def test_a_name_that_is_taken_or_wanted_is_refused(bench: Bench, key: SecurityKey) -> None:
    environment = await bench.practice_environment()
    other = (await bench.console.add_key.create(environment, replace(TILL_KEY, name="Web"))).key
    making = PlannedKey("k-9", "r-9", replace(TILL_KEY, name="Kiosk"), asked_at=bench.clock.now())
    await bench.journal.add_key_plan(KeyPlan("practice", making))
    for name in (key.name.upper(), "KIOSK"):
        with pytest.raises(NameTaken):
            await bench.console.keys.rename(other, name)
    for name in ("", "4111 1111 1111 1111"):
        with pytest.raises(InputInvalid):
            await bench.console.keys.rename(other, name)
    assert (await bench.console.keys.named(environment, "Web")).id == other.id
    await bench.console.keys.forget(environment, other)
    with pytest.raises(NotFound):
        await bench.console.keys.rename(other, "Tablet")


async def test_an_open_rotation_and_an_unfinished_sale_follow(bench: Bench, key: SecurityKey) -> None:
    administration = Administration(bench.console)
    rotation = await administration.rotations.start(
        await bench.practice_environment(),
        key,
        administration.rotations.proposed(key),
        reason="old",
        by="Mira",
        overlap_ends_at=bench.clock.now(),
    )
    told: list[RotationChanged] = []
    bench.events.subscribe(RotationChanged, told.append)
    renamed = await bench.console.keys.rename(key, "counter till")
    now = await bench.journal.rotation(rotation.id)
    assert (now.old.name, now.old.key_id) == ("counter till", key.id)
    last = now.evidence[-1]
    assert (last.what, last.detail) == ("key renamed", f"{key.name} → counter till")
    assert [one.rotation_id for one in told] == [rotation.id]
    draft = SaleDraft("practice", renamed.id, "D-1", "10.00", "USD")
    assert (await bench.console.sell.note(draft)).key_name == "counter till"


async def test_every_value_can_be_erased_those_of_planned_keys_too(bench: Bench, key: SecurityKey) -> None:
    planned = PlannedKey("key-2", "request-2", TILL_KEY)
    await bench.journal.add_key_plan(KeyPlan(key.environment_id, planned))
    await bench.keystore.write(entry_for(key.environment_id, planned), Secret(MADE_UP))
    elsewhere = await bench.add()
    await bench.add_key(elsewhere, "Other")
    assert len(bench.keystore.entries) == 3
    await bench.console.keys.erase_values()
    assert bench.keystore.entries == ()


async def test_a_value_is_erased_whose_key_is_added_meanwhile(
    bench: Bench, key: SecurityKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = PlannedKey("key-2", "request-2", TILL_KEY)
    await bench.journal.add_key_plan(KeyPlan(key.environment_id, planned))
    await bench.keystore.write(entry_for(key.environment_id, planned), Secret(MADE_UP))
    listed = bench.journal.keys

    async def keys(environment_id: str) -> Sequence[SecurityKey]:
        before = await listed(environment_id)
        await bench.journal.end_key_plan("key-2", add_key=replace(key, id="key-2", name="Second"))
        return before

    monkeypatch.setattr(bench.journal, "keys", keys)
    await bench.console.keys.erase_values()
    assert bench.keystore.entries == ()
