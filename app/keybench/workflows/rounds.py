"""Waiting in rounds: all who are due at nearly the same moment are woken by one timer."""

from __future__ import annotations

import asyncio
import math
from typing import Final

from keybench.core.ports import Clock

#: How far apart two rounds are, in seconds. Hundreds of polls a second cost a timer each otherwise, and a
#: timer of the window's loop costs more than the poll's own arithmetic.
STEP_S: Final = 0.02


class Rounds:
    """Wakes whoever sleeps in the first round at or after the moment that was wished for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleeping: dict[int, list[asyncio.Future[None]]] = {}

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds`, and at most a step longer."""
        turn = math.ceil((self._clock.monotonic() + seconds) / STEP_S)
        while (left_s := turn * STEP_S - self._clock.monotonic()) > 0:
            others = self._sleeping.get(turn)
            if others is None:
                await self._wake_all(turn, left_s)
            else:
                woken = asyncio.get_running_loop().create_future()
                others.append(woken)
                await woken

    async def _wake_all(self, turn: int, left_s: float) -> None:
        """Sleep for a round and wake the others of it, also if one is cancelled: the next does it then."""
        others = self._sleeping[turn] = []
        try:
            await self._clock.sleep(left_s)
        finally:
            del self._sleeping[turn]
            for woken in others:
                if not woken.done():
                    woken.set_result(None)
