"""Add a New Key whose answer is lost: found out by its plan, added or deleted again, never made twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import MADE_UP, TILL_KEY, Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    GatewayFailed,
    JournalBusy,
    KeyMadeBefore,
    KeyNotNoted,
    KeyRefused,
    KeystoreDenied,
    KeystoreLocked,
    KeystoreMissing,
    KeyUnsettled,
    NotSent,
    Refused,
)
from keybench.core.events import KeySettled
from keybench.core.input_errors import KeysUnsettled, KeyUnderWay, NotFound
from keybench.core.keys.key import Cleared, KeyPlan
from keybench.core.ports import KeystoreStatus, entry_of
from keybench.core.secret import Secret

UNSURE = [AnswerLost("timeout"), AnswerUnreadable("no key", status=201), GatewayFailed("failed", status=502)]


def write_fails(bench: Bench) -> None:
    async def fail(*_arguments: object) -> None:
        raise KeystoreDenied

    bench.keystore.write = fail  # type: ignore[method-assign]  # reading and erasing go on


def end_fails(bench: Bench) -> None:
    async def fail(*_arguments: object, **_more: object) -> None:
        raise JournalBusy

    bench.journal.end_key_plan = fail  # type: ignore[method-assign]


def mend(bench: Bench) -> None:
    vars(bench.keystore).pop("write", None)
    vars(bench.journal).pop("end_key_plan", None)


async def not_noted(bench: Bench, where: Environment, paste: str = "") -> None:
    """Add a key whose end the journal doesn't take, which is well afterwards."""
    end_fails(bench)
    adding = bench.console.add_key
    with pytest.raises(KeyNotNoted) as caught:
        await (adding.keep(where, TILL_KEY, paste) if paste else adding.create(where, TILL_KEY))
    assert isinstance(caught.value.cause, JournalBusy)
    mend(bench)


async def never_arrived(bench: Bench) -> Environment:
    """Create a key by a request that doesn't come to the gateway, which nobody can tell."""
    where = await bench.practice_environment()
    bench.portal.failure = AnswerLost("timeout")
    with pytest.raises(KeyUnsettled):
        await bench.console.add_key.create(where, TILL_KEY)
    bench.portal.failure = None
    return where


async def lost(bench: Bench) -> tuple[Environment, KeyPlan]:
    """Create a key whose answer is lost after it was made; return its plan."""
    where = await bench.practice_environment()
    bench.portal.lose_answers = 1
    with pytest.raises(KeyUnsettled) as caught:
        await bench.console.add_key.create(where, TILL_KEY)
    (plan,) = await bench.journal.key_plans(where.id)
    assert (caught.value.name, caught.value.key_id) == ("Till", plan.making.key_id)
    assert isinstance(caught.value.cause, AnswerLost)
    assert not caught.value.is_made
    assert bench.portal.active == ["K-1"]
    return where, plan


async def assert_nothing_is_left(bench: Bench, where: Environment) -> None:
    """Hold that no place has anything of the key."""
    assert bench.portal.active == []
    assert bench.keystore.entries == ()
    assert list(await bench.journal.key_plans()) == []
    assert list(await bench.journal.keys(where.id)) == []


def restarted(bench: Bench) -> Bench:
    """Return the next program on the same places; the one before has ended."""
    bench.owners.running.clear()
    return bench.next_program()


async def settle_all(bench: Bench) -> list[Cleared | None]:
    """Settle what can be, and return what became of each that isn't added."""
    ended: list[Cleared | None] = []
    for plan in await bench.console.add_key.unsettled():
        settled = await bench.console.add_key.settle(plan.making.key_id)
        ended.append(None if settled.key else settled.cleared)
    return ended


@pytest.mark.parametrize("error", UNSURE)
async def test_what_nobody_can_tell_is_said_and_noted(bench: Bench, error: AnswerLost) -> None:
    where = await bench.practice_environment()
    bench.portal.failure = error
    with pytest.raises(KeyUnsettled) as caught:
        await bench.console.add_key.create(where, TILL_KEY)
    assert caught.value.cause is error
    assert [plan.name for plan in await bench.console.add_key.unsettled()] == ["Till"]
    assert not await bench.journal.keys(where.id)


async def test_a_key_whose_value_was_lost_is_deleted_at_the_next_start(bench: Bench) -> None:
    where, _ = await lost(bench)
    again = restarted(bench)
    heard: list[KeySettled] = []
    again.events.subscribe(KeySettled, heard.append)
    assert await settle_all(again) == [Cleared.DELETED]
    assert [one.settled.plan.name for one in heard] == ["Till"]
    await assert_nothing_is_left(bench, where)
    assert [line.action for line in await bench.journal.activities(5)] == ["unused key cleared"]


