"""How a rotation goes on: pure moves, applied by the journal to what is stored.

Each raises RotationBarred when it doesn't fit where the rotation stands. A move that was made already returns
the rotation as it is, so that a step can be taken up after a crash without asking how far it came.
`rotation_plans` has the moves of its replacement, `rotation_applications` those of its applications.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from keybench.core import rotation_stages as stages
from keybench.core.input_errors import RotationBarred
from keybench.core.making import Leftover
from keybench.core.proof import Proof
from keybench.core.rotation import (
    THIS_CONSOLE,
    Check,
    CompromiseStep,
    Deletion,
    Documentation,
    Evidence,
    KeyTest,
    Rotation,
)
from keybench.core.rotation_guards import bar, require_open, require_replacement, with_evidence

Move = Callable[[Rotation], Rotation]


def proof_made(rotation: Rotation, proof: Proof) -> Rotation:
    """Keep the newest same-permission proof."""
    require_replacement(rotation)
    cells = (f"{row.call}: old {row.old_status}, new {row.new_status}" for row in proof.rows)
    return with_evidence(
        replace(rotation, proof=proof), Evidence(proof.at, "permissions compared", "; ".join(cells))
    )


def proof_waived(rotation: Rotation, reason: str, at: datetime, by: str) -> Rotation:
    """Go on without keys that are proven the same, for a written reason."""
    require_replacement(rotation)
    bar(not reason, RotationBarred.REASON_MISSING)
    waived = replace(rotation, proof_waived=reason)
    return with_evidence(waived, Evidence(at, "permissions not proven the same", reason, by=by))


def key_tested(rotation: Rotation, test: KeyTest) -> Rotation:
    """Keep how the new key itself did in its test; one that wasn't accepted doesn't complete the stage."""
    require_replacement(rotation)
    accepted = stages.shows_a_key(rotation.replacement, test.status)
    evidence = Evidence(test.at, "new key tested", test.sale and f"sale {test.sale}", test.status)
    return with_evidence(replace(rotation, test=test if accepted else None), evidence)


def key_tried(rotation: Rotation, why: str, status: int, at: datetime) -> Rotation:
    """Note that a test of the new key told nothing, and why; what an earlier one showed stays."""
    require_replacement(rotation)
    return with_evidence(rotation, Evidence(at, "new key tried", why, status))


def value_given(rotation: Rotation, key_id: str, fingerprint: str, at: datetime) -> Rotation:
    """Take over that one of the keys was given another value since; what an earlier value showed is void.

    Two values are not taken over, so that a call with them stays barred: one that is the other key's, which
    would go with the old key; and another one for an old key that is to be deleted, which would be refused
    without any deletion.

    Args:
        rotation: As it stands.
        key_id: Our identifier of a key, of this rotation or not.
        fingerprint: Of the value that it has now.
        at: When that was found, UTC.
    """
    new = rotation.replacement
    facts = next((one for one in (rotation.old, new) if one and one.key_id == key_id), None)
    known = {rotation.old.fingerprint, new.fingerprint if new else ""}
    if facts is None or not rotation.is_open or fingerprint in {"", *known}:
        return rotation
    given = replace(facts, fingerprint=fingerprint)
    if facts is rotation.old:
        if rotation.deletion:
            return rotation
        renewed = replace(rotation, old=given, proof=None)
    else:
        renewed = replace(rotation, replacement=given, proof=None, test=None)
    return with_evidence(
        renewed, Evidence(at, "value given anew", f"{facts.name}, fingerprint {fingerprint}")
    )


def overlap_moved(rotation: Rotation, ends_at: datetime, at: datetime, by: str) -> Rotation:
    """Plan another end for the time in which both keys are valid; now, to end it."""
    require_open(rotation)
    bar(stages.is_deleted(rotation.deletion), RotationBarred.DELETED)
    moved = replace(rotation, overlap_ends_at=ends_at)
    return with_evidence(
        moved, Evidence(at, "planned end moved", ends_at.isoformat(timespec="minutes"), by=by)
    )


def deletion_asked(rotation: Rotation, at: datetime, by: str, override: str = "") -> Rotation:
    """Note the wish to delete the old key, before the gateway is called.

    Args:
        rotation: As it stands.
        at: Now, UTC.
        by: Who asks.
        override: Why it goes before every application was seen working.
    """
    require_replacement(rotation)
    if rotation.deletion:
        return rotation
    bar(not stages.ready_to_delete(rotation) and not override, RotationBarred.NOT_TESTED)
    asked = replace(rotation, deletion=Deletion(at, by, override))
    return with_evidence(asked, Evidence(at, "deletion asked for", override, by=by))


def deleted(rotation: Rotation, at: datetime, by: str, *, in_portal: bool) -> Rotation:
    """Note that the old key is deleted: by the gateway for us, or in the portal by a person who says so."""
    deletion = _deletion(rotation)
    if deletion.deleted_at:
        return rotation
    gone = replace(rotation, deletion=replace(deletion, deleted_at=at, in_portal=in_portal))
    where = "in the portal" if in_portal else "at the gateway"
    return with_evidence(gone, Evidence(at, "old key deleted", where, by=by))


def deletion_undone(rotation: Rotation, at: datetime, by: str) -> Rotation:
    """Take the wish to delete back, where nothing was deleted for certain."""
    require_open(rotation)
    if rotation.deletion is None:
        return rotation
    bar(not stages.can_undo_deletion(rotation), RotationBarred.DELETED)
    return with_evidence(replace(rotation, deletion=None), Evidence(at, "deletion taken back", by=by))


def seen_refused(rotation: Rotation, at: datetime, status: int, *, by: str = "", note: str = "") -> Rotation:
    """Note that the gateway refused the old key, which is what proves that it is gone.

    Args:
        rotation: As it stands.
        at: When, UTC.
        status: The HTTP status it was refused with; 0 if it can't be called with any more.
        by: Who takes it for refused where the answer doesn't say so by itself; empty for this console.
        note: Why they do.
    """
    deletion = _deletion(rotation)
    bar(deletion.deleted_at is None, RotationBarred.NOT_DELETED)
    if deletion.refused_at:
        return rotation
    refused = replace(deletion, refused_at=at, refused_status=status, refused_note=note)
    evidence = Evidence(at, "old key refused", note, status, by or THIS_CONSOLE)
    return with_evidence(replace(rotation, deletion=refused), evidence)


def value_erased(rotation: Rotation, at: datetime) -> Rotation:
    """Note that the old key's value left the keystore, which comes last."""
    deletion = _deletion(rotation)
    bar(deletion.refused_at is None, RotationBarred.NOT_REFUSED)
    if deletion.erased_at:
        return rotation
    erased = replace(rotation, deletion=replace(deletion, erased_at=at))
    return with_evidence(erased, Evidence(at, "old value erased"))


