"""How a sale ends, or doesn't."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from keybench.core.reasons import Reason


class Outcome(enum.StrEnum):
    """The ways a sale can end, seen from the till.

    `UNKNOWN` is a state of its own: the request may have reached the gateway, nobody can tell, so the sale
    is looked up and never sent again by itself.
    """

    APPROVED = "approved"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REFUSED = "refused"
    NOT_SENT = "not_sent"
    UNKNOWN = "unknown"

    @property
    def is_settled(self) -> bool:
        """Whether it can no longer change: everything but unknown."""
        return self is not Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome with what the gateway said about it.

    Attributes:
        outcome: How it ended.
        reason: Why: a `Reason`, or a contract's own words; empty if the outcome says it all. Behind that of a
            contradictory answer stands what contradicts, see `contradictory`.
        message: The gateway's own words, redacted.
        status: The HTTP status that told us; 0 when there was no answer.
        gateway_status: The status word as it came (``interactionComplete``, …).
        transaction_id: The gateway's transaction, for an approval or a decline.
        authorisation: The authorisation code of an approval.
        response_code: The gateway's own code for it.
        error_reference: The gateway's reference for a failure.
    """

    outcome: Outcome
    reason: str = ""
    message: str = ""
    status: int = 0
    gateway_status: str = ""
    transaction_id: str = ""
    authorisation: str = ""
    response_code: str = ""
    error_reference: str = ""


def contradictory(*said: str) -> str:
    """Return the reason for an answer that contradicts itself, or what was asked for.

    Args:
        said: What it says, each as where it stands and what that is: ``status cancelled``, ``flag approved``,
            ``amount 999.99 instead of 10.00``.
    """
    return f"{Reason.CONTRADICTORY}: {'; '.join(one.replace(';', ',') for one in said)}"


def contradictions(reason: str) -> list[tuple[str, str]]:
    """Return what contradicts, from a reason: where each thing stands and what it is."""
    kind, _, said = reason.partition(": ")
    if kind != Reason.CONTRADICTORY:
        return []
    parts = [one.partition(" ") for one in said.split("; ") if one]
    return [(where, what) for where, _, what in parts]
