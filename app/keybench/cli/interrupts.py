"""Ctrl-C during a command that does many things: the first one stops it softly, a second ends the program."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from keybench.cli.output import Output


@contextmanager
def stopping_at_interrupt(stop: Callable[[], None], words: str, output: Output) -> Iterator[None]:
    """Let the first Ctrl-C call `stop`, which finishes what is under way; a second ends the program.

    Args:
        stop: Called on the loop.
        words: What is told then.
        output: Where.
    """
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)

    def stop_softly() -> None:
        stop()
        output.message(words)

    def hear(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        loop.call_soon_threadsafe(stop_softly)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
