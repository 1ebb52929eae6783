"""Calls on native keystores: on one daemon thread, in order, with a limit that waits for a person.

A call that hangs is left to itself with its thread: it can't be stopped, but what it would do later is
undone or not begun.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeVar

from keybench.core.errors import KeystoreDenied, KeystoreSilent
from keybench.runtime.worker import DaemonWorker

T = TypeVar("T")

#: How much longer a call is waited for, as a part of the limit: some stores keep the limit themselves.
_SLACK: Final = 0.25
#: How long ending waits for what is just being undone, in seconds.
_ENDING_S: Final = 1.0


class Attempt:
    """One call on the keystore's thread: what its caller and the thread have to know of one another.

    Args:
        limit_s: How long the keystore may be silent, in seconds. A prompt to a person is no silence.
        on_asking: Called on the thread when a person is asked (True) and when that is over (False).

    Attributes:
        asking: Whether a person is being asked.
        withdrawn: Whether the person is to be asked no longer: the prompt is taken back, no other is shown.
        given_up: Whether nobody waits for the call any more; one that hung must not take effect later.
    """

    def __init__(self, limit_s: float, on_asking: Callable[[bool], object] = lambda _asking: None) -> None:
        self.limit_s = limit_s
        self._on_asking = on_asking
        self.asking = False
        self.withdrawn = threading.Event()
        self.given_up = threading.Event()
        self._answered_at = time.monotonic()

    @property
    def patience_s(self) -> float:
        """For how many seconds it may yet be silent."""
        return self.limit_s if self.asking else self._answered_at + self.limit_s - time.monotonic()

    def answered(self) -> None:
        """Note that the keystore has just answered."""
        self._answered_at = time.monotonic()

    @contextmanager
    def prompt(self) -> Iterator[None]:
        """Let everybody know that a person is being asked for as long as the block lasts."""
        if self.withdrawn.is_set():
            raise KeystoreDenied("nobody is to be asked")
        self.asking = True
        self._on_asking(True)
        try:
            yield
        finally:
            self.answered()
            self.asking = False
            self._on_asking(False)


class KeystoreCalls:
    """Makes the calls, one at a time."""

    def __init__(self, limit_s: float, on_asking: Callable[[bool], None]) -> None:
        self.limit_s = limit_s
        self._on_asking = on_asking
        self._worker = DaemonWorker("keybench keystore")
        self._attempt: Attempt | None = None
        self._job: asyncio.Future[Any] | None = None

    async def make(self, call: Callable[[Attempt], T]) -> T:
        """Make a blocking call on the thread."""
        loop = asyncio.get_running_loop()

        def on_asking(asking: bool) -> None:  # noqa: FBT001 - the callback's shape
            loop.call_soon_threadsafe(self._asking_changed, attempt, asking)

        attempt = self._attempt = Attempt(self.limit_s, on_asking)
        job = self._worker.run(partial(_unless_given_up, call, attempt))
        self._job = job
        try:
            while not job.done():
                left_s = attempt.patience_s + self.limit_s * _SLACK
                if left_s <= 0:
                    break
                await asyncio.wait({job}, timeout=left_s)
            else:
                return job.result()
        finally:
            attempt.given_up.set()
            attempt.withdrawn.set()
            self._attempt = None
            self._on_asking(False)
            job.add_done_callback(_drop)
        self._worker.replace()
        raise KeystoreSilent(f"no answer within {self.limit_s:g} s")

    def stop_asking(self) -> None:
        """Take back the prompt of the call under way; it fails as denied."""
        if self._attempt is not None:
            self._attempt.withdrawn.set()

    async def finish(self) -> None:
        """Give what is just being undone a moment to end."""
        if self._job is not None and not self._job.done():
            await asyncio.wait({self._job}, timeout=_ENDING_S)

    def close(self) -> None:
        """Let the thread end; safe to call twice. A call that hangs ends with the program."""
        self._worker.stop()

    def _asking_changed(self, attempt: Attempt, asking: bool) -> None:  # noqa: FBT001 - the callback's shape
        if attempt is self._attempt:
            self._on_asking(asking)


def _unless_given_up(call: Callable[[Attempt], T], attempt: Attempt) -> T:
    if attempt.given_up.is_set():
        raise KeystoreDenied("nobody waits for it any more")
    attempt.answered()  # what waited behind another call wasn't silent
    return call(attempt)


def _drop(job: asyncio.Future[T]) -> None:
    """Take note of how a call ended that nobody waits for, so that the loop doesn't complain."""
    if not job.cancelled():
        job.exception()
