"""Rules about keys that should be apart: by application, member, purpose, environment and value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from keybench.core.application import Application
from keybench.core.environment import Environment
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.facts import (
    Mixture,
    OneUser,
    Other,
    Ownerless,
    Sharing,
    Twins,
)
from keybench.core.hygiene.findings import Finding, Rule, Severity
from keybench.core.security_key import SecurityKey

_Placed = tuple[SecurityKey, Environment]
#: A finding names so many other keys; a thousand keys with one value make no thousand names.
_NAMED: Final = 5
#: With fewer keys in an environment, one user for all of them is nothing to tell.
_MANY_KEYS: Final = 3
_LISTED: Final = re.compile(r"[,;+&]|\s/\s")


def shared(estate: Estate) -> Iterator[Finding]:
    """Find keys that several applications use, several members have, or that name several purposes."""
    for key, place in estate.known_keys:
        applications = estate.applications_of.get(key.id, ())
        several = len(applications) > 1
        purposes = _several(_LISTED.split(key.purpose)) if _LISTED.search(key.purpose) else ()
        if several:
            names, members = (one.name for one in applications), (one.owner for one in applications)
            facts = Sharing(tuple(names), _several(members), purposes)
            yield Finding(Rule.SHARED, Severity.WARNING, place, key, facts)
        elif purposes:
            yield Finding(Rule.SHARED, Severity.NOTE, place, key, Sharing(purposes=purposes))


def same_value(estate: Estate) -> Iterator[Finding]:
    """Find entries with one value; where money moves in one and not in the other is worst."""
    for fingerprint, alike in _grouped(estate, lambda key: key.fingerprint).items():
        if len(alike) < 2:  # noqa: PLR2004 - a key is no twin of itself
            continue
        live_and_not = len({place.is_live for _, place in alike}) > 1
        severity = Severity.BAD if live_and_not else Severity.WARNING
        # One more than is named, for each of them leaves itself out.
        first = alike[: _NAMED + 1]
        for key, place in alike:
            others = tuple(_other(one) for one in first if one[0] is not key)[:_NAMED]
            facts = Twins(fingerprint, others, len(alike) - 1, live_and_not)
            yield Finding(Rule.SAME_VALUE, severity, place, key, facts)


def mixed_up(estate: Estate) -> Iterator[Finding]:
    """Find keys for money that have their name or their user in common with keys for tests."""
    tests = [placed for placed in estate.known_keys if not placed[1].is_live]
    by_name, by_user = defaultdict(list), defaultdict(list)
    for placed in tests:
        by_name[placed[0].name.casefold()].append(placed)
        by_user[placed[0].username.casefold()].append(placed)
    for key, place in estate.known_keys:
        if not place.is_live:
            continue
        names, users = by_name[key.name.casefold()], by_user[key.username.casefold()]
        if names or users:
            facts = Mixture(_others(names), _others(users), key.username)
            yield Finding(Rule.MIXED_UP, Severity.NOTE, place, key, facts)


def one_user(estate: Estate) -> Iterator[Finding]:
    """Find environments all of whose keys belong to one user."""
    keys: dict[str, list[SecurityKey]] = defaultdict(list)
    for key, place in estate.known_keys:
        keys[place.id].append(key)
    for place_id, there in keys.items():
        if len(there) >= _MANY_KEYS and len({key.username.casefold() for key in there}) == 1:
            facts = OneUser(there[0].username, len(there))
            yield Finding(Rule.ONE_USER, Severity.NOTE, estate.places[place_id], None, facts)


def no_owner(estate: Estate) -> Iterator[Finding]:
    """Find applications that nobody looks after."""
    for application in estate.applications:
        place = estate.places.get(application.environment_id)
        if place and not application.owner.strip():
            yield _ownerless(estate, application, place)


def _ownerless(estate: Estate, application: Application, place: Environment) -> Finding:
    severity = Severity.WARNING if place.is_live else Severity.NOTE
    key, facts = estate.key_of.get(application.key_id), Ownerless(application.name)
    return Finding(Rule.NO_OWNER, severity, place, key, facts, application.id)


def _several(texts: Iterable[str]) -> tuple[str, ...]:
    """Return different texts in order if there are several, else none."""
    different = {text.strip().casefold(): text.strip() for text in texts if text.strip()}
    return tuple(different.values()) if len(different) > 1 else ()


def _grouped(estate: Estate, by: Callable[[SecurityKey], str]) -> dict[str, list[_Placed]]:
    groups: dict[str, list[_Placed]] = defaultdict(list)
    for key, place in estate.known_keys:
        if group := by(key):
            groups[group].append((key, place))
    return groups


def _other(placed: _Placed) -> Other:
    key, place = placed
    return Other(place.name, place.kind, key.name)


def _others(placed: Sequence[_Placed]) -> tuple[Other, ...]:
    return tuple(_other(one) for one in placed[:_NAMED])
