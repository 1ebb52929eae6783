"""Signals that ask a program to end: Ctrl+C, SIGTERM, a terminal that closes. The first ends it softly."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, NoReturn

#: What is added to the number of a signal that ended a program: its exit status, as shells have it.
ENDED_BY: Final = 128
#: Signals that come closer together are one wish, in seconds: `timeout` sends two, and so may a terminal.
_ONE_WISH_S: Final = 1.0
#: The last is a console of Windows that closes.
_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")


def stop_signals() -> Sequence[signal.Signals]:
    """Return those of this system, without what whoever started us has it ignore, as `nohup` does."""
    there = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    return [one for one in there if signal.getsignal(one) is not signal.SIG_IGN]


@contextmanager
def handling(handler: Callable[[int, FrameType | None], object]) -> Iterator[Mapping[int, Any]]:
    """Have each handled so for as long as the block lasts; gives what handled it before."""
    before: dict[int, Any] = {number: signal.signal(number, handler) for number in stop_signals()}
    try:
        yield before
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    """Handle a signal where a person is waited for without a loop: end the waiting."""
    raise KeyboardInterrupt(number)


@contextmanager
def stopping(stop: Callable[[], object]) -> Iterator[Sequence[int]]:
    """Have the first signal call `stop` on the running loop for as long as the block lasts.

    A later one goes to whoever handled it before; if nobody did, the program ends at once.

    Yields:
        The signals that have come.
    """
    loop = asyncio.get_running_loop()
    came: list[int] = []
    last = float("-inf")

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _ONE_WISH_S:
            return
        last = now
        came.append(number)
        if len(came) == 1:
            loop.call_soon_threadsafe(stop)
        elif callable(before[number]):
            before[number](number, frame)
        else:
            os._exit(ENDED_BY + number)

    with handling(on_signal) as before:
        yield came
