"""A key that is revoked goes at once, whatever stops working; what nobody confirmed stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.mortal import Died, Fate, in_order
from fakes.person import ANN
from fakes.rotating import Rotating
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import AnswerLost, GatewayFailed, KeybenchError, KeystoreLocked, NotSent
from keybench.core.input_errors import NameInvalid, RotationBarred, SalesUnderWay
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import Stage
from keybench.core.sales.sale import SaleDraft
from keybench.words.rotations.progress import delete_bar, overlap_line, standing_line
from keybench.words.rotations.record import paper_markdown, record_paper
from keybench.workflows.administration import Administration
from keybench.workflows.keys.revocation import Effects, effects_of_revoking

WHY = "found on a public page"
#: As many as a revocation has moments in practice; the first test about them holds the figure.
MOMENTS = 14


async def revoked(r: Rotating) -> Rotation:
    """Revoke the old key and see it refused."""
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    await r.rotations.delete(rotation.id, ANN)
    return await r.rotations.see_refused(rotation.id)


async def new_key_revoked(r: Rotating) -> tuple[Rotation, SecurityKey, Rotation]:
    """Revoke the new key of a rotation; return the rotation, that key and its revocation."""
    rotation = await r.tested(await r.created(await r.begun()))
    assert rotation.replacement
    new = await r.console.calling.key(r.environment.id, rotation.replacement.key_id)
    revocation = await r.rotations.revoke(r.environment, new, ANN, WHY)
    await r.rotations.delete(revocation.id, ANN)
    return rotation, new, revocation


async def test_a_revoked_key_is_gone_before_there_is_another() -> None:
    r = await Rotating.ready()
    rotation = await revoked(r)
    assert r.places.active == set()
    assert not await r.has_value(r.old.id)
    assert await r.places.journal.keys(r.environment.id) == []
    assert rotation.compromised
    assert in_order(
        rotation,
        "rotation started",
        "old key compromised",
        "revocation asked for",
        "old key deleted",
        "old key refused",
        "old value erased",
    )
    activity = [line.action for line in await r.places.journal.activities(limit=20)]
    assert activity[:4] == ["old value erased", "old key refused", "old key deleted", "revocation asked for"]
    record = paper_markdown(record_paper(rotation, r.environment, r.places.clock.now()))
    assert "# Draft: Key revocation: web shop 2024" in record
    assert f"| Why at once, whatever stops working | {WHY} |" in record
    assert "| Seen to be refused |" in record
    assert "MadeUp" not in record


async def test_what_used_it_gets_a_new_key_then() -> None:
    r = await Rotating.ready(applications=1)
    rotation = await revoked(r)
    assert stages.stage_of(rotation) is Stage.CREATE
    rotation = await r.rotations.create(rotation.id)
    assert stages.stage_of(rotation) is Stage.REPLACE, "there is nothing to compare it with"
    await r.rotations.application_changed(rotation.id, "A-1", ANN)
    await r.rotations.application_seen(rotation.id, "A-1", ANN, "an order")
    rotation = await r.rotations.test_key(rotation.id)
    assert stages.stage_of(rotation) is Stage.DOCUMENT
    done = await r.rotations.document(rotation.id, ANN, "wiki")
    assert not done.is_open
    (application,) = await r.places.journal.applications()
    assert done.replacement
    assert application.key_id == done.replacement.key_id


async def test_without_applications_it_can_be_finished_with_nothing_in_its_place() -> None:
    r = await Rotating.ready(applications=0)
    rotation = await revoked(r)
    assert stages.stage_of(rotation) is Stage.DOCUMENT
    assert not (await r.rotations.document(rotation.id, ANN, "")).is_open


async def test_a_rotation_under_way_becomes_the_revocation() -> None:
    r = await Rotating.ready(applications=1)
    begun = await r.created(await r.begun())
    rotation = await revoked(r)
    assert rotation.id == begun.id
    assert rotation.compromised
    assert stages.stage_of(rotation) is Stage.REPLACE
    assert begun.replacement
    assert r.places.active == {begun.replacement.gateway_id}


async def test_sales_under_way_hold_a_rotation_up_and_not_a_revocation() -> None:
    r = await Rotating.ready()
    sale = await r.console.sell.note(r.sale_draft(r.old.id))
    ready = await r.tested(await r.created(await r.begun()))
    with pytest.raises(SalesUnderWay):
        await r.rotations.delete(ready.id, ANN)
    effects = await effects_of_revoking(r.console, r.environment, r.old)
    assert effects.sales == 1
    assert effects.devices == (sale.device,)
    rotation = await revoked(r)
    assert stages.is_erased(rotation.deletion)


async def test_what_stops_working_is_known_before() -> None:
    r = await Rotating.ready(applications=2)
    nothing = await effects_of_revoking(r.console, r.environment, r.old)
    assert nothing.applications == ("shop 1", "shop 2")
    for device in ("till-1", "till-2", "till-1"):
        draft = SaleDraft(r.environment.id, r.old.id, device, "10.00", "USD")
        await r.carry(r.console.sell.carry_out(await r.console.sell.note(draft)))
    assert (await effects_of_revoking(r.console, r.environment, r.old)).devices == ("till-1", "till-2")
    r.places.clock.move(31 * 24 * 3600)
    assert (await effects_of_revoking(r.console, r.environment, r.old)).devices == ()
    other = (await r.console.add_key.create(r.environment, r.draft("other"))).key
    assert await effects_of_revoking(r.console, r.environment, other) == Effects(by_gateway=True)


async def test_a_rotation_whose_new_key_is_revoked_says_so_and_deletes_nothing_more() -> None:
    r = await Rotating.ready()
    rotation, new, revocation = await new_key_revoked(r)
    effects = await effects_of_revoking(r.console, r.environment, new)
    assert [one.id for one in effects.rotations] == [rotation.id]
    await r.rotations.see_refused(revocation.id)
    now = await r.rotations.one(rotation.id)
    assert now.test is None
    assert "The new key was revoked" in delete_bar(now)
    with pytest.raises(RotationBarred):
        await r.rotations.delete(rotation.id, ANN)
    assert r.places.active == {r.old.gateway_id}
    assert not (await r.rotations.abandon(rotation.id, ANN, "its key leaked")).is_open


async def test_an_answer_that_is_lost_leaves_it_unknown_and_is_found_out() -> None:
    r = await Rotating.ready()
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    r.places.account.lose_answers = 2  # the try with the key, and the deletion
    with pytest.raises(AnswerLost):
        await r.rotations.delete(rotation.id, ANN)
    unknown = await r.rotations.one(rotation.id)
    assert not stages.is_deleted(unknown.deletion)
    record = paper_markdown(record_paper(unknown, r.environment, r.places.clock.now()))
    assert "unknown: the gateway has not confirmed it" in record
    (key,) = await r.places.journal.keys(r.environment.id)
    assert key.compromised
    again = await r.rotations.delete(rotation.id, ANN)
    assert stages.is_deleted(again.deletion)
    assert r.old.gateway_id not in r.places.portal.missed, "nothing is deleted a second time"


@pytest.mark.parametrize("error", [GatewayFailed("failed", status=503), AnswerLost("timeout")])
async def test_a_key_is_not_left_valid_because_nobody_can_tell_whether_it_is(error: KeybenchError) -> None:
    r = await Rotating.ready()
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    r.places.account.trouble.append(error)  # meets the try before the deletion
    assert stages.is_deleted((await r.rotations.delete(rotation.id, ANN)).deletion)
    assert r.places.active == set()


async def test_where_a_person_deletes_it_the_portal_is_waited_for() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    asked = await r.rotations.delete(rotation.id, ANN)
    assert not stages.is_deleted(asked.deletion)
    record = paper_markdown(record_paper(asked, r.environment, r.places.clock.now()))
    assert "| Deleted | not yet |" in record
    r.delete_in_the_portal()
    await r.rotations.deleted_in_portal(rotation.id, ANN)
    assert stages.is_erased((await r.rotations.see_refused(rotation.id)).deletion)
    assert not await r.has_value(r.old.id)


async def test_a_revocation_can_be_taken_back_as_long_as_nothing_was_deleted() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    back = await r.rotations.undo_deletion(rotation.id, ANN)
    assert back.deletion is None
    assert not stages.is_revoked(back)
    assert stages.stage_of(back) is Stage.CREATE
    with pytest.raises(RotationBarred):
        await r.rotations.delete(rotation.id, ANN)
    r.places.clock.move(60)
    assert stages.is_revoked(await r.rotations.revoke(r.environment, r.old, ANN, WHY))


async def test_a_deletion_that_was_asked_for_and_not_done_becomes_the_revocation() -> None:
    r = await Rotating.ready()
    ready = await r.tested(await r.created(await r.begun()))
    r.places.account.trouble += [GatewayFailed("failed", status=503)]
    with pytest.raises(GatewayFailed):
        await r.rotations.delete(ready.id, ANN)
    await r.console.sell.note(r.sale_draft(r.old.id))
    with pytest.raises(SalesUnderWay):
        await r.rotations.delete(ready.id, ANN)
    rotation = await revoked(r)
    assert rotation.id == ready.id
    assert stages.is_revoked(rotation)
    assert r.old.gateway_id not in r.places.active
    record = paper_markdown(record_paper(rotation, r.environment, r.places.clock.now()))
    assert f"| Why at once, whatever stops working | {WHY} |" in record


async def test_a_new_key_that_was_revoked_stays_so_under_another_name() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation, new, _revocation = await new_key_revoked(r)
    assert stages.is_replacement_revoked(await r.rotations.one(rotation.id))
    await r.console.keys.rename(new, "leaked one")
    now = await r.rotations.one(rotation.id)
    assert now.replacement
    assert now.replacement.name == "leaked one"
    assert stages.is_replacement_revoked(now)


async def test_a_revocation_that_is_taken_back_leaves_the_new_key_to_be_tested_again() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    rotation, _new, revocation = await new_key_revoked(r)
    await r.rotations.undo_deletion(revocation.id, ANN)
    now = await r.rotations.one(rotation.id)
    assert not stages.is_replacement_revoked(now)
    assert now.test is None
    await r.rotations.prove(rotation.id)
    assert not delete_bar(await r.rotations.test_key(rotation.id))


async def test_a_plan_that_cannot_be_made_holds_nothing_up() -> None:
    r = await Rotating.ready()
    blank = (await r.console.add_key.create(r.environment, r.draft("blank"))).key
    await r.places.journal.update_key(blank.id, lambda key: replace(key, username=""))
    (now,) = [key for key in await r.places.journal.keys(r.environment.id) if key.id == blank.id]
    rotation = await r.rotations.revoke(r.environment, now, ANN, WHY)
    assert rotation.making is None
    assert stages.is_deleted((await r.rotations.delete(rotation.id, ANN)).deletion)
    draft = KeyDraft("blank 2", "counter1", "API", KeyKind.PRIVATE)
    await r.rotations.replan(rotation.id, draft, ANN)
    assert (await r.rotations.create(rotation.id)).replacement


async def test_a_locked_keystore_does_not_hold_up_what_the_next_start_goes_on_with() -> None:
    r = await Rotating.ready()
    rotation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    program = r.again()
    program.places.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):  # what the new key needs can't be had
        await program.rotations.resume(rotation.id)
    assert r.places.active == set()
    assert stages.is_deleted((await r.rotations.one(rotation.id)).deletion)


# --- crashes ------------------------------------------------------------------------------------------


async def carried_out(*deaths: int) -> tuple[Rotating, list[Fate]]:
    """Revoke a key in programs that die one after the other, and one that lives."""
    r = await Rotating.ready(applications=1)
    fates = [*map(Fate, deaths), Fate()]
    for fate in fates:
        program = r.again(fate)
        try:
            for rotation in await program.rotations.listed():
                await program.rotations.resume(rotation.id)
            if await program.places.journal.keys(r.environment.id):
                await revoked(program)
        except Died:
            continue
    return r, fates


async def assert_revoked(r: Rotating) -> None:
    (rotation,) = await r.rotations.listed()
    assert stages.is_revoked(rotation)
    assert stages.is_erased(rotation.deletion)
    assert r.places.active == set()
    assert r.places.portal.deleted == [r.old.gateway_id], "once"
    assert r.places.keystore.entries == ()
    (application,) = await r.places.journal.applications()
    assert isinstance(application, Application)
    assert [one.name for one in rotation.applications] == [application.name]


async def test_a_revocation_has_so_many_moments() -> None:
    r, (fate,) = await carried_out()
    await assert_revoked(r)
    assert len(fate.moments) == MOMENTS, "a new moment to die at belongs into the tests below"


@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_killed_anywhere_it_goes_on_with_the_truth(moment: int) -> None:
    r, fates = await carried_out(moment)
    assert fates[0].dead
    await assert_revoked(r)


@pytest.mark.thin(5)
@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_killed_again_while_it_goes_on(moment: int) -> None:
    for second in range(1, 9):
        r, _ = await carried_out(moment, second)
        await assert_revoked(r)


@pytest.mark.parametrize("moment", range(1, MOMENTS + 1))
async def test_one_call_that_fails_is_made_good_by_revoking_again(moment: int) -> None:
    r = await Rotating.ready(applications=1)
    program = r.again(Fate(moment, only_fails=True))
    try:
        await revoked(program)
    except (KeybenchError, NotSent):
        if await program.places.journal.keys(r.environment.id):
            await revoked(program)
    await assert_revoked(r)


# --- a false alarm -----------------------------------------------------------------------------------

FALSE_ALARM = "it was another shop's page"


async def says_at_once(r: Rotating) -> list[str]:
    """Return what of the lists, the review and the rotations still says that a key is compromised."""
    rotations, now = await r.rotations.listed(), r.places.clock.now()
    found = (await Administration(r.console).review.look()).findings
    lines = [standing_line(one) for one in rotations if one.is_open]
    lines += [overlap_line(one, now) for one in rotations]
    return [
        *(one.id for one in found if one.id in {"compromised", "rotation"}),
        *(key.name for key in await r.console.keys.listed(r.environment) if key.compromised),
        *(one for one in lines if "at once" in one or "do that now" in one),
        *(await r.places.journal.attention()).compromised,
    ]


async def test_a_false_alarm_is_taken_back_and_its_rotation_given_up() -> None:
    r = await Rotating.ready()
    begun = await r.begun(compromised=True)
    assert await says_at_once(r)
    with pytest.raises(NameInvalid):
        await r.rotations.not_compromised(r.old, ANN, " ")
    known = await r.rotations.not_compromised(r.old, ANN, FALSE_ALARM)
    assert not known.compromised
    assert await says_at_once(r) == []
    rotation = await r.rotations.one(begun.id)
    assert (rotation.abandon_reason, rotation.checks, rotation.leftovers) == (FALSE_ALARM, (), ())
    assert in_order(rotation, "old key compromised", "old key not compromised", "rotation abandoned")
    lines = await r.places.journal.activities(limit=20)
    (line,) = [one for one in lines if one.action == "key not compromised"]
    assert (line.subject, line.result, line.who) == (r.old.name, FALSE_ALARM, ANN)
    record = paper_markdown(record_paper(rotation, r.environment, r.places.clock.now()))
    assert "| Compromised | no: a false alarm<br>" in record
    assert FALSE_ALARM in record
    again = await r.begun(compromised=True)
    assert again.checks
    assert (await r.console.calling.key(r.environment.id, r.old.id)).compromised


async def test_a_rotation_that_has_its_new_key_goes_on_as_usual() -> None:
    r = await Rotating.ready(applications=0)
    ready = await r.tested(await r.created(await r.begun()))
    await r.rotations.compromise(ready.id, ANN)
    await r.rotations.not_compromised(r.old, ANN, FALSE_ALARM)
    rotation = await r.rotations.one(ready.id)
    assert rotation.is_open
    assert rotation.overlap_ends_at > r.places.clock.now()
    assert await says_at_once(r) == []
    done = await r.to_the_end()
    assert done.documentation


async def test_it_is_taken_back_for_abandoned_rotations_and_for_a_copy_of_the_key() -> None:
    r = await Rotating.ready(applications=0)
    _draft, value = r.places.account.keys[r.old.gateway_id]
    twin = (await r.console.add_key.keep(r.environment, r.draft("copy"), value.reveal())).key
    for _ in range(2):
        begun = await r.begun(compromised=True)
        await r.rotations.abandon(begun.id, ANN, "later")
    assert [key.compromised for key in await r.console.keys.listed(r.environment)] == [True, True]
    await r.rotations.not_compromised(twin, ANN, FALSE_ALARM)
    assert await says_at_once(r) == []


@pytest.mark.parametrize("undo", [True, False])
async def test_a_revocation_that_is_undone_leaves_nothing_to_be_done_at_once(*, undo: bool) -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    revocation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    await r.rotations.delete(revocation.id, ANN)
    if undo:
        await r.rotations.undo_deletion(revocation.id, ANN)
    else:
        await r.rotations.not_compromised(r.old, ANN, FALSE_ALARM)
    assert await says_at_once(r) == []
    rotation = await r.rotations.one(revocation.id)
    assert rotation.abandon_reason == ("revocation taken back" if undo else FALSE_ALARM)


async def test_undoing_a_revocation_leaves_a_key_compromised_that_was_so_before() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST)
    begun = await r.begun(compromised=True)
    r.places.clock.move(60)
    await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    back = await r.rotations.undo_deletion(begun.id, ANN)
    assert back.is_open
    assert back.compromised
    await r.rotations.not_compromised(r.old, ANN, FALSE_ALARM)
    assert await says_at_once(r) == []


async def test_a_key_that_the_gateway_deleted_is_past_a_false_alarm() -> None:
    r = await Rotating.ready()
    revocation = await r.rotations.revoke(r.environment, r.old, ANN, WHY)
    await r.rotations.delete(revocation.id, ANN)
    with pytest.raises(RotationBarred):
        await r.rotations.not_compromised(r.old, ANN, FALSE_ALARM)
    assert (await r.rotations.one(revocation.id)).compromised
