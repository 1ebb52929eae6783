"""Wait for something to become true, in a coroutine, without guessing how long it takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

#: A machine may be busy with other things; this is only how soon a failure is told.
PATIENCE_S = 60.0
PATIENCE_MS = int(PATIENCE_S * 1000)
TURN_S = 0.002  # between two looks, so that real parts get the processor meanwhile


class Until(Protocol):
    """The shape of `until`, for tests that are given it as a fixture."""

    async def __call__(self, predicate: Callable[[], object], limit_s: float = PATIENCE_S) -> None:
        """Give the loop turns until `predicate` is true."""


async def until(predicate: Callable[[], object], limit_s: float = PATIENCE_S) -> None:
    """Give the loop turns until `predicate` is true.

    Raises:
        AssertionError: It wasn't true within `limit_s` seconds.
    """
    deadline = time.monotonic() + limit_s
    while not predicate():
        if time.monotonic() > deadline:
            raise AssertionError(f"not true within {limit_s} s: {_place(predicate)}")
        await asyncio.sleep(TURN_S)


def _place(predicate: Callable[[], object]) -> str:
    code = getattr(predicate, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(predicate)


def stand_still(seconds: float) -> None:
    """Keep everything else from running, as a stopped process does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
