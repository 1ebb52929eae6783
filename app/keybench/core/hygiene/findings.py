"""Findings of the key review: what was found about which key, how bad it is, and which comes first."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.hygiene.facts import Facts
from keybench.core.security_key import SecurityKey


class Severity(enum.StrEnum):
    """How bad a finding is, worst first."""

    BAD = "bad"
    WARNING = "warning"
    NOTE = "note"


class Rule(enum.StrEnum):
    """What a finding is about; among findings equally bad, the earlier rule comes first."""

    COMPROMISED = "compromised"
    SAME_VALUE = "same value"
    USER_GONE = "user gone"
    FAILING = "failing"
    PUBLIC_SELLS = "public key sells"
    ROTATION = "rotation"
    WRONG_KIND = "wrong kind"
    SURPLUS = "more permissions than needed"
    SHARED = "shared"
    OLD = "old"
    IDLE = "idle"
    UNTESTED = "untested"
    NO_OWNER = "no owner"
    MIXED_UP = "not separated"
    ONE_USER = "one user for everything"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend.

    Attributes:
        rule: What it is about.
        severity: How bad it is.
        environment: Where.
        key: The key it concerns; None where it concerns the whole environment, or a key that is gone.
        facts: What shows it.
        subject: The identifier of the rotation or application it is about; empty where it is about the key.
    """

    rule: Rule
    severity: Severity
    environment: Environment
    key: SecurityKey | None
    facts: Facts
    subject: str = ""

    @property
    def identity(self) -> str:
        """What stays the same from one review to the next, for as long as it is found."""
        key = self.key.id if self.key else ""
        return f"{self.rule}/{self.environment.id}/{key}/{self.subject}"


#: Where money moves comes first.
KINDS_BY_WEIGHT: Final = (EnvironmentKind.LIVE, EnvironmentKind.TEST, EnvironmentKind.PRACTICE)
_SEVERITIES: Final = {severity: rank for rank, severity in enumerate(Severity)}
_RULES: Final = {rule: rank for rank, rule in enumerate(Rule)}
_KINDS: Final = {kind: rank for rank, kind in enumerate(KINDS_BY_WEIGHT)}


def rank_of(finding: Finding) -> tuple[int, int, int, str, str, str]:
    """Return what findings are sorted by, worst first; no two findings of one review have the same."""
    return (
        _SEVERITIES[finding.severity],
        _RULES[finding.rule],
        _KINDS[finding.environment.kind],
        finding.environment.name.casefold(),
        finding.key.name.casefold() if finding.key else "",
        finding.identity,
    )
