"""The amounts that play out a certain way on a practice device, a sale, and where it stands at a moment.

A sale's status is a pure function of its script, of the device seconds since it was taken and of the moment
it was cancelled. Nothing ticks, so a restart has nothing to restore.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final


class Delivery(StrEnum):
    """What the caller gets for the call that starts the sale."""

    ANSWERED = "answered"
    LOST = "lost"
    UNREADABLE = "unreadable"
    OFFLINE = "offline"
    RATE_LIMITED = "rate-limited"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """The processor's verdict, in the public gateway's codes: 100 approved, 2xx declined, 430 duplicate.

    `cents` is what was approved of a sale that is approved for a part only.
    """

    success: bool
    code: str
    text: str
    cents: int | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """How a device acts: `steps` are (device seconds since the start, status from then on), last final."""

    name: str
    meaning: str
    steps: tuple[tuple[float, str], ...]
    result: PracticeResult | None = None
    delivery: Delivery = Delivery.ANSWERED

    @property
    def ends_at(self) -> float:
        """Return the device seconds after which the status no longer changes."""
        return self.steps[-1][0]


@dataclass(frozen=True, slots=True)
class PracticeProgress:
    """Where a sale stands: the status word, whether it is final, and the processor's result, if any."""

    status: str
    final: bool
    result: PracticeResult | None


PENDING: Final = "pending"
IN_FLIGHT: Final = "inFlight"
COMPLETE: Final = "interactionComplete"
CANCELLED_AT_TERMINAL: Final = "cancelledAtTerminal"
TIMED_OUT: Final = "cancelledByTimeout"
CANCELLED_BY_API: Final = "cancelledByApi"
IN_USE: Final = "poiDeviceInUse"
#: What the statuses that end without a result come down to.
ENDS: Final = {
    CANCELLED_AT_TERMINAL: "cancelled",
    CANCELLED_BY_API: "cancelled",
    TIMED_OUT: "timed out",
    IN_USE: "device busy",
}

# The public gateway declines smaller amounts in test mode.
_TEST_MODE_MINIMUM: Final = 1_00

_SUCCESS: Final = PracticeResult(success=True, code="100", text="APPROVED")


def _plays(status: str, seconds: float) -> tuple[tuple[float, str], ...]:
    """Return the steps of a device in a person's hands: waiting, at work after a second, then `status`."""
    return ((0.0, PENDING), (1.0, IN_FLIGHT), (seconds, status))


def _declined(name: str, code: str, text: str, meaning: str) -> Script:
    return Script(name, meaning, _plays(COMPLETE, 3.0), PracticeResult(success=False, code=code, text=text))


def _approved(
    name: str, meaning: str, delivery: Delivery = Delivery.ANSWERED, seconds: float = 3.0
) -> Script:
    return Script(name, meaning, _plays(COMPLETE, seconds), _SUCCESS, delivery)


APPROVED: Final = _approved("approved", "approved after 3 seconds (so is every amount not listed here)")
SMALL: Final = _declined(
    "small", "200", "DECLINED: test mode declines amounts under 1.00", "declined: every amount under 1.00"
)
BUSY: Final = Script("busy", "the device is at work on another sale", ((0.0, IN_USE),))
DUPLICATE: Final = _declined("duplicate", "430", "Duplicate transaction", "declined as a duplicate")
BY_HAND: Final = Script("by-hand", "a person presses a button, or it times out", _plays(TIMED_OUT, 60.0))
#: How the buttons end a sale, half a second after they are pressed.
BUTTONS: Final[dict[str, tuple[str, PracticeResult | None]]] = {
    "approve": (COMPLETE, _SUCCESS),
    "decline": (COMPLETE, PracticeResult(success=False, code="200", text="DECLINED")),
    "cancel": (CANCELLED_AT_TERMINAL, None),
}
PROCESSING_S: Final = 0.5
UNPLUGGED: Final = "unplugged"

