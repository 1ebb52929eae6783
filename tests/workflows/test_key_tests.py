"""Testing many keys: bounded, within the rate limit, stoppable, and one key's trouble is not the others'."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerUnreadable, Forbidden, KeyRefused, KeystoreLocked, NotSent
from keybench.core.input_errors import NotFound
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState
from keybench.core.ports import Caller, entry_of
from keybench.core.reasons import Reason
from keybench.workflows.keys.inventory import Inventory
from keybench.workflows.keys.testing import AT_ONCE, KeyTests, TrialEnd


async def keys_of(bench: Bench, environment: Environment, count: int) -> list[InventoryRow]:
    for number in range(count):
        await bench.add_key(environment, f"Key {number}")
    return [row for row in await Inventory(bench.console).rows() if row.environment == environment]


def run_of(bench: Bench, rows: list[InventoryRow]) -> tuple[KeyTests, list[tuple[int, TrialEnd]]]:
    told: list[tuple[int, TrialEnd]] = []

    def hear(place: int) -> None:
        told.append((place, run.rows[place].end))

    run = KeyTests(bench.console, rows, hear)
    return run, told


async def test_each_key_is_tested_and_told(bench: Bench) -> None:
    rows = await keys_of(bench, await bench.practice_environment(), 3)
    run, told = run_of(bench, rows)
    tests = await bench.carry(run.carry_out())
    assert [test.end for test in tests] == [TrialEnd.WORKING] * 3
    assert (run.done, run.total, run.count(TrialEnd.WORKING)) == (3, 3, 3)
    assert sorted(told) == sorted(
        [(place, end) for place in range(3) for end in (TrialEnd.UNDER_WAY, TrialEnd.WORKING)]
    )
    after = await Inventory(bench.console).rows()
    assert {row.key.state for row in after} == {KeyState.WORKING}


async def test_no_further_key_goes_where_one_met_no_gateway(bench: Bench) -> None:
    astray = await keys_of(bench, await bench.add("Astray"), 12)
    shop = await keys_of(bench, await bench.add("Shop"), 3)
    asked: list[str] = []

    async def answer(caller: Caller) -> int:
        asked.append(caller.environment.name)
        if caller.environment.name == "Astray":
            raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS)
        return 200

    bench.gateway.probe_key = answer  # type: ignore[method-assign]
    run, _told = run_of(bench, [*astray, *shop])
    await bench.carry(run.carry_out())
    assert asked.count("Astray") <= AT_ONCE
    assert run.count(TrialEnd.NOT_TESTED) == 12 - asked.count("Astray")
    assert run.count(TrialEnd.WORKING) == 3


async def test_a_few_at_once_and_no_faster_than_the_rate_limit(bench: Bench) -> None:
    shop = await bench.add("Shop", EnvironmentKind.LIVE)
    rows = await keys_of(bench, shop, 30)
    facts = bench.gateway.facts(shop.contract)
    run, told = run_of(bench, rows)
    began = bench.clock.monotonic()
    await bench.carry(run.carry_out())
    under_way = most = 0
    for _place, end in told:
        under_way += 1 if end is TrialEnd.UNDER_WAY else -1
        most = max(most, under_way)
    assert most <= AT_ONCE
    assert bench.clock.monotonic() - began >= 30 / facts.requests_per_s - 1.5


async def test_a_key_whose_environment_is_gone_is_not_tested(bench: Bench) -> None:
    shop = await bench.add("Shop")
    rows = await keys_of(bench, shop, 1)
    await bench.console.environments.remove(shop)
    run, _told = run_of(bench, rows)
    (test,) = await bench.carry(run.carry_out())
    assert test.end is TrialEnd.NOT_TESTED, "nobody was asked, so nobody gave no answer"
    assert isinstance(test.error, NotFound)
    assert test.error.name == "Shop", "a name that people know"


async def test_one_keys_trouble_is_not_the_others(bench: Bench) -> None:
    rows = await keys_of(bench, await bench.practice_environment(), 6)
    failures = {
        rows[0].key.id: KeyRefused("unauthorised", status=401),
        rows[1].key.id: Forbidden("forbidden", status=403),
        rows[2].key.id: NotSent("connection refused"),
        rows[3].key.id: Forbidden("rate limit", status=403, retry_after_s=2.0),
    }
    await bench.keystore.erase(entry_of(rows[4].key))
    answered = bench.gateway.probe_key
    asked: list[str] = []

    async def probe(caller: Caller) -> int:
        asked.append(caller.environment.id)
        test = next(one for one in run.rows if one.end is TrialEnd.UNDER_WAY and one.error is None)
        if failure := failures.pop(test.item.key.id, None):
            raise failure
        return await answered(caller)

    bench.gateway.probe_key = probe  # type: ignore[method-assign] - a gateway that answers key by key
    run, _told = run_of(bench, rows)
    run_one_by_one = run.carry_out()
    tests = await bench.carry(run_one_by_one)
    ends = sorted(test.end.value for test in tests)
    assert ends == sorted(
        [
            TrialEnd.REFUSED,
            TrialEnd.REFUSED,
            TrialEnd.NO_ANSWER,
            TrialEnd.NO_ANSWER,
            TrialEnd.NO_VALUE,
            TrialEnd.WORKING,
        ]
    )
    assert run.trouble is None


async def test_a_key_without_a_value_isnt_asked_about(bench: Bench) -> None:
    (row,) = await keys_of(bench, await bench.practice_environment(), 1)
    described = replace(row, key=replace(row.key, state=KeyState.NO_VALUE))
    bench.keystore.calls.clear()
    run, _told = run_of(bench, [described])
    (test,) = await bench.carry(run.carry_out())
    assert (test.end, test.error, bench.keystore.calls) == (TrialEnd.NO_VALUE, None, [])


async def test_a_locked_keystore_ends_the_run_and_says_why(bench: Bench) -> None:
    rows = await keys_of(bench, await bench.practice_environment(), 9)
    bench.keystore.failure = KeystoreLocked()
    bench.keystore.calls.clear()
    run, _told = run_of(bench, rows)
    tests = await bench.carry(run.carry_out())
    assert {test.end for test in tests} == {TrialEnd.NOT_TESTED}
    assert isinstance(run.trouble, KeystoreLocked)
    assert len(bench.keystore.calls) <= AT_ONCE
    assert {row.key.state for row in await Inventory(bench.console).rows()} == {KeyState.KEPT}


async def test_stopping_finishes_what_is_under_way(bench: Bench) -> None:
    rows = await keys_of(bench, await bench.practice_environment(), 9)
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def probe(caller: Caller) -> int:
        reached.set()
        await go_on.wait()
        return 200

    bench.gateway.probe_key = probe  # type: ignore[method-assign] - a gateway that takes its time
    run, _told = run_of(bench, rows)
    task = asyncio.get_running_loop().create_task(run.carry_out())
    await reached.wait()
    for _ in range(9):
        await asyncio.sleep(0)
    run.stop()
    go_on.set()
    await bench.carry(_waited(task))
    assert run.is_stopping
    under_way = run.count(TrialEnd.WORKING)
    assert 1 <= under_way <= AT_ONCE
    assert run.count(TrialEnd.NOT_TESTED) == 9 - under_way


async def _waited(task: asyncio.Task[object]) -> None:
    await task
