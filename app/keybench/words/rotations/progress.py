"""Rotations in words: how far one is, what it waits for, why the old key can't be deleted yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import (
    STAGES,
    ApplicationStep,
    CompromiseStep,
    Deletion,
    Rotation,
    Stage,
)
from keybench.words.formats import ago, clock_time, day, day_and_time, day_count, roughly, some
from keybench.words.language import _, ngettext
from keybench.words.rotations.details import DRAFT

STAGE_TITLES: Final = {
    Stage.CREATE: _("Create the replacement"),
    Stage.REPLACE: _("Replace it in apps"),
    Stage.TEST: _("Test"),
    Stage.DELETE: _("Delete the old key"),
    Stage.DOCUMENT: _("Update the documents"),
}

COMPROMISE_TITLES: Final = {
    CompromiseStep.ROTATE: _("Rotate at once"),
    CompromiseStep.REVIEW_LOGS: _("Review the access logs"),
    CompromiseStep.SUPPORT: _("Contact support"),
}

COMPROMISE_HINTS: Final = {
    CompromiseStep.ROTATE: _(
        "Go through the stages without waiting. Every hour the old key works is an hour for whoever has it."
    ),
    CompromiseStep.REVIEW_LOGS: _(
        "Look for sales and calls that nobody here made. The sales this console sent with "
        "the key are listed below; the portal and your servers know of the others."
    ),
    CompromiseStep.SUPPORT: _(
        "Tell the payment service which key it is, by name and fingerprint, and since when."
    ),
}

_DAY_S: Final = 86_400
_SOME: Final = 3
#: So many of the newest checks are listed; the record has all of them.
_CHECKS: Final = 12
_REFUSED: Final = 401
_TROUBLE: Final = 400


def stage_number(stage: Stage) -> int:
    return STAGES.index(stage) + 1


def stage_line(rotation: Rotation, stage: Stage) -> str:
    match stage:
        case Stage.CREATE:
            return _create_line(rotation)
        case Stage.REPLACE:
            count, left = len(rotation.applications), len(stages.not_changed(rotation))
            words = _("{changed} of {count} changed") if count else _("no applications listed")
            return words.format(changed=count - left, count=count)
        case Stage.TEST:
            return _test_line(rotation)
        case Stage.DELETE:
            return _delete_line(rotation)
        case Stage.DOCUMENT:
            return _("finished") if rotation.documentation else _("record is drafted")


def _create_line(rotation: Rotation) -> str:
    if rotation.replacement is None:
        return _("not made yet")
    if stages.is_revoked(rotation):
        return _("made")
    if stages.is_replacement_revoked(rotation):
        return _("made, and revoked")
    proof = rotation.proof
    if proof and proof.same and not proof.is_whole:
        once = _("one allowed call compared")
        return _("{once}, with a reason").format(once=once) if rotation.proof_waived else once
    if rotation.proof_waived:
        return _("not proven the same, with a reason")
    if proof is None:
        return _("made, permissions not compared")
    return _("allowed the same") if proof.same else _("not allowed the same")


def _test_line(rotation: Rotation) -> str:
    seen = len(rotation.applications) - len(stages.not_seen(rotation))
    tested = _("key tested") if rotation.test else _("key {key_test}").format(key_test=_key_test(rotation))
    if rotation.applications:
        apps = _("{seen} of {count} seen working").format(seen=seen, count=len(rotation.applications))
        return apps if rotation.test else f"{apps}, {tested}"
    return tested


def _key_test(rotation: Rotation) -> str:
    last = stages.last_key_test(rotation)
    if last is None:
        return _("not tested")
    refused = last.what == "new key tested"
    words = _("not accepted ({status})") if refused else _("tested: {detail}")
    return words.format(status=last.status, detail=last.detail)


def key_test_line(rotation: Rotation) -> str:
    test, last, lines = rotation.test, stages.last_key_test(rotation), []
    if rotation.replacement is None:
        return _("There is no replacement yet. Create it first.")
    if last is None and test is None:
        return _("“{name}” has not been tested yet.").format(name=rotation.replacement.name)
    showed_nothing = last is not None and last.what != "new key tested"
    if last and not showed_nothing and not test:
        words = _("✗ Not accepted by the gateway ({status}) · {day_and_time}")
        return words.format(status=last.status, day_and_time=day_and_time(last.at))
    if test:
        sale = _(" · test sale {sale}").format(sale=test.sale) if test.sale else ""
        words = _("✓ Accepted by the gateway ({status}) · {day_and_time}{sale}")
        lines.append(words.format(status=test.status, day_and_time=day_and_time(test.at), sale=sale))
    if last and showed_nothing:
        words = _("Tested {time}: {detail}. That shows nothing.")
        if test:
            words = _("Tested again {time}: {detail}. That shows nothing.")
        lines.append(words.format(time=day_and_time(last.at), detail=last.detail))
    return "\n".join(lines)


def _delete_line(rotation: Rotation) -> str:
    if rotation.deletion:
        return deletion_state(rotation.deletion)
    waiting = next((stage for stage in STAGES[:3] if not stages.is_done(rotation, stage)), None)
    if waiting is None:
        return _("ready")
    return _("waits for stage {stage_number}").format(stage_number=stage_number(waiting))


def deletion_state(deletion: Deletion) -> str:
    if deletion.erased_at:
        return _("gone and refused")
    if deletion.refused_at:
        return _("refused, value still kept")
    return _("said to be deleted, not refused yet") if deletion.deleted_at else _("requested")


def deletion_words(rotation: Rotation) -> tuple[str, str, str, str]:
    deletion = rotation.deletion
    if deletion is None:
        return "", "", "", ""
    asked = f"{day_and_time(deletion.asked_at)}, {deletion.by}"
    if stages.is_revoked(rotation):
        asked += _(" · at once, whatever stops working: {reason}").format(reason=deletion.override)
    elif deletion.override:
        asked += _(" · before everything was seen working: {override}").format(override=deletion.override)
    deleted = refused = ""
    if deletion.deleted_at:
        where = _("in the portal") if deletion.in_portal else _("by the gateway")
        deleted = f"{day_and_time(deletion.deleted_at)}, {where}"
        if not deletion.refused_at:
            deleted = f"{_said(deletion.deleted_at)}, {where}"
            refused = accepted_line(rotation)
    if deletion.refused_at:
        how = _("status {refused_status}") if deletion.refused_status else _("taken as refused")
        how = how.format(refused_status=deletion.refused_status)
        note = f": {deletion.refused_note}" if deletion.refused_note else ""
        refused = f"{day_and_time(deletion.refused_at)}, {how}{note}"
    return asked, deleted, refused, day_and_time(deletion.erased_at) if deletion.erased_at else ""


def _said(at: datetime) -> str:
    return _("said to be deleted at {time} on {day}").format(time=clock_time(at)[:5], day=day(at))


def accepted_line(rotation: Rotation) -> str:
    checks = stages.accepted_checks(rotation)
    times = [f"{clock_time(one.at)} ({one.status})" for one in reversed(checks)]
    return _("still accepted at {times}").format(times=some(times, _CHECKS)) if times else ""


def tried_words(tries: int, status: int, pause_s: float | None) -> str:
    """Return how the last try with the old key went (status 0: no answer), and when the next one comes."""
    if status == _REFUSED:
        answer = _("refused (401)")
    elif status == 0:
        answer = _("no answer")
    elif status < _TROUBLE:
        answer = _("still accepted ({status})").format(status=status)
    else:
        answer = _("answered {status}, which doesn't say that the key is gone").format(status=status)
    then = _(" Next check in {roughly}.").format(roughly=roughly(pause_s)) if pause_s is not None else ""
    return _("Check {tries}: {answer}.{then}").format(tries=tries, answer=answer, then=then)


def open_line(rotation: Rotation, now: datetime) -> str:
    stage = _("Stage {stage_number} of {count}").format(
        stage_number=stage_number(stages.stage_of(rotation)), count=len(STAGES)
    )
    if stages.is_revoked(rotation):
        gone = stages.is_erased(rotation.deletion)
        return (_("{stage} · revoked") if gone else _("{stage} · being revoked")).format(stage=stage)
    if rotation.compromised:
        return _("{stage} · rotate at once").format(stage=stage)
    return _("{stage} · started {ago}").format(stage=stage, ago=ago(rotation.started_at, now))


def over_line(rotation: Rotation) -> str:
    if rotation.documentation:
        return _("{day} · finished").format(day=day(rotation.documentation.at))
    return _("{day} · abandoned").format(day=day(rotation.abandoned_at or rotation.started_at))


def names_line(rotation: Rotation) -> str:
    if rotation.replacement:
        return f"{rotation.old.name} → {rotation.replacement.name}"
    return f"{rotation.old.name} → {rotation.making.draft.name}" if rotation.making else rotation.old.name


def overlap_line(rotation: Rotation, now: datetime) -> str:
    if rotation.abandoned_at:
        words = _("Abandoned {day_and_time}. Both keys stay as they are.")
        return words.format(day_and_time=day_and_time(rotation.abandoned_at))
    if rotation.documentation:
        return _("Finished {day_and_time}.").format(day_and_time=day_and_time(rotation.documentation.at))
    deletion = rotation.deletion
    if deletion and deletion.refused_at:
        return _("The old key is refused.")
    if deletion and deletion.deleted_at:
        words = _("The old key is {said}, and was not seen to be refused yet.")
        return words.format(said=_said(deletion.deleted_at))
    left_s, end = (rotation.overlap_ends_at - now).total_seconds(), day_and_time(rotation.overlap_ends_at)
    if left_s <= 0:
        since = "" if rotation.compromised else _(" Its planned end was {day_and_time}.")
        words = _("The old key stays valid until you delete it: do that now.{since}")
        return words.format(since=since.format(day_and_time=end))
    left = roughly(left_s) if left_s < _DAY_S else day_count(round(left_s / _DAY_S))
    words = _("The old key stays valid until you delete it · planned end in {left}, {day_and_time}")
    return words.format(left=left, day_and_time=end)


def delete_bar(rotation: Rotation) -> str:
    if rotation.replacement is None:
        return _("There is no replacement yet. Create it first.")
    if stages.is_replacement_revoked(rotation):
        return _("The new key was revoked. Abandon this rotation, and begin another one for the old key.")
    if stages.ready_to_delete(rotation):
        return ""
    if not stages.proof_settled(rotation):
        if rotation.proof and rotation.proof.same:
            return _(
                "One allowed call compared, and none that must be refused. Write down why that is enough."
            )
        return _(
            "Nobody knows yet that the new key may do the same. Compare the permissions, or write down why not."
        )
    unchanged, unseen = stages.not_changed(rotation), stages.not_seen(rotation)
    if unchanged:
        return ngettext(
            "{names} still uses the old key. Change it there first.",
            "{names} still use the old key. Change it there first.",
            len(unchanged),
        ).format(names=_who(unchanged))
    if unseen:
        return ngettext(
            "{names} has not had a success on the new key since the change. Confirm that it works.",
            "{names} have not had a success on the new key since the change. Confirm that they work.",
            len(unseen),
        ).format(names=_who(unseen))
    if stages.last_key_test(rotation) is None:
        return _("The new key itself has not been tested. Test it first.")
    words = _("The new key itself is {key_test}. It must be accepted first.")
    return words.format(key_test=_key_test(rotation))


def _who(steps: Sequence[ApplicationStep]) -> str:
    return some([step.name for step in steps], _SOME)


def proof_line(rotation: Rotation, now: datetime) -> str:
    if stages.is_revoked(rotation):
        return _("The old key was revoked, so there is nothing to compare the new one with.")
    proof = rotation.proof
    if rotation.proof_waived:
        said = (
            _("One allowed call compared. Goes on without the other: {proof_waived}")
            if proof and proof.same and not proof.is_whole
            else _("Goes on without the proof: {proof_waived}")
        )
        return said.format(proof_waived=rotation.proof_waived)
    if proof is None:
        return _("Not compared yet. The same calls are made with both keys; the answers must be the same.")
    when = ago(proof.at, now)
    if proof.same and not proof.is_whole:
        return _(
            "Compared {when}: one allowed call compared, and the gateway makes no difference there. The contract names "
            "no call that must be refused, so write down why it goes on without one."
        ).format(when=when)
    if proof.same:
        return _("Compared {when}: the gateway makes no difference between the keys.").format(when=when)
    return _(
        "Compared {when}: the keys are not allowed the same. Take the replacement back, or say why it is right."
    ).format(when=when)


def record_line(rotation: Rotation) -> str:
    done = rotation.documentation
    if done:
        said = _("Documented {day_and_time} by {by}").format(day_and_time=day_and_time(done.at), by=done.by)
        return f"{said}: {done.place}." if done.place else f"{said}."
    if rotation.abandoned_at:
        return _("Abandoned: {abandon_reason}").format(abandon_reason=rotation.abandon_reason)
    return DRAFT


def leak_line(rotation: Rotation) -> str:
    done = sum(check.done_at is not None for check in rotation.checks)
    return _("Rotate at once, review the access logs, contact support: {done} of {count} done.").format(
        done=done, count=len(rotation.checks)
    )


def sales_found(count: int, limit: int) -> str:
    if count >= limit:
        return _("The newest {limit} are listed.").format(limit=limit)
    return ngettext("{count} sale", "{count} sales", count).format(count=f"{count:,}")


def left_over_line(rotation: Rotation) -> str:
    names = ", ".join(f"“{one.making.draft.name}”" for one in rotation.leftovers)
    words = _("{names} may still be at the gateway or in the keystore. Nothing uses it.")
    return words.format(names=names) if names else ""


def delete_text(rotation: Rotation, *, by_gateway: bool) -> str:
    how = _("You delete it in the portal; Keybench shows where and then waits until the gateway refuses it.")
    if by_gateway:
        how = _("The gateway deletes it, and every call with it is refused from then on.")
    unlisted = _("No application is listed for it: what uses it stops working. ")
    return _(
        "“{name}” ({value}). {unlisted}{how} Its value is "
        "erased from this computer last, once the new one was read back. This can't be undone."
    ).format(
        name=rotation.old.name,
        value=rotation.old.fingerprint or _("value not kept here"),
        unlisted="" if rotation.applications else unlisted,
        how=how,
    )
