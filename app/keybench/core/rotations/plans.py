"""How a rotation gets its replacement, and loses it again: pure moves, see `moves`.

Creating a key changes the gateway, the keystore and the journal. What is going to be created is in the
journal before the first of them is touched, so whoever resumes a rotation after a crash knows which key at
the gateway and which entry of the keystore belong to it. A plan that the gateway may have been asked for is
never dropped: its key is an orphan until the key and its value are certainly gone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from keybench.core.input_errors import RotationBarred
from keybench.core.keys.key import KeyDraft, OrphanedKey, PlannedKey, SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.moves import bar, require_open
from keybench.core.rotations.rotation import KeyFacts, Rotation
from keybench.core.text import NAME_LIMIT

#: What says which user, permission type and kind a key has.
Described: TypeAlias = KeyDraft | KeyFacts | SecurityKey
_FRIDAY: Final = 4
#: The hours at which an end is proposed: people have come, and have time left to help what was forgotten.
_WORKING_HOURS: Final = range(9, 16)
#: A year at the end of a name, and the number that `next_name` may have put behind it.
_YEAR: Final = re.compile(r"[ _-]*\b20\d\d(?: \(\d+\))?$")


@dataclass(frozen=True, slots=True)
class Difference:
    """Something (``user``, ``permission`` or ``kind``) in which a replacement isn't like the old key."""

    field: str
    old: str
    new: str


def differences(old: Described, new: Described) -> tuple[Difference, ...]:
    """Return in what the new key isn't like the old one, of what decides what a key may do."""
    found = (
        Difference("user", old.username, new.username),
        Difference("permission", old.permission, new.permission),
        Difference("kind", old.kind.value, new.kind.value),
    )
    return tuple(one for one in found if one.old != one.new)


def next_name(name: str, taken: Collection[str], year: int) -> str:
    """Return a free name for a key that follows the one called `name`: with the year it is created in."""
    folded = {one.casefold() for one in taken}
    stem = _YEAR.sub("", name) or name
    # More numbers than names are taken, so one of them is free.
    for number in range(1, len(folded) + 2):
        ending = f" {year}" if number == 1 else f" {year} ({number})"
        proposed = stem[: NAME_LIMIT - len(ending)].rstrip() + ending
        if proposed.casefold() not in folded:
            return proposed
    raise AssertionError("there are more numbers than names")


def default_end(now_local: datetime, days: int) -> datetime:
    """Return the end of the overlap to propose, by the clock on people's wall.

    It is the first full working hour from Monday to Thursday after so many days.
    """
    after = now_local.replace(tzinfo=None) + timedelta(days=days)
    end = after.replace(minute=0, second=0, microsecond=0)
    while end < after or end.weekday() >= _FRIDAY or end.hour not in _WORKING_HOURS:
        end += timedelta(hours=1)
    return end


def plan_replacement(rotation: Rotation, planned: PlannedKey) -> Rotation:
    """Note what is to be created, before anything is.

    A plan that the gateway wasn't asked for yet is only changed and keeps its identifiers: a value may have
    been pasted under them. One that it was asked for leaves an orphan.
    """
    require_open(rotation)
    bar(rotation.replacement is not None, RotationBarred.REPLACED_ALREADY)
    before = rotation.making
    if before is None or before == planned:
        return replace(rotation, making=planned)
    if before.asked_at is None:
        kept = replace(planned, key_id=before.key_id, request_id=before.request_id)
        return replace(rotation, making=kept)
    return replace(rotation, making=planned, leftovers=(*rotation.leftovers, OrphanedKey(before)))


def creation_asked(rotation: Rotation, at: datetime, owner: str, *, durable: bool) -> Rotation:
    """Note that the gateway is going to be asked for the planned key, see `PlannedKey.asked`."""
    planned = _planned(rotation)
    bar(planned.owner not in {"", owner}, RotationBarred.ELSEWHERE)
    return replace(rotation, making=planned.asked(at, owner, durable=durable))


def creation_left(rotation: Rotation, request_id: str) -> Rotation:
    """Note that no program works on the planned key any more; whether it was created isn't known."""
    planned = rotation.making
    if planned is None or planned.request_id != request_id:
        return rotation
    return replace(rotation, making=planned.left())


def owner_ended(rotation: Rotation, owner: str) -> Rotation:
    """Note that the program that worked on the planned key has ended; see `creation_left`."""
    planned = rotation.making
    if planned is None or planned.owner != owner:
        return rotation
    return replace(rotation, making=planned.left())


def creation_failed(rotation: Rotation, again: PlannedKey) -> Rotation:
    """Plan `again` after an attempt that certainly created no key."""
    planned = rotation.making
    if planned is None or rotation.replacement or planned.asked_at is None:
        return rotation
    return replace(rotation, making=again)


def creation_undone(rotation: Rotation, gateway_id: str, again: PlannedKey) -> Rotation:
    """Plan `again` after an attempt whose key can't be kept; that is an orphan."""
    planned = _planned(rotation)
    left = OrphanedKey(planned.left(), gateway_id)
    return replace(rotation, making=again, leftovers=(*rotation.leftovers, left))


def replacement_kept(rotation: Rotation, key: KeyFacts, at: datetime) -> Rotation:
    """Take the planned key for the replacement: its value was written to the keystore and read back."""
    if rotation.replacement and rotation.replacement.key_id == key.key_id:
        return rotation
    planned = _planned(rotation)
    bar(planned.key_id != key.key_id, RotationBarred.REPLACED_ALREADY)
    bar(is_same_value(rotation, key.fingerprint), RotationBarred.SAME_VALUE)
    kept = replace(rotation, replacement=key, making=planned.left())
    return kept.noting(at, "replacement created", f"{key.name}, fingerprint {key.fingerprint}")


def replacement_withdrawn(rotation: Rotation, again: PlannedKey, at: datetime, by: str) -> Rotation:
    """Take the replacement back, with all that was shown about it, while nothing uses it; plan `again`."""
    require_open(rotation)
    replacement, planned = rotation.replacement, rotation.making
    if replacement is None or planned is None:
        raise RotationBarred(RotationBarred.NO_REPLACEMENT)
    bar(not stages.can_undo_replacement(rotation), RotationBarred.IN_USE)
    undone = replace(
        rotation,
        making=again,
        replacement=None,
        proof=None,
        proof_waived="",
        test=None,
        leftovers=(*rotation.leftovers, OrphanedKey(planned, replacement.gateway_id)),
    )
    return undone.noting(at, "replacement withdrawn", replacement.name, by=by)


def orphan_cleared(rotation: Rotation, key_id: str, at: datetime, *, certain: bool) -> Rotation:
    """Note that a key that nobody wants was deleted. Also after the end."""
    gone = next((one for one in rotation.leftovers if one.making.key_id == key_id), None)
    if gone is None:
        return rotation
    left = tuple(one for one in rotation.leftovers if one.making.key_id != key_id)
    what = "unused key cleared" if certain else "unused key may be left at the gateway"
    return replace(rotation, leftovers=left).noting(at, what, gone.making.draft.name)


def is_same_value(rotation: Rotation, fingerprint: str) -> bool:
    """Tell whether a fingerprint is the old key's: then deleting that would delete the replacement, too."""
    return bool(fingerprint) and fingerprint == rotation.old.fingerprint


def _planned(rotation: Rotation) -> PlannedKey:
    require_open(rotation)
    bar(rotation.replacement is not None, RotationBarred.REPLACED_ALREADY)
    if rotation.making is None:
        raise RotationBarred(RotationBarred.NOT_PLANNED)
    return rotation.making