BY_CENTS: Final[dict[int, Script]] = {
    10_00: APPROVED,
    15_00: Script(
        "partly-approved",
        "approved for 10.00 only: the rest was not",
        _plays(COMPLETE, 3.0),
        replace(_SUCCESS, cents=10_00),
    ),
    20_00: _declined("do-not-honour", "200", "DECLINED: do not honour", "declined: do not honour"),
    20_02: _declined("no-funds", "202", "Insufficient funds", "declined: insufficient funds"),
    20_23: _declined("expired-card", "223", "Expired card", "declined: expired card"),
    30_00: Script(
        "cancelled", "cancelled at the terminal after 3 seconds", _plays(CANCELLED_AT_TERMINAL, 3.0)
    ),
    40_00: Script("timed-out", "timed out after 12 seconds", _plays(TIMED_OUT, 12.0)),
    50_00: Script("in-use", "the device is in use", ((0.0, PENDING), (0.5, IN_USE))),
    60_00: Script(
        "offline", "refused: the device is not connected", ((0.0, "offline"),), delivery=Delivery.OFFLINE
    ),
    70_00: _approved("lost", "taken and approved, but the answer is lost: no answer at all", Delivery.LOST),
    71_00: _approved("unreadable", "taken and approved, but the answer can't be read", Delivery.UNREADABLE),
    80_00: Script(
        "rate-limited", "refused: rate limit (403)", ((0.0, "refused"),), delivery=Delivery.RATE_LIMITED
    ),
    85_00: Script(
        "failed", "the service fails (500) and takes nothing", ((0.0, "failed"),), delivery=Delivery.FAILED
    ),
    90_00: _approved("slow", "in flight for 30 seconds, then approved: time to cancel", seconds=30.0),
}

BY_NAME: Final[dict[str, Script]] = {
    script.name: script for script in (*BY_CENTS.values(), SMALL, BUSY, DUPLICATE, BY_HAND)
}


def script_for(cents: int) -> Script:
    """Return how a device acts on an amount."""
    if cents < _TEST_MODE_MINIMUM:
        return SMALL
    return BY_CENTS.get(cents, APPROVED)


def progress(script: Script, elapsed: float, cancelled_at: float | None = None) -> PracticeProgress:
    """Return where a sale stands.

    Args:
        script: how the device acts on it.
        elapsed: device seconds since the sale was taken; below zero counts as zero.
        cancelled_at: device seconds at which the API cancelled it. It has no effect at or after the script's
            end: what is authorised can't be cancelled.
    """
    if cancelled_at is not None and cancelled_at < script.ends_at and elapsed >= cancelled_at:
        return PracticeProgress(CANCELLED_BY_API, final=True, result=None)
    status = script.steps[0][1]
    for since, word in script.steps:
        if elapsed >= since:
            status = word
    final = elapsed >= script.ends_at
    return PracticeProgress(status, final=final, result=script.result if final else None)


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """One sale on a device; times are in seconds since 1970, `speed` in device seconds a second.

    `caller` is the simulated application that sells. `stop` is the button that a person pressed, or
    `UNPLUGGED`, and `stopped` when.
    """

    id: str
    device_id: str
    order_id: str | None
    cents: int
    currency: str
    processor_id: str | None
    script: Script
    speed: float
    created: float
    key_id: str
    cancelled: float | None = None
    order_description: str | None = None
    caller: str = ""
    stop: str | None = None
    stopped: float | None = None

    @property
    def plays(self) -> Script:
        """How the device acts on it, with what a person did there."""
        if self.stop is None or self.stopped is None:
            return self.script
        if self.stop == UNPLUGGED:
            return replace(self.script, steps=BY_HAND.steps, result=None)
        status, result = BUTTONS[self.stop]
        ends_at = (self.stopped - self.created) * self.speed + PROCESSING_S
        return replace(self.script, steps=_plays(status, ends_at), result=result)

    @property
    def ends(self) -> float:
        """The moment after which the status no longer changes if nobody cancels."""
        return self.created + self.plays.ends_at / self.speed

    @property
    def ended(self) -> float:
        """The moment at which its last status began, if it is over."""
        return self.ends if self.cancelled is None else min(self.cancelled, self.ends)

    def progress(self, now: float) -> PracticeProgress:
        """Return where the sale stands at a moment."""
        cancelled_at = None if self.cancelled is None else (self.cancelled - self.created) * self.speed
        return progress(self.plays, (now - self.created) * self.speed, cancelled_at)


def money(cents: int) -> str:
    """Return an amount the way the service writes it: `1234` becomes `12.34`."""
    return f"{cents // 100}.{cents % 100:02d}"


def moment(seconds: float) -> str:
    """Return a moment as ISO 8601 in UTC with milliseconds; `seconds` are since 1970."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
