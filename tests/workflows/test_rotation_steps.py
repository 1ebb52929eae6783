"""A rotation step by step: what each does to gateway, keystore, journal and register, and what bars it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fakes.person import ANN
from fakes.rotating import OLD, Rotating, in_the_portal
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, JournalBusy, KeyRefused
from keybench.core.input_errors import (
    CardDataRefused,
    NameInvalid,
    NameTaken,
    RotationBarred,
)
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState
from keybench.core.rotations.plans import differences
from keybench.core.rotations.rotation import (
    KEY_ACCEPTED,
    SEEN_WORKING,
    THIS_CONSOLE,
    CompromiseStep,
    Rotation,
)
from keybench.core.rotations.stages import Stage, not_seen, stage_of
from keybench.words.keys.states import key_state
from keybench.words.rotations.stages import key_test_line, stage_line
from keybench.workflows.rotations.managing import Rotations

KINDS = [EnvironmentKind.PRACTICE, EnvironmentKind.TEST]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_whole_rotation_leaves_one_key_and_a_record(kind: EnvironmentKind) -> None:
    r = await Rotating.ready(kind)
    rotation = await r.created(await r.begun())
    rotation = await r.tested(rotation)
    assert stage_of(rotation) is Stage.DELETE
    await r.deleted(rotation)
    await r.rotations.see_refused(rotation.id)
    done = await r.rotations.document(rotation.id, ANN, "wiki")
    assert not done.is_open
    assert len(r.places.active) == 1
    new = done.replacement
    assert new
    assert new.fingerprint != r.old.fingerprint
    assert await r.has_value(new.key_id)
    assert not await r.has_value(r.old.id)
    keys = await r.places.journal.keys(r.environment.id)
    assert [(key.id, key.owner, key.purpose) for key in keys] == [(new.key_id, "Online team", OLD.purpose)]
    register = await r.places.journal.applications()
    assert {(one.key_id, one.changed_by, one.seen_by) for one in register} == {(new.key_id, ANN, ANN)}
    assert [one.at for one in done.evidence] == sorted(one.at for one in done.evidence)
    assert [one.what for one in done.evidence][-5:] == [
        "deletion asked for",
        "old key deleted",
        "old key refused",
        "old value erased",
        "documentation updated",
    ]


async def test_each_step_leaves_one_line_of_activity() -> None:
    r = await Rotating.ready(applications=1)
    rotation = await r.tested(await r.created(await r.begun()))
    await r.deleted(rotation)
    await r.rotations.see_refused(rotation.id)
    await r.rotations.document(rotation.id, ANN, "")
    lines = [line.action for line in await r.places.journal.activities(50)][::-1]
    assert lines == [
        "key added",
        "rotation started",
        "replacement created",
        "permissions compared",
        "application changed",
        "application seen working",
        "new key tested",
        "deletion asked for",
        "old key deleted",
        "old key refused",
        "old value erased",
        "documentation updated",
    ]


async def test_the_replacement_is_proposed_like_the_old_key() -> None:
    r = await Rotating.ready()
    draft = r.rotations.proposed(r.old)
    assert draft.name == "web shop 2026"
    assert differences(r.old, draft) == ()
    assert r.rotations.proposed(r.old, ["Web Shop 2026"]).name == "web shop 2026 (2)"


async def test_texts_are_tidied_and_hold_no_card_data() -> None:
    r = await Rotating.ready()
    with pytest.raises(CardDataRefused):
        await r.begun(reason="leaked beside 4111 1111 1111 1111")
    with pytest.raises(NameInvalid):
        await r.begun(by=" ")
    rotation = await r.begun(reason="two\r\nlines \n", by=" Ann ")
    assert (rotation.reason, rotation.started_by) == ("two\nlines", "Ann")


async def test_the_plan_can_be_changed_while_there_is_no_replacement() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    draft = r.rotations.proposed(r.old, ["web shop 2026"])
    planned = await r.rotations.replan(rotation.id, draft, ANN)
    assert planned.making
    assert planned.making.draft.name == "web shop 2026 (2)"
    await r.rotations.create(rotation.id)
    with pytest.raises(RotationBarred):
        await r.rotations.replan(rotation.id, r.rotations.proposed(r.old, ["web shop 2026 (2)"]), ANN)


async def test_the_old_value_cannot_be_pasted_as_the_new_one() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.begun()
    (old,) = (value for _, value in r.places.account.keys.values())
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.keep(rotation.id, old.reveal())
    assert caught.value.reason == RotationBarred.SAME_VALUE
    assert len(r.places.keystore.entries) == 1


async def test_a_name_that_was_taken_meanwhile_is_told_before_a_key_is_made() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    draft = r.rotations.proposed(r.old)
    await r.console.add_key.keep(r.environment, draft, in_the_portal(r.places, draft))
    before = r.places.active
    with pytest.raises(NameTaken):
        await r.rotations.create(rotation.id)
    assert r.places.active == before


async def test_a_replacement_that_nothing_uses_can_be_withdrawn_and_made_again() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    withdrawn = await r.rotations.withdraw_replacement(rotation.id, ANN)
    assert withdrawn.replacement is None
    assert withdrawn.leftovers == ()
    assert len(r.places.active) == 1
    assert len(r.places.keystore.entries) == 1
    again = await r.rotations.create(rotation.id)
    assert again.replacement
    assert len(r.places.active) == 2


async def test_a_withdrawal_that_was_carried_out_does_not_read_the_journal_again() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    delete_key = r.places.portal.delete_key

    async def is_busy(_rotation_id: str) -> Rotation:
        raise JournalBusy("journal.sqlite3")

    async def busy_from_now_on(environment: Environment, base_url: str, gateway_id: str) -> None:
        await delete_key(environment, base_url, gateway_id)
        r.places.journal.rotation = is_busy  # type: ignore[method-assign]

    r.places.portal.delete_key = busy_from_now_on  # type: ignore[method-assign]
    withdrawn = await r.rotations.withdraw_replacement(rotation.id, ANN)
    assert (withdrawn.replacement, withdrawn.leftovers) == (None, ())


async def test_a_replacement_in_use_stays() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    with pytest.raises(RotationBarred):
        await r.rotations.withdraw_replacement(rotation.id, ANN)
    await r.rotations.application_not_changed(rotation.id, "A-1", ANN)
    assert {one.key_id for one in await r.places.journal.applications()} == {r.old.id}
    assert (await r.rotations.withdraw_replacement(rotation.id, ANN)).replacement is None


async def test_abandoning_leaves_both_keys_as_they_are() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    given_up = await r.rotations.abandon(rotation.id, ANN, "no time")
    assert given_up.abandon_reason == "no time"
    assert len(r.places.active) == 2
    assert len(r.places.keystore.entries) == 2


async def test_deleting_is_barred_until_all_was_seen_or_a_reason_is_written() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.delete(rotation.id, ANN)
    assert caught.value.reason == RotationBarred.NOT_TESTED
    gone = await r.rotations.delete(rotation.id, ANN, "leaked on a public page")
    assert gone.deletion
    assert gone.deletion.override == "leaked on a public page"
    assert len(r.places.active) == 1


async def test_a_deletion_in_the_portal_can_be_taken_back_until_it_is_seen() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.tested(await r.created(await r.begun()))
    await r.rotations.delete(rotation.id, ANN)
    await r.rotations.deleted_in_portal(rotation.id, ANN)
    back = await r.rotations.undo_deletion(rotation.id, ANN)
    assert back.deletion is None


async def test_this_console_s_own_call_shows_that_the_key_is_accepted_and_no_more() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    with pytest.raises(RotationBarred) as caught:
        await r.rotations.test_application(rotation.id, "A-1")
    assert caught.value.reason == RotationBarred.NOT_CHANGED
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    called = await r.rotations.test_application(rotation.id, "A-1")
    step = called.applications[0]
    assert (step.is_seen_working, step.accepted_here_at) == (False, r.places.clock.now())
    assert step in not_seen(called)
    assert (called.evidence[-1].what, called.evidence[-1].by) == (KEY_ACCEPTED, THIS_CONSOLE)
    assert called.test is not None
    register = {one.id: one for one in await r.places.journal.applications()}
    assert register["A-1"].seen_working_at is None
    assert not any(one.what == SEEN_WORKING for one in called.evidence)
    seen = await r.rotations.application_seen(rotation.id, "A-1", ANN, "an order")
    again = await r.rotations.test_application(rotation.id, "A-1")
    assert seen.applications[0].seen_by == again.applications[0].seen_by == ANN
    back = await r.rotations.application_not_seen(rotation.id, "A-1", ANN)
    assert back.applications[0].seen_at is None


async def test_nobody_is_called_like_this_console() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    with pytest.raises(NameInvalid):
        await r.rotations.application_seen(rotation.id, "A-1", THIS_CONSOLE, "an order")


async def test_a_test_of_the_new_key_that_told_nothing_is_told_as_that() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    assert "has not been tested" in key_test_line(rotation)
    new = rotation.replacement
    assert new
    r.places.account.trouble.append(AnswerLost("timeout"))
    with pytest.raises(AnswerLost):
        await r.rotations.test_key(rotation.id)
    tried = await r.rotations.one(rotation.id)
    assert tried.test is None
    assert "no answer. That shows nothing." in key_test_line(tried)
    assert "tested: no answer" in stage_line(tried, Stage.TEST)
    r.places.account.trouble.append(KeyRefused("unauthorised", status=401))
    with pytest.raises(KeyRefused):
        await r.rotations.test_key(rotation.id)
    refused = await r.rotations.one(rotation.id)
    assert "Not accepted by the gateway (401)" in key_test_line(refused)
    assert "key not accepted (401)" in stage_line(refused, Stage.TEST)


async def test_a_compromised_key_is_that_until_it_is_gone() -> None:
    r = await Rotating.ready()
    rotation = await r.begun(compromised=True)
    assert [key.compromised for key in await r.console.keys.listed(r.environment)] == [True]
    tested = await r.console.keys.test(r.environment, r.old)
    assert tested.state is KeyState.WORKING
    (key,) = await r.console.keys.listed(r.environment)
    assert (key_state(key).text, key_state(key).tone, key.standing) == ("Compromised", "bad", "compromised")
    await r.rotations.abandon(rotation.id, ANN, "no time")
    (key,) = await r.again().console.keys.listed(r.environment)
    assert key.compromised
    second = await r.tested(await r.created(await r.begun()))
    assert {key.name: key.compromised for key in await r.console.keys.listed(r.environment)}[OLD.name]
    await r.deleted(second)
    await r.rotations.see_refused(second.id)
    assert not any(key.compromised for key in await r.console.keys.listed(r.environment))


async def test_the_register_is_taken_over_anew() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    await r.places.journal.remove_application("A-2")
    fresh = await r.rotations.refresh_applications(rotation.id)
    assert [(one.application_id, one.changed_by) for one in fresh.applications] == [("A-1", ANN)]


async def test_a_compromised_key_keeps_a_list_and_no_overlap() -> None:
    r = await Rotating.ready()
    rotation = await r.begun(compromised=True)
    assert rotation.overlap_ends_at == rotation.started_at
    step = CompromiseStep.REVIEW_LOGS
    noted = await r.rotations.check(rotation.id, step, True, ANN, "two unknown\ncalls")
    assert [(one.by, one.findings) for one in noted.checks if one.step is step] == [
        (ANN, "two unknown\ncalls")
    ]
    unticked = await r.rotations.check(rotation.id, step, False, ANN, "")
    assert [one.done_at for one in unticked.checks] == [None, None, None]


async def test_the_planned_end_moves() -> None:
    r = await Rotating.ready()
    rotation = await r.begun()
    later = rotation.overlap_ends_at + timedelta(days=1)
    assert (await r.rotations.move_end(rotation.id, later, ANN)).overlap_ends_at == later


async def test_a_waived_proof_needs_a_reason() -> None:
    r = await Rotating.ready()
    rotation = await r.created(await r.begun())
    with pytest.raises(NameInvalid):
        await r.rotations.waive_proof(rotation.id, "", ANN)
    waived = await r.rotations.waive_proof(rotation.id, "the reports user is gone", ANN)
    assert waived.proof_waived == "the reports user is gone"


AN_END = datetime(2026, 3, 9, tzinfo=UTC)
CARD = "it was 4111 1111 1111 1111"
#: Every use case that takes a text a person can enter.
ENTRANCES: dict[str, Callable[[Rotations, str], Coroutine[Any, Any, object]]] = {
    "replan's name": lambda r, i: r.replan(i, KeyDraft(CARD, "counter1", "API", KeyKind.PRIVATE), ANN),
    "replan's by": lambda r, i: r.replan(i, OLD, CARD),
    "keep's value": lambda r, i: r.keep(i, "4111111111111111"),
    "waive's reason": lambda r, i: r.waive_proof(i, CARD, ANN),
    "waive's by": lambda r, i: r.waive_proof(i, "a reason", CARD),
    "changed's by": lambda r, i: r.application_changed(i, "A-1", CARD),
    "changed back's by": lambda r, i: r.application_not_changed(i, "A-1", CARD),
    "seen's by": lambda r, i: r.application_seen(i, "A-1", CARD, "an order"),
    "seen's how": lambda r, i: r.application_seen(i, "A-1", ANN, CARD),
    "not seen's by": lambda r, i: r.application_not_seen(i, "A-1", CARD),
    "end's by": lambda r, i: r.move_end(i, AN_END, CARD),
    "delete's by": lambda r, i: r.delete(i, CARD),
    "delete's reason": lambda r, i: r.delete(i, ANN, CARD),
    "in portal's by": lambda r, i: r.deleted_in_portal(i, CARD),
    "taken as refused's by": lambda r, i: r.take_as_refused(i, CARD, "gone"),
    "taken as refused's note": lambda r, i: r.take_as_refused(i, ANN, CARD),
    "undo's by": lambda r, i: r.undo_deletion(i, CARD),
    "withdraw's by": lambda r, i: r.withdraw_replacement(i, CARD),
    "abandon's reason": lambda r, i: r.abandon(i, ANN, CARD),
    "abandon's by": lambda r, i: r.abandon(i, CARD, "no time"),
    "document's place": lambda r, i: r.document(i, ANN, CARD),
    "document's by": lambda r, i: r.document(i, CARD, "wiki"),
    "compromise's by": lambda r, i: r.compromise(i, CARD),
    "check's findings": lambda r, i: r.check(i, CompromiseStep.SUPPORT, True, ANN, CARD),
    "check's by": lambda r, i: r.check(i, CompromiseStep.SUPPORT, True, CARD, ""),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
async def test_card_data_comes_in_nowhere(entrance: str) -> None:
    r = await Rotating.ready()
    rotation = await r.begun(compromised=True)
    with pytest.raises(CardDataRefused):
        await ENTRANCES[entrance](r.rotations, rotation.id)
    assert await r.rotations.one(rotation.id) == rotation, "nothing was written"


async def test_there_is_nothing_to_take_up_between_two_steps() -> None:
    r = await Rotating.ready()
    rotation = await r.tested(await r.created(await r.begun()))
    r.places.keystore.calls.clear()
    r.places.account.calls.clear()
    assert await r.again().rotations.resume(rotation.id) == rotation
    assert (r.places.keystore.calls, r.places.account.calls) == ([], [])
