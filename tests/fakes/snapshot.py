"""Keys, applications and rotations for tests of the review: sound, until a test spoils one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.keys.review import Finding, Snapshot
from keybench.core.keys.review_rules import review
from keybench.core.ports import PortalUser
from keybench.core.rotations.rotation import Deletion, Evidence, KeyFacts, Rotation

NOW: Final = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
_LONG_AGO: Final = NOW - timedelta(days=900)
PRACTICE: Final = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", _LONG_AGO)
SANDBOX: Final = Environment("e-test", "sandbox", EnvironmentKind.TEST, "https://s.example", "v5", _LONG_AGO)
SHOP: Final = Environment("e-live", "shop", EnvironmentKind.LIVE, "https://l.example", "v5", _LONG_AGO)
PLACES: Final = (PRACTICE, SANDBOX, SHOP)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def key(name: str = "Till", place: Environment = SHOP, **changes: Any) -> SecurityKey:
    """Return a key nothing is wrong with; its value and user are its own."""
    sound = SecurityKey(
        id=f"{place.id}:{name}",
        environment_id=place.id,
        name=name,
        username=f"user of {name} in {place.name}",
        permission="API",
        kind=KeyKind.PRIVATE,
        purpose="till",
        fingerprint=f"value-of-{name}-{place.name}",
        created_at=ago(10),
        state=KeyState.WORKING,
        status=200,
        tested_at=ago(1),
        owner="Mira",
        used_at=ago(1),
    )
    return replace(sound, **changes)


def application(of: SecurityKey, name: str = "Till software", **changes: Any) -> Application:
    sound = Application(f"{of.id}:{name}", of.environment_id, of.id, name, owner="Mira")
    return replace(sound, **changes)


def rotation(of: SecurityKey, *, to: SecurityKey | None = None, **changes: Any) -> Rotation:
    sound = Rotation(
        id=f"rotation of {of.id}",
        environment_id=of.environment_id,
        old=KeyFacts.of(of),
        reason="yearly",
        started_at=ago(1),
        started_by="Mira",
        overlap_ends_at=NOW + timedelta(days=30),
        replacement=KeyFacts.of(to) if to else None,
        evidence=(Evidence(ago(1), "replacement created"),),
    )
    return replace(sound, **changes)


def asked(days: float = 1) -> Deletion:
    return Deletion(ago(days), "Mira")


def user(username: str, *permissions: str, enabled: bool = True) -> PortalUser:
    return PortalUser(username, username.title(), permissions, enabled=enabled)


def snapshot(*keys: SecurityKey, **more: Any) -> Snapshot:
    return Snapshot(**{"now": NOW, "environments": PLACES, "keys": keys} | more)


def found(rule: str, given: Snapshot) -> Sequence[Finding]:
    """Return what the whole review finds by a rule."""
    return [finding for finding in review(given) if finding.id == rule]
