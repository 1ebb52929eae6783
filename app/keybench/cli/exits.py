"""Exit statuses: a promise to scripts."""

from __future__ import annotations

from typing import Final

from keybench.core import errors as e
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, Verdict

DONE: Final = 0
OTHER: Final = 1
WRONG_USE: Final = 2
DECLINED: Final = 10
NOT_PAID: Final = 11
PARTLY_APPROVED: Final = 12
REFUSED: Final = 20
NOT_SENT: Final = 21
UNKNOWN: Final = 30
NO_KEYSTORE: Final = 40

_OUTCOMES: Final = {
    Outcome.APPROVED: DONE,
    Outcome.PARTLY_APPROVED: PARTLY_APPROVED,
    Outcome.DECLINED: DECLINED,
    Outcome.CANCELLED: NOT_PAID,
    Outcome.EXPIRED: NOT_PAID,
    Outcome.REFUSED: REFUSED,
    Outcome.NOT_SENT: NOT_SENT,
    Outcome.UNKNOWN: UNKNOWN,
}
_KEYSTORE: Final = {
    Reason.KEYSTORE_MISSING,
    Reason.KEYSTORE_GONE,
    Reason.KEYSTORE_LOCKED,
    Reason.KEYSTORE_DENIED,
    Reason.KEYSTORE_SILENT,
    Reason.KEYSTORE_FAILED,
}


def status_of_verdict(verdict: Verdict | None) -> int:
    """Return the exit status that tells a sale's outcome; one that another program waits for is unknown."""
    if verdict is None:
        return UNKNOWN
    if verdict.outcome is Outcome.NOT_SENT and verdict.reason in _KEYSTORE:
        return NO_KEYSTORE
    return _OUTCOMES[verdict.outcome]


def status_of_error(error: e.KeybenchError) -> int:
    match error:
        case e.InputInvalid() | e.ValueTooLong() | e.LessonInvalid():
            return WRONG_USE
        case e.KeystoreMissing() | e.KeystoreLocked() | e.KeystoreDenied() | e.KeystoreSilent():
            return NO_KEYSTORE
        case e.KeyUnsettled() | e.KeyNotNoted():
            return UNKNOWN
        case e.Refused():
            return REFUSED
        case e.NotSent() | e.PracticeUnavailable():
            return NOT_SENT
        case _:
            return OTHER
