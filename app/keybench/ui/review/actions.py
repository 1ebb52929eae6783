"""What can be done about a finding from here, the most fitting first."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from keybench.core.hygiene.facts import Failure, Leak
from keybench.core.hygiene.findings import Finding, Rule
from keybench.core.security_key import KeyState


class Action(enum.StrEnum):
    """A button, by its words."""

    ROTATE = "Rotate"
    ROTATION = "Open the rotation"
    TEST = "Test key"
    APPLICATIONS = "Open the applications"
    OPEN = "Open the key"


_ROTATED: Final = (Action.ROTATE, Action.OPEN)
_TESTED: Final = (Action.TEST, Action.ROTATE, Action.OPEN)
_SEEN: Final = (Action.OPEN, Action.APPLICATIONS)
_BY_RULE: Final[Mapping[Rule, tuple[Action, ...]]] = {
    Rule.COMPROMISED: _ROTATED,
    Rule.SAME_VALUE: _ROTATED,
    Rule.USER_GONE: _ROTATED,
    Rule.FAILING: _TESTED,
    Rule.PUBLIC_SELLS: _ROTATED,
    Rule.ROTATION: (Action.ROTATION, Action.OPEN),
    Rule.WRONG_KIND: (Action.OPEN, Action.ROTATE),
    Rule.SURPLUS: _ROTATED,
    Rule.SHARED: (Action.APPLICATIONS, Action.OPEN),
    Rule.OLD: _ROTATED,
    Rule.IDLE: _SEEN,
    Rule.UNTESTED: _TESTED,
    Rule.NO_OWNER: (Action.APPLICATIONS, Action.OPEN),
    Rule.MIXED_UP: _ROTATED,
    Rule.ONE_USER: (),
}


def actions_for(finding: Finding) -> tuple[Action, ...]:
    """Return what can be done about a finding; nothing where its key is gone from here."""
    if finding.key is None:
        return ()
    match finding.facts:
        case Failure(state=KeyState.NO_VALUE):
            return (Action.OPEN,)
        case Leak(rotating=True):
            return _BY_RULE[Rule.ROTATION]
        case _:
            return _BY_RULE[finding.rule]
