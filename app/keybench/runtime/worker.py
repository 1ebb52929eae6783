"""One daemon thread that does blocking calls in order, for libraries that must stay off the main thread.

The event loop's own executor isn't used: qasync's logs every argument and result, and joins its threads
at exit, where a call that hangs would hold the program.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Job(Generic[T]):
    call: Callable[[], T]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[T]

    def run(self) -> None:
        if self.future.cancelled():
            return
        try:
            result = self.call()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits, whatever it is
            self._hand_back(self._fail, error)
        else:
            self._hand_back(self._succeed, result)

    def _hand_back(self, settle: Callable[..., None], value: object) -> None:
        try:
            self.loop.call_soon_threadsafe(settle, value)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    def _succeed(self, result: T) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def _fail(self, error: BaseException) -> None:
        if self.future.done():
            return
        if isinstance(error, StopIteration):  # a future doesn't take one, and its caller would wait for ever
            error = RuntimeError("the call raised StopIteration")
        self.future.set_exception(error)


class DaemonWorker:
    """A named daemon thread, started with the first call, that runs calls one after another."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """Run `call` on the thread when its turn comes; await the future for what it returns or raises.

        One whose future is cancelled before its turn isn't begun. One that is under way can't be stopped: it
        stays on the thread until it ends, and later calls wait behind it.
        """
        loop = asyncio.get_running_loop()
        job = _Job(call, loop, loop.create_future())
        self._start()
        self._jobs.put(job)
        return job.future

    def replace(self) -> None:
        """Leave a thread that hangs to itself; the next call starts a new one."""
        self.stop()
        self._jobs = queue.SimpleQueue()

    def stop(self) -> None:
        """Let the thread end after the calls it has; safe to call twice."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread = None

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=_serve, args=(self._jobs,), name=self._name, daemon=True)
            self._thread.start()


async def run_in_thread(name: str, call: Callable[[], T]) -> T:
    """Run `call` on a daemon thread of its own and return what it returns or raise what it raises."""
    worker = DaemonWorker(name)
    try:
        return await worker.run(call)
    finally:
        worker.stop()


def _serve(jobs: queue.SimpleQueue[_Job[Any] | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()
        del job  # an idle thread must not keep the last call's arguments alive