async def test_a_request_that_never_arrived_is_made_once(bench: Bench) -> None:
    where = await never_arrived(bench)
    assert await settle_all(restarted(bench)) == [None]
    (key,) = await bench.journal.keys(where.id)
    assert bench.portal.active == [key.gateway_id]
    assert bench.keystore.entries == (entry_of(key),)


async def test_creating_another_of_that_name_clears_the_lost_one_first(bench: Bench) -> None:
    where, _ = await lost(bench)
    bench.portal.to_delete = NotSent("connection refused")
    with pytest.raises(KeyUnsettled):
        await bench.console.add_key.create(where, replace(TILL_KEY, permission="API"))
    assert bench.portal.active == ["K-1"], "never two"
    bench.portal.to_delete = None
    added = await bench.console.add_key.create(where, replace(TILL_KEY, permission="API"))
    assert added.key.permission == "API"
    assert bench.portal.active == [added.key.gateway_id]


async def test_a_key_that_is_not_wanted_any_more_is_deleted(bench: Bench) -> None:
    await never_arrived(bench)
    (plan,) = await bench.journal.key_plans()
    await bench.console.add_key.withdraw(plan.making.key_id)
    settled = await bench.console.add_key.settle(plan.making.key_id)
    await bench.console.add_key.withdraw(plan.making.key_id)
    assert (settled.key, settled.cleared) == (None, Cleared.DELETED)
    assert not bench.portal.active
    with pytest.raises(NotFound):
        await bench.console.add_key.settle(plan.making.key_id)


async def test_a_found_key_that_the_gateway_does_not_know_is_not_added(bench: Bench) -> None:
    where = await bench.practice_environment()
    await not_noted(bench, where)
    bench.gateway.to_probe = [KeyRefused("unauthorised", status=401)]
    assert await settle_all(bench) == [Cleared.DELETED]
    await assert_nothing_is_left(bench, where)


async def test_a_value_that_cannot_be_kept_is_deleted_at_the_gateway(bench: Bench) -> None:
    where = await bench.practice_environment()
    write_fails(bench)
    with pytest.raises(KeystoreDenied):
        await bench.console.add_key.create(where, TILL_KEY)
    assert bench.portal.request_ids
    await assert_nothing_is_left(bench, where)


async def test_a_key_that_can_neither_be_kept_nor_deleted_is_told_and_deleted_later(bench: Bench) -> None:
    where = await bench.practice_environment()
    write_fails(bench)
    bench.portal.to_delete = NotSent("connection refused")
    with pytest.raises(KeyUnsettled) as caught:
        await bench.console.add_key.create(where, TILL_KEY)
    assert caught.value.is_made
    assert isinstance(caught.value.cause, KeystoreDenied)
    mend(bench)
    bench.portal.to_delete = None
    assert await settle_all(bench) == [Cleared.DELETED]
    assert not bench.portal.active


@pytest.mark.parametrize(
    "error", [NotSent("connection refused"), Refused("bad request", status=400), KeystoreLocked()]
)
async def test_a_certain_failure_says_nothing_of_the_attempt_before(bench: Bench, error: Exception) -> None:
    await lost(bench)
    failing = bench.keystore if isinstance(error, KeystoreLocked) else bench.portal
    failing.failure = error  # type: ignore[assignment]  # each is one of ours
    for _ in range(2):
        with pytest.raises(KeyUnsettled):
            await settle_all(bench)
    failing.failure = None
    assert await settle_all(bench) == [Cleared.DELETED]


async def test_a_certain_failure_that_cannot_be_noted_is_not_made_later(bench: Bench) -> None:
    where = await bench.practice_environment()
    bench.portal.failure = NotSent("connection refused")
    end_fails(bench)
    with pytest.raises(NotSent):
        await bench.console.add_key.create(where, TILL_KEY)
    bench.portal.failure = None
    mend(bench)
    assert await settle_all(bench) == [Cleared.NONE]
    assert not bench.portal.request_ids
    assert not await bench.journal.key_plans()


async def test_no_value_in_memory_is_no_answer_of_the_keystore(bench: Bench) -> None:
    """A value may be in the keystore that is missing today, so its key is neither deleted nor given up."""
    where = await bench.practice_environment()
    await not_noted(bench, where)
    without = restarted(bench)
    without.keystore = type(bench.keystore)(durable=False)
    assert without.keystore.status == KeystoreStatus("Fake Keyring", durable=False)
    without.__post_init__()
    (plan,) = await without.console.add_key.unsettled()
    for _ in range(2):
        with pytest.raises(KeyUnsettled) as caught:
            await without.console.add_key.settle(plan.making.key_id)
        await without.console.add_key.withdraw(plan.making.key_id)
        assert isinstance(caught.value.cause, KeystoreMissing)
    assert bench.portal.active == ["K-1"]
    assert await settle_all(restarted(bench)) == [Cleared.DELETED], "it wasn't wanted any more"
    assert not await bench.journal.keys(where.id)


