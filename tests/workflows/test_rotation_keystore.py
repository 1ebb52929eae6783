"""Each trouble with the keystore at each step: its own error, nothing erased, a way on when it is mended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from fakes.person import ANN
from fakes.rotating import Rotating, in_the_portal
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueDiffers,
    ValueLost,
)
from keybench.core.input_errors import RotationBarred
from keybench.core.rotations.rotation import Rotation
from keybench.core.secret import Secret

TROUBLES = [KeystoreLocked, KeystoreDenied, KeystoreSilent, KeystoreMissing, KeystoreFailed]
KINDS = [EnvironmentKind.PRACTICE, EnvironmentKind.TEST]
Step = Callable[[Rotating, Rotation], Awaitable[Rotation]]


def _prove(r: Rotating, rotation: Rotation) -> Awaitable[Rotation]:
    return r.rotations.prove(rotation.id)


def _test_key(r: Rotating, rotation: Rotation) -> Awaitable[Rotation]:
    return r.rotations.test_key(rotation.id)


async def _test_application(r: Rotating, rotation: Rotation) -> Rotation:
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    return await r.rotations.test_application(rotation.id, "A-1")


def _see_refused(r: Rotating, rotation: Rotation) -> Awaitable[Rotation]:
    return r.rotations.see_refused(rotation.id)


def _take_as_refused(r: Rotating, rotation: Rotation) -> Awaitable[Rotation]:
    return r.rotations.take_as_refused(rotation.id, ANN, "the portal lists it no more")


def entry(r: Rotating, key_id: str) -> str:
    return f"{r.environment.id}/{key_id}"


def new_entry(r: Rotating, rotation: Rotation) -> str:
    assert rotation.replacement
    return entry(r, rotation.replacement.key_id)


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("kind", KINDS)
async def test_while_the_replacement_is_made(kind: EnvironmentKind, trouble: type[KeystoreError]) -> None:
    r = await Rotating.ready(kind)
    rotation = await r.begun()
    active = r.places.active
    r.places.keystore.failure = trouble()
    assert rotation.making
    copied = "" if kind is EnvironmentKind.PRACTICE else in_the_portal(r.places, rotation.making.draft)
    with pytest.raises(trouble):
        await (r.rotations.keep(rotation.id, copied) if copied else r.rotations.create(rotation.id))
    assert len(r.places.active) == len(active) + bool(copied), "no key is made whose value can't be kept"
    r.places.keystore.failure = None
    await (r.rotations.keep(rotation.id, copied) if copied else r.rotations.create(rotation.id))
    assert len(r.places.active) == 2
    assert len(r.places.keystore.entries) == 2


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_after_the_gateway_made_the_key(trouble: type[KeystoreError]) -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    assert rotation.making
    first = rotation.making
    r.places.keystore.write_failures[entry(r, first.key_id)] = trouble()
    with pytest.raises(trouble):
        await r.rotations.create(rotation.id)
    assert r.places.active == {r.old.gateway_id}, "what can't be kept is deleted again"
    assert r.places.keystore.entries == (entry(r, r.old.id),)
    made = await r.rotations.create(rotation.id)
    assert made.making
    assert made.making.key_id != first.key_id
    assert len(r.places.active) == 2


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("step", [_prove, _test_key, _test_application])
async def test_while_the_new_key_is_tried(step: Step, trouble: type[KeystoreError]) -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    r.places.keystore.failure = trouble()
    with pytest.raises(trouble):
        await step(r, rotation)
    r.places.keystore.failure = None
    assert len(r.places.keystore.entries) == 2
    assert (await r.rotations.one(rotation.id)).test is None
    assert await step(r, rotation)


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("step", [_see_refused, _take_as_refused])
@pytest.mark.parametrize("kind", KINDS)
async def test_while_the_old_key_goes(
    kind: EnvironmentKind, step: Step, trouble: type[KeystoreError]
) -> None:
    r = await Rotating.ready(kind)
    rotation = await r.deleted(await r.tested(await r.created(await r.begun())))
    r.places.keystore.failure = trouble()
    with pytest.raises(trouble):
        await step(r, rotation)
    assert len(r.places.keystore.entries) == 2, "nothing is erased"
    r.places.keystore.failure = None
    done = await step(r, rotation)
    assert done.deletion
    assert done.deletion.erased_at
    assert r.places.keystore.entries == (new_entry(r, rotation),)


@pytest.mark.parametrize("step", [_see_refused, _take_as_refused])
async def test_a_new_value_that_is_lost_keeps_the_old_one(step: Step) -> None:
    r = await Rotating.ready()
    rotation = await r.deleted(await r.tested(await r.created(await r.begun())))
    value = await r.places.keystore.read(new_entry(r, rotation))
    r.places.keystore.lose(new_entry(r, rotation))
    with pytest.raises(ValueLost):
        await step(r, rotation)
    assert await r.has_value(r.old.id)
    r.places.keystore.change(new_entry(r, rotation), value)
    done = await r.rotations.finish_deletion(rotation.id)
    assert done.deletion
    assert done.deletion.erased_at


async def test_a_new_value_that_is_another_one_keeps_the_old_one() -> None:
    r = await Rotating.ready()
    rotation = await r.deleted(await r.tested(await r.created(await r.begun())))
    r.places.keystore.change(new_entry(r, rotation), Secret("MadeUpByAnotherProgram0123456789"))
    with pytest.raises(ValueDiffers):
        await r.rotations.see_refused(rotation.id)
    assert await r.has_value(r.old.id)


async def test_a_new_value_that_is_lost_for_good_is_replaced_and_then_the_old_one_goes() -> None:
    r = await Rotating.ready(applications=0)
    first = await r.deleted(await r.tested(await r.created(await r.begun())))
    r.places.keystore.lose(new_entry(r, first))
    with pytest.raises(ValueLost):
        await r.rotations.see_refused(first.id)
    lost = await r.console.keys.named(r.environment, "web shop 2026")
    second = await r.rotations.start(
        r.environment,
        lost,
        r.rotations.proposed(lost, [r.old.name]),
        reason="its value is lost",
        by=ANN,
        overlap_ends_at=r.places.clock.now(),
    )
    await r.rotations.create(second.id)
    await r.rotations.delete(second.id, ANN, "nobody has its value")
    with pytest.raises(ValueLost):
        await r.rotations.see_refused(second.id)
    await r.rotations.take_as_refused(second.id, ANN, "the portal lists it no more")
    done = await r.rotations.finish_deletion(first.id)
    assert done.deletion
    assert done.deletion.erased_at
    assert len(r.places.active) == 1


@pytest.mark.parametrize("error", [ValueLost, ValueDiffers])
async def test_an_old_value_that_cannot_be_called_with_needs_a_person(error: type[KeystoreError]) -> None:
    r = await Rotating.ready()
    rotation = await r.deleted(await r.tested(await r.created(await r.begun())))
    if error is ValueLost:
        r.places.keystore.lose(entry(r, r.old.id))
    else:
        r.places.keystore.change(entry(r, r.old.id), Secret("MadeUpByAnotherProgram0123456789"))
    with pytest.raises(error):
        await r.rotations.see_refused(rotation.id)
    done = await r.rotations.take_as_refused(rotation.id, ANN, "the portal\nlists it no more")
    assert done.deletion
    assert (done.deletion.refused_status, done.deletion.refused_note) == (0, "the portal\nlists it no more")
    assert r.places.keystore.entries == (new_entry(r, rotation),)


async def test_a_deletion_is_found_out_without_the_old_value_by_its_identifier() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.account.lose_answers = 1
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    r.places.keystore.lose(entry(r, r.old.id))
    taken_up = await r.again().rotations.resume(rotation.id)
    assert taken_up.deletion
    assert taken_up.deletion.deleted_at
    assert r.places.portal.deleted == [r.old.gateway_id]


@pytest.mark.parametrize("error", [ValueLost, ValueDiffers, KeystoreLocked])
async def test_a_deletion_without_an_answer_or_the_old_value_is_not_taken_back(
    error: type[KeystoreError],
) -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.account.lose_answers = 1
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    if error is ValueLost:
        r.places.keystore.lose(entry(r, r.old.id))
    elif error is ValueDiffers:
        r.places.keystore.change(entry(r, r.old.id), Secret("MadeUpByAnotherProgram0123456789"))
    else:
        r.places.keystore.failure = KeystoreLocked()
    with pytest.raises(error):
        await r.rotations.undo_deletion(rotation.id, ANN)
    with pytest.raises(error):
        await r.rotations.abandon(rotation.id, ANN, "no time")
    assert (await r.rotations.one(rotation.id)).deletion, "nobody can tell whether it was deleted"
    r.places.keystore.failure = None
    assert (await r.rotations.delete(rotation.id, ANN)).deletion


async def test_an_orphaned_entry_of_an_abandoned_plan_is_erased() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.begun()
    assert rotation.making
    await r.places.keystore.write(entry(r, rotation.making.key_id), Secret("MadeUpOrphan"))
    given_up = await r.rotations.abandon(rotation.id, ANN, "no time")
    assert given_up.leftovers == ()
    assert r.places.keystore.entries == (entry(r, r.old.id),)


async def test_what_cannot_be_cleared_while_locked_is_cleared_later() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    r.places.keystore.failure = KeystoreLocked()
    withdrawn = await r.rotations.withdraw_replacement(rotation.id, ANN)
    assert withdrawn.replacement is None
    assert len(withdrawn.leftovers) == 1
    with pytest.raises(KeystoreLocked):
        await r.rotations.create(rotation.id)
    r.places.keystore.failure = None
    cleared = await r.again().rotations.resume(rotation.id)
    assert cleared.leftovers == ()
    assert cleared.replacement is None, "nobody asked for another one yet"
    assert r.places.keystore.entries == (entry(r, r.old.id),)
    assert r.places.active == {r.old.gateway_id}


async def test_a_key_that_works_still_keeps_its_value() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.tested(await r.created(await r.begun()))
    await r.rotations.delete(rotation.id, ANN)
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.finish_deletion(rotation.id)
    assert caught.value.reason == RotationBarred.NOT_REFUSED
    assert len(r.places.keystore.entries) == 2
