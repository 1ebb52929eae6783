"""The stages of a rotation: when each is done, which is due, and what is allowed.

These are pure rules, which also say what the window offers.
"""

from __future__ import annotations

import enum
from datetime import datetime
from http import HTTPStatus
from typing import Final

from keybench.core.keys.key import KeyKind
from keybench.core.rotations.rotation import (
    COMPROMISED,
    NEW_KEY_NOT_REVOKED,
    NEW_KEY_REVOKED,
    OLD_KEY_DELETED,
    REVOCATION,
    STILL_ACCEPTED,
    VALUE_GIVEN,
    ApplicationStep,
    Deletion,
    Evidence,
    KeyFacts,
    Rotation,
)


class Stage(enum.StrEnum):
    """The stages in the service's order."""

    CREATE = "create"
    REPLACE = "replace"
    TEST = "test"
    DELETE = "delete"
    DOCUMENT = "document"


STAGES: Final = tuple(Stage)
_ACCEPTED: Final = range(200, 300)
_KEY_TESTS: Final = frozenset({"new key tested", "new key tried"})
#: What makes the new key another one than was tested before.
_NEW_KEY: Final = frozenset({"replacement created", "replacement withdrawn", NEW_KEY_REVOKED})
_REVOCATIONS: Final = frozenset({NEW_KEY_REVOKED, NEW_KEY_NOT_REVOKED})
#: A key that was revoked is gone first; what used it gets a new one after that.
_REVOKED_STAGES: Final = (Stage.DELETE, Stage.CREATE, Stage.REPLACE, Stage.TEST, Stage.DOCUMENT)


def is_done(rotation: Rotation, stage: Stage) -> bool:
    """Tell whether a stage is complete, whatever the ones before it are."""
    match stage:
        case Stage.CREATE:
            return rotation.replacement is not None and proof_settled(rotation)
        case Stage.REPLACE:
            return rotation.replacement is not None and all(step.changed_at for step in rotation.applications)
        case Stage.TEST:
            return rotation.test is not None and not not_seen(rotation)
        case Stage.DELETE:
            return is_erased(rotation.deletion)
        case Stage.DOCUMENT:
            return rotation.documentation is not None


def stage_of(rotation: Rotation) -> Stage:
    """Return the first stage that isn't complete; the last one for a finished rotation.

    Once the deletion was asked for, with whatever was still missing, nothing goes back before it; but where
    the key was revoked and something used it, that needs a new key then.
    """
    order = STAGES[STAGES.index(Stage.DELETE) :] if rotation.deletion else STAGES
    if is_revoked(rotation) and rotation.applications and rotation.is_open:
        order = _REVOKED_STAGES
    return next((stage for stage in order if not is_done(rotation, stage)), Stage.DOCUMENT)


def is_revoked(rotation: Rotation) -> bool:
    """Tell whether the old key is deleted at once, whatever stops working, as a person asked."""
    deletion = rotation.deletion
    return deletion is not None and any(
        one.what == REVOCATION and one.at == deletion.asked_at for one in rotation.evidence
    )


def is_leaked(rotation: Rotation) -> bool:
    """Tell whether the old key is compromised, and its value isn't gone yet."""
    return rotation.is_open and rotation.compromised and not is_erased(rotation.deletion)


def was_compromised_at(rotation: Rotation, at: datetime) -> bool:
    """Tell whether it was at that moment that the old key was taken for compromised."""
    return any(one.what == COMPROMISED and one.at == at for one in rotation.evidence)


def is_replacement_revoked(rotation: Rotation) -> bool:
    """Tell whether the key that replaces the old one was revoked."""
    of_it = (one for one in reversed(rotation.evidence) if one.what in _REVOCATIONS)
    last = next((one for one in of_it if _is_of_replacement(rotation, one)), None)
    return last is not None and last.what == NEW_KEY_REVOKED


def _is_of_replacement(rotation: Rotation, one: Evidence) -> bool:
    return rotation.replacement is not None and one.key_id == rotation.replacement.key_id


