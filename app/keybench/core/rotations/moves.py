"""How a rotation goes on: pure moves, applied by the journal to what is stored.

Each is given the moment it is made at, in UTC, and who makes it, where a person does. It raises
RotationBarred when it doesn't fit the state of the rotation. A move that was made already returns the
rotation as it is, so that a step can be resumed after a crash without asking how far it came.
`plans` has the moves that plan its replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta

from keybench.core.input_errors import RotationBarred
from keybench.core.keys.admin_settings import AdminSettings
from keybench.core.keys.key import OrphanedKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import (
    COMPROMISED,
    KEY_ACCEPTED,
    NEW_KEY_NOT_REVOKED,
    NEW_KEY_REVOKED,
    NOT_COMPROMISED,
    OLD_KEY_DELETED,
    REVOCATION,
    REVOCATION_UNDONE,
    SEEN_WORKING,
    STILL_ACCEPTED,
    THIS_CONSOLE,
    VALUE_GIVEN,
    ApplicationStep,
    CompromiseCheck,
    CompromiseStep,
    Deletion,
    Documentation,
    KeyFacts,
    KeyTest,
    Proof,
    Rotation,
)

Move = Callable[[Rotation], Rotation]

# --- what the moves share ----------------------------------------------------------------------------


def bar(condition: bool, reason: str) -> None:  # noqa: FBT001 - reads as a sentence at its callers
    """Raise RotationBarred with `reason` if `condition` holds."""
    if condition:
        raise RotationBarred(reason)


def require_open(rotation: Rotation) -> None:
    """Raise RotationBarred if the rotation is over."""
    bar(not rotation.is_open, RotationBarred.OVER)


def require_replacement(rotation: Rotation) -> None:
    """Raise RotationBarred if the rotation is over or has no replacement yet."""
    require_open(rotation)
    bar(rotation.replacement is None, RotationBarred.NO_REPLACEMENT)


def _require_old_key(rotation: Rotation) -> None:
    require_open(rotation)
    bar(stages.is_deleted(rotation.deletion), RotationBarred.DELETED)


def _deletion(rotation: Rotation) -> Deletion:
    require_open(rotation)
    if rotation.deletion is None:
        raise RotationBarred(RotationBarred.NOT_ASKED)
    return rotation.deletion


# --- either key --------------------------------------------------------------------------------------


def key_renamed(rotation: Rotation, key_id: str, name: str, at: datetime, by: str) -> Rotation:
    """Call one of its keys by another name; a rotation that is over or has no such key stays as it is."""
    facts = next((one for one in (rotation.old, rotation.replacement) if one and one.key_id == key_id), None)
    if not rotation.is_open or facts is None or facts.name == name:
        return rotation
    called = replace(facts, name=name)
    renamed = (
        replace(rotation, old=called) if facts == rotation.old else replace(rotation, replacement=called)
    )
    return renamed.noting(at, "key renamed", f"{facts.name} → {name}", by=by)


# --- the new key -------------------------------------------------------------------------------------


def proof_made(rotation: Rotation, proof: Proof) -> Rotation:
    """Keep the newest same-permission proof."""
    require_replacement(rotation)
    cells = (f"{row.call}: old {row.old_status}, new {row.new_status}" for row in proof.rows)
    return replace(rotation, proof=proof).noting(proof.at, "permissions compared", "; ".join(cells))


def proof_waived(rotation: Rotation, reason: str, at: datetime, by: str) -> Rotation:
    """Go on without keys that are proven the same, for a written reason."""
    require_replacement(rotation)
    bar(not reason, RotationBarred.REASON_MISSING)
    return replace(rotation, proof_waived=reason).noting(at, "permissions not proven the same", reason, by=by)


def key_tested(rotation: Rotation, test: KeyTest) -> Rotation:
    """Keep how the new key itself did in its test; one that wasn't accepted doesn't complete the stage."""
    require_replacement(rotation)
    accepted = stages.shows_a_key(rotation.replacement, test.status)
    return replace(rotation, test=test if accepted else None).noting(
        test.at, "new key tested", test.sale and f"sale {test.sale}", status=test.status
    )


def key_tried(rotation: Rotation, why: str, status: int, at: datetime) -> Rotation:
    """Note that a test of the new key showed nothing, and why; what an earlier one showed stays."""
    require_replacement(rotation)
    return rotation.noting(at, "new key tried", why, status=status)


def value_given(rotation: Rotation, key_id: str, fingerprint: str, at: datetime) -> Rotation:
    """Note that one of the keys was given another value; what was shown with an earlier one is void.

    Two values are ignored, so that a call with them stays barred: one that is the other key's, which would be
    deleted with the old key; and another one for an old key that is to be deleted, which would be refused
    without any deletion.
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
        updated = replace(rotation, old=given, proof=None)
    else:
        updated = replace(rotation, replacement=given, proof=None, test=None)
    return updated.noting(at, VALUE_GIVEN, _described(given), key_id=key_id)


