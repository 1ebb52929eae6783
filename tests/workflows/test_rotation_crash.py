"""Killed at every boundary and in the middle of every step, a rotation goes on with the truth."""

from __future__ import annotations

import pytest

from fakes.mortal import Died, Fate, in_order
from fakes.rotating import Rotating, in_the_portal
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.keys.key import KeyDraft
from keybench.core.rotations.rotation import Rotation

#: As many as a rotation has moments in practice, where it has most; the first test holds the figure.
MOMENTS = 32
PASTED_MOMENTS = 28


def copied(r: Rotating) -> str:
    """Make the replacement in the portal, where a person has to, and return what they copied."""
    if r.rotations.can_create(r.environment):
        return ""
    draft = r.rotations.proposed(r.old)
    return in_the_portal(r.places, KeyDraft(draft.name, draft.username, draft.permission, draft.kind))


async def rotated(kind: EnvironmentKind, *deaths: int) -> tuple[Rotating, list[Fate]]:
    """Rotate a key to the end in programs that die one after the other, and one that lives."""
    r = await Rotating.ready(kind, applications=1)
    paste = copied(r)
    fates = [*map(Fate, deaths), Fate()]
    for fate in fates:
        program = r.again(fate)
        try:
            for rotation in await program.rotations.listed():
                await program.rotations.resume(rotation.id)
                assert_nothing_is_lost(program)
            await program.to_the_end(paste=paste)
        except Died:
            continue
    return r, fates


def assert_nothing_is_lost(r: Rotating) -> None:
    """Every key that the gateway made for us has its value in the keystore."""
    made_here = [
        identifier for identifier in r.places.account.requests.values() if identifier in r.places.active
    ]
    assert len(made_here) <= len(r.places.keystore.entries), "a key's value is lost"


async def assert_done(r: Rotating) -> None:
    (done,) = await r.places.journal.rotations()
    new = done.replacement
    assert new
    assert not done.is_open
    assert done.leftovers == ()
    assert len(r.places.active) == 1, "one active replacement, and the old key gone"
    if new.gateway_id:
        assert r.places.active == {new.gateway_id}
        assert r.places.portal.deleted.count(r.old.gateway_id) == 1
        assert r.old.gateway_id not in r.places.portal.missed, "nothing is deleted twice"
        assert new.gateway_id not in r.places.portal.deleted
    assert r.places.keystore.entries == (f"{r.environment.id}/{new.key_id}",)
    assert [key.id for key in await r.places.journal.keys(r.environment.id)] == [new.key_id]
    assert {one.key_id for one in await r.places.journal.applications()} == {new.key_id}
    assert_erased_last(r, done)


def assert_erased_last(r: Rotating, done: Rotation) -> None:
    assert done.replacement
    old, new = (f"{r.environment.id}/{key_id}" for key_id in (r.old.id, done.replacement.key_id))
    calls = r.places.keystore.done
    first = calls.index(("erase", old))
    assert calls[:first][-1] == ("read", new), "the new value is read back right before the old one goes"
    assert in_order(
        done,
        "rotation started",
        "replacement created",
        "deletion asked for",
        "old key deleted",
        "old key refused",
        "old value erased",
        "documentation updated",
    )


@pytest.mark.parametrize(
    ("kind", "moments"), [(EnvironmentKind.PRACTICE, MOMENTS), (EnvironmentKind.TEST, PASTED_MOMENTS)]
)
async def test_a_rotation_has_so_many_moments(kind: EnvironmentKind, moments: int) -> None:
    r, (fate,) = await rotated(kind)
    await assert_done(r)
    assert len(fate.moments) == moments, "a new moment to die at belongs into the tests below"


@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_killed_once_where_the_gateway_makes_keys(moment: int) -> None:
    r, fates = await rotated(EnvironmentKind.PRACTICE, moment)
    assert fates[0].dead
    await assert_done(r)


@pytest.mark.parametrize("moment", range(1, PASTED_MOMENTS + 1))
async def test_killed_once_where_a_value_is_pasted(moment: int) -> None:
    r, fates = await rotated(EnvironmentKind.TEST, moment)
    assert fates[0].dead
    await assert_done(r)


@pytest.mark.thin(10)
@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_killed_again_while_it_is_taken_up(moment: int) -> None:
    for second in range(1, 13):
        r, _ = await rotated(EnvironmentKind.PRACTICE, moment, second)
        await assert_done(r)


@pytest.mark.thin(10)
@pytest.mark.parametrize("moment", range(1, PASTED_MOMENTS + 1))
async def test_killed_again_where_a_value_is_pasted(moment: int) -> None:
    for second in range(1, 9):
        r, _ = await rotated(EnvironmentKind.TEST, moment, second)
        await assert_done(r)


@pytest.mark.thin(3)
@pytest.mark.parametrize("kind", [EnvironmentKind.PRACTICE, EnvironmentKind.TEST])
@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_one_call_that_fails_is_made_good_by_doing_it_again(kind: EnvironmentKind, moment: int) -> None:
    r = await Rotating.ready(kind, applications=1)
    paste = copied(r)
    program = r.again(Fate(moment, only_fails=True))
    try:
        await program.to_the_end(paste=paste)
    except KeybenchError:
        await program.to_the_end(paste=paste)
    await assert_done(r)
