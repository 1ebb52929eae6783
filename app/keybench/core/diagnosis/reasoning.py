"""From findings to a conclusion: the causes in order, whose trouble it is, and what to check next."""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.diagnosis.causes import Cause, Trouble, trouble_of
from keybench.core.diagnosis.checks import Check, Finding, Observation, Result, Seen, Silence
from keybench.core.diagnosis.evidence import FOLLOWS, SIGNS, result_of

#: A cause is likely from so many points on, if the first has no more than so many more.
_LIKELY: Final = 5
_CLOSE: Final = 2
#: Who saw the cause itself isn't contradicted by what is seen later, for what was broken may work again, nor
#: by what was likely before.
_SHOWN: Final = 7

#: Two answers of one server to two calls: what both of them show is seen once.
_ALIKE: Final = (
    (Seen.GATEWAY_PAGE, Seen.CALL_PAGE),
    (Seen.GATEWAY_BARRED_BY_PAGE, Seen.CALL_BARRED_BY_PAGE),
    (Seen.GATEWAY_REDIRECT, Seen.CALL_REDIRECT),
    (Seen.GATEWAY_REDIRECT_AWAY, Seen.CALL_REDIRECT_AWAY),
    (Seen.GATEWAY_NO_PATH, Seen.CALL_NO_PATH),
    (Seen.GATEWAY_FAILING, Seen.CALL_FAILING),
    (Seen.GATEWAY_STRANGE, Seen.CALL_STRANGE),
    (Seen.GATEWAY_TOO_OFTEN, Seen.CALL_RATE_LIMIT),
    (Seen.GATEWAY_SILENT, Seen.CALL_SILENT),
    (Seen.GATEWAY_LOST, Seen.CALL_LOST),
    (Seen.CONNECT_SILENT, Seen.TLS_SILENT),
    (Seen.CONNECT_LOST, Seen.TLS_LOST),
)


class Standing(enum.StrEnum):
    """How a cause stands."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    RULED_OUT = "ruled_out"


@dataclass(frozen=True, slots=True)
class Judged:
    """A cause with what was seen of it.

    Attributes:
        points: For it and against; see `core.diagnosis.evidence`.
        speaking: What speaks for it, the strongest first.
        against: What rules it out, then what makes it less likely, the strongest first.
        is_past: Whether it was there when something failed, and is ruled out now.
    """

    cause: Cause
    standing: Standing
    points: int
    speaking: tuple[Observation, ...] = ()
    against: tuple[Observation, ...] = ()
    is_past: bool = False

    @property
    def is_suspected(self) -> bool:
        """Whether more speaks for it than against it."""
        return self.standing is not Standing.RULED_OUT and self.points > 0


@dataclass(frozen=True, slots=True)
class Explained:
    """A check whose trouble, or whose silence, follows from a cause."""

    check: Check
    by: Cause


@dataclass(frozen=True, slots=True)
class NextCheck:
    """A check that would tell more.

    Attributes:
        separates: The causes of which it speaks for some and against others, the likeliest first.
        seconds: About how long it takes, in seconds; a person's own look included.
    """

    check: Check
    separates: tuple[Cause, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What findings come to.

    Attributes:
        causes: All of them: the likely ones, the possible ones, then those that are ruled out.
        explained: What follows from the first cause.
        next_check: The cheapest check that separates what is still open; None if nothing is open, or no check
            would help.
    """

    trouble: Trouble
    causes: tuple[Judged, ...]
    explained: tuple[Explained, ...] = ()
    next_check: NextCheck | None = None

    @property
    def suspects(self) -> tuple[Judged, ...]:
        """The causes that something speaks for, the likeliest first."""
        return tuple(one for one in self.causes if one.is_suspected)

    @property
    def likely(self) -> tuple[Judged, ...]:
        """The likely causes."""
        return tuple(one for one in self.causes if one.standing is Standing.LIKELY)

    @property
    def ruled_out(self) -> tuple[Judged, ...]:
        """The causes that can't be."""
        return tuple(one for one in self.causes if one.standing is Standing.RULED_OUT)


def conclude(findings: Sequence[Finding], offered: Collection[Check] = ()) -> Conclusion:
    """Return what findings come to.

    Args:
        findings: Those there are, in any order; a check that goes on is left out.
        offered: The checks that can be made or repeated, of which the cheapest that helps is the next.
    """
    causes = _judged(findings)
    trouble = _trouble(causes, findings)
    return Conclusion(trouble, causes, _explained(causes, findings), _next_check(causes, offered))


