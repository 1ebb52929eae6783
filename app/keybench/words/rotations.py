"""Rotations in words: how far one is, what it waits for, why the old key can't be deleted yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from keybench.core import rotation_stages as stages
from keybench.core.overlap import LEAD, WEEKDAYS, Caution, OverlapWarning
from keybench.core.rotation import (
    STAGES,
    ApplicationStep,
    CompromiseStep,
    Deletion,
    Expectation,
    ProofRow,
    Rotation,
    Stage,
)
from keybench.words.formats import ago, day, day_and_time, roughly
from keybench.words.language import ngettext

STAGE_TITLES: Final = {
    Stage.CREATE: "Create the replacement",
    Stage.REPLACE: "Replace it in apps",
    Stage.TEST: "Test",
    Stage.DELETE: "Delete the old key",
    Stage.DOCUMENT: "Update the documents",
}

COMPROMISE_TITLES: Final = {
    CompromiseStep.ROTATE: "Rotate at once",
    CompromiseStep.REVIEW_LOGS: "Review the access logs",
    CompromiseStep.SUPPORT: "Contact support",
}

COMPROMISE_HINTS: Final = {
    CompromiseStep.ROTATE: "Go through the stages without waiting. Every hour the old key works is an hour for "
    "whoever has it.",
    CompromiseStep.REVIEW_LOGS: "Look for sales and calls that nobody here made. The sales this console sent with "
    "the key are listed below; the portal and your servers know of the others.",
    CompromiseStep.SUPPORT: "Tell the payment service which key it is, by name and fingerprint, and since when.",
}

_DAY_S: Final = 86_400
_SOME: Final = 3
_REFUSED: Final = 401
_TROUBLE: Final = 400


def stage_number(stage: Stage) -> int:
    """Return a stage's number as people count, from 1."""
    return STAGES.index(stage) + 1


def stage_line(rotation: Rotation, stage: Stage) -> str:
    """Return in a few words how far a stage is."""
    count = len(rotation.applications)
    match stage:
        case Stage.CREATE:
            return _create_line(rotation)
        case Stage.REPLACE:
            changed = count - len(stages.not_changed(rotation))
            return f"{changed} of {count} changed" if count else "no applications listed"
        case Stage.TEST:
            return _test_line(rotation)
        case Stage.DELETE:
            return _delete_line(rotation)
        case Stage.DOCUMENT:
            return "finished" if rotation.documentation else "record is drafted"


def _create_line(rotation: Rotation) -> str:
    if rotation.replacement is None:
        return "not made yet"
    if rotation.proof_waived:
        return "not proven the same, with a reason"
    if rotation.proof is None:
        return "made, permissions not compared"
    return "allowed the same" if rotation.proof.same else "not allowed the same"


def _test_line(rotation: Rotation) -> str:
    seen = len(rotation.applications) - len(stages.not_seen(rotation))
    tested = "key tested" if rotation.test else f"key {_key_test(rotation)}"
    if rotation.applications:
        apps = f"{seen} of {len(rotation.applications)} seen working"
        return apps if rotation.test else f"{apps}, {tested}"
    return tested


def _key_test(rotation: Rotation) -> str:
    """Return what the last test of a new key that isn't accepted came to, in a few words."""
    last = stages.last_key_test(rotation)
    if last is None:
        return "not tested"
    return f"not accepted ({last.status})" if last.what == "new key tested" else f"tested: {last.detail}"


def key_test_line(rotation: Rotation) -> str:
    """Return what the last tests of the new key itself showed."""
    test, last = rotation.test, stages.last_key_test(rotation)
    if rotation.replacement is None:
        return "There is no replacement yet. Create it first."
    if last is None and test is None:
        return f"“{rotation.replacement.name}” has not been tested yet."
    if last and last.what == "new key tested" and not test:
        return f"✗ Not accepted by the gateway ({last.status}) · {day_and_time(last.at)}"
    sale = f" · test sale {test.sale}" if test and test.sale else ""
    shown = f"✓ Accepted by the gateway ({test.status}) · {day_and_time(test.at)}{sale}" if test else ""
    since = (
        f"{'Tested again' if test else 'Tested'} {day_and_time(last.at)}: {last.detail}. That shows nothing."
        if last and last.what != "new key tested"
        else ""
    )
    return "\n".join(filter(None, (shown, since)))


def _delete_line(rotation: Rotation) -> str:
    deletion = rotation.deletion
    if deletion:
        return deletion_state(deletion)
    waiting = next((stage for stage in STAGES[:3] if not stages.is_done(rotation, stage)), None)
    return f"waits for stage {stage_number(waiting)}" if waiting else "ready"


