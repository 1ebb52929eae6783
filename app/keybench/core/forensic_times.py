"""When a sale's events were, though the clock was set meanwhile: the gateway's clock shows by how much."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from keybench.core.exchange import Exchange
from keybench.core.sale import SaleEvent

#: `Date` has whole seconds, and an answer may be on its way for some.
_SURE_S: Final = 4.0
#: An exchange belongs to the event that was noted so soon after its end.
_NEAR_S: Final = 2.0
_ASK_TO_WAIT: Final = frozenset({403, 429, 503})
_SECONDS: Final = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Jump:
    """This computer's clock was set.

    Attributes:
        at_s: When, in seconds since the sale was noted.
        by_s: By how much; below zero if it was set back.
        is_measured: Whether the gateway's clock shows it; else it is the least that it can have been.
    """

    at_s: float
    by_s: float
    is_measured: bool


def seconds_of(
    noted_at: datetime, events: Sequence[SaleEvent], answers: Answers
) -> tuple[tuple[float, ...], tuple[Jump, ...]]:
    """Return when each event was, in seconds since the sale was noted and never falling; and the jumps.

    Args:
        noted_at: When the sale was noted, UTC.
        events: Its timeline, in the order in which it was written.
        answers: Its answers, which tell the gateway's time.
    """
    seconds: list[float] = []
    jumps: list[Jump] = []
    ahead_s, latest_s = 0.0, 0.0
    before: tuple[datetime, datetime] | None = None
    for event in events:
        wall_s = (event.at - noted_at).total_seconds()
        told_at = answers.gateway_time(event.at) if event.took_s is not None else None
        if told_at and before:
            jump_s = (event.at - before[0] - (told_at - before[1])).total_seconds()
            if abs(jump_s) >= _SURE_S:
                ahead_s += jump_s
                jumps.append(Jump(max(wall_s - ahead_s, latest_s), jump_s, is_measured=True))
        elif wall_s - ahead_s < latest_s - 1:
            by_s = wall_s - ahead_s - latest_s
            ahead_s += by_s
            jumps.append(Jump(latest_s, by_s, is_measured=False))
        if told_at:
            before = event.at, told_at
        latest_s = max(latest_s, wall_s - ahead_s)
        seconds.append(latest_s)
    return tuple(seconds), tuple(jumps)


class Answers:
    """A sale's answers, found by when they ended.

    Args:
        exchanges: Its exchanges.
    """

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self._by_second: dict[int, list[tuple[float, Exchange]]] = {}
        for one in exchanges:
            ended = one.at.timestamp() + one.timings.total_s
            self._by_second.setdefault(int(ended), []).append((ended, one))

    def retry_after_s(self, at: datetime) -> float | None:
        """Return for how long the gateway asked to wait in the answer that ended then; None if it didn't."""
        found = self._at(at)
        text = _header(found, "retry-after") if found and found.status in _ASK_TO_WAIT else ""
        return float(text) if _SECONDS.fullmatch(text) else None

    def gateway_time(self, at: datetime) -> datetime | None:
        """Return the gateway's time in the answer that ended then; None if it didn't tell it."""
        found = self._at(at)
        try:
            told = parsedate_to_datetime(_header(found, "date")) if found else None
        except ValueError:
            return None
        return told if told is None or told.tzinfo else told.replace(tzinfo=UTC)

    def _at(self, at: datetime) -> Exchange | None:
        wanted = at.timestamp()
        seconds = range(int(wanted - _NEAR_S), int(wanted + _NEAR_S) + 1)
        near = [pair for second in seconds for pair in self._by_second.get(second, ())]
        found = min(near, key=lambda pair: abs(pair[0] - wanted), default=None)
        return found[1] if found and abs(found[0] - wanted) <= _NEAR_S else None


def _header(exchange: Exchange, name: str) -> str:
    return next((value.strip() for one, value in exchange.response_headers if one.lower() == name), "")