def _judged(findings: Sequence[Finding]) -> tuple[Judged, ...]:
    seen: dict[Seen, Observation] = {}
    for finding in findings:
        for one in finding.observations:
            seen.setdefault(one.seen, one)
    points = {cause: {one: SIGNS[one].weighs(cause, seen) for one in seen} for cause in Cause}
    for first, second in _ALIKE:
        if first in seen and second in seen:
            for by_seen in points.values():
                less = min((first, second), key=by_seen.__getitem__)
                by_seen[less] = min(by_seen[less], 0)
    out = {cause: [one for one in seen if SIGNS[one].excludes(cause, seen)] for cause in Cause}
    shown = {cause for cause in Cause if max(points[cause].values(), default=0) >= _SHOWN}
    total = {
        cause: sum(point for point in by_seen.values() if point > 0 or cause not in shown)
        for cause, by_seen in points.items()
    }
    barred = {cause for cause in Cause if out[cause] and cause not in shown}
    top = max((total[cause] for cause in Cause if cause not in barred), default=0)
    judged = []
    for cause in Cause:
        if cause in barred:
            standing = Standing.RULED_OUT
        elif total[cause] >= _LIKELY and total[cause] >= top - _CLOSE:
            standing = Standing.LIKELY
        else:
            standing = Standing.POSSIBLE
        ordered = sorted(seen, key=lambda one: abs(points[cause][one]), reverse=True)
        speaking = [seen[one] for one in ordered if points[cause][one] > 0]
        weakening = [seen[one] for one in ordered if points[cause][one] < 0]
        excluding = [seen[one] for one in out[cause]]
        is_past = bool(excluding) and cause in shown
        judged.append(
            Judged(cause, standing, total[cause], tuple(speaking), (*excluding, *weakening), is_past)
        )
    places = list(Standing)
    return tuple(sorted(judged, key=lambda one: (places.index(one.standing), -one.points)))


def _trouble(causes: Sequence[Judged], findings: Sequence[Finding]) -> Trouble:
    """Return whose trouble it is, as far as all that is likely, or possible if nothing is, agrees."""
    likely = [one for one in causes if one.standing is Standing.LIKELY]
    if likely:
        best = max(one.points for one in likely)
        sides = {trouble_of(one.cause) for one in likely if one.points == best}
        return sides.pop() if len(sides) == 1 else Trouble.OPEN
    suspected = [one for one in causes if one.is_suspected]
    has_fault = any(result_of(finding) is Result.FAULT for finding in findings)
    if not has_fault and not suspected:
        works = any(one.seen is Seen.CALL_ACCEPTED for finding in findings for one in finding.observations)
        return Trouble.NONE if works else Trouble.OPEN
    sides = {trouble_of(one.cause) for one in suspected}
    return sides.pop() if len(sides) == 1 and has_fault else Trouble.OPEN


def _explained(causes: Sequence[Judged], findings: Sequence[Finding]) -> tuple[Explained, ...]:
    """Return which checks failed, or couldn't tell, only because of a likely cause."""
    likely = [one for one in causes if one.standing is Standing.LIKELY]
    explained = []
    for finding in findings:
        is_own = any(
            SIGNS[seen.seen].points.get(one.cause, 0) > 0 for one in likely for seen in finding.observations
        )
        waits = finding.silence is Silence.WAITS
        if (result_of(finding) is not Result.FAULT and not waits) or (is_own and not waits):
            continue
        by = next((one.cause for one in likely if one.cause in FOLLOWS.get(finding.check, ())), None)
        if by is not None:
            explained.append(Explained(finding.check, by))
    return tuple(explained)


