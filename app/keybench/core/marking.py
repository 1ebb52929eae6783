"""An environment's mark and kind as text, for titles and everything that leaves the program."""

from __future__ import annotations

from typing import Final

from keybench.core.environment import Environment, EnvironmentKind

_MARKS: Final = {EnvironmentKind.PRACTICE: "●", EnvironmentKind.TEST: "◆", EnvironmentKind.LIVE: "▲"}


def mark_of(kind: EnvironmentKind) -> str:
    """Return the mark of a kind: a disc, a diamond or a triangle."""
    return _MARKS[kind]


def marking(environment: Environment) -> str:
    """Return mark, kind and name, such as ``◆ TEST · Sandbox``."""
    return f"{_MARKS[environment.kind]} {environment.kind.upper()} · {environment.name}"
