"""Each of a rotation's stages in words: what it is called, how far it is, and what its view tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.keys.key import KeyDraft
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import ApplicationStep, Expectation, KeyFacts, ProofRow, Rotation
from keybench.core.rotations.stages import STAGES, Stage
from keybench.words.formats import ago, clock_time, day, day_and_time, day_and_time_in, roughly, some
from keybench.words.keys.states import kind_word, kind_words
from keybench.words.language import _

STAGE_TITLES: Final = {
    Stage.CREATE: _("Create the replacement"),
    Stage.REPLACE: _("Replace it in apps"),
    Stage.TEST: _("Test"),
    Stage.DELETE: _("Delete the old key"),
    Stage.DOCUMENT: _("Update the documents"),
}

#: Each stage of a rotation within a sentence.
STAGE_WORDS: Final = {
    Stage.CREATE: _("creating the replacement"),
    Stage.REPLACE: _("replacing the key in the applications"),
    Stage.TEST: _("testing the new key"),
    Stage.DELETE: _("deleting the old key"),
    Stage.DOCUMENT: _("updating the security documentation"),
}

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


# --- create ----------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One attribute of both keys; empty where it isn't known yet.

    Attributes:
        verdict: Whether what has to be the same is; empty for what may differ and what isn't known.
    """

    name: str
    old: str
    new: str
    verdict: str = ""


def key_rows(old: KeyFacts, new: KeyFacts | KeyDraft | None) -> tuple[KeyRow, ...]:
    """Return what is known of both keys; a new one that is only planned is described and not made."""
    made = new if isinstance(new, KeyFacts) else None
    return (
        KeyRow(_("Name"), old.name, new.name if new else ""),
        KeyRow(
            _("Fingerprint"),
            old.fingerprint or _("its value was never kept here"),
            made.fingerprint if made else _("not made yet"),
        ),
        _to_compare(_("User"), old.username, new.username if new else ""),
        _to_compare(_("Permission type"), old.permission, new.permission if new else ""),
        _to_compare(_("Kind"), _kind(old), _kind(new) if new else ""),
        KeyRow(_("Purpose"), old.purpose, new.purpose if new else ""),
        KeyRow(_("The gateway's identifier"), old.gateway_id, made.gateway_id if made else ""),
    )


def _to_compare(name: str, old: str, new: str) -> KeyRow:
    return KeyRow(name, old, new, "" if not new else _("same") if old == new else _("differs"))


def _kind(key: KeyFacts | KeyDraft) -> str:
    return f"{kind_word(key.kind)} ({kind_words(key.kind)})"


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
            "Compared {when}: one allowed call compared, and the gateway makes no difference there. The "
            "contract names no call that must be refused, so write down why it goes on without one."
        ).format(when=when)
    if proof.same:
        return _("Compared {when}: the gateway makes no difference between the keys.").format(when=when)
    return _(
        "Compared {when}: the keys are not allowed the same. Take the replacement back, or say why it is right."
    ).format(when=when)


def proof_call(row: ProofRow) -> str:
    should = _("should be allowed") if row.expected is Expectation.ALLOWED else _("should be refused")
    return f"{row.call} ({should})"


def proof_result(row: ProofRow) -> str:
    return _("same") if row.same else _("differs")


# --- replace and test ------------------------------------------------------------------------------


def changed_words(step: ApplicationStep) -> str:
    return _moment(step.changed_at) if step.changed_at else _("not yet")


def changed_by_words(step: ApplicationStep) -> str:
    if step.changed_at is None:
        return _("not yet")
    words = _("{day_and_time}, by {changed_by}")
    return words.format(day_and_time=day_and_time(step.changed_at), changed_by=step.changed_by)


def application_words(step: ApplicationStep) -> str:
    owner = ", ".join(filter(None, (step.owner, step.contact)))
    lines = (
        _("Owner: {owner}").format(owner=owner or _("nobody named")),
        _("Where: {place}").format(place=step.place or _("not written down")),
        _("How to change it: {how}").format(how=step.instructions or _("nobody wrote it down")),
        _("Changed: {changed}").format(changed=changed_by_words(step)),
    )
    return "\n".join(lines)


def seen_words(step: ApplicationStep) -> str:
    if step.seen_at and step.is_seen_working:
        return _moment(step.seen_at)
    if step.accepted_here_at:
        return _("key accepted, not seen")
    return _("not yet") if step.changed_at else _("not changed yet")


def seen_by_words(step: ApplicationStep) -> str:
    if step.is_seen_working:
        return _("Seen by {seen_by}: {seen_how}").format(seen_by=step.seen_by, seen_how=step.seen_how)
    if at := step.accepted_here_at:
        return _(
            "The gateway accepted the new key from this computer, {day_and_time}. Nobody has seen the "
            "application working with it yet."
        ).format(day_and_time=day_and_time(at))
    return ""


def _moment(at: datetime) -> str:
    return day_and_time_in(at.astimezone().year, at, seconds=False)


def _test_line(rotation: Rotation) -> str:
    seen = len(rotation.applications) - len(stages.not_seen(rotation))
    tested = _("key tested") if rotation.test else _("key {key_test}").format(key_test=key_test(rotation))
    if rotation.applications:
        apps = _("{seen} of {count} seen working").format(seen=seen, count=len(rotation.applications))
        return apps if rotation.test else f"{apps}, {tested}"
    return tested


def key_test(rotation: Rotation) -> str:
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
        words = _("✓ Accepted by the gateway ({status}) · {day_and_time}")
        lines.append(words.format(status=test.status, day_and_time=day_and_time(test.at)))
    if last and showed_nothing:
        words = _("Tested {time}: {detail}. That shows nothing.")
        if test:
            words = _("Tested again {time}: {detail}. That shows nothing.")
        lines.append(words.format(time=day_and_time(last.at), detail=last.detail))
    return "\n".join(lines)


# --- delete ----------------------------------------------------------------------------------------


def _delete_line(rotation: Rotation) -> str:
    deletion = rotation.deletion
    if deletion is None:
        waiting = next((stage for stage in STAGES[:3] if not stages.is_done(rotation, stage)), None)
        if waiting is None:
            return _("ready")
        return _("waits for stage {stage_number}").format(stage_number=stage_number(waiting))
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
        asked += _(" · before everything was ready: {override}").format(override=deletion.override)
    deleted = refused = ""
    if deletion.deleted_at:
        where = _("in the portal") if deletion.in_portal else _("by the gateway")
        deleted = f"{day_and_time(deletion.deleted_at)}, {where}"
        if not deletion.refused_at:
            deleted = f"{said_to_be_deleted(deletion.deleted_at)}, {where}"
            checks = stages.accepted_checks(rotation)
            times = [f"{clock_time(one.at)} ({one.status})" for one in reversed(checks)]
            refused = _("still accepted at {times}").format(times=some(times, _CHECKS)) if times else ""
    if deletion.refused_at:
        how = _("status {refused_status}") if deletion.refused_status else _("taken as refused")
        how = how.format(refused_status=deletion.refused_status)
        note = f": {deletion.refused_note}" if deletion.refused_note else ""
        refused = f"{day_and_time(deletion.refused_at)}, {how}{note}"
    return asked, deleted, refused, day_and_time(deletion.erased_at) if deletion.erased_at else ""


def said_to_be_deleted(at: datetime) -> str:
    return _("said to be deleted at {time} on {day}").format(time=clock_time(at)[:5], day=day(at))


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
