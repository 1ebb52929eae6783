"""What a finding of the review is; `keybench.words.review` has the kinds, with their rules and words."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Self

from keybench.core.environment import Environment
from keybench.core.review.snapshot import KINDS_BY_WEIGHT, Snapshot
from keybench.core.security_key import SecurityKey


class Severity(enum.StrEnum):
    """How bad a finding is, worst first."""

    BAD = "bad"
    WARNING = "warning"
    NOTE = "note"


class Action(enum.StrEnum):
    """What can be done about a finding from the window."""

    ROTATE = "rotate"
    OPEN_ROTATION = "open rotation"
    TEST = "test"
    OPEN_APPLICATIONS = "open applications"
    OPEN_KEY = "open key"


@dataclass(frozen=True, slots=True)
class FindingWords:
    """A finding for people.

    Attributes:
        title: What it is, in a few words.
        reason: What was seen, and why it matters.
        remedy: What to do.
        actions: What of it can be done from the window, the most fitting first.
    """

    title: str
    reason: str
    remedy: str
    actions: tuple[Action, ...] = (Action.ROTATE, Action.OPEN_KEY)


@dataclass(frozen=True, slots=True)
class Finding(ABC):
    """One thing to fix. Each kind is a subclass whose fields are what was seen.

    Attributes:
        id: The kind's identifier; dismissals are stored with it.
        environment: Where.
        key: The key it concerns; None where it concerns the whole environment, or a key that is gone.
        severity: How bad it is.
        subject: The identifier of the rotation or application it is about; empty where it is about the key.
    """

    id: ClassVar[str]

    environment: Environment
    key: SecurityKey | None
    severity: Severity
    subject: str = ""

    @classmethod
    @abstractmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        """Find all of this kind."""

    @abstractmethod
    def words(self) -> FindingWords:
        """Return what it is, why it matters and what to do."""

    @property
    def identity(self) -> str:
        """What stays the same from one review to the next, for as long as it is found."""
        key = self.key.id if self.key else ""
        return f"{self.id}/{self.environment.id}/{key}/{self.subject}"


@dataclass(frozen=True, slots=True)
class KeyFinding(Finding):
    """A finding about a key that is here."""

    key: SecurityKey


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A written reason why a finding may stay for a while, as the journal keeps it.

    Attributes:
        finding: Which, see `Finding.identity`.
        reason: Why, in the person's words.
        until: From when on it is listed again, UTC.
        by: Who dismissed it.
        at: When, UTC.
    """

    finding: str
    reason: str
    until: datetime
    by: str
    at: datetime


_SEVERITIES: Final = {severity: rank for rank, severity in enumerate(Severity)}
_KINDS: Final = {kind: rank for rank, kind in enumerate(KINDS_BY_WEIGHT)}


def review(snapshot: Snapshot, kinds: Sequence[type[Finding]]) -> tuple[Finding, ...]:
    """Return all findings of some kinds, worst first; among equally bad ones, the earlier kind is first.

    The order doesn't depend on the order of what is in the snapshot.
    """
    ranks = {kind: rank for rank, kind in enumerate(kinds)}

    def rank(finding: Finding) -> tuple[int, int, int, str, str, str]:
        return (
            _SEVERITIES[finding.severity],
            ranks[type(finding)],
            _KINDS[finding.environment.kind],
            finding.environment.name.casefold(),
            finding.key.name.casefold() if finding.key else "",
            finding.identity,
        )

    return tuple(sorted((finding for kind in kinds for finding in kind.find(snapshot)), key=rank))
