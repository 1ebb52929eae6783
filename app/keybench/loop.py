"""The one importer of qasync: one asyncio loop for the window and HTTP, on the main thread."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, Final, TypeVar

from PySide6.QtCore import QCoreApplication

# qasync takes whichever Qt binding it finds first; this must stand before its import.
os.environ["QT_API"] = "pyside6"

T = TypeVar("T")

#: How long callbacks run before Qt's own events have a turn, in seconds: half a frame.
_TURN_S: Final = 0.008


def make_loop(app: QCoreApplication) -> asyncio.AbstractEventLoop:  # noqa: C901 - the class needs the import
    """Return a new asyncio loop that runs on `app`'s Qt event loop; the caller closes it."""
    from qasync import QEventLoop  # noqa: PLC0415, TID251 - after QT_API is set; this is its one importer

    class Loop(QEventLoop):  # type: ignore[misc]  # qasync has no types
        """qasync's loop, with one Qt timer for all that is to run next instead of one for each.

        A task makes several such calls at every step, and hundreds of tasks go on at a time: the timers took
        more than what ran in them. Where much is to run, Qt's own events have a turn in between.

        Callbacks run only while the loop does: a task that went on otherwise would find no running loop.
        """

        def __init__(self) -> None:
            self._ready: deque[asyncio.Handle] = deque()
            self._has_turn = False
            super().__init__(app, already_running=False)

        def call_soon(
            self, callback: Callable[..., object], *args: Any, context: Context | None = None
        ) -> asyncio.Handle:
            """Have `callback` called in the loop's next turn, after what was asked for before."""
            handle = asyncio.Handle(callback, args, self, context)
            self._ready.append(handle)
            self._take_turn()
            return handle

        def _take_turn(self) -> None:
            if self._ready and not self._has_turn:
                self._has_turn = True
                super().call_soon(self._turn)

        def run_forever(self) -> int:
            """Run the loop until it is stopped; what was left when it ran last goes on."""
            self._take_turn()
            return super().run_forever()  # type: ignore[no-any-return]  # qasync has no types

        def run_until_complete(self, future: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
            """Run the loop until `future` is done and return its result.

            Unlike qasync's, it leaves Qt's events alone afterwards: slots would start tasks without a loop,
            and windows that nobody holds any more would be painted.
            """
            awaited = future if isinstance(future, asyncio.Future) else self.create_task(future)
            awaited.add_done_callback(self._stopped_by)
            try:
                self.run_forever()
            finally:
                awaited.remove_done_callback(self._stopped_by)
            if not awaited.done():
                raise RuntimeError("the loop was stopped before what it was run for was done")
            return awaited.result()

        def _stopped_by(self, _done: asyncio.Future[Any]) -> None:
            self.stop()

        def _turn(self) -> None:
            """Run what was asked for before this turn, in order, for as long as a frame can wait."""
            self._has_turn = False
            if not self.is_running():
                return
            end = time.perf_counter() + _TURN_S
            for _ in range(len(self._ready)):
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001 - as asyncio's own loops do; it reports what fails
                if time.perf_counter() > end:
                    break
            self._take_turn()

    # At DEBUG it writes arguments and results of calls to the log, and some of them are secrets.
    logging.getLogger("qasync").setLevel(logging.WARNING)
    loop: asyncio.AbstractEventLoop = Loop()
    return loop


def run(app: QCoreApplication, main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run `main` on a loop of `app` until it returns, and return what it returns."""
    # asyncio.run has no loop_factory on Python 3.11.
    with asyncio.Runner(loop_factory=lambda: make_loop(app)) as runner:
        return runner.run(main())
