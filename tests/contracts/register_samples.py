"""Made-up applications and rotations for tests that speak to a journal."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from contracts.journal_samples import NOW, a_key
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyDraft, KeyKind, KeyPlan, PlannedKey
from keybench.core.ports import Activity, Journal
from keybench.core.rotations.rotation import Documentation, Evidence, KeyFacts, Rotation

STARTED: Final = Activity(NOW, "rotation started", PRACTICE_ID, "Till 3", "a person leaves")


def an_application(
    name: str = "Web shop", *, key_id: str = "id-of-Till 3", environment_id: str = PRACTICE_ID
) -> Application:
    return Application(
        id=f"id-of-{name}-{key_id}",
        environment_id=environment_id,
        key_id=key_id,
        name=name,
        owner="Ada",
        contact="ada@shop.example",
        place="PAYMENT_KEY on web-1",
        instructions="set it\nrestart",
        changed_at=NOW,
        changed_by="Mira",
        seen_at=NOW + timedelta(minutes=1),
        seen_by="Mira",
    )


def a_plan(name: str = "Till 9", *, environment_id: str = PRACTICE_ID) -> KeyPlan:
    draft = KeyDraft(name, "mira", "API", KeyKind.PRIVATE, "web shop")
    making = PlannedKey(f"id-of-{name}", f"request-of-{name}", draft, "", NOW, "program-1", durable=True)
    return KeyPlan(environment_id, making, "K-1")


def a_rotation(
    identifier: str = "R-1", *, key: str = "Till 3", environment_id: str = PRACTICE_ID, minutes: int = 0
) -> Rotation:
    return Rotation(
        id=identifier,
        environment_id=environment_id,
        old=KeyFacts.of(a_key(key, environment_id=environment_id)),
        reason="a person leaves",
        started_at=NOW + timedelta(minutes=minutes),
        started_by="Mira",
        overlap_ends_at=NOW + timedelta(days=3),
    )


def with_evidence(rotation: Rotation) -> Rotation:
    """Move it on by a line of evidence."""
    return replace(rotation, evidence=(*rotation.evidence, Evidence(NOW, "looked at")))


def documented(rotation: Rotation) -> Rotation:
    """Finish it."""
    return replace(rotation, documentation=Documentation(NOW, "Mira"))


def abandoned(rotation: Rotation) -> Rotation:
    """Give it up."""
    return replace(rotation, abandoned_at=NOW, abandon_reason="not needed")


async def start(journal: Journal, rotation: Rotation | None = None) -> Rotation:
    """Start a rotation and return it."""
    rotation = rotation or a_rotation()
    await journal.start_rotation(rotation, STARTED)
    return rotation
