"""Supervises background tasks: each has a name, is held until it ends, and fails along one path."""

from __future__ import annotations

import asyncio
from asyncio import FIRST_COMPLETED
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from keybench.runtime.clock import AGAIN_S

if TYPE_CHECKING:  # the window is shown before the ports are imported
    from keybench.core.ports import Clock

T = TypeVar("T")
Failure = Callable[[str, BaseException], None]


class Supervisor:
    """Starts coroutines as tasks, one of a name at a time, and reports what they raise."""

    def __init__(self, on_failure: Failure) -> None:
        self._on_failure = on_failure
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._closed = False

    def start(
        self,
        name: str,
        work: Coroutine[Any, Any, Any],
        *,
        on_failure: Failure | None = None,
        on_end: Callable[[], object] | None = None,
    ) -> bool:
        """Start `work` under `name`, unless one of that name is still under way or we are closing.

        Return whether it was started; if not, `work` is closed unrun. `on_failure` takes the place of the
        common path.
        """
        if self._closed or self.is_running(name):
            work.close()
            return False
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks[name] = task

        def done(ended: asyncio.Task[Any]) -> None:
            if on_end:
                on_end()
            self._done(name, ended, on_failure or self._on_failure)

        task.add_done_callback(done)
        return True

    def report(self, name: str, error: BaseException) -> None:
        """Send a failure the common way, for a path of a task's own that doesn't take it."""
        self._on_failure(name, error)

    def is_running(self, name: str) -> bool:
        """Tell whether a task of that name is under way."""
        return name in self._tasks

    @property
    def running(self) -> tuple[str, ...]:
        """The names under way."""
        return tuple(self._tasks)

    def cancel(self, name: str) -> None:
        """Ask the task of that name to stop; no error if there is none."""
        if task := self._tasks.get(name):
            task.cancel()

    def stop(self, *, but: asyncio.Task[Any] | None = None) -> None:
        """Start nothing more and ask every task to stop, except for `but`."""
        self._closed = True
        for task in self._tasks.values():
            if task is not but:
                task.cancel()

    async def close(self, *, patience_s: float = 2.0) -> None:
        """Start nothing more, cancel what runs and wait for it, `patience_s` seconds at most.

        A task of ours may call this; it isn't cancelled itself.
        """
        this = asyncio.current_task()
        tasks = [task for task in self._tasks.values() if task is not this]
        self.stop(but=this)
        if tasks:
            await asyncio.wait(tasks, timeout=patience_s)

    def _done(self, name: str, task: asyncio.Task[Any], on_failure: Failure) -> None:
        self._tasks.pop(name, None)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            on_failure(name, error)


async def shielded(work: Coroutine[Any, Any, T], clock: Clock, *, grace_s: float) -> T:
    """Run `work` and return what it returns; if the caller is cancelled meanwhile, let it go on for a while.

    What it has begun it can end so: an answer that has come is kept. The caller is cancelled afterwards.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        grace = loop.create_task(_passed(clock, grace_s))
        while not task.done():  # however often the caller is cancelled meanwhile
            if grace.done():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task] if grace.done() else [task, grace], return_when=FIRST_COMPLETED)
        grace.cancel()
        if not task.cancelled():
            task.exception()  # nobody is left to take it
        raise


async def _passed(clock: Clock, grace_s: float) -> None:
    await clock.sleep(grace_s)
    await clock.sleep(AGAIN_S)  # if the program stood still meanwhile, what has come is read first