#: What a check may answer, one of these at a time, for weighing what it would tell.
_MAY_ANSWER: Final[Mapping[Check, tuple[Seen, ...]]] = {
    Check.JOURNAL: (Seen.JOURNAL_READY, Seen.JOURNAL_FAILED),
    Check.KEYSTORE: (Seen.VALUE_AS_KEPT, Seen.VALUE_OTHER, Seen.VALUE_MISSING, Seen.KEYSTORE_SHUT),
    Check.NAME: (Seen.NAME_FOUND, Seen.NAME_NOT_FOUND, Seen.NAME_SILENT),
    Check.CONNECT: (Seen.CONNECTED, Seen.CONNECT_REFUSED, Seen.CONNECT_SILENT, Seen.CONNECT_LOST),
    Check.PROXY: (Seen.PROXY_PASSES, Seen.PROXY_UNUSABLE, Seen.PROXY_REFUSES, Seen.PROXY_ANSWERS_ITSELF),
    Check.TLS: (
        Seen.TLS_TRUSTED,
        Seen.TLS_EXPIRED,
        Seen.TLS_WRONG_HOST,
        Seen.TLS_UNTRUSTED,
        Seen.TLS_INSPECTION,
        Seen.TLS_SILENT,
    ),
    Check.CLOCK: (Seen.CLOCK_RIGHT, Seen.CLOCK_WRONG),
    Check.GATEWAY: (
        Seen.GATEWAY_ASKS_FOR_KEY,
        Seen.GATEWAY_PAGE,
        Seen.GATEWAY_NO_PATH,
        Seen.GATEWAY_FAILING,
        Seen.GATEWAY_SILENT,
    ),
    Check.CALL: (
        Seen.CALL_ACCEPTED,
        Seen.CALL_UNAUTHORISED,
        Seen.CALL_FORBIDDEN,
        Seen.CALL_RATE_LIMIT,
        Seen.CALL_FAILING,
        Seen.CALL_SILENT,
    ),
    Check.FORMS: (Seen.OTHER_FORM_ACCEPTED, Seen.OTHER_FORMS_REFUSED),
    Check.PERMISSIONS: (Seen.USER_MAY_SELL, Seen.USER_MAY_NOT_SELL, Seen.USER_DISABLED),
    Check.DEVICE: (Seen.DEVICE_READY, Seen.DEVICE_UNKNOWN, Seen.DEVICE_OFFLINE, Seen.DEVICE_BUSY),
    Check.ELSEWHERE: (Seen.ELSEWHERE_ACCEPTED, Seen.ELSEWHERE_REFUSED),
    Check.PORTAL: (Seen.PORTAL_LISTED, Seen.PORTAL_NOT_LISTED, Seen.PORTAL_USER_OFF),
}
#: About how many seconds each takes, and what its risk is worth in seconds: a call counts as one against the
#: rate limit, one with a consent may be noticed, and a person has to look for themselves.
_COST_S: Final[Mapping[Check, float]] = {
    Check.JOURNAL: 0.05,
    Check.KEYSTORE: 0.5,
    Check.NAME: 0.2,
    Check.CONNECT: 0.3,
    Check.PROXY: 0.5,
    Check.TLS: 0.4,
    Check.CLOCK: 0.4,
    Check.GATEWAY: 0.5,
    Check.CALL: 0.5,
    Check.FORMS: 1.5,
    Check.PERMISSIONS: 0.5,
    Check.DEVICE: 0.5,
    Check.ELSEWHERE: 0.5,
    Check.PORTAL: 60.0,
}
_RISK_S: Final[Mapping[Check, float]] = {Check.FORMS: 2.0, Check.ELSEWHERE: 1.0}
#: A check that tells less than this, in bits, isn't worth making.
_LEAST_BITS: Final = 0.05


def _next_check(causes: Sequence[Judged], offered: Collection[Check]) -> NextCheck | None:
    """Return the offered check that tells most about the open causes for its seconds and its risk."""
    suspects = [one for one in causes if one.is_suspected]
    if len(suspects) < 2 or suspects[0].points - suspects[1].points >= _SHOWN:  # noqa: PLR2004 - one stands alone
        return None
    top = suspects[0].points
    weights = {one.cause: 2.0 ** (one.points - top) for one in suspects}
    whole = sum(weights.values())
    odds = {cause: weight / whole for cause, weight in weights.items()}
    worth = []
    for check in Check:
        if check in offered and check in _MAY_ANSWER:
            bits = _bits(check, odds)
            if bits >= _LEAST_BITS:
                worth.append((bits / (_COST_S[check] + _RISK_S.get(check, 0.0)), check))
    if not worth:
        return None
    best = max(worth, key=lambda one: one[0])[1]
    answers = _MAY_ANSWER[best]
    separates = tuple(
        one.cause for one in suspects if any(_factor(seen, one.cause) != 1.0 for seen in answers)
    )
    return NextCheck(best, separates, _COST_S[best])


def _factor(seen: Seen, cause: Cause) -> float:
    """Return how much likelier an answer is where a cause is there."""
    sign = SIGNS[seen]
    return 0.0 if cause in sign.rules_out else 2.0 ** sign.points.get(cause, 0)


def _bits(check: Check, odds: Mapping[Cause, float]) -> float:
    """Return how many bits an answer of a check tells about which cause it is, as one expects it."""
    answers = _MAY_ANSWER[check]
    told = 0.0
    likelihood: dict[Cause, list[float]] = {}
    for cause in odds:
        factors = [_factor(seen, cause) for seen in answers]
        whole = sum(factors)
        likelihood[cause] = (
            [factor / whole for factor in factors] if whole else [1 / len(answers)] * len(answers)
        )
    for place in range(len(answers)):
        chance = sum(odds[cause] * likelihood[cause][place] for cause in odds)
        for cause in odds:
            joint = odds[cause] * likelihood[cause][place]
            if joint > 0:
                told += joint * math.log2(likelihood[cause][place] / chance)
    return told
