"""The rules of the review: each finds one kind of thing to fix about keys; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.keys.review import Finding, Severity, Snapshot, weight
from keybench.core.rotations.rotation import Rotation

#: A key that is so many times as old as its limit was not forgotten for just a week.
_FAR_OVER: Final = 2
#: A compromised key waits for nobody longer than this, in days.
_COMPROMISED_DAYS: Final = 1
#: A finding names so many other keys; a thousand keys with one value make no thousand names.
_NAMED: Final = 5
#: With fewer keys in an environment, one user for all of them is usual.
_MANY_KEYS: Final = 3
#: Words in a permission's name that say it is more than a key of this kind is there for. The service
#: description names no permissions, so only what every gateway means alike is taken for too much.
_TOO_MUCH: Final = {
    KeyKind.PRIVATE: frozenset({"manage", "admin", "administer", "administration"}),
    KeyKind.PUBLIC: frozenset({"manage", "admin", "administer", "administration", "sell", "sale", "refund"}),
}


def _compromised(snapshot: Snapshot) -> Iterator[Finding]:
    """A key may be in the wrong hands, and nobody has seen that it is deleted and refused."""
    for key, environment in snapshot.known_keys:
        if key.compromised:
            rotation = snapshot.open_rotations.get(key.id)
            kind = "compromised/rotating" if rotation else "compromised"
            yield Finding(kind, environment, key, Severity.BAD, rotation.id if rotation else "")


def _same_value(snapshot: Snapshot) -> Iterator[Finding]:
    """Several entries have one value; where money moves in one and not in the other is worst."""
    groups: defaultdict[str, list[tuple[SecurityKey, Environment]]] = defaultdict(list)
    for located in snapshot.known_keys:
        groups[located[0].fingerprint].append(located)
    groups.pop("", None)  # values that were never here
    for twins in groups.values():
        is_bad = len({environment.is_live for _, environment in twins}) > 1
        kind, severity = ("same value/live", Severity.BAD) if is_bad else ("same value", Severity.WARNING)
        # One more than is named, for each of them leaves itself out.
        first = twins[: _NAMED + 1]
        for key, environment in twins if len(twins) > 1 else ():
            others = tuple(one for one in first if one[0] is not key)[:_NAMED]
            seen = {"others": others, "total": len(twins), "fingerprint": key.fingerprint}
            yield Finding(kind, environment, key, severity, seen=seen)


def _user_gone(snapshot: Snapshot) -> Iterator[Finding]:
    """A key's user is disabled, or the gateway doesn't list them any more."""
    for key, environment in snapshot.known_keys:
        users = snapshot.users_of.get(environment.id)
        user = users.get(key.username.casefold()) if users is not None else None
        if users is not None and (user is None or not user.enabled):
            seen = {"username": key.username, "frozen": user is not None}
            yield Finding("user gone", environment, key, Severity.BAD, seen=seen)


def _failing(snapshot: Snapshot) -> Iterator[Finding]:
    """The gateway refuses a key, or there is no value to test; a key that is going is meant to be refused."""
    for key, environment in snapshot.known_keys:
        if key.state in _FAILING and not _is_going(snapshot, key):
            severity = Severity.NOTE if key.state is KeyState.NO_VALUE else Severity.BAD
            seen = {"status": key.status, "tested": key.tested_at}
            yield Finding(_FAILING[key.state], environment, key, severity, seen=seen)


_FAILING: Final = {
    KeyState.REFUSED: "failing/refused",
    KeyState.FORBIDDEN: "failing/forbidden",
    KeyState.NO_VALUE: "failing/no value",
    KeyState.VALUE_LOST: "failing/value lost",
}


def _public_sells(snapshot: Snapshot) -> Iterator[Finding]:
    """Sales were sent with a public key."""
    for key, environment in snapshot.known_keys:
        if key.kind is KeyKind.PUBLIC and key.used_at:
            yield Finding("public key sells", environment, key, Severity.BAD, seen={"used_at": key.used_at})


def _rotation(snapshot: Snapshot) -> Iterator[Finding]:
    """A rotation is past its planned end, without a step for long, or abandoned with both keys valid."""
    for rotation in snapshot.rotations:
        environment = snapshot.environment_of.get(rotation.environment_id)
        trouble, since = _trouble(snapshot, rotation)
        if not environment or not trouble:
            continue
        is_bad = rotation.compromised or trouble == "half deleted"
        severity = Severity.BAD if is_bad else Severity.WARNING
        yield Finding(
            f"rotation/{trouble}",
            environment,
            snapshot.key_of.get(rotation.old.key_id),
            Severity.NOTE if trouble == "abandoned" else severity,
            rotation.id,
            {"rotation": rotation, "leaked": rotation.compromised, "days": snapshot.days_since(since)},
            rotation.old.name,
        )


def _trouble(snapshot: Snapshot, rotation: Rotation) -> tuple[str, datetime]:
    """Return what is wrong with a rotation, or nothing, and since when."""
    if rotation.abandoned_at:
        new = rotation.replacement
        both = new is not None and {rotation.old.key_id, new.key_id} <= snapshot.key_of.keys()
        leaves_two = both and rotation.old.key_id not in snapshot.open_rotations
        return "abandoned" if leaves_two else "", rotation.abandoned_at
    last_step = max((one.at for one in rotation.evidence), default=rotation.started_at)
    patience = snapshot.settings.stalled_days
    if rotation.compromised:
        patience = min(patience, _COMPROMISED_DAYS)
    if rotation.is_open and snapshot.days_since(last_step) >= patience:
        asked = rotation.deletion is not None and rotation.deletion.erased_at is None
        return "half deleted" if asked else "stalled", last_step
    is_overdue = rotation.is_open and rotation.is_overdue(snapshot.now)
    return "overdue" if is_overdue else "", rotation.overlap_ends_at


def _wrong_kind(snapshot: Snapshot) -> Iterator[Finding]:
    """A key has a permission type that the contract gives to the other kind alone."""
    for key, environment in snapshot.known_keys:
        types = snapshot.permissions.get(environment.id, {})
        fits = {
            kind for kind, names in types.items() if key.permission.casefold() in map(str.casefold, names)
        }
        if fits and key.kind not in fits:
            seen = {"kind": key.kind, "permission": key.permission, "fits": fits.pop()}
            yield Finding("wrong kind", environment, key, Severity.WARNING, seen=seen)


def _surplus(snapshot: Snapshot) -> Iterator[Finding]:
    """A key's user may manage what the key, as far as seen from here, only sells with or reads."""
    for key, environment in snapshot.known_keys:
        user = snapshot.users_of.get(environment.id, {}).get(key.username.casefold())
        if user is None or not (key.used_at or key.tested_at):
            continue
        extra = [
            word
            for word in user.permissions
            if not _TOO_MUCH[key.kind].isdisjoint(word.casefold().replace("_", " ").split())
        ]
        if extra:
            seen = {"username": key.username, "extra": extra}
            yield Finding("more permissions than needed", environment, key, Severity.WARNING, seen=seen)


