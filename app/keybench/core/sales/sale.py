"""A sale and its state machine: one attempt to sell on a device, from intent to outcome.

::

    noted ──> accepted ──> finished(outcome)
      │                        ▲
      └────────────────────────┘     (refused, not sent, unknown, or a synchronous answer)
    finished(unknown) ──> accepted | finished(settled outcome)     (after a look-up or a delayed answer)

A settled outcome never changes again. Every state but a settled one is *unfinished* and is resumed at
the next start.
"""

from __future__ import annotations

import enum
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from keybench.core.money import Money
from keybench.core.reasons import Reason


class Outcome(enum.StrEnum):
    """The ways a sale can end, seen from the till; unknown is looked up and never sent again by itself."""

    APPROVED = "approved"
    PARTLY_APPROVED = "partly_approved"
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


#: Outcomes with which money was taken.
APPROVALS: Final = frozenset({Outcome.APPROVED, Outcome.PARTLY_APPROVED})


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome with what the gateway said about it.

    `reason` is a `Reason` or a contract's own words, with what contradicts behind that of a contradictory
    answer; `status` is 0 without an answer; `approved_amount` is of a partial approval alone.
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
    approved_amount: Decimal | None = None


def contradictory(*facts: str) -> str:
    """Return the reason for an answer that contradicts itself, or what was asked for.

    Each fact is a field and what that is: ``status cancelled``, ``amount 999.99 instead of 10.00``.
    """
    return f"{Reason.CONTRADICTORY}: {'; '.join(one.replace(';', ',') for one in facts)}"


def contradictions(reason: str) -> list[tuple[str, str]]:
    """Return what contradicts, from a reason: where each thing stands and what it is."""
    kind, _, facts = reason.partition(": ")
    if kind != Reason.CONTRADICTORY:
        return []
    parts = [one.partition(" ") for one in facts.split("; ") if one]
    return [(where, what) for where, _, what in parts]


#: Crockford's base 32: no I, L, O or U, which are misheard or misread.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


#: What resuming a sale leaves on its timeline; it is stored, so it stays as it was.
RESUMED: Final = "taken up"


class SaleMode(enum.StrEnum):
    """The three ways to sell the service describes."""

    ASYNCHRONOUS = "async"
    SYNCHRONOUS = "sync"
    CLASSIC = "classic"


class SaleStage(enum.StrEnum):
    """How far a sale has come, as the journal knows it."""

    NOTED = "noted"
    ACCEPTED = "accepted"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class SaleDraft:
    """A sale as a person asks for it, not yet checked."""

    environment_id: str
    key_id: str
    device: str
    amount: str
    currency: str
    mode: SaleMode = SaleMode.ASYNCHRONOUS
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Sale:
    """One attempt to sell on a device, by a unique reference of ours, which is sent as the order id.

    It was noted, UTC, before anything was sent. `owner` is the running program that follows it, `lasted_s`
    how long it took by the gateway's own clock, `sent_to` the base URL, empty until then or where nobody
    knows.
    """

    reference: str
    environment_id: str
    key_id: str
    key_name: str
    device: str
    money: Money
    mode: SaleMode
    stage: SaleStage
    noted_at: datetime
    accepted_at: datetime | None = None
    finished_at: datetime | None = None
    request_id: str = ""
    verdict: Verdict | None = None
    polls: int = 0
    owner: str = ""
    lasted_s: float | None = None
    sent_to: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None while it is under way."""
        return self.verdict.outcome if self.verdict else None

    @property
    def approved(self) -> Money | None:
        """What was approved: all, a part with the currency's decimal places, or nothing (None)."""
        if self.verdict and self.verdict.approved_amount is not None:
            return replace(self.money, amount=self.verdict.approved_amount + 0 * self.money.amount)
        return self.money if self.outcome is Outcome.APPROVED else None

    @property
    def rest(self) -> Money:
        """What another sale would be for: of a partial approval what wasn't approved, else all of it."""
        if self.outcome is not Outcome.PARTLY_APPROVED or self.approved is None:
            return self.money
        return replace(self.money, amount=self.money.amount - self.approved.amount)

    @property
    def is_settled(self) -> bool:
        """Whether nothing can change any more."""
        return self.verdict is not None and self.verdict.outcome.is_settled

    @property
    def was_sent(self) -> bool:
        """Whether its request went out, as far as anybody can tell: an unknown one may have."""
        return self.stage is SaleStage.ACCEPTED or self.outcome not in {None, Outcome.NOT_SENT}

    @property
    def elapsed_s(self) -> float | None:
        """Seconds from the intent to the outcome, or None while it is under way."""
        spent_s = (self.finished_at - self.noted_at).total_seconds() if self.finished_at else None
        return spent_s if spent_s is None else max(0.0, spent_s)  # the clock may have been set back

    def send(self, base_url: str) -> Sale:
        """Return the sale as it goes out to the gateway at `base_url`; only an intent is ever sent."""
        if self.stage is not SaleStage.NOTED:
            raise IllegalTransition(self, "send")
        return replace(self, sent_to=base_url)

    def accept(self, request_id: str, at: datetime) -> Sale:
        """Return the sale as accepted by the gateway under `request_id`."""
        if self.is_settled or (self.request_id and self.request_id != request_id):
            raise IllegalTransition(self, f"accept {request_id}")
        return replace(
            self,
            stage=SaleStage.ACCEPTED,
            request_id=request_id,
            accepted_at=self.accepted_at or at,
            finished_at=None,
            verdict=None,
        )

    def finish(self, verdict: Verdict, at: datetime, lasted_s: float | None = None) -> Sale:
        """Return the sale with its outcome and, where the gateway told it, how long it took."""
        if self.is_settled:
            if self.verdict and self.verdict.outcome is verdict.outcome:
                return self
            raise IllegalTransition(self, f"finish {verdict.outcome}")
        return replace(
            self, stage=SaleStage.FINISHED, verdict=verdict, finished_at=at, owner="", lasted_s=lasted_s
        )

    def polled(self) -> Sale:
        """Return the sale with one more poll counted."""
        return replace(self, polls=self.polls + 1)


