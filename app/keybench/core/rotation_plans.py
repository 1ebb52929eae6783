"""How a rotation gets its replacement, and loses it again: pure moves, see `rotation_moves`.

Making a key changes three places: the gateway, the keystore and the journal. What is going to be made stands
in the journal before the first of them is touched, so whoever takes a rotation up after a crash knows which key
at the gateway and which entry of the keystore belong to it. A plan that the gateway may have been asked for is
never dropped: it is left over until its key and its value are certainly gone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from keybench.core import rotation_stages as stages
from keybench.core.errors import RotationBarred
from keybench.core.making import Leftover, Making
from keybench.core.rotation import Evidence, KeyFacts, Rotation
from keybench.core.rotation_guards import bar, require_open, with_evidence


def plan_replacement(rotation: Rotation, making: Making) -> Rotation:
    """Note what is to be made, before anything is.

    A plan that nobody was asked for yet is only changed and keeps its identifiers: a value may have been
    pasted under them. One that the gateway was asked for is left over.
    """
    require_open(rotation)
    bar(rotation.replacement is not None, RotationBarred.REPLACED_ALREADY)
    before = rotation.making
    if before is None or before == making:
        return replace(rotation, making=making)
    if before.asked_at is None:
        kept = replace(making, key_id=before.key_id, request_id=before.request_id)
        return replace(rotation, making=kept)
    return replace(rotation, making=making, leftovers=(*rotation.leftovers, Leftover(before)))


def creation_asked(rotation: Rotation, at: datetime, owner: str) -> Rotation:
    """Note that the gateway is going to be asked for the planned key, and by which program."""
    making = _planned(rotation)
    return replace(rotation, making=replace(making, asked_at=making.asked_at or at, owner=owner))


def creation_left(rotation: Rotation, request_id: str) -> Rotation:
    """Note that no program is at making the key any more; whether it was made isn't known."""
    making = rotation.making
    if making is None or making.request_id != request_id:
        return rotation
    return replace(rotation, making=replace(making, owner=""))


def creation_failed(rotation: Rotation, request_id: str, key_id: str, next_request_id: str) -> Rotation:
    """Begin a plan anew whose key certainly isn't at the gateway, nor its value in the keystore.

    Args:
        rotation: As it stands.
        request_id: Of the attempt that failed; a plan with another one stays as it is.
        key_id: For the next attempt.
        next_request_id: For the next attempt.
    """
    making = rotation.making
    if making is None or making.request_id != request_id or rotation.replacement:
        return rotation
    anew = Making(key_id, next_request_id, making.draft, making.by)
    return replace(rotation, making=anew)


def replacement_kept(rotation: Rotation, key: KeyFacts, at: datetime) -> Rotation:
    """Take the planned key for the replacement: its value was written to the keystore and read back."""
    if rotation.replacement and rotation.replacement.key_id == key.key_id:
        return rotation
    making = _planned(rotation)
    bar(making.key_id != key.key_id, RotationBarred.REPLACED_ALREADY)
    bar(is_same_value(rotation, key.fingerprint), RotationBarred.SAME_VALUE)
    kept = Evidence(at, "replacement created", f"{key.name}, fingerprint {key.fingerprint}")
    return with_evidence(replace(rotation, replacement=key, making=replace(making, owner="")), kept)


def replacement_withdrawn(rotation: Rotation, again: Making, at: datetime, by: str) -> Rotation:
    """Take the replacement back, with all that was shown about it, while nothing uses it.

    Args:
        rotation: As it stands.
        again: The plan for another one.
        at: When, UTC.
        by: Who takes it back.
    """
    require_open(rotation)
    replacement, making = rotation.replacement, rotation.making
    if replacement is None or making is None:
        raise RotationBarred(RotationBarred.NO_REPLACEMENT)
    bar(not stages.can_undo_replacement(rotation), RotationBarred.IN_USE)
    undone = replace(
        rotation,
        making=again,
        replacement=None,
        proof=None,
        proof_waived="",
        test=None,
        leftovers=(*rotation.leftovers, Leftover(making, replacement.gateway_id)),
    )
    return with_evidence(undone, Evidence(at, "replacement withdrawn", replacement.name, by=by))


def leftover_cleared(rotation: Rotation, key_id: str, at: datetime) -> Rotation:
    """Note that a key that nobody wants is gone: at the gateway and from the keystore. Also after the end."""
    gone = [one for one in rotation.leftovers if one.making.key_id == key_id]
    if not gone:
        return rotation
    left = tuple(one for one in rotation.leftovers if one.making.key_id != key_id)
    evidence = (Evidence(at, "unused key cleared", one.making.draft.name) for one in gone)
    return with_evidence(replace(rotation, leftovers=left), *evidence)


def is_same_value(rotation: Rotation, fingerprint: str) -> bool:
    """Tell whether a fingerprint is the old key's: then deleting that would delete the replacement, too."""
    return bool(fingerprint) and fingerprint == rotation.old.fingerprint


def _planned(rotation: Rotation) -> Making:
    require_open(rotation)
    bar(rotation.replacement is not None, RotationBarred.REPLACED_ALREADY)
    if rotation.making is None:
        raise RotationBarred(RotationBarred.NOT_PLANNED)
    return rotation.making
