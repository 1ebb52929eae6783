"""Makes checks side by side, each and all of them within a time limit, and tells of each as it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

from keybench.core.diagnosis.checks import Check, Finding, Observation, Result, Silence
from keybench.core.diagnosis.rules import result_of
from keybench.core.ports import Clock

#: The longest that one check takes, and all of them, in seconds.
CHECK_S: Final = 3.0
ALL_S: Final = 20.0
#: For how long what was cancelled is waited for; a thread that hangs is left to itself.
_ENDING_S: Final = 0.2
#: As many turns of the loop has what has come already when a limit has passed: after the program stood still,
#: timers are due before the socket was read.
_TURNS: Final = 5

T = TypeVar("T")
OnFinding = Callable[[Finding], None]
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
        may_begin: Does nothing where those ended so that it can tell something, else raises `Untold`.
        way: The checks whose trouble explains that it saw nothing, the first of them first.
    """

    make: Callable[[], Coroutine[Any, Any, Sequence[Observation]]]
    after: tuple[Check, ...] = ()
    may_begin: Callable[[Mapping[Check, Finding]], None] = lambda _findings: None
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


class Round:
    """One round of checks; `on_finding` is told of each as it ends."""

    def __init__(self, clock: Clock, steps: Mapping[Check, Step], on_finding: OnFinding) -> None:
        self._clock = clock
        self._steps = steps
        self._on_finding = on_finding
        self._findings: dict[Check, Finding] = {}
        self._ended = {check: asyncio.Event() for check in steps}

    async def made(self, limit_s: float, stop: asyncio.Event | None = None) -> Mapping[Check, Finding]:
        """Make the checks, and return how all of them ended; none goes on afterwards.

        Args:
            limit_s: How long all of them may take, in seconds.
            stop: Once it is set, they are given up.
        """
        with suppress(TimeoutError):
            await limited(self._clock, self._make_all(), limit_s, stop)
        silence = Silence.STOPPED if stop and stop.is_set() else Silence.TIME
        for check in self._steps:
            if not self._ended[check].is_set():
                self._end(Finding(check, silence=silence))
        return self._findings

    async def _make_all(self) -> None:
        async with asyncio.TaskGroup() as checks:
            for check, step in self._steps.items():
                checks.create_task(self._make(check, step))

    async def _make(self, check: Check, step: Step) -> None:
        for one in step.after:
            if one in self._ended:
                await self._ended[one].wait()
        began = self._clock.monotonic()
        try:
            step.may_begin(self._findings)
            seen = await self._seen(check, step)
            told = Finding(check, tuple(seen), self._clock.monotonic() - began)
        except Untold as untold:
            waits = untold.silence is Silence.WAITS
            took_s = 0.0 if waits else self._clock.monotonic() - began
            found = self._findings.get(untold.waits_for) if untold.waits_for else None
            # What that one waits for itself, where it does, so that one trouble is told once.
            waits_for = found.waits_for if found and found.waits_for else untold.waits_for
            told = Finding(check, (), took_s, untold.silence, waits_for)
        self._end(told)

    async def _seen(self, check: Check, step: Step) -> Sequence[Observation]:
        """Return what a check saw; where it saw nothing, say why."""
        making = limited(self._clock, step.make(), CHECK_S)
        (seen,) = await asyncio.gather(making, return_exceptions=True)
        if isinstance(seen, TimeoutError):
            self._explain(step, Silence.TIME)
        if isinstance(seen, Untold):
            raise seen
        if isinstance(seen, BaseException):
            # Its text may hold anything, so only its kind is logged.
            _log.error("the check %s failed: %s", check, type(seen).__name__)
            raise Untold(Silence.CRASHED)
        if not seen:
            for one in step.way:
                if one in self._ended:
                    await self._ended[one].wait()
            self._explain(step, Silence.NOT_TOLD)
        return seen

    def _explain(self, step: Step, silence: Silence) -> NoReturn:
        """Raise why a check saw nothing: the trouble of one before it on the way, else `silence`."""
        for one in step.way:
            found = self._findings.get(one)
            if found is not None and result_of(found) is Result.FAULT:
                raise Untold(Silence.WAITS, one)
        raise Untold(silence)

    def _end(self, finding: Finding) -> None:
        self._findings[finding.check] = finding
        self._ended[finding.check].set()
        self._on_finding(finding)