def deletion_state(deletion: Deletion) -> str:
    """Return in a few words how far the old key is gone."""
    if deletion.erased_at:
        return "gone and refused"
    if deletion.refused_at:
        return "refused, value still kept"
    return "deleted, not refused yet" if deletion.deleted_at else "asked for"


def deletion_words(deletion: Deletion | None) -> tuple[str, str, str, str]:
    """Return what is known of each step of a deletion; empty for one that isn't done."""
    if deletion is None:
        return "", "", "", ""
    asked = f"{day_and_time(deletion.asked_at)}, {deletion.by}"
    if deletion.override:
        asked += f" · before everything was seen working: {deletion.override}"
    deleted = refused = ""
    if deletion.deleted_at:
        where = "in the portal" if deletion.in_portal else "by the gateway"
        deleted = f"{day_and_time(deletion.deleted_at)}, {where}"
    if deletion.refused_at:
        how = f"status {deletion.refused_status}" if deletion.refused_status else "taken as refused"
        note = f": {deletion.refused_note}" if deletion.refused_note else ""
        refused = f"{day_and_time(deletion.refused_at)}, {how}{note}"
    return asked, deleted, refused, day_and_time(deletion.erased_at) if deletion.erased_at else ""


def tried_words(tries: int, status: int, pause_s: float | None) -> str:
    """Return how the last try with the old key went, and when the next one comes.

    Args:
        tries: How many were made.
        status: The HTTP status of the last; 0 if there was no answer.
        pause_s: Until the next one, in seconds; None if there is none.
    """
    if status == _REFUSED:
        answer = "refused (401)"
    elif status == 0:
        answer = "no answer"
    elif status < _TROUBLE:
        answer = f"still accepted ({status})"
    else:
        answer = f"answered {status}, which doesn't say that the key is gone"
    then = f" Next try in {roughly(pause_s)}." if pause_s is not None else ""
    return f"Try {tries}: {answer}.{then}"


def open_line(rotation: Rotation, now: datetime) -> str:
    """Return where an open rotation stands, for the list."""
    stage = f"Stage {stage_number(stages.stage_of(rotation))} of {len(STAGES)}"
    if rotation.compromised:
        return f"{stage} · rotate at once"
    return f"{stage} · started {ago(rotation.started_at, now)}"


def over_line(rotation: Rotation) -> str:
    """Return how and when a rotation ended, for the list."""
    if rotation.documentation:
        return f"{day(rotation.documentation.at)} · finished"
    return f"{day(rotation.abandoned_at or rotation.started_at)} · abandoned"


def names_line(rotation: Rotation) -> str:
    """Return both keys' names: ``web shop 2024 → web shop 2026``."""
    if rotation.replacement:
        return f"{rotation.old.name} → {rotation.replacement.name}"
    return f"{rotation.old.name} → {rotation.making.draft.name}" if rotation.making else rotation.old.name


def overlap_line(rotation: Rotation, now: datetime) -> str:
    """Return what the time means in which both keys are valid."""
    if rotation.abandoned_at:
        return f"Abandoned {day_and_time(rotation.abandoned_at)}. Both keys stay as they are."
    if rotation.documentation:
        return f"Finished {day_and_time(rotation.documentation.at)}."
    if stages.is_deleted(rotation.deletion):
        return "The old key is deleted."
    left = (rotation.overlap_ends_at - now).total_seconds()
    if left <= 0:
        since = (
            "" if rotation.compromised else f" Its planned end was {day_and_time(rotation.overlap_ends_at)}."
        )
        return f"The old key stays valid until you delete it: do that now.{since}"
    return (
        f"The old key stays valid until you delete it · planned end in {_left(left)}, "
        f"{day_and_time(rotation.overlap_ends_at)}"
    )


def _left(seconds: float) -> str:
    if seconds < _DAY_S:
        return roughly(seconds)
    days = round(seconds / _DAY_S)
    return ngettext("{days} day", "{days} days", days).format(days=days)