# --- the old key, and the rotation as a whole --------------------------------------------------------


def overlap_moved(rotation: Rotation, ends_at: datetime, at: datetime, by: str) -> Rotation:
    """Plan another end for the time in which both keys are valid; now, to end it."""
    _require_old_key(rotation)
    return replace(rotation, overlap_ends_at=ends_at).noting(
        at, "planned end moved", ends_at.isoformat(timespec="minutes"), by=by
    )


def deletion_asked(rotation: Rotation, at: datetime, by: str, override: str = "", held: str = "") -> Rotation:
    """Note that the old key is to be deleted, before the gateway is called; `held` names desks with it."""
    require_open(rotation)
    if rotation.deletion:
        return rotation
    require_replacement(rotation)
    bar(not stages.ready_to_delete(rotation) and not override, RotationBarred.NOT_TESTED)
    bar(bool(held) and not override, RotationBarred.HELD_ELSEWHERE)
    asked = replace(rotation, deletion=Deletion(at, by, override)).noting(
        at, "deletion asked for", override, by=by
    )
    return asked.noting(at, RotationBarred.HELD_ELSEWHERE, held, by=by) if held else asked


def revocation_asked(rotation: Rotation, at: datetime, by: str, reason: str) -> Rotation:
    """Note that the old key is to be deleted at once, whether or not there is another, and why.

    That holds also for a deletion that was asked for before and isn't known to be done: sales and doubt hold
    that one up, and may not hold this up.
    """
    worse = compromised(rotation, at, by)
    if stages.is_deleted(rotation.deletion) or stages.is_revoked(rotation):
        return worse
    bar(not reason, RotationBarred.REASON_MISSING)
    return replace(worse, deletion=Deletion(at, by, reason)).noting(at, REVOCATION, reason, by=by)


def replacement_revoked(rotation: Rotation, key_ids: Collection[str], at: datetime, by: str) -> Rotation:
    """Note that keys are revoked, if one is this rotation's replacement; what was shown of it is void."""
    new = rotation.replacement
    if (
        new is None
        or new.key_id not in key_ids
        or not rotation.is_open
        or stages.is_replacement_revoked(rotation)
    ):
        return rotation
    void = replace(rotation, proof=None, test=None)
    return void.noting(at, NEW_KEY_REVOKED, _described(new), by=by, key_id=new.key_id)


def replacement_not_revoked(rotation: Rotation, key_ids: Collection[str], at: datetime, by: str) -> Rotation:
    """Note that the wish to revoke this rotation's replacement was taken back; it has to be tested again."""
    new = rotation.replacement
    if new is None or new.key_id not in key_ids or not stages.is_replacement_revoked(rotation):
        return rotation
    return rotation.noting(at, NEW_KEY_NOT_REVOKED, _described(new), by=by, key_id=new.key_id)


def _described(key: KeyFacts) -> str:
    """Return what the evidence calls a key: its name and what stands for its value."""
    return f"{key.name}, fingerprint {key.fingerprint}"


def deleted(rotation: Rotation, at: datetime, by: str, *, in_portal: bool) -> Rotation:
    """Note that the old key is deleted: by the gateway for us, or in the portal by a person who says so."""
    deletion = _deletion(rotation)
    if deletion.deleted_at:
        return rotation
    gone = replace(rotation, deletion=replace(deletion, deleted_at=at, in_portal=in_portal))
    return gone.noting(at, OLD_KEY_DELETED, "in the portal" if in_portal else "at the gateway", by=by)


def deletion_undone(rotation: Rotation, at: datetime, by: str, reason: str = REVOCATION_UNDONE) -> Rotation:
    """Note that the old key isn't to be deleted after all, where nothing was deleted for certain.

    What a revocation made of a key that nobody had taken for compromised before is taken back with it, for
    `reason`.
    """
    require_open(rotation)
    deletion = rotation.deletion
    if deletion is None:
        return rotation
    bar(not stages.can_undo_deletion(rotation), RotationBarred.DELETED)
    undone = replace(rotation, deletion=None).noting(at, "deletion taken back", by=by)
    made_it_so = stages.is_revoked(rotation) and stages.was_compromised_at(rotation, deletion.asked_at)
    return not_compromised(undone, at, by, reason) if made_it_so else undone