def proof_settled(rotation: Rotation) -> bool:
    """Tell whether the keys are proven to be allowed the same, or a person wrote down why it goes on."""
    if is_revoked(rotation):
        return True
    proof = rotation.proof
    return bool(rotation.proof_waived) or (proof is not None and proof.same and proof.is_whole)


def shows_a_key(facts: KeyFacts | None, status: int) -> bool:
    """Tell whether the status of the harmless call shows that the gateway knows a key and lets it in.

    A public key is let into no call that a console could make, so a 403 is all there is to see of it; one
    that the gateway doesn't know gets a 401.
    """
    is_public = facts is not None and facts.kind is KeyKind.PUBLIC
    return status in _ACCEPTED or (is_public and status == HTTPStatus.FORBIDDEN)


def not_changed(rotation: Rotation) -> tuple[ApplicationStep, ...]:
    """Return the applications that still use the old key."""
    return tuple(step for step in rotation.applications if step.changed_at is None)


def not_seen(rotation: Rotation) -> tuple[ApplicationStep, ...]:
    """Return the applications that no person has seen working with the new key."""
    return tuple(step for step in rotation.applications if not step.is_seen_working)


def last_key_test(rotation: Rotation) -> Evidence | None:
    """Return the last test of the new key as it is now, whatever it showed; None if it wasn't tested."""
    for one in reversed(rotation.evidence):
        if one.what in _KEY_TESTS:
            return one
        if one.what in _NEW_KEY or (one.what == VALUE_GIVEN and _is_of_replacement(rotation, one)):
            return None
    return None


def ready_to_delete(rotation: Rotation) -> bool:
    """Tell whether the old key may be deleted without a written reason."""
    return all(is_done(rotation, stage) for stage in (Stage.CREATE, Stage.REPLACE, Stage.TEST))


def is_deleted(deletion: Deletion | None) -> bool:
    """Tell whether somebody says that the old key is deleted, seen or not."""
    return deletion is not None and deletion.deleted_at is not None


def is_erased(deletion: Deletion | None) -> bool:
    """Tell whether the old key's value has left the keystore."""
    return deletion is not None and deletion.erased_at is not None


def accepted_checks(rotation: Rotation) -> tuple[Evidence, ...]:
    """Return the checks in which the old key was still accepted, since it is said to be deleted."""
    if not is_deleted(rotation.deletion):
        return ()
    said = [number for number, one in enumerate(rotation.evidence) if one.what == OLD_KEY_DELETED]
    since = max(said, default=0)
    return tuple(one for one in rotation.evidence[since:] if one.what == STILL_ACCEPTED)


def was_interrupted(rotation: Rotation) -> bool:
    """Tell whether the rotation may have stopped within a step, so that it has to be resumed."""
    making, deletion = rotation.making, rotation.deletion
    planned = rotation.replacement is None and making is not None
    unfinished = deletion is not None and (deletion.refused_at or not deletion.deleted_at)
    return bool(rotation.leftovers) or (
        rotation.is_open and (planned or bool(unfinished and not is_erased(deletion)))
    )


def can_undo_replacement(rotation: Rotation) -> bool:
    """Tell whether the replacement can be taken back: nothing uses it yet and the old key stands."""
    unused = not any(step.changed_at for step in rotation.applications)
    return rotation.is_open and rotation.replacement is not None and unused and rotation.deletion is None


def can_undo_deletion(rotation: Rotation) -> bool:
    """Tell whether the wish to delete can be taken back: only before anything was deleted for certain.

    A person may have pressed too early, before they deleted the key in the portal; what the gateway itself
    deleted stays deleted.
    """
    deletion = rotation.deletion
    if not rotation.is_open or deletion is None or deletion.refused_at:
        return False
    return deletion.deleted_at is None or deletion.in_portal


def can_abandon(rotation: Rotation) -> bool:
    """Tell whether the rotation can be given up with both keys as they are."""
    return rotation.is_open and not is_deleted(rotation.deletion)
