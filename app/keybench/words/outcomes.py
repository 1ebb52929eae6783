"""Outcomes of sales in words: what happened, what it means for the money, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from keybench.core import errors as e
from keybench.core.environment import EnvironmentKind
from keybench.core.outcome import Outcome, Verdict
from keybench.core.sale import Mark, Sale, SaleEvent
from keybench.words.explain import (
    DEVICE_OFFLINE_STEP,
    DEVICE_OFFLINE_TEXT,
    FORBIDDEN_STEP,
    TOO_OFTEN_TEXT,
    Explanation,
    own_words,
)
from keybench.words.times import ago
from keybench.words.untold import explain_not_sent, explain_unknown

_WORDS: Final = {
    Outcome.APPROVED: "Approved",
    Outcome.DECLINED: "Declined",
    Outcome.CANCELLED: "Cancelled",
    Outcome.EXPIRED: "Expired",
    Outcome.REFUSED: "Refused",
    Outcome.NOT_SENT: "Not sent",
    Outcome.UNKNOWN: "Unknown",
}
_TONES: Final = {
    Outcome.APPROVED: "good",
    Outcome.DECLINED: "bad",
    Outcome.CANCELLED: "warning",
    Outcome.EXPIRED: "warning",
    Outcome.REFUSED: "bad",
    Outcome.NOT_SENT: "warning",
    Outcome.UNKNOWN: "unknown",
}
_SHAPES: Final = {
    Outcome.APPROVED: "✓",
    Outcome.DECLINED: "✕",
    Outcome.CANCELLED: "⊘",
    Outcome.EXPIRED: "◷",
    Outcome.REFUSED: "✕",
    Outcome.NOT_SENT: "–",
    Outcome.UNKNOWN: "?",
}

UNDER_WAY: Final = "Under way"
_MOST_NAMED: Final = 3
_ONE_AT_A_TIME: Final = (
    "A device takes one sale at a time, so the gateway will probably refuse another until then."
)


def outcome_word(outcome: Outcome) -> str:
    """Return an outcome's word, such as ``Not sent``."""
    return _WORDS[outcome]


def outcome_shape(outcome: Outcome) -> str:
    """Return the sign that stands beside the word, so that colour is never alone."""
    return _SHAPES[outcome]


def tone_of_outcome(outcome: Outcome) -> str:
    """Return an outcome's tone: ``good``, ``bad``, ``warning`` or ``unknown``."""
    return _TONES[outcome]


def outcome_headline(sale: Sale) -> str:
    """Return the outcome as a headline: its word, with the status where one explains it (``Refused · 401``)."""
    verdict = sale.verdict
    if verdict is None:
        return UNDER_WAY
    word = _WORDS[verdict.outcome]
    return (
        f"{word} · {verdict.status}" if verdict.outcome is Outcome.REFUSED and verdict.status >= 400 else word
    )


_TAKEN: Final = {
    EnvironmentKind.PRACTICE: "This is practice, so no money moved.",
    EnvironmentKind.TEST: "This is a test, so no money moved.",
    EnvironmentKind.LIVE: "The money was taken.",
}


def explain_sale(sale: Sale, kind: EnvironmentKind | None) -> Explanation:
    """Return what became of a sale, for a person at the till.

    Args:
        sale: At any stage.
        kind: The kind of its environment, which decides whether an approval moved money; None for one that
            was removed since.
    """
    verdict = sale.verdict
    if verdict is None:
        return Explanation(
            f"{sale.money} is under way on {sale.device}.", "", "Wait for the customer at the device."
        )
    detail = own_words(verdict.message, verdict.error_reference)
    taken = _TAKEN[kind] if kind else "If its environment was live, the money was taken."
    match verdict.outcome:
        case Outcome.APPROVED:
            return Explanation(f"{sale.money} was approved on {sale.device}.", taken, "", detail)
        case Outcome.DECLINED:
            return Explanation(
                "The card was declined.", "Nothing was taken.", "Ask for another card or way to pay.", detail
            )
        case Outcome.CANCELLED:
            return Explanation("The sale was cancelled on the device.", "Nothing was taken.", "", detail)
        case Outcome.EXPIRED:
            return Explanation(
                "Nobody paid in time, and the device gave up.", "Nothing was taken.", "Send it again when the "
                "customer is ready.", detail,
            )  # fmt: skip
        case Outcome.REFUSED:
            return _refused(verdict, detail)
        case Outcome.NOT_SENT:
            return explain_not_sent(verdict)
        case Outcome.UNKNOWN:
            return explain_unknown(verdict, detail)


def _refused(verdict: Verdict, detail: str) -> Explanation:
    nothing = "Nothing was sold and no money moved."
    match verdict.reason:
        case e.DEVICE_BUSY:
            return Explanation(
                "The device is busy with another sale.",
                nothing,
                "Wait until it is free, then send it again.",
                detail,
            )
        case e.DEVICE_OFFLINE:
            return Explanation(DEVICE_OFFLINE_TEXT, nothing, f"{DEVICE_OFFLINE_STEP} send it again.", detail)
        case e.RATE_LIMIT:
            return Explanation(f"{TOO_OFTEN_TEXT}.", nothing, "Wait a minute, then send it again.", detail)
    match verdict.status:
        case 401:
            return Explanation(
                "The gateway refused the key.",
                nothing,
                "Most likely the key belongs to another environment, was deleted in the portal, or its user is "
                "disabled. Test the key, or use another.",
                detail,
            )
        case 403:
            return Explanation(
                "The gateway doesn't allow this sale.",
                nothing,
                f"{FORBIDDEN_STEP} send it again.",
                detail,
            )
        case 404:
            return Explanation(
                "The gateway doesn't know this device or address.",
                nothing,
                "Check the device's identifier and that it belongs to this environment.",
                detail,
            )
        case 409:
            return Explanation(
                "The device can't take a sale now.",
                nothing,
                "Most often it isn't connected, or it is at work on another sale. Check it, then send it again.",
                detail,
            )
        case _:
            return Explanation(
                "The gateway refused the sale.", nothing, "See the gateway's words for why.", detail
            )


def busy_words(busy: Sequence[Sale], now: datetime) -> str:
    """Return which of our sales keep devices busy, one a line, and what that means for another.

    Args:
        busy: Sales without an outcome; one at least.
        now: UTC.
    """
    told = [
        f"{sale.money} on {sale.device}, begun {ago(sale.noted_at, now)}, has no outcome yet."
        for sale in busy[:_MOST_NAMED]
    ]
    if more := len(busy) - len(told):
        told.append(f"{more:,} more have none either.")
    return "\n".join([*told, _ONE_AT_A_TIME])


def event_words(event: SaleEvent) -> str:
    """Return a timeline point's label, short."""
    match event.mark:
        case Mark.ACCEPTED:
            return "accepted"
        case Mark.STATUS:
            return event.detail or "no status"
        case Mark.TROUBLE:
            return event.detail or "no answer"
        case Mark.OUTCOME:
            return _WORDS[Outcome(event.detail)].lower()
        case Mark.LOOKED_UP:
            return event.detail or "looked up"
        case Mark.CANCEL_ASKED:
            return "cancel asked"
        case _:
            return event.mark.value