async def test_without_any_keystore_a_lost_key_is_deleted_all_the_same(bench: Bench) -> None:
    bench.keystore.durable = False
    await lost(bench)
    assert await settle_all(restarted(bench)) == [Cleared.DELETED]


async def test_a_name_that_another_key_got_meanwhile_is_its_own(bench: Bench) -> None:
    where, _ = await lost(bench)
    other = (await bench.console.add_key.keep(where, TILL_KEY, MADE_UP)).key
    assert await settle_all(bench) == [Cleared.DELETED]
    assert list(await bench.journal.keys(where.id)) == [other]
    assert bench.keystore.entries == (entry_of(other),)


async def test_a_gateway_that_names_a_key_in_use_has_nothing_deleted(bench: Bench) -> None:
    where = await bench.practice_environment()
    used = (await bench.console.add_key.create(where, replace(TILL_KEY, name="In use"))).key
    bench.portal.failure = KeyMadeBefore(used.gateway_id)
    with pytest.raises(KeyMadeBefore):
        await bench.console.add_key.create(where, TILL_KEY)
    bench.portal.failure = None
    assert bench.portal.active == [used.gateway_id]
    assert await bench.keystore.read(entry_of(used))
    actions = [line.action for line in await bench.journal.activities(9)]
    assert "unused key may be left at the gateway" in actions


async def test_another_programs_plan_is_left_to_it(bench: Bench) -> None:
    _, plan = await lost(bench)
    owned = replace(plan.making, owner="program-9")
    await bench.journal.update_key_plan(plan.making.key_id, lambda stored: replace(stored, making=owned))
    bench.owners.running.add("program-9")
    assert not await bench.console.add_key.unsettled()
    with pytest.raises(KeyUnderWay):
        await bench.console.add_key.settle(plan.making.key_id)
    with pytest.raises(KeyUnderWay):
        await bench.console.add_key.create(await bench.practice_environment(), TILL_KEY)
    bench.owners.running.discard("program-9")
    assert await settle_all(bench) == [Cleared.DELETED]


# --- pasted values -----------------------------------------------------------------------------------


async def test_a_pasted_value_without_its_key_is_taken_over_at_the_next_start(bench: Bench) -> None:
    where = await bench.add()
    await not_noted(bench, where, MADE_UP)
    assert await settle_all(restarted(bench)) == [None]
    (key,) = await bench.journal.keys(where.id)
    assert bench.keystore.entries == (entry_of(key),)
    assert not bench.portal.request_ids, "no gateway is asked for a key that was pasted"


async def test_a_value_that_came_into_the_keystore_after_all_is_erased(bench: Bench) -> None:
    """A keystore that asks a person may write long after it was given up."""
    where = await bench.add()
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await bench.console.add_key.keep(where, TILL_KEY, MADE_UP)
    bench.keystore.failure = None
    (plan,) = await bench.journal.key_plans()
    bench.keystore.change(f"{where.id}/{plan.making.key_id}", Secret(MADE_UP))
    assert await settle_all(restarted(bench)) == [Cleared.NONE]
    assert not bench.keystore.entries
    assert not await bench.journal.keys(where.id)


# --- environments ------------------------------------------------------------------------------------


async def test_an_environment_with_an_open_plan_is_not_removed_without_saying_so(bench: Bench) -> None:
    where = await bench.add("Sandbox", EnvironmentKind.TEST)
    bench.portal.lose_answers = 1
    with pytest.raises(KeyUnsettled):
        await bench.console.add_key.create(where, TILL_KEY)
    with pytest.raises(KeysUnsettled) as caught:
        await bench.console.environments.remove(where)
    assert caught.value.names == ("Till",)
    await bench.console.environments.remove(where, anyway=True)
    assert not await bench.journal.key_plans()
    told = [(line.action, line.subject) for line in await bench.journal.activities(5)]
    assert ("unused key may be left at the gateway", "Till") in told


async def test_a_pasted_plan_does_not_keep_an_environment(bench: Bench) -> None:
    where = await bench.add()
    await not_noted(bench, where, MADE_UP)
    await bench.console.environments.remove(where)
    assert not bench.keystore.entries


async def test_an_environment_that_goes_while_a_key_is_made_leaves_none_at_its_gateway(bench: Bench) -> None:
    where = await bench.add("Sandbox", EnvironmentKind.TEST)
    real = bench.keystore.write

    async def remove_and_write(entry: str, value: object) -> None:
        await bench.journal.remove_environment(where.id)
        await real(entry, value)  # type: ignore[arg-type]

    bench.keystore.write = remove_and_write  # type: ignore[assignment,method-assign]
    with pytest.raises(NotFound):
        await bench.console.add_key.create(where, TILL_KEY)
    await assert_nothing_is_left(bench, where)
