"""One daemon thread that does blocking calls in order, for libraries that must stay off the main thread.

The event loop's own executor isn't used: qasync's logs every argument and result, and joins its threads
at exit, where a call that hangs would hold the program.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_Job = tuple[Callable[[], Any], Future[Any]]


class DaemonWorker:
    """A named daemon thread, started with the first call, that runs calls one after another."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """Run `call` on the thread when its turn comes; await the future for what it returns or raises.

        One whose future is cancelled before its turn isn't begun. One that is under way can't be stopped: it
        stays on the thread until it ends, and later calls wait behind it.
        """
        future: Future[T] = Future()
        self._start()
        self._jobs.put((call, future))
        return asyncio.wrap_future(future)

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


def _serve(jobs: queue.SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        _do(*job)
        del job  # an idle thread must not keep the last call's arguments alive


def _do(call: Callable[[], Any], future: Future[Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except StopIteration:  # asyncio's futures don't take one, and its caller would wait for ever
        future.set_exception(RuntimeError("the call raised StopIteration"))
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits, whatever it is
        future.set_exception(error)
    else:
        future.set_result(result)
