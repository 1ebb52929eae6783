"""Makes checks side by side, each and all of them within a time limit, and tells of each as it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Result, Silence
from keybench.core.diagnosis.rules import result_of
from keybench.core.errors import GatewayError
from keybench.core.exchange import Exchange
from keybench.core.ports import Clock

#: The longest that one check takes, and all of them, in seconds.
CHECK_S: Final = 3.0
ALL_S: Final = 20.0
#: For how long what was cancelled is waited for; a thread that hangs is left to itself.
_ENDING_S: Final = 0.2
#: As many turns of the loop has what has come already when a limit has passed: after the program stood still,
#: timers are due before the socket was read.
_TURNS: Final = 5

#: So ends a check before it is made.
_NOT_MADE: Final = frozenset({Silence.WAITS, Silence.NOT_ASKED, Silence.NEEDLESS})

T = TypeVar("T")
OnFinding = Callable[[CheckFinding], None]
_log: Final = logging.getLogger(__name__)


class Untold(Exception):
    """A check can't tell anything, and why."""

    def __init__(self, silence: Silence, waits_for: Check | None = None) -> None:
        super().__init__(silence)
        self.silence = silence
        self.waits_for = waits_for


@dataclass(frozen=True, slots=True)
class Step:
    """How a check is made.

    Attributes:
        make: Makes it, and returns what it saw; may raise `Untold`.
        after: The checks that end before it begins.
        way: The checks whose trouble explains that it saw nothing, the first of them first.
    """

    make: Callable[[], Coroutine[Any, Any, Sequence[Observation]]]
    after: tuple[Check, ...] = ()
    way: tuple[Check, ...] = ()


async def limited(
    clock: Clock, work: Coroutine[Any, Any, T], seconds: float, stop: asyncio.Event | None = None
) -> T:
    """Return what `work` returns, or raise what it raises; it is given up when its time is over.

    Raises:
        TimeoutError: Its time is over, or `stop` was set.
    """
    task = _started(work)
    enders = [_started(clock.sleep(seconds)), *([_started(stop.wait())] if stop else [])]
    try:
        await asyncio.wait({task, *enders}, return_when=asyncio.FIRST_COMPLETED)
        for _ in range(_TURNS):
            if not task.done():
                await asyncio.sleep(0)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        for one in (task, *enders):
            one.cancel()
        if not task.done():
            await asyncio.wait({task}, timeout=_ENDING_S)


def _started(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task; what it raises after it was given up is nobody's news."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return task


class CheckRun:
    """One round of checks."""

    def __init__(
        self,
        clock: Clock,
        steps: Mapping[Check, Step],
        asked: Mapping[Check, Sequence[Exchange]],
        findings: dict[Check, CheckFinding],
        on_finding: OnFinding,
    ) -> None:
        self._clock = clock
        self._steps = steps
        self._asked = asked
        self._findings = findings
        self._on_finding = on_finding
        self._ended = {check: asyncio.Event() for check in steps}

    async def make(self, limit_s: float, stop: asyncio.Event | None = None) -> None:
        """Make the checks; none goes on afterwards."""
        with suppress(TimeoutError):
            await limited(self._clock, self._make_all(), limit_s, stop)
        silence = Silence.STOPPED if stop and stop.is_set() else Silence.TIME
        for check in self._steps:
            if not self._ended[check].is_set():
                self._end(CheckFinding(check, silence=silence))

    async def _make_all(self) -> None:
        async with asyncio.TaskGroup() as checks:
            for check, step in self._steps.items():
                checks.create_task(self._make(check, step))

    async def _make(self, check: Check, step: Step) -> None:
        await self._wait_for(step.after)
        began = self._clock.monotonic()
        try:
            seen = await self._seen(check, step)
            told = CheckFinding(check, tuple(seen), self._clock.monotonic() - began)
        except Untold as untold:
            took_s = 0.0 if untold.silence in _NOT_MADE else self._clock.monotonic() - began
            found = self._findings.get(untold.waits_for) if untold.waits_for else None
            # What that one waits for itself, where it does, so that one trouble is told once.
            waits_for = found.waits_for if found and found.waits_for else untold.waits_for
            told = CheckFinding(check, (), took_s, untold.silence, waits_for)
        self._end(told)

    async def _seen(self, check: Check, step: Step) -> Sequence[Observation]:
        """Return what a check saw; where it saw nothing, say why."""
        (seen,) = await asyncio.gather(limited(self._clock, step.make(), CHECK_S), return_exceptions=True)
        if isinstance(seen, TimeoutError):
            raise self._untold(step, Silence.TIME)
        if isinstance(seen, Untold):
            raise seen
        if isinstance(seen, GatewayError):  # the contract can't be used
            raise Untold(Silence.WAITS, Check.CONTRACT)
        if isinstance(seen, BaseException):
            # Its text may hold anything, so only its kind is logged.
            _log.error("the check %s failed: %s", check, type(seen).__name__)
            raise Untold(Silence.CRASHED)
        if not seen:
            await self._wait_for(step.way)
            raise self._untold(step, Silence.NOT_TOLD)
        return seen

    def _untold(self, step: Step, silence: Silence) -> Untold:
        """Return why a check saw nothing: the trouble of one before it on the way, else `silence`."""
        for one in step.way:
            found = self._findings.get(one)
            if found is not None and result_of(found) is Result.FAULT:
                return Untold(Silence.WAITS, one)
        return Untold(silence)

    async def _wait_for(self, checks: Sequence[Check]) -> None:
        for one in checks:
            if one in self._ended:
                await self._ended[one].wait()

    def _end(self, finding: CheckFinding) -> None:
        finding = replace(finding, exchanges=tuple(self._asked[finding.check]))
        self._findings[finding.check] = finding
        self._ended[finding.check].set()
        self._on_finding(finding)
