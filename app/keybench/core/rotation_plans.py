"""How a rotation gets its replacement, and loses it again: pure moves, see `rotation_moves`.

Making a key changes three places: the gateway, the keystore and the journal. What is going to be made stands
in the journal before the first of them is touched, so whoever takes a rotation up after a crash knows which
key at the gateway and which entry of the keystore belong to it. A plan that the gateway may have been asked
for is never dropped: it is left over until its key and its value are certainly gone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from keybench.core import rotation_stages as stages
from keybench.core.input_errors import RotationBarred
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


def creation_asked(rotation: Rotation, at: datetime, owner: str, *, durable: bool) -> Rotation:
    """Note that the gateway is going to be asked for the planned key, see `Making.asked`."""
    making = _planned(rotation)
    bar(making.owner not in {"", owner}, RotationBarred.ELSEWHERE)
    return replace(rotation, making=making.asked(at, owner, durable=durable))


def creation_left(rotation: Rotation, request_id: str) -> Rotation:
    """Note that no program is at making the key any more; whether it was made isn't known."""
    making = rotation.making
    if making is None or making.request_id != request_id:
        return rotation
    return replace(rotation, making=making.left())


def owner_ended(rotation: Rotation, owner: str) -> Rotation:
    """Note that the program that was at making the key has ended; whether it was made isn't known."""
    making = rotation.making
    if making is None or making.owner != owner:
        return rotation
    return replace(rotation, making=making.left())


def creation_failed(rotation: Rotation, again: Making) -> Rotation:
    """Begin the plan anew after an attempt that certainly made no key."""
    making = rotation.making
    if making is None or rotation.replacement or making.asked_at is None:
        return rotation
    return replace(rotation, making=again)


def creation_undone(rotation: Rotation, gateway_id: str, again: Making) -> Rotation:
    """Begin the plan anew after an attempt whose key can't be kept; that key is left over.

    Args:
        rotation: As it stands.
        gateway_id: The gateway's identifier of the key; empty if it isn't known.
        again: The plan for the next attempt.
    """
    making = _planned(rotation)
    left = Leftover(making.left(), gateway_id)
    return replace(rotation, making=again, leftovers=(*rotation.leftovers, left))


def replacement_kept(rotation: Rotation, key: KeyFacts, at: datetime) -> Rotation:
    """Take the planned key for the replacement: its value was written to the keystore and read back."""
    if rotation.replacement and rotation.replacement.key_id == key.key_id:
        return rotation
    making = _planned(rotation)
    bar(making.key_id != key.key_id, RotationBarred.REPLACED_ALREADY)
    bar(is_same_value(rotation, key.fingerprint), RotationBarred.SAME_VALUE)
    kept = Evidence(at, "replacement created", f"{key.name}, fingerprint {key.fingerprint}")
    return with_evidence(replace(rotation, replacement=key, making=making.left()), kept)


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


def leftover_cleared(rotation: Rotation, key_id: str, at: datetime, *, certain: bool) -> Rotation:
    """Note that a key that nobody wants was cleared away. Also after the end.

    Args:
        rotation: As it stands.
        key_id: Our identifier of the key.
        at: When, UTC.
        certain: Whether the gateway certainly has no such key any more; its value is gone in either case.
    """
    gone = [one for one in rotation.leftovers if one.making.key_id == key_id]
    if not gone:
        return rotation
    left = tuple(one for one in rotation.leftovers if one.making.key_id != key_id)
    what = "unused key cleared" if certain else "unused key may be left at the gateway"
    evidence = (Evidence(at, what, one.making.draft.name) for one in gone)
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
