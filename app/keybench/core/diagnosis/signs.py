"""What an observation means for each cause: the form of the table in `core.diagnosis.evidence`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Result, Seen

#: As many points have what shows the cause itself.
SAYS_SO: Final = 8


@dataclass(frozen=True, slots=True)
class Sign:
    """What an observation means.

    Attributes:
        result: How the check ends by it.
        points: For and against causes.
        rules_out: What can't be where this is seen.
        unless: It rules nothing out where one of these is seen, too.
        moot: It tells nothing at all where one of these is seen, too.
    """

    result: Result
    points: Mapping[Cause, int] = field(default_factory=dict)
    rules_out: frozenset[Cause] = frozenset()
    unless: frozenset[Seen] = frozenset()
    moot: frozenset[Seen] = frozenset()

    def weighs(self, cause: Cause, seen: Collection[Seen]) -> int:
        """Return the points for a cause, beside what else is seen."""
        return self.points.get(cause, 0) if self.moot.isdisjoint(seen) else 0

    def excludes(self, cause: Cause, seen: Collection[Seen]) -> bool:
        """Tell whether a cause can't be, beside what else is seen."""
        return cause in self.rules_out and self.unless.isdisjoint(seen)


def fine(*rules_out: Cause, **points: int) -> Sign:
    """Return the sign of a check that ends fine: what it rules out, and its points by cause."""
    return Sign(Result.FINE, _points(points), frozenset(rules_out))


def fault(*rules_out: Cause, **points: int) -> Sign:
    """Return the sign of a check that saw a fault: what it rules out, and its points by cause."""
    return Sign(Result.FAULT, _points(points), frozenset(rules_out))


def unclear(*rules_out: Cause, **points: int) -> Sign:
    """Return the sign of a check that couldn't tell: what it rules out, and its points by cause."""
    return Sign(Result.COULD_NOT_TELL, _points(points), frozenset(rules_out))


def unless(sign: Sign, *seen: Seen) -> Sign:
    """Return a sign that rules nothing out where one of these is seen."""
    return replace(sign, unless=frozenset(seen))


def moot(sign: Sign, *seen: Seen) -> Sign:
    """Return a sign that tells nothing where one of these is seen."""
    return replace(sign, moot=frozenset(seen))


def _points(named: Mapping[str, int]) -> Mapping[Cause, int]:
    return {Cause(name): points for name, points in named.items()}
