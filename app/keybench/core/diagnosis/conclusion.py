"""From findings to a conclusion by the rules: the causes in order, whose trouble it is, the next check."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.diagnosis.causes import Cause, Trouble, trouble_of
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Result, Sign, Silence
from keybench.core.diagnosis.rules import RULES, excludes, result_of
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.exchange import Exchange

#: Which check shows whether it is this cause, where more than one can't be told apart.
_SHOWN_BY: Final = {
    Cause.JOURNAL: Check.JOURNAL,
    Cause.KEYSTORE: Check.KEYSTORE,
    Cause.NAME_RESOLUTION: Check.NAME,
    Cause.CONNECTION_REFUSED: Check.CONNECT,
    Cause.PROXY: Check.PROXY,
    Cause.CLOCK: Check.CLOCK,
    Cause.TLS_EXPIRED: Check.TLS,
    Cause.TLS_UNTRUSTED: Check.TLS,
    Cause.BASE_URL: Check.GATEWAY,
    Cause.NOT_A_GATEWAY: Check.GATEWAY,
    Cause.NO_ANSWER: Check.GATEWAY,
    Cause.CONNECTION_LOST: Check.GATEWAY,
    Cause.GATEWAY_FAILING: Check.GATEWAY,
    Cause.RATE_LIMIT: Check.CALL,
    Cause.KEY_INVALID: Check.ELSEWHERE,
    Cause.KEY_WRONG_ENVIRONMENT: Check.ELSEWHERE,
    Cause.KEY_EXPIRED_OR_DELETED: Check.FORMS,
    Cause.KEY_FORM: Check.FORMS,
    Cause.HEADER_FORM: Check.FORMS,
    Cause.USER_DISABLED: Check.PERMISSIONS,
    Cause.PERMISSION_MISSING: Check.PERMISSIONS,
    Cause.DEVICE_UNKNOWN: Check.DEVICE,
    Cause.DEVICE_OFFLINE: Check.DEVICE,
    Cause.DEVICE_BUSY: Check.DEVICE,
}
#: A check that ended so may tell something when it is made again, or with a person's consent.
_MAY_YET_TELL: Final = frozenset({Silence.NOT_ASKED, Silence.TIME, Silence.CRASHED, Silence.STOPPED})


class Standing(enum.StrEnum):
    """How a cause stands."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    RULED_OUT = "ruled_out"


@dataclass(frozen=True, slots=True)
class Judged:
    """A cause with what was seen of it.

    Attributes:
        speaking: What points to it.
        against: What rules it out.
        is_past: Whether it was there when something failed, and is ruled out now.
    """

    cause: Cause
    standing: Standing
    speaking: tuple[Observation, ...] = ()
    against: tuple[Observation, ...] = ()
    is_past: bool = False

    @property
    def is_suspected(self) -> bool:
        """Whether something points to it, and nothing rules it out."""
        return bool(self.speaking) and self.standing is not Standing.RULED_OUT


@dataclass(frozen=True, slots=True)
class Explained:
    """A check that waits for another one, whose trouble is a likely cause."""

    check: Check
    by: Cause


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What findings come to.

    Attributes:
        causes: All of them: the likely ones, the possible ones, then those that are ruled out, each in the
            order of the rules.
        next_check: The check that tells of the first cause of which one can still tell; None if none is open.
    """

    trouble: Trouble
    causes: tuple[Judged, ...]
    explained: tuple[Explained, ...] = ()
    next_check: Check | None = None

    @property
    def suspects(self) -> tuple[Judged, ...]:
        """The causes that something points to."""
        return tuple(one for one in self.causes if one.is_suspected)

    @property
    def likely(self) -> tuple[Judged, ...]:
        """The likely causes."""
        return tuple(one for one in self.causes if one.standing is Standing.LIKELY)

    @property
    def ruled_out(self) -> tuple[Judged, ...]:
        """The causes that can't be."""
        return tuple(one for one in self.causes if one.standing is Standing.RULED_OUT)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a diagnosis was about, what it saw and what that comes to. Nothing secret is in it.

    Attributes:
        at: When it was begun, UTC.
        took_s: How long it took so far, in seconds.
        environment: The environment's name.
        key_name, fingerprint, device: Empty where it was about none.
        findings: In the order of `Check`.
        reference: The reference of the sale that failed; empty where it was about none.
        request_id: The gateway's identifier of that sale; empty where it is not known.
    """

    at: datetime
    took_s: float
    environment: str
    kind: EnvironmentKind
    host: str
    key_name: str
    fingerprint: str
    device: str
    findings: tuple[CheckFinding, ...]
    conclusion: Conclusion
    reference: str = ""
    request_id: str = ""

    @property
    def key(self) -> str:
        """The key's name, with its fingerprint where it has one."""
        return f"{self.key_name} ({self.fingerprint})" if self.fingerprint else self.key_name

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What was asked of the gateway meanwhile, redacted, in order."""
        asked = [one for made in self.findings if made.check is not Check.FAILURE for one in made.exchanges]
        return tuple(sorted(asked, key=lambda one: one.at))

    def finding(self, check: Check) -> CheckFinding | None:
        """Return how a check ended; None where it wasn't made."""
        return next((one for one in self.findings if one.check is check), None)


