"""Rotations for tests of the record: one in every state that a rotation can be left in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind, OrphanedKey, PlannedKey
from keybench.core.rotations.rotation import (
    THIS_CONSOLE,
    ApplicationStep,
    CompromiseCheck,
    CompromiseStep,
    Deletion,
    Documentation,
    Evidence,
    Expectation,
    KeyFacts,
    KeyTest,
    Proof,
    ProofRow,
    Rotation,
)

AT: Final = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)


def after(hours: float) -> datetime:
    return AT + timedelta(hours=hours)


def environment(kind: EnvironmentKind = EnvironmentKind.TEST, name: str = "Sandbox") -> Environment:
    return Environment("e1", name, kind, "https://pay.example", "v5", AT)


OLD: Final = KeyFacts(
    "k1",
    "web shop 2024",
    "mira",
    "API",
    KeyKind.PRIVATE,
    "shop",
    "acorn-beetle-cedar-amber",
    "G-1",
    after(-9000),
)
NEW: Final = replace(
    OLD, key_id="k2", name="web shop 2026", fingerprint="lime-oak-pebble-quartz", gateway_id="G-2"
)
SAME: Final = Proof(
    after(1),
    (
        ProofRow("GET /api/v5/devices", Expectation.ALLOWED, 200, 200),
        ProofRow("GET /api/v5/security_keys", Expectation.REFUSED, 403, 403),
    ),
)
_SHOP: Final = ApplicationStep(
    "a1", "Web shop", "Mira Lind", "ext. 12", "PAYMENT_KEY on web-1", "change\nrestart"
)
_TILL: Final = ApplicationStep("a2", "Till software")
_MAKING: Final = PlannedKey("k3", "request-1", KeyDraft("web shop spare", "mira", "API", KeyKind.PRIVATE))

STARTED: Final = Rotation(
    "r1",
    "e1",
    OLD,
    "every year",
    AT,
    "Mira Lind",
    after(700),
    applications=(_SHOP, _TILL),
    evidence=(Evidence(AT, "rotation started", "every year", by="Mira Lind"),),
)
CREATED: Final = replace(STARTED, replacement=NEW, proof=SAME)
CHANGED: Final = replace(
    CREATED,
    applications=(
        replace(_SHOP, changed_at=after(2), changed_by="Tomas Berg"),
        replace(_TILL, changed_at=after(3), changed_by="Mira Lind"),
    ),
)
TESTED: Final = replace(
    CHANGED,
    test=KeyTest(after(4), 200, "KB-7"),
    applications=(
        replace(CHANGED.applications[0], seen_at=after(5), seen_by=THIS_CONSOLE, seen_how="HTTP 200"),
        replace(CHANGED.applications[1], seen_at=after(6), seen_by="Ada Holm", seen_how="sold a coffee"),
    ),
)
ASKED: Final = replace(TESTED, deletion=Deletion(after(7), "Mira Lind"))
DELETED: Final = replace(
    ASKED, deletion=Deletion(after(7), "Mira Lind", "the till is gone", deleted_at=after(8), in_portal=True)
)
GONE: Final = replace(
    TESTED,
    deletion=Deletion(
        after(7),
        "Mira Lind",
        deleted_at=after(8),
        refused_at=after(8),
        refused_status=401,
        erased_at=after(9),
    ),
    evidence=(
        *STARTED.evidence,
        Evidence(after(8), "old key refused", status=401),
        Evidence(after(9), "old value erased"),
    ),
)
FINISHED: Final = replace(GONE, documentation=Documentation(after(10), "Mira Lind", "the wiki, page Keys"))
STATES: Final[Mapping[str, Rotation]] = {
    "started": STARTED,
    "created": CREATED,
    "not proven": replace(CREATED, proof=None, proof_waived="the old user has left"),
    "proven different": replace(
        CREATED, proof=replace(SAME, rows=(replace(SAME.rows[0], new_status=403), SAME.rows[1]))
    ),
    "changed": CHANGED,
    "tested": TESTED,
    "asked": ASKED,
    "deleted": DELETED,
    "taken as refused": replace(
        DELETED, deletion=replace(DELETED.deletion, refused_at=after(9), refused_note="seen in the portal")
    ),
    "gone": GONE,
    "finished": FINISHED,
    "abandoned": replace(CREATED, abandoned_at=after(3), abandon_reason="the shop closes"),
    "compromised": replace(
        GONE,
        compromised=True,
        checks=tuple(
            CompromiseCheck(step, after(2), "Ada Holm", "looked\nnothing found") for step in CompromiseStep
        ),
    ),
    "with a leftover": replace(CREATED, leftovers=(OrphanedKey(_MAKING, "G-9"),)),
    "without applications": replace(STARTED, applications=(), evidence=(), started_by=""),
    "described only": replace(STARTED, old=replace(OLD, fingerprint="", gateway_id="", purpose="")),
}
