"""What a person changes while a test or another program is at the same key stays, whoever writes last."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.slow import Slow
from fakes.waiting import until
from fakes.world import MADE_UP, Bench
from keybench.core.environments.environment import Environment
from keybench.core.errors import AnswerLost, KeyRefused
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import Gateway
from keybench.core.secret import Secret
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.keys.applications import ApplicationDraft

OTHER_VALUE = f"{MADE_UP[:-4]}zzzz"


@pytest.fixture
async def slow(bench: Bench) -> Slow[Gateway]:
    """Stands before the gateway of the bench's console."""
    gateway: Slow[Gateway] = Slow(bench.gateway)
    bench.console = Console(replace(bench.console.world, gateway=gateway.port))
    return gateway


@pytest.fixture
async def sandbox(bench: Bench) -> Environment:
    return await bench.add()


@pytest.fixture
async def key(bench: Bench, sandbox: Environment) -> SecurityKey:
    return await bench.add_key(sandbox)


async def stored(bench: Bench, key: SecurityKey) -> SecurityKey:
    (found,) = await bench.journal.keys(key.environment_id)
    return found


async def test_an_owner_edited_during_a_test_stays(
    bench: Bench, slow: Slow[Gateway], sandbox: Environment, key: SecurityKey
) -> None:
    slow.hold("probe_key")
    testing = asyncio.get_running_loop().create_task(bench.console.keys.test(sandbox, key))
    await until(lambda: slow.is_held)
    await Administration(bench.console).inventory.edit(key, "Ada", "tills")
    slow.let_go()
    told = await testing
    found = await stored(bench, key)
    assert (found.owner, found.purpose, found.state) == ("Ada", "tills", KeyState.WORKING)
    assert told == found


@pytest.mark.parametrize("answer", [200, KeyRefused("unauthorised", status=401), AnswerLost("timeout")])
async def test_a_value_given_during_a_test_keeps_its_fingerprint_and_was_not_tested(
    bench: Bench,
    slow: Slow[Gateway],
    sandbox: Environment,
    key: SecurityKey,
    answer: int | KeyRefused | AnswerLost,
) -> None:
    bench.gateway.to_probe = [answer]
    slow.hold("probe_key")
    testing = asyncio.get_running_loop().create_task(bench.console.keys.test(sandbox, key))
    await until(lambda: slow.is_held)
    given = (await Administration(bench.console).inventory.give_value(sandbox, key, OTHER_VALUE)).key
    slow.let_go()
    await asyncio.wait([testing])
    testing.exception()
    assert await stored(bench, key) == given
    assert given.fingerprint != key.fingerprint
    assert (await bench.console.keys.value(given, "revealed")).matches(Secret(OTHER_VALUE))


async def test_a_sale_says_nothing_of_a_value_given_meanwhile(
    bench: Bench, slow: Slow[Gateway], sandbox: Environment, key: SecurityKey
) -> None:
    bench.gateway.to_post = [KeyRefused("unauthorised", status=401)]
    draft = replace(await bench.draft(environment=sandbox), key_id=key.id)
    sale = await bench.console.sell.note(draft)
    slow.hold("start_sale")
    selling = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(sale))
    await until(lambda: slow.is_held)
    given = (await Administration(bench.console).inventory.give_value(sandbox, key, OTHER_VALUE)).key
    slow.let_go()
    await selling
    found = await stored(bench, key)
    assert (found.fingerprint, found.state) == (given.fingerprint, KeyState.KEPT)


async def test_an_application_edited_while_it_is_noted_as_seen_keeps_both(
    bench: Bench, sandbox: Environment, key: SecurityKey
) -> None:
    register = Administration(bench.console).applications
    application = await register.add(sandbox, key.id, ApplicationDraft("Web shop"))
    draft = ApplicationDraft("Web shop", owner="Ada", place="web-1")
    await asyncio.gather(
        register.update(application, draft),
        register.note_seen(application, "Bob"),
        register.update(application, draft),
    )
    (found,) = await register.of_key(key)
    assert (found.owner, found.place, found.seen_by) == ("Ada", "web-1", "Bob")


async def test_limits_and_dismissals_of_two_programs_are_all_kept(
    bench: Bench, sandbox: Environment, key: SecurityKey
) -> None:
    first = Administration(bench.console)
    second = Administration(Console(bench.console.world))
    await bench.add_key(sandbox, "Web")
    findings = list((await first.review.look()).standing)
    assert len(findings) > 1
    await asyncio.gather(
        *(
            program.review.dismiss([finding], "known", 30, "Ada")
            for program, finding in zip((first, second) * len(findings), findings, strict=False)
        )
    )
    assert list((await first.review.look()).standing) == []


async def test_a_limit_of_sales_set_by_two_programs_leaves_the_rest_of_the_environment(
    bench: Bench, sandbox: Environment
) -> None:
    await asyncio.gather(
        bench.console.environments.edit(sandbox, limit="50"),
        bench.console.environments.edit(sandbox, limit="60"),
    )
    found = await bench.console.environments.named(sandbox.name)
    assert replace(found, amount_limit=None) == sandbox
    assert found.amount_limit