def conclude(findings: Sequence[CheckFinding]) -> Conclusion:
    """Return what findings come to, in any order; a check that goes on is left out."""
    causes = _judged(findings)
    suspects = [one.cause for one in causes if one.is_suspected]
    can_tell = {one.check for one in findings if one.silence in _MAY_YET_TELL}
    helps = [_SHOWN_BY.get(cause) for cause in suspects] if len(suspects) > 1 else []
    next_check = next((check for check in helps if check in can_tell), None)
    return Conclusion(_trouble(causes, findings), causes, _explained(causes, findings), next_check)


def _judged(findings: Sequence[CheckFinding]) -> tuple[Judged, ...]:
    by_check = sorted(findings, key=lambda finding: list(Check).index(finding.check))
    seen: dict[Sign, Observation] = {}
    for finding in by_check:
        for one in finding.observations:
            seen.setdefault(one.seen, one)
    placed: dict[Cause, Standing] = {}
    speaking: dict[Cause, dict[Sign, Observation]] = {cause: {} for cause in Cause}
    for rule in RULES:
        if rule.holds(seen):
            shown = {one: seen[one] for one in seen if one in rule.seen or one in rule.beside}
            for standing, causes in ((Standing.LIKELY, rule.likely), (Standing.POSSIBLE, rule.possible)):
                for cause in causes:
                    placed.setdefault(cause, standing)
                    speaking[cause] |= shown
    placed |= {cause: Standing.POSSIBLE for cause in Cause if cause not in placed}
    judged = [
        _with_what_excludes(cause, standing, tuple(speaking[cause].values()), seen)
        for cause, standing in placed.items()
    ]
    return tuple(sorted(judged, key=lambda one: list(Standing).index(one.standing)))


def _with_what_excludes(
    cause: Cause, standing: Standing, speaking: tuple[Observation, ...], seen: Mapping[Sign, Observation]
) -> Judged:
    """Return a cause with what rules it out; what was seen itself isn't undone by what is seen later."""
    against = tuple(seen[one] for one in seen if excludes(one, cause, seen))
    if against and standing is not Standing.LIKELY:
        standing = Standing.RULED_OUT
    return Judged(cause, standing, speaking, against, bool(against) and standing is Standing.LIKELY)


def _trouble(causes: Sequence[Judged], findings: Sequence[CheckFinding]) -> Trouble:
    """Return whose trouble the first likely cause is, or all possible ones are; else it is open."""
    likely = [one for one in causes if one.standing is Standing.LIKELY]
    if likely:
        return trouble_of(likely[0].cause)
    sides = {trouble_of(one.cause) for one in causes if one.is_suspected}
    has_fault = any(result_of(finding) is Result.FAULT for finding in findings)
    if sides:
        return sides.pop() if len(sides) == 1 and has_fault else Trouble.OPEN
    works = any(one.seen is Sign.CALL_ACCEPTED for finding in findings for one in finding.observations)
    return Trouble.NONE if works and not has_fault else Trouble.OPEN


def _explained(causes: Sequence[Judged], findings: Sequence[CheckFinding]) -> tuple[Explained, ...]:
    """Return which checks couldn't tell only because of a likely cause that another check saw."""
    explained = []
    for finding in findings:
        if finding.silence is Silence.WAITS:
            found = next((one for one in findings if one.check is finding.waits_for), None)
            seen = {one.seen for one in found.observations} if found else set()
            likely = [one for one in causes if one.standing is Standing.LIKELY]
            by = next(
                (one.cause for one in likely if any(shown.seen in seen for shown in one.speaking)), None
            )
            if by is not None:
                explained.append(Explained(finding.check, by))
    return tuple(explained)
