"""Working on large answers beside the event loop, so that no answer can make the window stall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from keybench.gateway.messages import Answer
from keybench.runtime.worker import DaemonWorker

T = TypeVar("T")

#: Answers up to so many characters take a millisecond or two, and are worked on at once. Real ones about a
#: sale have one or two thousand.
SMALL: Final = 8 * 1024


async def beside_the_loop(answer: Answer, work: Callable[[], T]) -> T:
    """Return what `work` on an answer returns, done on a thread of its own if the answer is large.

    Args:
        answer: What is worked on; only its length counts here.
        work: Touches nothing that the loop touches meanwhile.
    """
    if len(answer.text) <= SMALL:
        return work()
    worker = DaemonWorker("keybench large answer")
    try:
        return await worker.run(work)
    finally:
        worker.stop()