def delete_bar(rotation: Rotation) -> str:
    """Return why the old key can't be deleted yet and what to do; empty if it can."""
    if rotation.replacement is None:
        return "There is no replacement yet. Create it first."
    if stages.ready_to_delete(rotation):
        return ""
    if not stages.proof_settled(rotation):
        return "Nobody knows yet that the new key may do the same. Compare the permissions, or write down why not."
    unchanged, unseen = stages.not_changed(rotation), stages.not_seen(rotation)
    if unchanged:
        return ngettext(
            "{names} still uses the old key. Change it there first.",
            "{names} still use the old key. Change it there first.",
            len(unchanged),
        ).format(names=_who(unchanged))
    if unseen:
        return ngettext(
            "{names} has not had a success on the new key since the change. Record who saw it work.",
            "{names} have not had a success on the new key since the change. Record who saw them work.",
            len(unseen),
        ).format(names=_who(unseen))
    if stages.last_key_test(rotation) is None:
        return "The new key itself has not been tested. Test it first."
    return f"The new key itself is {_key_test(rotation)}. It must be accepted first."


def _who(steps: Sequence[ApplicationStep]) -> str:
    names = [step.name for step in steps[:_SOME]]
    if len(steps) > _SOME:
        return f"{', '.join(names)} and {len(steps) - _SOME} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def proof_line(rotation: Rotation, now: datetime) -> str:
    """Return what the comparison of the keys' permissions came to."""
    if rotation.proof_waived:
        return f"Goes on without the proof: {rotation.proof_waived}"
    proof = rotation.proof
    if proof is None:
        return "Not compared yet. The same calls are made with both keys; the answers must be the same."
    when = ago(proof.at, now)
    if proof.same:
        return f"Compared {when}: the gateway makes no difference between the keys."
    return f"Compared {when}: the keys are not allowed the same. Take the replacement back, or say why it is right."


def record_line(rotation: Rotation) -> str:
    """Return whether the record is final, and where it is kept."""
    done = rotation.documentation
    if done:
        said = f"Documented {day_and_time(done.at)} by {done.by}"
        return f"{said}: {done.place}." if done.place else f"{said}."
    return f"Abandoned: {rotation.abandon_reason}" if rotation.abandoned_at else DRAFT


def leak_line(rotation: Rotation) -> str:
    """Return how much of the list for a compromised key is done."""
    done = sum(check.done_at is not None for check in rotation.checks)
    return f"Rotate at once, review the access logs, contact support: {done} of {len(rotation.checks)} done."


def sales_found(count: int, limit: int) -> str:
    """Return how many sales with a compromised key were found, of which no more than a limit are listed."""
    if count >= limit:
        return f"The newest {limit} are listed."
    return ngettext("{count} sale", "{count} sales", count).format(count=f"{count:,}")


def left_over_line(rotation: Rotation) -> str:
    """Return which keys were made for a rotation and are still to be cleared away; empty for none."""
    names = [f"“{one.making.draft.name}”" for one in rotation.leftovers]
    if not names:
        return ""
    return f"{', '.join(names)} may still be at the gateway or in the keystore. Nothing uses it."


def delete_text(rotation: Rotation, *, by_gateway: bool) -> str:
    """Return what deleting the old key means, for the question before it."""
    how = (
        "The gateway deletes it, and every call with it is refused from then on."
        if by_gateway
        else "You delete it in the portal; Keybench shows where and then waits until the gateway refuses it."
    )
    unlisted = (
        "" if rotation.applications else "No application is listed for it: what uses it stops working. "
    )
    return (
        f"“{rotation.old.name}” ({rotation.old.fingerprint or 'value not kept here'}). {unlisted}{how} Its value is "
        "erased from this computer last, once the new one was read back. This can't be undone."
    )


# --- the cells of its tables -------------------------------------------------------------------------


def proof_call(row: ProofRow) -> str:
    """Return a call of the proof with what it should meet."""
    should = "should be allowed" if row.expected is Expectation.ALLOWED else "should be refused"
    return f"{row.call} ({should})"


def proof_result(row: ProofRow) -> str:
    """Return whether the gateway made a difference between the keys."""
    return "same" if row.same else "differs"


def seen_words(step: ApplicationStep) -> str:
    """Return when an application was seen working, or that it wasn't yet."""
    if step.seen_at and step.is_seen_working:
        return moment(step.seen_at)
    if step.accepted_here_at:
        return "key accepted, not seen"
    return "not yet" if step.changed_at else "not changed yet"


def seen_by_words(step: ApplicationStep) -> str:
    """Return who saw an application working and what they saw, or what this console's own call showed."""
    if step.is_seen_working:
        return f"Seen by {step.seen_by}: {step.seen_how}"
    if at := step.accepted_here_at:
        return (
            f"The gateway accepted the new key from this computer, {day_and_time(at)}. Nobody has seen the "
            "application working with it yet."
        )
    return ""