def documented(rotation: Rotation, at: datetime, by: str, place: str) -> Rotation:
    """Note that the security documentation is up to date; with that the rotation is finished."""
    require_open(rotation)
    bar(rotation.deletion is None or rotation.deletion.erased_at is None, RotationBarred.NOT_REFUSED)
    done = replace(rotation, documentation=Documentation(at, by, place))
    return with_evidence(done, Evidence(at, "documentation updated", place, by=by))


def checked(rotation: Rotation, step: CompromiseStep, check: Check, at: datetime, by: str) -> Rotation:
    """Keep a point of the list for a compromised key, ticked or not, with its findings."""
    bar(not any(one.step is step for one in rotation.checks), RotationBarred.NOT_COMPROMISED)
    others = tuple(check if one.step is step else one for one in rotation.checks)
    words = f"{step.value}: {check.findings}" if check.findings else step.value
    what = "checked" if check.done_at else "noted"
    return with_evidence(replace(rotation, checks=others), Evidence(at, what, words, by=by))


def compromised(rotation: Rotation, at: datetime, by: str) -> Rotation:
    """Take the old key for compromised from now on: no overlap is waited for, and a list has to be kept."""
    require_open(rotation)
    if rotation.compromised:
        return rotation
    checks = tuple(Check(step) for step in CompromiseStep)
    worse = replace(rotation, compromised=True, checks=checks, overlap_ends_at=at)
    return with_evidence(worse, Evidence(at, "old key compromised", by=by))


def abandoned(rotation: Rotation, at: datetime, by: str, reason: str) -> Rotation:
    """Give the rotation up; both keys stay as they are. A replacement that was only planned is left over."""
    require_open(rotation)
    bar(not stages.can_abandon(rotation), RotationBarred.DELETED)
    planned = rotation.making if rotation.replacement is None else None
    left = (Leftover(planned),) if planned else ()
    given_up = replace(
        rotation,
        abandoned_at=at,
        abandon_reason=reason,
        making=rotation.making if rotation.replacement else None,
        leftovers=rotation.leftovers + left,
    )
    return with_evidence(given_up, Evidence(at, "rotation abandoned", reason, by=by))


def _deletion(rotation: Rotation) -> Deletion:
    require_open(rotation)
    if rotation.deletion is None:
        raise RotationBarred(RotationBarred.NOT_ASKED)
    return rotation.deletion
