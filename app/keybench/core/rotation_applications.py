"""How the applications of a rotation go from the old key to the new one: pure moves, see `rotation_moves`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from keybench.core import rotation_stages as stages
from keybench.core.input_errors import RotationBarred
from keybench.core.rotation import (
    KEY_ACCEPTED,
    SEEN_WORKING,
    THIS_CONSOLE,
    ApplicationStep,
    Evidence,
    Rotation,
)
from keybench.core.rotation_guards import bar, require_open, require_replacement, with_evidence


def applications_listed(rotation: Rotation, steps: tuple[ApplicationStep, ...]) -> Rotation:
    """Take over the register's applications; what was ticked for those that are still there stays ticked."""
    require_open(rotation)
    bar(stages.is_deleted(rotation.deletion), RotationBarred.DELETED)
    before = {step.application_id: step for step in rotation.applications}
    merged = [_ticked_as(step, before.get(step.application_id)) for step in steps]
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
    return with_evidence(_with_step(rotation, ticked), Evidence(at, "application changed", step.name, by=by))


def application_not_changed(rotation: Rotation, application_id: str, at: datetime, by: str) -> Rotation:
    """Take an application's tick back; that it was seen working goes with it."""
    require_open(rotation)
    bar(stages.is_deleted(rotation.deletion), RotationBarred.DELETED)
    step = _step(rotation, application_id)
    if step.changed_at is None:
        return rotation
    back = replace(step, changed_at=None, changed_by="", seen_at=None, seen_by="", seen_how="")
    return with_evidence(
        _with_step(rotation, back), Evidence(at, "application changed back", step.name, by=by)
    )


def application_seen(rotation: Rotation, application_id: str, at: datetime, by: str, how: str) -> Rotation:
    """Note that a person saw an application working with the new key, after it was changed."""
    step, changed_at = changed_step(rotation, application_id)
    # A clock that was set back doesn't undo what was seen after the change.
    seen = replace(step, seen_at=max(at, changed_at), seen_by=by, seen_how=how)
    evidence = Evidence(at, SEEN_WORKING, f"{step.name}: {how}", by=by)
    return with_evidence(_with_step(rotation, seen), evidence)


def key_accepted(rotation: Rotation, application_id: str, at: datetime, how: str, status: int) -> Rotation:
    """Note that this console saw the new key accepted, for an application that was changed.

    The application itself was seen by nobody; that a person has seen it working stays.
    """
    step, changed_at = changed_step(rotation, application_id)
    if not step.is_seen_working:
        step = replace(step, seen_at=max(at, changed_at), seen_by=THIS_CONSOLE, seen_how=how)
    evidence = Evidence(at, KEY_ACCEPTED, f"for {step.name}", status)
    return with_evidence(_with_step(rotation, step), evidence)


def changed_step(rotation: Rotation, application_id: str) -> tuple[ApplicationStep, datetime]:
    """Return an application that has the new key, and since when.

    Raises:
        RotationBarred: There is no replacement, or the application isn't listed or wasn't changed yet.
    """
    require_replacement(rotation)
    step = _step(rotation, application_id)
    if step.changed_at is None:
        raise RotationBarred(RotationBarred.NOT_CHANGED)
    return step, step.changed_at


def application_not_seen(rotation: Rotation, application_id: str, at: datetime, by: str) -> Rotation:
    """Take it back that an application was seen working."""
    require_open(rotation)
    bar(stages.is_deleted(rotation.deletion), RotationBarred.DELETED)
    step = _step(rotation, application_id)
    if not step.is_seen_working:
        return rotation
    back = replace(step, seen_at=None, seen_by="", seen_how="")
    return with_evidence(
        _with_step(rotation, back), Evidence(at, "application not seen working", step.name, by=by)
    )


def _ticked_as(step: ApplicationStep, before: ApplicationStep | None) -> ApplicationStep:
    if before is None:
        return step
    return replace(
        step,
        changed_at=before.changed_at,
        changed_by=before.changed_by,
        seen_at=before.seen_at,
        seen_by=before.seen_by,
        seen_how=before.seen_how,
    )


def _with_step(rotation: Rotation, step: ApplicationStep) -> Rotation:
    steps = (step if one.application_id == step.application_id else one for one in rotation.applications)
    return replace(rotation, applications=tuple(steps))


def _step(rotation: Rotation, application_id: str) -> ApplicationStep:
    for step in rotation.applications:
        if step.application_id == application_id:
            return step
    raise RotationBarred(RotationBarred.NOT_LISTED)