def changed_words(step: ApplicationStep) -> str:
    """Return when the new key was set in an application, or that it wasn't yet."""
    return moment(step.changed_at) if step.changed_at else "not yet"


def changed_by_words(step: ApplicationStep) -> str:
    """Return when and by whom the new key was set in an application, in full, or that it wasn't yet."""
    return f"{day_and_time(step.changed_at)}, by {step.changed_by}" if step.changed_at else "not yet"


def moment(at: datetime) -> str:
    """Return a moment in local time, short as a table has it: ``18 Nov 14:10``."""
    local = at.astimezone()
    return f"{local.day} {local:%b %H:%M}"


# --- the end of the overlap --------------------------------------------------------------------------


def overlap_warning(warning: OverlapWarning) -> str:
    """Return one sentence for a warning."""
    day = WEEKDAYS[warning.weekday]
    match warning.caution:
        case Caution.WEEKEND:
            return f"That is a {day}, when few people are there to help an application that was forgotten."
        case Caution.EVE:
            return f"That is a {day} afternoon: what was forgotten would stand still over the weekend."
        case Caution.BUSY:
            return f"You named that time as busy ({warning.busy})."
        case Caution.BUSY_SOON:
            hours = int(LEAD.total_seconds() // 3600)
            return f"A time you named as busy begins within {hours} hours of it ({warning.busy})."


# --- what its page explains and asks: sentences that depend on nothing but a name --------------------

NAME_WANTED: Final = "Enter your name at the left first: the record says who did what."
CREATE_IN_PORTAL: Final = (
    "This gateway offers no call that makes a key. Make it in the portal with the name, user, permission and kind "
    "above, then bring its value here. It goes into {keystore} and nowhere else."
)
WAIVE_TEXT: Final = (
    "The same calls with both keys are what shows that nothing breaks and nothing more is allowed. Going on "
    "without that needs a reason."
)
DELETE_IN_PORTAL: Final = (
    "Keybench can't delete “{name}” at this gateway. Delete it in the portal, then say so here; Keybench asks the "
    "gateway with it until it is refused."
)
NOT_ASKED: Final = (
    "Nothing is deleted yet. When stages 1 to 3 are done, Delete the old key (below) asks once more and then goes "
    "through these steps."
)
OVERRIDE_TEXT: Final = (
    "Not everything was seen working with the new key. What still uses the old one stops working at once. The "
    "reason goes into the record."
)
WAITING_TEXT: Final = "Asking the gateway with the old key until it refuses it…"
REFUSED_TEXT: Final = "The old key is refused, and its value is erased from this computer."
TAKE_AS_REFUSED_TEXT: Final = (
    "Keybench would see it refused by itself. Take it as refused only if you know that the gateway refuses it, and "
    "say how you know. Its value is then erased from this computer."
)
DRAFT: Final = (
    "The record as it stands. It has names, fingerprints and what was seen, never a value. Say where it will be "
    "kept, and finish: then the record says so. Save it after that and put it there."
)
FINISHED_TEXT: Final = "Finished. Save the record now; it stays readable here."
LEAKED_TEXT: Final = (
    "A rotation begins at once for a new key with the same user, permission and kind. Nothing is deleted yet: the "
    "applications need the new key first. A list reminds of the access logs and of support."
)
WELCOME: Final = (
    "A rotation replaces a key by a new one without an outage: make the new one, set it in every application, see "
    "each of them work, delete the old one and see it refused, and write down what was done. Every step is kept, so "
    "it can go on tomorrow."
)
ACCEPTED_TEXT: Final = (
    "The gateway accepts the new key from this computer. That doesn't show that {name} works with it: record who "
    "saw it work."
)
SEEN_TEXT: Final = (
    "Somebody saw the application work with the new key after it was changed there. Say what was seen: a sale, a "
    "report, a line in its log."
)
SALE_TEXT: Final = (
    "A small sale shows that the new key sells, not only that it is known. It is kept in the history."
)
SALE_LIVE: Final = "▲ LIVE: a real card is charged, and the money has to be given back by hand."
ABANDON_TEXT: Final = (
    "Both keys stay as they are: nothing is deleted, and applications keep the key they have now. What was done so "
    "far stays on record. A new rotation can be started at any time."
)
END_NOW_TEXT: Final = (
    "The planned end becomes this moment. Nothing is deleted by that: the old key goes when you delete it."
)
COMPROMISE_TEXT: Final = (
    "The old key counts as being in wrong hands from now on: no overlap is waited for, and a list of what to do is "
    "kept with the rotation. This isn't taken back."
)