class IllegalTransition(RuntimeError):
    """A fault of the program: a move the state machine doesn't have. Never shown as a person's mistake."""

    def __init__(self, sale: Sale, move: str) -> None:
        super().__init__(f"{sale.reference} is {sale.stage}/{sale.outcome}: {move}")


class RequestIdTaken(RuntimeError):
    """A gateway gave a sale the identifier that another sale of its environment has.

    Polling one for two sales would give one of them a wrong outcome, so a person meets an unknown one.
    """

    def __init__(self, sale: Sale) -> None:
        super().__init__(f"{sale.reference} was given the identifier of another sale")


class Mark(enum.StrEnum):
    """A kind of point on a sale's timeline."""

    NOTED = "noted"
    SENT = "sent"
    ACCEPTED = "accepted"
    STATUS = "status"
    TROUBLE = "trouble"
    LOOKED_UP = "looked_up"
    CHECKED = "checked"
    CANCEL_ASKED = "cancel_asked"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class SaleEvent:
    """One point on a sale's timeline.

    `detail` is a status word, an outcome or a trouble, redacted; `took_s` how long the call behind it took.
    `reason` is the trouble's, as its error names it, such as a `Reason`.
    """

    reference: str
    at: datetime
    mark: Mark
    detail: str = ""
    took_s: float | None = None
    reason: str = ""


def new_reference() -> str:
    """Return a new reference of 60 random bits, ``KB-7Q2M-X4T9-KD3F``; the journal refuses one it has."""
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(3))
    return "-".join(("KB", *groups))


def may_send_again(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    """Tell whether nobody would be charged twice by mistake if the sale were made once more.

    A settled one may be repeated; an unknown one only after a person has checked, as its timeline tells.
    """
    return sale.is_settled or is_checked(sale, events)


def is_checked(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    """Tell whether a person has checked that an unknown sale wasn't made, since it was last seen to end."""
    if sale.outcome is not Outcome.UNKNOWN:
        return False
    marks = [event.mark for event in events]
    newest_first = marks[::-1]
    checked = Mark.CHECKED in marks
    return checked and (
        Mark.OUTCOME not in marks or newest_first.index(Mark.CHECKED) < newest_first.index(Mark.OUTCOME)
    )


def same_again(sale: Sale) -> SaleDraft:
    """Return a draft with a sale's fields, for what is left to pay; noting it gives it its own reference."""
    return SaleDraft(
        environment_id=sale.environment_id,
        key_id=sale.key_id,
        device=sale.device,
        amount=sale.rest.figure,
        currency=sale.money.currency,
        mode=sale.mode,
    )
