"""Killed, failed or cancelled at every moment, adding a key leaves none that nobody knows of."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from fakes.clock import turns
from fakes.mortal import Died, Fate, Interruption, interrupted, mortal
from fakes.rotating import OLD, Places, Rotating, in_the_portal
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError, KeyUnsettled
from keybench.workflows.console import Console
from keybench.workflows.keys.creation import GRACE_S
from keybench.workflows.world import World

#: As many as adding a key has moments; the first test holds the figures.
MOMENTS = 10
PASTED_MOMENTS = 6
KINDS = [EnvironmentKind.PRACTICE, EnvironmentKind.TEST]
EVERY = [(EnvironmentKind.PRACTICE, n) for n in range(1, MOMENTS + 1)] + [
    (EnvironmentKind.TEST, n) for n in range(1, PASTED_MOMENTS + 1)
]


async def ready(kind: EnvironmentKind) -> tuple[Places, Environment, str]:
    """Return an account with an environment, and what a person has copied where values are pasted."""
    places = Places()
    await places.journal.open()
    console = Console(places.world())
    if kind is EnvironmentKind.PRACTICE:
        return places, await console.environments.named("practice"), ""
    where = await console.environments.add("Sandbox", kind, "https://gateway.example")
    return places, where, in_the_portal(places, OLD)


async def add(console: Console, where: Environment, paste: str) -> None:
    """Add the key as a person does."""
    if paste:
        await console.add_key.keep(where, OLD, paste)
    else:
        await console.add_key.create(where, OLD)


def begin(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Begin a piece of work that is to be cancelled."""
    return asyncio.get_running_loop().create_task(work)


async def settle(world: World) -> None:
    """Do what a start does with what the program before has left."""
    adding = Console(world).add_key
    for plan in await adding.unsettled():
        await adding.settle(plan.making.key_id)


async def assert_nothing_is_open(places: Places, where: Environment, paste: str) -> bool:
    """Hold the three places against one another; tell whether the key is there."""
    keys = await places.journal.keys(where.id)
    assert not await places.journal.key_plans()
    assert places.keystore.entries == tuple(f"{where.id}/{key.id}" for key in keys)
    if not paste:
        assert places.active == {key.gateway_id for key in keys}
    assert len(keys) <= 1
    return bool(keys)


@pytest.mark.parametrize(("kind", "moments"), list(zip(KINDS, (MOMENTS, PASTED_MOMENTS), strict=True)))
async def test_adding_has_so_many_moments(kind: EnvironmentKind, moments: int) -> None:
    places, where, paste = await ready(kind)
    fate = Fate()
    await add(Console(mortal(places.world(), fate)), where, paste)
    assert len(fate.moments) == moments, "a new moment to die at belongs into the tests below"
    assert await assert_nothing_is_open(places, where, paste)


@pytest.mark.parametrize(("kind", "moment"), EVERY)
async def test_killed_once(kind: EnvironmentKind, moment: int) -> None:
    places, where, paste = await ready(kind)
    with pytest.raises(Died):
        await add(Console(mortal(places.world(), Fate(moment))), where, paste)
    await settle(places.world())
    if not await assert_nothing_is_open(places, where, paste):
        await add(Console(places.world()), where, paste)
        assert await assert_nothing_is_open(places, where, paste)


@pytest.mark.thin(3)
@pytest.mark.parametrize(("kind", "moment"), EVERY)
async def test_killed_again_while_it_is_settled(kind: EnvironmentKind, moment: int) -> None:
    for second in range(1, 9):
        places, where, paste = await ready(kind)
        with pytest.raises(Died):
            await add(Console(mortal(places.world(), Fate(moment))), where, paste)
        try:
            await settle(mortal(places.world(), Fate(second)))
        except Died:
            await settle(places.world())
        await assert_nothing_is_open(places, where, paste)


