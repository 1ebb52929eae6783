"""Environments: one gateway to talk to, with its kind, address and contract."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

PRACTICE_ID: Final = "practice"
#: The proxy that the operating system is set to, if any.
SYSTEM_PROXY: Final = "system"
#: No proxy, whatever the operating system is set to.
NO_PROXY: Final = "none"


class EnvironmentKind(enum.StrEnum):
    """What a sale in an environment means: nothing, a test, or money."""

    PRACTICE = "practice"
    TEST = "test"
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Environment:
    """One gateway to talk to. Keys, devices and sales belong to exactly one.

    Its `base_url` has no slash at its end; practice has none, as its gateway is found when it is up. The
    limit is a figure in whichever currency; `proxy` is `SYSTEM_PROXY`, `NO_PROXY`, or a proxy's address.
    """

    id: str
    name: str
    kind: EnvironmentKind
    base_url: str
    contract: str
    created_at: datetime
    amount_limit: Decimal | None = None
    proxy: str = SYSTEM_PROXY
    portal_url: str = ""

    @property
    def is_live(self) -> bool:
        """Whether real money moves here."""
        return self.kind is EnvironmentKind.LIVE


_MARKS: Final = {EnvironmentKind.PRACTICE: "●", EnvironmentKind.TEST: "◆", EnvironmentKind.LIVE: "▲"}


def mark_of(kind: EnvironmentKind) -> str:
    """Return the mark of a kind: a disc, a diamond or a triangle."""
    return _MARKS[kind]


def marking(environment: Environment) -> str:
    """Return mark, kind and name, such as ``◆ TEST · Sandbox``."""
    return f"{_MARKS[environment.kind]} {environment.kind.upper()} · {environment.name}"
