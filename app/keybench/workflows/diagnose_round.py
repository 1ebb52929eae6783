"""Makes checks side by side, each and all of them within a time limit, and tells of each as it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

from keybench.core.diagnosis.checks import Check, Finding, Observation, Result, Silence
from keybench.core.diagnosis.evidence import result_of
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
        await _handled(task)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        for one in (task, *enders):
            one.cancel()


def _started(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task; what it raises after it was given up is nobody's news."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return task


async def _handled(task: asyncio.Task[Any]) -> None:
    """Give a task whose time is over the turns to end by itself."""
    for _ in range(_TURNS):
        if not task.done():
            await asyncio.sleep(0)


class Round:
    """One round of checks.

    Args:
        clock: Measures the limits.
        steps: The checks that are made.
        on_finding: Told of each as it ends.
        known: How checks ended that aren't made again.
    """

    def __init__(
        self,
        clock: Clock,
        steps: Mapping[Check, Step],
        on_finding: OnFinding,
        known: Mapping[Check, Finding] | None = None,
    ) -> None:
        self._clock = clock
        self._steps = steps
        self._on_finding = on_finding
        self._findings: dict[Check, Finding] = dict(known or {})
        self._ended: dict[Check, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def made(
        self, limit_s: float = ALL_S, stop: asyncio.Event | None = None
    ) -> Mapping[Check, Finding]:
        """Make the checks, and return how all of them ended; none goes on afterwards.

        Args:
            limit_s: How long all of them may take.
            stop: Once it is set, they are given up.
        """
        self._ended = {check: asyncio.Event() for check in self._steps}
        checks = {self._start(self._make(check, step)) for check, step in self._steps.items()}
        limit = self._start(self._clock.sleep(limit_s))
        enders = {limit, self._start(stop.wait())} if stop else {limit}
        try:
            while checks and not any(one.done() for one in enders):
                await asyncio.wait({*checks, *enders}, return_when=asyncio.FIRST_COMPLETED)
                checks = {one for one in checks if not one.done()}
            silence = Silence.TIME if limit.done() else Silence.STOPPED if checks else Silence.CRASHED
        finally:
            await self._give_up()
        for check in self._steps:
            if check not in self._findings:
                self._end(Finding(check, silence=silence))
        return self._findings

    async def _make(self, check: Check, step: Step) -> None:
        for one in step.after:
            if one in self._ended:
                await self._ended[one].wait()
        began = self._clock.monotonic()
        try:
            step.may_begin(self._findings)
            seen = await self._limited(check, step)
            if not seen:
                await self._explain(step, Silence.NOT_TOLD)
            told = Finding(check, tuple(seen), self._clock.monotonic() - began)
        except Untold as untold:
            waits = untold.silence is Silence.WAITS
            took_s = 0.0 if waits else self._clock.monotonic() - began
            waits_for = self._root(untold.waits_for) if untold.waits_for else None
            told = Finding(check, (), took_s, untold.silence, waits_for)
        self._end(told)

    async def _limited(self, check: Check, step: Step) -> Sequence[Observation]:
        """Return what a check saw, and give it up when its time is over."""
        work, limit = self._start(step.make()), self._start(self._clock.sleep(CHECK_S))
        try:
            await asyncio.wait({work, limit}, return_when=asyncio.FIRST_COMPLETED)
            await _handled(work)
            if not work.done() or work.cancelled():
                await self._explain(step, Silence.TIME, waits=False)
            error = work.exception()
            if error is None:
                return work.result()
            if not isinstance(error, Untold):
                # Its text may hold anything, so only its kind is logged.
                _log.error("the check %s failed: %s", check, type(error).__name__)
                raise Untold(Silence.CRASHED)
            raise error
        finally:
            limit.cancel()
            work.cancel()

    async def _explain(self, step: Step, silence: Silence, *, waits: bool = True) -> NoReturn:
        """Say why a check saw nothing: the trouble of one before it on the way, else `silence`."""
        for one in step.way:
            if waits and one in self._ended:
                await self._ended[one].wait()
            found = self._findings.get(one)
            if found is not None and result_of(found) is Result.FAULT:
                raise Untold(Silence.WAITS, one)
        raise Untold(silence)

    def _root(self, check: Check) -> Check:
        """Return what a check that waits waits for, where it does, so that one trouble is told once."""
        found = self._findings.get(check)
        return found.waits_for if found and found.waits_for else check

    def _end(self, finding: Finding) -> None:
        self._findings[finding.check] = finding
        self._ended[finding.check].set()
        self._on_finding(finding)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = _started(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _give_up(self) -> None:
        """Cancel what goes on; what doesn't end at once, such as a thread that hangs, isn't waited for."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_ENDING_S)