@pytest.mark.parametrize(("kind", "moment"), EVERY)
@pytest.mark.parametrize("again", [True, False])
async def test_one_call_that_fails(kind: EnvironmentKind, moment: int, again: bool) -> None:  # noqa: FBT001
    places, where, paste = await ready(kind)
    console = Console(mortal(places.world(), Fate(moment, only_fails=True)))
    try:
        await add(console, where, paste)
    except KeybenchError:
        if again:  # by the person, in the same program
            await add(console, where, paste) if not await places.journal.keys(where.id) else None
    await settle(places.world())
    assert await assert_nothing_is_open(places, where, paste) or not again


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [1, 3])
async def test_cancelled_at_every_call(kind: EnvironmentKind, times: int) -> None:
    at = kept = 0
    while True:
        at += 1
        places, where, paste = await ready(kind)
        interruption = Interruption(at)
        console = Console(interrupted(places.world(), interruption))
        task = interruption.task = begin(add(console, where, paste))
        while not task.done():
            await asyncio.sleep(0)
            if len(interruption.moments) >= at and times > 1:
                task.cancel()  # as a window does that closes
        if len(interruption.moments) < at:
            break
        assert task.cancelled(), interruption.moments
        if interruption.had_an_answer:
            kept += 1
            assert await assert_nothing_is_open(places, where, paste), "an answer that came is kept"
        await settle(places.world())
        await assert_nothing_is_open(places, where, paste)
    assert at > (MOMENTS if kind is EnvironmentKind.PRACTICE else PASTED_MOMENTS)
    assert kept or paste


async def test_a_rotation_cancelled_at_every_call_keeps_its_answer() -> None:
    at = kept = 0
    while True:
        at += 1
        r = await Rotating.ready()
        rotation = await r.begun()
        interruption = Interruption(at)
        program = r.on(interrupted(r.places.world(), interruption))
        task = interruption.task = r.start(program.rotations.create(rotation.id))
        await asyncio.wait({task})
        if len(interruption.moments) < at:
            break
        assert task.cancelled()
        seen = await r.rotations.one(rotation.id)
        if interruption.had_an_answer:
            kept += 1
            assert seen.replacement, "an answer that came is kept"
        taken_up = await r.again().rotations.resume(rotation.id)
        if taken_up.replacement:
            assert r.places.active == {r.old.gateway_id, taken_up.replacement.gateway_id}
        else:
            assert r.places.active == {r.old.gateway_id}
        assert not taken_up.leftovers
    assert kept


async def test_a_closing_window_does_not_wait_for_a_gateway_that_is_silent() -> None:
    places, where, _ = await ready(EnvironmentKind.PRACTICE)
    places.portal.hold = True
    adding = Console(places.world()).add_key
    task = begin(adding.create(where, OLD))
    await turns()
    task.cancel()
    await turns()
    assert not task.done(), "the answer may be just coming"
    await places.clock.advance(GRACE_S + 1)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(places.active) == 1
    places.portal.let_go()
    await settle(places.world())
    assert not await assert_nothing_is_open(places, where, "")


async def test_an_answer_that_comes_while_the_window_closes_is_kept() -> None:
    places, where, _ = await ready(EnvironmentKind.PRACTICE)
    places.portal.hold = True
    adding = Console(places.world()).add_key
    task = begin(adding.create(where, OLD))
    await turns()
    task.cancel()
    await turns()
    places.portal.let_go()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await assert_nothing_is_open(places, where, "")


async def test_what_goes_wrong_after_a_cancellation_is_noted_and_not_raised() -> None:
    places, where, _ = await ready(EnvironmentKind.PRACTICE)
    places.portal.hold = True
    places.account.lose_answers = 1
    adding = Console(places.world()).add_key
    with pytest.raises(KeyUnsettled):
        await adding.create(where, OLD)
    task = begin(adding.create(where, OLD))
    await turns()
    task.cancel()
    places.portal.let_go()
    with pytest.raises(asyncio.CancelledError):
        await task
    await settle(places.world())
    await assert_nothing_is_open(places, where, "")