def seen_refused(rotation: Rotation, at: datetime, status: int, *, by: str = "", note: str = "") -> Rotation:
    """Note that the gateway refused the old key; `by` if a person says so, status 0 if nobody can call."""
    deletion = _deletion(rotation)
    bar(deletion.deleted_at is None, RotationBarred.NOT_DELETED)
    if deletion.refused_at:
        return rotation
    refused = replace(deletion, refused_at=at, refused_status=status, refused_note=note)
    return replace(rotation, deletion=refused).noting(
        at, "old key refused", note, status=status, by=by or THIS_CONSOLE
    )


def still_accepted(rotation: Rotation, at: datetime, status: int) -> Rotation:
    """Note that the gateway accepted the old key, if it is said to be deleted and not seen refused."""
    deletion = rotation.deletion
    if not rotation.is_open or deletion is None or not deletion.deleted_at or deletion.refused_at:
        return rotation
    return rotation.noting(at, STILL_ACCEPTED, status=status)


def value_erased(rotation: Rotation, at: datetime) -> Rotation:
    """Note that the old key's value left the keystore, which comes last."""
    deletion = _deletion(rotation)
    bar(deletion.refused_at is None, RotationBarred.NOT_REFUSED)
    if deletion.erased_at:
        return rotation
    return replace(rotation, deletion=replace(deletion, erased_at=at)).noting(at, "old value erased")


def documented(rotation: Rotation, at: datetime, by: str, place: str) -> Rotation:
    """Note that the security documentation is up to date; with that the rotation is finished."""
    require_open(rotation)
    bar(rotation.deletion is None or rotation.deletion.erased_at is None, RotationBarred.NOT_REFUSED)
    done = replace(rotation, documentation=Documentation(at, by, place))
    return done.noting(at, "documentation updated", place, by=by)


def checked(
    rotation: Rotation, step: CompromiseStep, at: datetime, by: str, *, done: bool, findings: str
) -> Rotation:
    """Keep a point of the list for a compromised key, ticked or not, with its findings."""
    bar(not any(one.step is step for one in rotation.checks), RotationBarred.NOT_COMPROMISED)
    check = CompromiseCheck(step, at, by, findings) if done else CompromiseCheck(step, findings=findings)
    checks = tuple(check if one.step is step else one for one in rotation.checks)
    detail = f"{step.value}: {findings}" if findings else step.value
    return replace(rotation, checks=checks).noting(at, "checked" if done else "noted", detail, by=by)


def compromised(rotation: Rotation, at: datetime, by: str) -> Rotation:
    """Treat the old key as compromised from now on: there is no overlap, and a list has to be kept."""
    require_open(rotation)
    if rotation.compromised:
        return rotation
    checks = tuple(CompromiseCheck(step) for step in CompromiseStep)
    worse = replace(rotation, compromised=True, checks=checks, overlap_ends_at=at)
    return worse.noting(at, COMPROMISED, by=by)


def not_compromised(rotation: Rotation, at: datetime, by: str, reason: str) -> Rotation:
    """Take back that the old key is compromised, for a written reason; only the evidence still tells of it.

    A rotation that was begun for that alone and has no new key is given up; any other goes on as usual ones
    do, with a planned end of its own.
    """
    if not rotation.compromised:
        return rotation
    bar(not reason, RotationBarred.REASON_MISSING)
    bar(rotation.is_open and stages.is_revoked(rotation), RotationBarred.DELETED)
    ends_at = at + timedelta(days=AdminSettings().overlap_days)
    well = replace(rotation, compromised=False, checks=(), overlap_ends_at=ends_at)
    well = well.noting(at, NOT_COMPROMISED, reason, by=by)
    was_begun_so = stages.was_compromised_at(rotation, rotation.started_at)
    needs_it = rotation.replacement or rotation.deletion or not was_begun_so
    return well if needs_it or not rotation.is_open else abandoned(well, at, by, reason)


