"""What the gateway may answer, or not, while a rotation makes and deletes keys; and two programs at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.clock import turns
from fakes.journal import put_key
from fakes.person import ANN
from fakes.rotating import Rotating
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    Forbidden,
    GatewayFailed,
    KeyMadeBefore,
    NotSent,
    Refused,
    ValueNeverHere,
)
from keybench.core.events import OldKeyTried
from keybench.core.input_errors import RotationBarred, SalesUnderWay
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import Stage
from keybench.words.explain import explain
from keybench.words.formats import both_times
from keybench.words.rotations.progress import delete_bar
from keybench.words.rotations.record import paper_markdown, record_paper
from keybench.words.rotations.stages import proof_line
from keybench.workflows.console import Console
from keybench.workflows.rotations.managing import Rotations


async def asked_to_delete(r: Rotating) -> Rotation:
    """Return a rotation whose deletion a person asked for where no gateway carries it out."""
    rotation = await r.tested(await r.created(await r.begun()))
    await r.rotations.delete(rotation.id, ANN)
    return rotation


@pytest.mark.parametrize("error", [NotSent("connection refused"), Forbidden("rate limit", status=403)])
async def test_a_certain_failure_says_nothing_of_the_attempt_before(error: NotSent | Refused) -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.account.lose_answers = 1
    with pytest.raises(AnswerLost):
        await r.rotations.create(rotation.id)
    r.places.account.trouble.append(error)
    with pytest.raises(type(error)):
        await r.rotations.create(rotation.id)
    made = await r.again().rotations.resume(rotation.id)
    assert made.replacement
    assert r.places.active == {r.old.gateway_id, made.replacement.gateway_id}, "the first one isn't forgotten"


@pytest.mark.parametrize("error", [NotSent("connection refused"), Refused("bad request", status=400)])
async def test_a_certain_failure_begins_the_plan_anew(error: NotSent | Refused) -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.account.trouble.append(error)
    with pytest.raises(type(error)):
        await r.rotations.create(rotation.id)
    failed = await r.rotations.one(rotation.id)
    assert failed.making
    assert failed.making.asked_at is None
    assert (await r.again().rotations.resume(rotation.id)).replacement is None, "nobody waits for it"
    assert r.places.active == {r.old.gateway_id}


async def test_a_gateway_that_failed_is_asked_again_for_the_same_key() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.account.trouble.append(GatewayFailed("failed", status=502))
    with pytest.raises(GatewayFailed):
        await r.rotations.create(rotation.id)
    taken_up = await r.again().rotations.resume(rotation.id)
    assert taken_up.replacement
    assert len(r.places.active) == 2


async def test_a_gateway_that_always_says_made_before_is_believed_once() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.portal.always_made_before = True
    with pytest.raises(KeyMadeBefore):
        await r.rotations.create(rotation.id)
    r.places.portal.always_made_before = False
    made = await r.rotations.create(rotation.id)
    assert made.replacement
    assert made.leftovers == ()


async def test_a_key_made_before_that_has_no_identifier_is_told_in_the_record() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.account.trouble.extend([KeyMadeBefore(""), KeyMadeBefore("")])
    made = await r.rotations.create(rotation.id)
    assert made.replacement
    assert "unused key may be left at the gateway" in [one.what for one in made.evidence]


async def test_a_deletion_that_did_not_arrive_is_made_again() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.account.trouble.append(AnswerLost("timeout"))
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    taken_up = await r.again().rotations.resume(rotation.id)
    assert taken_up.deletion
    assert taken_up.deletion.deleted_at
    assert r.places.portal.deleted == [r.old.gateway_id]


async def test_a_wish_to_delete_that_was_carried_out_cannot_be_taken_back() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.account.lose_answers = 1
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.undo_deletion(rotation.id, ANN)
    assert caught.value.reason == RotationBarred.DELETED
    with pytest.raises(RotationBarred):
        await r.rotations.abandon(rotation.id, ANN, "no time")
    truth = await r.rotations.one(rotation.id)
    assert truth.deletion
    assert truth.deletion.deleted_at


async def test_nobody_abandons_while_it_is_unknown_whether_the_old_key_is_there() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.account.trouble.extend([AnswerLost("timeout"), NotSent("connection refused")])
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    with pytest.raises(NotSent):
        await r.rotations.abandon(rotation.id, ANN, "no time")
    assert (await r.rotations.undo_deletion(rotation.id, ANN)).deletion is None


async def test_no_deletion_while_a_sale_needs_the_old_key() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    await r.console.sell.note(r.sale_draft(r.old.id))
    with pytest.raises(SalesUnderWay):
        await r.rotations.delete(rotation.id, ANN)
    assert (await r.rotations.one(rotation.id)).deletion is None
    assert len(r.places.active) == 2


async def test_the_old_key_is_tried_until_it_is_refused() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await asked_to_delete(r)
    await r.rotations.deleted_in_portal(rotation.id, ANN)
    tries: list[OldKeyTried] = []
    r.console.events.subscribe(OldKeyTried, tries.append)
    waiting = r.start(r.rotations.see_refused(rotation.id))
    await r.places.clock.advance(30)
    r.places.account.trouble.extend([Forbidden("forbidden", status=403), GatewayFailed("failed", status=502)])
    await r.places.clock.advance(60)
    assert not waiting.done()
    r.delete_in_the_portal()
    await r.places.clock.advance(60)
    done = await waiting
    assert done.deletion
    assert done.deletion.refused_status == 401
    assert {one.status for one in tries} == {200, 403, 502, 401}
    assert tries[-1].next_s is None
    pauses = [one.next_s for one in tries[:-1] if one.next_s]
    assert pauses == sorted(pauses)
    assert [one.tries for one in tries] == list(range(1, len(tries) + 1))
    accepted = stages.accepted_checks(done)
    assert len(accepted) == [one.status for one in tries].count(200) > 1
    record = paper_markdown(record_paper(done, r.environment, r.places.clock.now()))
    (row,) = [line for line in record.splitlines() if line.startswith("| Still accepted after that |")]
    assert all(both_times(one.at) + ", HTTP 200" in row for one in accepted)
    assert record.count("| Old key still accepted |") == len(accepted)


async def test_one_allowed_call_is_no_proof_and_needs_a_written_reason() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST, applications=0)
    rotation = await r.rotations.prove((await r.created(await r.begun())).id)
    now = r.places.clock.now()
    assert stages.stage_of(rotation) is Stage.CREATE
    assert "one allowed call compared" in proof_line(rotation, now)
    assert "One allowed call compared" in delete_bar(rotation)
    assert (await r.places.journal.activities(limit=1))[0].result == "one allowed call the same"
    why = "the contract names no other call"
    rotation = await r.rotations.waive_proof(rotation.id, why, ANN)
    assert stages.stage_of(rotation) is Stage.TEST
    assert proof_line(rotation, now) == f"One allowed call compared. Goes on without the other: {why}"
    record = paper_markdown(record_paper(rotation, r.environment, now))
    assert "One allowed call compared, and the gateway made no difference there" in record
    assert why in record


async def test_it_gives_up_after_ten_minutes_and_begins_again_when_asked() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await asked_to_delete(r)
    await r.rotations.deleted_in_portal(rotation.id, ANN)
    with pytest.raises(RotationBarred) as caught:
        await r.carry(r.rotations.see_refused(rotation.id))
    assert caught.value.reason == RotationBarred.STILL_ACCEPTED
    assert 500 < r.places.clock.monotonic() <= 600
    r.delete_in_the_portal()
    done = await r.rotations.see_refused(rotation.id)
    assert done.deletion
    assert done.deletion.erased_at


async def test_a_403_to_the_end_is_for_a_person_to_judge() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await asked_to_delete(r)
    await r.rotations.deleted_in_portal(rotation.id, ANN)
    r.places.account.users = [user for user in r.places.account.users if user.username != "counter1"]
    with pytest.raises(Forbidden):
        await r.carry(r.rotations.see_refused(rotation.id))
    assert len(r.places.keystore.entries) == 2
    done = await r.rotations.take_as_refused(rotation.id, ANN, "the user was removed, too")
    assert done.deletion
    assert done.deletion.erased_at


async def test_a_compromised_key_is_watched_more_closely() -> None:
    tries: dict[bool, int] = {}
    for compromised in (False, True):
        r = await Rotating.ready(EnvironmentKind.TEST)
        rotation = await r.tested(await r.created(await r.begun(compromised=compromised)))
        await r.rotations.delete(rotation.id, ANN)
        await r.rotations.deleted_in_portal(rotation.id, ANN)
        heard: list[OldKeyTried] = []
        r.console.events.subscribe(OldKeyTried, heard.append)
        waiting = r.start(r.rotations.see_refused(rotation.id))
        await r.places.clock.advance(120)
        tries[compromised] = len(heard)
        waiting.cancel()
        await turns()
    assert tries[True] > tries[False] * 2


async def test_two_windows_make_one_replacement() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    other = Rotations(Console(r.places.world(alone=False)))
    r.places.portal.hold = True
    making = r.start(r.rotations.create(rotation.id))
    await turns()
    assert (await other.resume(rotation.id)).replacement is None, "the other window is left to it"
    for step in (other.create(rotation.id), other.replan(rotation.id, r.rotations.proposed(r.old), ANN)):
        with pytest.raises(RotationBarred) as caught:
            await step
        assert caught.value.reason == RotationBarred.ELSEWHERE
    r.places.portal.let_go()
    made = await making
    assert made.replacement
    assert len(r.places.active) == 2
    assert len(r.places.keystore.entries) == 2


async def test_one_window_makes_one_replacement_however_often_it_is_asked() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    r.places.portal.hold = True
    first = r.start(r.rotations.create(rotation.id))
    second = r.start(r.rotations.resume(rotation.id))
    third = r.start(r.rotations.create(rotation.id))
    await turns()
    r.places.portal.let_go()
    assert (await first).replacement
    assert (await second).replacement
    with pytest.raises(RotationBarred):
        await third
    assert len(r.places.active) == 2


async def test_several_rotations_go_on_at_once() -> None:
    r = await Rotating.ready(applications=0)
    others = []
    for number in range(3):
        key = (await r.console.add_key.create(r.environment, r.draft(f"till {number}"))).key
        end = r.places.clock.now() + timedelta(days=1)
        others.append(
            await r.rotations.start(
                r.environment,
                key,
                r.rotations.proposed(key),
                reason="it is time",
                by=ANN,
                overlap_ends_at=end,
            )
        )
    for rotation in others:
        await r.rotations.create(rotation.id)
    for rotation in others:
        await r.rotations.delete(rotation.id, ANN, "a test")
        await r.rotations.see_refused(rotation.id)
        await r.rotations.document(rotation.id, ANN, "")
    assert len(r.places.active) == 4
    assert [one.is_open for one in await r.rotations.listed()] == [False] * 3


async def test_a_public_key_is_rotated_by_what_the_gateway_says_of_it() -> None:
    public = KeyDraft("checkout 2024", "counter1", "Tokenization", KeyKind.PUBLIC)
    r = await Rotating.ready(draft=public)
    rotation = await r.created(await r.begun())
    tested = await r.tested(rotation)
    assert tested.test
    assert tested.test.status == 403, "known, and of a kind that no console calls with"
    await r.deleted(tested)
    done = await r.rotations.see_refused(rotation.id)
    assert done.deletion
    assert done.deletion.refused_status == 401


async def test_a_key_whose_value_was_never_here_is_rotated_with_a_persons_word() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST, applications=0)
    await r.places.keystore.erase(f"{r.environment.id}/{r.old.id}")
    await put_key(r.places.journal, replace(r.old, fingerprint="", state=KeyState.NO_VALUE))
    rotation = await r.created(await r.begun())
    with pytest.raises(ValueNeverHere) as raised:
        await r.rotations.prove(rotation.id)
    assert explain(raised.value).title == "This key never had a value here."
    await r.rotations.waive_proof(rotation.id, "the old value is elsewhere", ANN)
    await r.rotations.test_key(rotation.id)
    await r.deleted(rotation)
    with pytest.raises(ValueNeverHere):
        await r.rotations.see_refused(rotation.id)
    await r.rotations.take_as_refused(rotation.id, ANN, "the web shop saw it refused")
    assert not (await r.rotations.document(rotation.id, ANN, "")).is_open