def _shared(snapshot: Snapshot) -> Iterator[Finding]:
    """Several applications use one key."""
    for key, environment in snapshot.known_keys:
        applications = snapshot.applications_of.get(key.id, ())
        if len(applications) > 1:
            seen = {"applications": [one.name for one in applications]}
            yield Finding("shared", environment, key, Severity.WARNING, seen=seen)


def _old(snapshot: Snapshot) -> Iterator[Finding]:
    """A key is older than its limit; one that is being rotated is on its way out already."""
    for key, environment in snapshot.known_keys:
        due = snapshot.old_from(key, environment)
        if due is None or snapshot.now < due or key.id in snapshot.open_rotations:
            continue
        days, limit = snapshot.days_since(key.created_at), snapshot.settings.age_days(environment.kind)
        is_bad = environment.is_live and days >= _FAR_OVER * limit
        severity = Severity.BAD if is_bad else Severity.WARNING
        seen = {"created": key.created_at, "days": days, "limit": limit}
        yield Finding("old", environment, key, severity, seen=seen)


def _idle(snapshot: Snapshot) -> Iterator[Finding]:
    """Nobody was seen to use a key for long; one without its value can't be used from here at all."""
    for key, environment in snapshot.known_keys:
        due = snapshot.idle_from(key)
        if due is None or snapshot.now < due or key.state is KeyState.NO_VALUE or _is_going(snapshot, key):
            continue
        seen = {"days": snapshot.days_since(snapshot.unused_since(key))}
        yield Finding("idle", environment, key, _warning_if_live(environment), seen=seen)