def abandoned(rotation: Rotation, at: datetime, by: str, reason: str) -> Rotation:
    """Give the rotation up; both keys stay as they are. A replacement that was only planned is an orphan."""
    require_open(rotation)
    bar(not stages.can_abandon(rotation), RotationBarred.DELETED)
    given_up = replace(rotation, abandoned_at=at, abandon_reason=reason)
    if rotation.making and rotation.replacement is None:
        orphan = OrphanedKey(rotation.making)
        given_up = replace(given_up, making=None, leftovers=(*rotation.leftovers, orphan))
    return given_up.noting(at, "rotation abandoned", reason, by=by)


# --- the applications --------------------------------------------------------------------------------


def applications_listed(rotation: Rotation, steps: tuple[ApplicationStep, ...]) -> Rotation:
    """List the register's applications; what was ticked for those that are still there stays ticked."""
    _require_old_key(rotation)
    before = {step.application_id: step for step in rotation.applications}
    merged = [_described_as(step, before.get(step.application_id, step)) for step in steps]
    listed = {step.application_id for step in steps}
    # One that was changed uses the new key now, so the register no longer has it under the old one.
    kept = [step for step in rotation.applications if step.changed_at and step.application_id not in listed]
    everyone = sorted(kept + merged, key=lambda step: (step.name.casefold(), step.application_id))
    return replace(rotation, applications=tuple(everyone))


def application_changed(rotation: Rotation, application_id: str, at: datetime, by: str) -> Rotation:
    """Tick an application: the new key is set there."""
    require_replacement(rotation)
    step = _step(rotation, application_id)
    if step.changed_at:
        return rotation
    ticked = replace(step, changed_at=at, changed_by=by)
    return _with_step(rotation, ticked).noting(at, "application changed", step.name, by=by)


def application_not_changed(rotation: Rotation, application_id: str, at: datetime, by: str) -> Rotation:
    """Take an application's tick back; that it was seen working goes with it."""
    _require_old_key(rotation)
    step = _step(rotation, application_id)
    if step.changed_at is None:
        return rotation
    back = replace(step, changed_at=None, changed_by="", seen_at=None, seen_by="", seen_how="")
    return _with_step(rotation, back).noting(at, "application changed back", step.name, by=by)


def application_seen(rotation: Rotation, application_id: str, at: datetime, by: str, how: str) -> Rotation:
    """Note that a person saw an application working with the new key, after it was changed."""
    step, changed_at = changed_step(rotation, application_id)
    # A clock that was set back doesn't undo what was seen after the change.
    seen = replace(step, seen_at=max(at, changed_at), seen_by=by, seen_how=how)
    return _with_step(rotation, seen).noting(at, SEEN_WORKING, f"{step.name}: {how}", by=by)


def key_accepted(rotation: Rotation, application_id: str, at: datetime, how: str, status: int) -> Rotation:
    """Note that this console saw the new key accepted for an application, which itself nobody saw."""
    step, changed_at = changed_step(rotation, application_id)
    if not step.is_seen_working:
        step = replace(step, seen_at=max(at, changed_at), seen_by=THIS_CONSOLE, seen_how=how)
    return _with_step(rotation, step).noting(at, KEY_ACCEPTED, f"for {step.name}", status=status)


def changed_step(rotation: Rotation, application_id: str) -> tuple[ApplicationStep, datetime]:
    """Return an application that has the new key, and since when."""
    require_replacement(rotation)
    step = _step(rotation, application_id)
    if step.changed_at is None:
        raise RotationBarred(RotationBarred.NOT_CHANGED)
    return step, step.changed_at


def application_not_seen(rotation: Rotation, application_id: str, at: datetime, by: str) -> Rotation:
    """Take it back that an application was seen working."""
    _require_old_key(rotation)
    step = _step(rotation, application_id)
    if not step.is_seen_working:
        return rotation
    back = replace(step, seen_at=None, seen_by="", seen_how="")
    return _with_step(rotation, back).noting(at, "application not seen working", step.name, by=by)


def _described_as(now: ApplicationStep, before: ApplicationStep) -> ApplicationStep:
    texts = {name: getattr(now, name) for name in ("name", "owner", "contact", "place", "instructions")}
    return replace(before, **texts)


def _with_step(rotation: Rotation, step: ApplicationStep) -> Rotation:
    steps = (step if one.application_id == step.application_id else one for one in rotation.applications)
    return replace(rotation, applications=tuple(steps))


def _step(rotation: Rotation, application_id: str) -> ApplicationStep:
    for step in rotation.applications:
        if step.application_id == application_id:
            return step
    raise RotationBarred(RotationBarred.NOT_LISTED)
