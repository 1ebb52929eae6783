"""A rotation, an immutable value: one key replaced by another in the service's five stages.

`moves` and `plans` say how it changes, `stages` what it allows; the journal keeps
it whole, as one document, after every step. So its fields have the names that stored documents have: `making`
is the planned replacement, and `leftovers` are the orphaned keys.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final

from keybench.core.keys.key import KeyKind, OrphanedKey, PlannedKey, SecurityKey

_UNKNOWN_KEY: Final = 401


class Expectation(enum.StrEnum):
    """What a call of the same-permission proof should meet."""

    ALLOWED = "allowed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ProofRow:
    """One call, such as ``GET /api/v5/devices``, made with both keys."""

    call: str
    expected: Expectation
    old_status: int
    new_status: int

    @property
    def same(self) -> bool:
        """Whether the gateway made no difference between the keys."""
        return self.old_status == self.new_status


@dataclass(frozen=True, slots=True)
class Proof:
    """The same-permission proof: what must be allowed and what must be refused, with both keys."""

    at: datetime
    rows: tuple[ProofRow, ...]

    @property
    def same(self) -> bool:
        """Whether both keys may do the same, as these calls show; no call or an unknown key shows nothing."""
        known = all(row.same and row.new_status != _UNKNOWN_KEY for row in self.rows)
        return bool(self.rows) and known

    @property
    def is_whole(self) -> bool:
        """Whether a call that must be refused is among them; some contracts name none."""
        return any(row.expected is Expectation.REFUSED for row in self.rows)


#: Who saw something that no person saw; no person is called so.
THIS_CONSOLE: Final = "Keybench"
# What evidence says that the rules or the record look for; stored rotations have these words.
#: What this console's own call shows; before there was a phrase for it, it was noted as the second, too.
KEY_ACCEPTED: Final = "new key accepted from this console"
SEEN_WORKING: Final = "application seen working"
#: One of the keys was given another value.
VALUE_GIVEN: Final = "value given anew"
#: The old key is deleted at once, whatever stops working; and that is taken back.
REVOCATION: Final = "revocation asked for"
REVOCATION_UNDONE: Final = "revocation taken back"
#: The old key may be in the wrong hands; and that was a false alarm.
COMPROMISED: Final = "old key compromised"
NOT_COMPROMISED: Final = "old key not compromised"
#: Somebody says that the old key is deleted; and it was accepted after that.
OLD_KEY_DELETED: Final = "old key deleted"
STILL_ACCEPTED: Final = "old key still accepted"
#: The key that replaces another was revoked; and that is taken back.
NEW_KEY_REVOKED: Final = "new key revoked"
NEW_KEY_NOT_REVOKED: Final = "new key not revoked after all"


class CompromiseStep(enum.StrEnum):
    """What the service asks for when a key is compromised, in its order."""

    ROTATE = "rotate at once"
    REVIEW_LOGS = "review access logs"
    SUPPORT = "contact support"


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """A key as it was when the rotation met it; the record still needs it when the key is gone.

    Attributes:
        fingerprint: Stands for its value; empty for a key whose value was never here.
        created_at: When Keybench came to know it, UTC.
    """

    key_id: str
    name: str
    username: str
    permission: str
    kind: KeyKind
    purpose: str
    fingerprint: str
    gateway_id: str
    created_at: datetime

    @classmethod
    def of(cls, key: SecurityKey) -> KeyFacts:
        """Return the facts of a kept key."""
        names = (one.name for one in fields(cls) if one.name != "key_id")
        return cls(key.id, **{name: getattr(key, name) for name in names})


@dataclass(frozen=True, slots=True)
class ApplicationStep:
    """One application on its way from the old key to the new one.

    Attributes:
        name, owner, contact, place, instructions: As the register had them, see `Application`.
        changed_at: When the new key was set there, UTC; None before.
        seen_at: When something was last seen of it and the new key after that, UTC; None before.
        seen_by: Who saw it: a person saw the application working, `THIS_CONSOLE` only that the gateway
            accepts the new key, which says nothing of the application.
    """

    application_id: str
    name: str
    owner: str = ""
    contact: str = ""
    place: str = ""
    instructions: str = ""
    changed_at: datetime | None = None
    changed_by: str = ""
    seen_at: datetime | None = None
    seen_by: str = ""
    seen_how: str = ""

    @property
    def is_seen_working(self) -> bool:
        """Whether a person saw the application working with the new key."""
        return self.seen_at is not None and self.seen_by != THIS_CONSOLE

    @property
    def accepted_here_at(self) -> datetime | None:
        """When this console saw the new key accepted for it, as long as nobody saw it working."""
        return self.seen_at if self.seen_by == THIS_CONSOLE else None


@dataclass(frozen=True, slots=True)
class KeyTest:
    """The new key itself was tried."""

    at: datetime
    status: int
    sale: str = ""


@dataclass(frozen=True, slots=True)
class Deletion:
    """How far the old key is gone. Each moment is None until it has come.

    Attributes:
        asked_at: When somebody asked for it, UTC; noted before the gateway is called.
        override: Why it is deleted before every application was seen working; empty where that wasn't needed.
        deleted_at: When the gateway deleted it, or a person says they deleted it in the portal.
        refused_note: Why a person takes it for refused where the gateway's answer doesn't say so by itself.
    """

    asked_at: datetime
    by: str
    override: str = ""
    deleted_at: datetime | None = None
    in_portal: bool = False
    refused_at: datetime | None = None
    refused_status: int = 0
    refused_note: str = ""
    erased_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Documentation:
    """The security documentation was updated."""

    at: datetime
    by: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class CompromiseCheck:
    """One point of the list for a compromised key."""

    step: CompromiseStep
    done_at: datetime | None = None
    by: str = ""
    findings: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was seen or done, for the record; only ever added to.

    Attributes:
        what: A stable phrase (``replacement created``, ``old key refused``, …).
        detail: Names and words that go with it; never a value.
        status: The HTTP status that shows it; 0 where no call does.
        key_id: Which of the two keys it is about, where it may be either.
    """

    at: datetime
    what: str
    detail: str = ""
    status: int = 0
    by: str = THIS_CONSOLE
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Rotation:
    """One rotation as it stands.

    Attributes:
        overlap_ends_at: Until when both keys are meant to be valid, UTC.
        proof_waived: Why it goes on without keys that are proven the same; empty where they are.
        applications: The applications that used the old key, by name.
        deletion: How far the old key is gone; None before that was asked for.
        abandoned_at: When it was given up, UTC; both keys stay as they are.
        leftovers: Keys created for it that nobody wants any more and that are still to be deleted.
    """

    id: str
    environment_id: str
    old: KeyFacts
    reason: str
    started_at: datetime
    started_by: str
    overlap_ends_at: datetime
    compromised: bool = False
    making: PlannedKey | None = None
    replacement: KeyFacts | None = None
    proof: Proof | None = None
    proof_waived: str = ""
    applications: tuple[ApplicationStep, ...] = ()
    test: KeyTest | None = None
    deletion: Deletion | None = None
    documentation: Documentation | None = None
    abandoned_at: datetime | None = None
    abandon_reason: str = ""
    checks: tuple[CompromiseCheck, ...] = ()
    leftovers: tuple[OrphanedKey, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether anything is left to do."""
        return self.documentation is None and self.abandoned_at is None

    def is_overdue(self, now: datetime) -> bool:
        """Tell whether the old key should be deleted by `now`, and nobody says that it is."""
        deleted = self.deletion is not None and self.deletion.deleted_at is not None
        return self.is_open and not deleted and now >= self.overlap_ends_at

    def noting(
        self,
        at: datetime,
        what: str,
        detail: str = "",
        *,
        status: int = 0,
        by: str = THIS_CONSOLE,
        key_id: str = "",
    ) -> Rotation:
        """Return it with more evidence, see `Evidence`; there is no way to take any away."""
        return replace(self, evidence=(*self.evidence, Evidence(at, what, detail, status, by, key_id)))