def _held_unseen(snapshot: Snapshot) -> Iterator[Finding]:
    """A key for money is held at a desk of the team that hasn't been seen for long."""
    for key, environment in snapshot.known_keys if snapshot.team.is_shared else ():
        holders = snapshot.team.holders(key.id, key.fingerprint) if environment.is_live else ()
        if unseen := [desk.name for desk in holders if not desk.was_seen_lately]:
            yield Finding("held unseen", environment, key, Severity.WARNING, seen={"desks": unseen})


def _untested(snapshot: Snapshot) -> Iterator[Finding]:
    """No test of a key has had a result yet, and it has been here for a while."""
    limit = snapshot.settings.untested_days
    for key, environment in snapshot.known_keys:
        days = snapshot.days_since(key.known_since)
        if limit and days >= limit and key.tested_at is None and key.state is KeyState.KEPT:
            was_tried = key.tried_at and key.trial
            seen = {"days": days} | ({"tried": key.tried_at, "trial": key.trial} if was_tried else {})
            kind = "untested/tried" if was_tried else "untested"
            yield Finding(kind, environment, key, _warning_if_live(environment), seen=seen)


def _no_owner(snapshot: Snapshot) -> Iterator[Finding]:
    """Nobody looks after an application."""
    for one in snapshot.applications:
        environment = snapshot.environment_of.get(one.environment_id)
        if environment and not one.owner.strip():
            key = snapshot.key_of.get(one.key_id)
            severity = _warning_if_live(environment)
            yield Finding("no owner", environment, key, severity, one.id, about=one.name)


def _not_separated(snapshot: Snapshot) -> Iterator[Finding]:
    """A key for money is called, or belongs to the same user, as one for tests."""
    tests: defaultdict[str, list[tuple[SecurityKey, Environment]]] = defaultdict(list)
    for key, environment in snapshot.known_keys:
        if not environment.is_live:
            tests[f"name {key.name.casefold()}"].append((key, environment))
            tests[f"user {key.username.casefold()}"].append((key, environment))
    for key, environment in snapshot.known_keys if tests else ():
        if not environment.is_live:
            continue
        same_name, same_user = tests[f"name {key.name.casefold()}"], tests[f"user {key.username.casefold()}"]
        if others := tuple(dict.fromkeys([*same_name[:_NAMED], *same_user[:_NAMED]])):
            yield Finding("not separated", environment, key, Severity.NOTE, seen={"others": others})


def _one_user(snapshot: Snapshot) -> Iterator[Finding]:
    """All keys of an environment belong to one user."""
    for environment in snapshot.environments:
        names = [key.username for key, place in snapshot.known_keys if place is environment]
        if len(names) >= _MANY_KEYS and len(set(map(str.casefold, names))) == 1:
            seen = {"username": names[0], "keys": len(names)}
            yield Finding("one user for everything", environment, None, Severity.NOTE, seen=seen)


def _is_going(snapshot: Snapshot, key: SecurityKey) -> bool:
    rotation = snapshot.open_rotations.get(key.id)
    return rotation is not None and rotation.deletion is not None


def _warning_if_live(environment: Environment) -> Severity:
    return Severity.WARNING if environment.is_live else Severity.NOTE


#: Among findings equally bad, those of the earlier rule come first.
_RULES: Final = (
    _compromised,
    _same_value,
    _user_gone,
    _failing,
    _public_sells,
    _rotation,
    _wrong_kind,
    _surplus,
    _shared,
    _old,
    _idle,
    _held_unseen,
    _untested,
    _no_owner,
    _not_separated,
    _one_user,
)


def review(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return all findings, worst first; the order doesn't depend on the order of what is in the snapshot."""

    def place(one: Finding) -> tuple[object, ...]:
        return *weight(one.environment), one.key.name.casefold() if one.key else "", one.identity

    by_rule = [one for rule in _RULES for one in sorted(rule(snapshot), key=place)]
    return tuple(sorted(by_rule, key=lambda one: list(Severity).index(one.severity)))
