"""A key of a rotation is given another value: what the earlier one showed is void, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.journal import put_key
from fakes.person import ANN
from fakes.rotating import Rotating
from keybench.core.errors import ValueDiffers
from keybench.core.input_errors import RotationBarred
from keybench.core.rotations.moves import value_given
from keybench.core.rotations.rotation import KeyFacts, Rotation
from keybench.core.rotations.stages import is_erased, last_key_test
from keybench.workflows.keys.inventory import Inventory

ANOTHER = "MadeUpAndGivenAnew0123456789"


async def given(r: Rotating, facts: KeyFacts | None, text: str = ANOTHER) -> Rotation:
    """Return a rotation as its next step meets it after one of its keys was given a value."""
    assert facts
    key = await r.console.calling.key(r.environment.id, facts.key_id)
    await Inventory(r.console).give_value(r.environment, key, text)
    (rotation,) = await r.rotations.listed()
    return await r.rotations.move_end(rotation.id, rotation.overlap_ends_at, ANN)


async def value_of(r: Rotating, facts: KeyFacts) -> str:
    return (await r.places.keystore.read(f"{r.environment.id}/{facts.key_id}")).reveal()


async def test_another_new_value_has_to_be_tested_anew() -> None:
    r = await Rotating.ready()
    before = await r.tested(await r.created(await r.begun()))
    after = await given(r, before.replacement)
    assert (after.proof, after.test) == (None, None)
    assert after.replacement
    assert after.evidence[-2].detail == f"web shop 2026, fingerprint {after.replacement.fingerprint}"
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.delete(before.id, ANN)
    assert caught.value.reason == RotationBarred.NOT_TESTED


async def test_another_old_value_has_to_be_proven_anew() -> None:
    r = await Rotating.ready()
    before = await r.tested(await r.created(await r.begun()))
    after = await given(r, before.old)
    assert after.old.fingerprint != before.old.fingerprint
    assert (after.proof, after.test) == (None, before.test)


async def test_the_same_value_given_anew_changes_nothing() -> None:
    r = await Rotating.ready()
    before = await r.tested(await r.created(await r.begun()))
    assert before.replacement
    after = await given(r, before.replacement, await value_of(r, before.replacement))
    assert (after.proof, after.test) == (before.proof, before.test)


async def test_the_old_value_is_not_taken_for_the_new_one() -> None:
    r = await Rotating.ready()
    before = await r.tested(await r.created(await r.begun()))
    after = await given(r, before.replacement, await value_of(r, before.old))
    assert after.replacement == before.replacement
    with pytest.raises(ValueDiffers):
        await r.rotations.test_key(before.id)
    await r.rotations.delete(before.id, ANN)
    with pytest.raises(ValueDiffers):
        await r.rotations.see_refused(before.id)
    assert await r.has_value(r.old.id)


async def test_another_old_value_does_not_prove_a_deletion() -> None:
    r = await Rotating.ready()
    before = await r.deleted(await r.tested(await r.created(await r.begun())))
    key = await r.console.calling.key(r.environment.id, before.old.key_id)
    await Inventory(r.console).give_value(r.environment, key, ANOTHER)
    with pytest.raises(ValueDiffers):
        await r.rotations.see_refused(before.id)
    done = await r.rotations.take_as_refused(before.id, ANN, "the portal lists it no more")
    assert is_erased(done.deletion)


async def test_a_new_value_corrected_at_the_end_lets_the_old_one_go() -> None:
    r = await Rotating.ready()
    before = await r.deleted(await r.tested(await r.created(await r.begun())))
    assert before.replacement
    key = await r.console.calling.key(r.environment.id, before.replacement.key_id)
    await Inventory(r.console).give_value(r.environment, key, ANOTHER)
    assert is_erased((await r.rotations.see_refused(before.id)).deletion)


async def test_a_key_whose_value_was_never_here_can_be_seen_refused_once_it_is_given() -> None:
    r = await Rotating.ready()
    value = await value_of(r, KeyFacts.of(r.old))
    unknown = replace(r.old, fingerprint="")
    await put_key(r.places.journal, unknown)
    begun = await r.begun()
    assert begun.old.fingerprint == ""
    assert (await given(r, begun.old, value)).old.fingerprint == r.old.fingerprint
    rotation = await r.deleted(await r.tested(await r.created(begun)))
    done = await r.rotations.see_refused(rotation.id)
    assert done.deletion
    assert done.deletion.refused_status == 401


async def test_a_test_of_an_earlier_value_is_not_the_last_one_under_another_name_either() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    assert rotation.replacement
    await r.rotations.test_key(rotation.id)
    rotation = await given(r, rotation.replacement, ANOTHER)
    assert last_key_test(rotation) is None
    assert rotation.replacement
    new = await r.console.calling.key(r.environment.id, rotation.replacement.key_id)
    await r.console.keys.rename(new, "another name")
    assert last_key_test(await r.rotations.one(rotation.id)) is None


async def test_what_is_over_and_other_keys_stay_as_they_are() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    now = r.places.clock.now()
    assert value_given(rotation, "another key", "1234567890abcdef", now) == rotation
    assert rotation.replacement
    over = await r.rotations.abandon(rotation.id, ANN, "no time")
    assert value_given(over, rotation.replacement.key_id, "1234567890abcdef", now) == over
