"""Sees work to its end that is cancelled in the middle: an answer that has come is kept first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

from keybench.core.ports import Clock

T = TypeVar("T")

#: How long cancelled work may still take, in seconds; a window that closes waits a little longer than that.
GRACE_S: Final = 1.5


async def see_through(work: Coroutine[Any, Any, T], clock: Clock) -> T:
    """Run `work` and return what it returns; if this is cancelled, `work` has `GRACE_S` to end by itself.

    Args:
        work: Something of which no half may be done, such as asking for a key and keeping it.
        clock: Says when the time is over.

    Raises:
        CancelledError: This was cancelled. The work has ended, one way or the other.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(work, name="seen through")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        grace = loop.create_task(clock.sleep(GRACE_S), name="grace")
        # However often this is cancelled meanwhile.
        while not task.done():
            if grace.done():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task} if grace.done() else {task, grace}, return_when="FIRST_COMPLETED")
        grace.cancel()
        if not task.cancelled():
            task.exception()  # what it raised is known to where the work is noted
        raise
