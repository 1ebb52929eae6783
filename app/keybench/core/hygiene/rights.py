"""Rules about what a key may do: its kind, its user, and the sales it shouldn't make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from keybench.core.hygiene.estate import Estate, PermissionTypes
from keybench.core.hygiene.facts import (
    Absence,
    Misfit,
    PublicSales,
    Surplus,
)
from keybench.core.hygiene.findings import Finding, Rule, Severity
from keybench.core.security_key import KeyKind, SecurityKey

#: Words in a permission's name that say it is more than a key of this kind is there for. The service
#: description names no permissions, so only what every gateway means alike is taken for too much.
_TOO_MUCH: Final = {
    KeyKind.PRIVATE: frozenset({"manage", "admin", "administer", "administration"}),
    KeyKind.PUBLIC: frozenset({"manage", "admin", "administer", "administration", "sell", "sale", "refund"}),
}


def wrong_kind(estate: Estate) -> Iterator[Finding]:
    """Find keys whose permission type the contract gives to the other kind alone."""
    for key, place in estate.known_keys:
        fits = _fitting(estate.permissions.get(place.id, {}), key)
        if fits:
            facts = Misfit(key.kind, key.permission, fits)
            yield Finding(Rule.WRONG_KIND, Severity.WARNING, place, key, facts)


def _fitting(types: PermissionTypes, key: SecurityKey) -> KeyKind | None:
    kinds = {kind for kind, names in types.items() if key.permission.casefold() in map(str.casefold, names)}
    return None if not kinds or key.kind in kinds else kinds.pop()


def user_gone(estate: Estate) -> Iterator[Finding]:
    """Find keys of users who are disabled or whom the gateway doesn't list any more."""
    for key, place in estate.known_keys:
        users = estate.users_of.get(place.id)
        if users is None:
            continue
        user = users.get(key.username.casefold())
        if user is None or not user.enabled:
            facts = Absence(key.username, disabled=user is not None)
            yield Finding(Rule.USER_GONE, Severity.BAD, place, key, facts)


def surplus(estate: Estate) -> Iterator[Finding]:
    """Find keys whose user may manage what the key, as far as seen from here, only sells with or reads."""
    for key, place in estate.known_keys:
        user = estate.users_of.get(place.id, {}).get(key.username.casefold())
        if user is None or not (key.used_at or key.tested_at):
            continue
        extra = tuple(word for word in user.permissions if _is_too_much(word, key.kind))
        if extra:
            facts = Surplus(key.username, extra, key.kind)
            yield Finding(Rule.SURPLUS, Severity.WARNING, place, key, facts)


def _is_too_much(permission: str, kind: KeyKind) -> bool:
    return not _TOO_MUCH[kind].isdisjoint(permission.casefold().replace("_", " ").split())


def public_sells(estate: Estate) -> Iterator[Finding]:
    """Find public keys that sales were sent with."""
    for key, place in estate.known_keys:
        use = estate.uses.get(key.id)
        last_at = use.last_at if use else key.used_at
        if key.kind is KeyKind.PUBLIC and last_at:
            facts = PublicSales(use.sales if use else 0, last_at)
            yield Finding(Rule.PUBLIC_SELLS, Severity.BAD, place, key, facts)
