"""What all routes share: the state, the clock, how fast devices act, and how to wait."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from keybench.practice.ratelimit import RateLimiter
from keybench.practice.state import State


@dataclass(frozen=True)
class Gateway:
    """The parts of a running practice gateway.

    Attributes:
        state: what it remembers.
        clock: seconds since 1970.
        speed: device seconds that pass in a second.
        pause: waits for some seconds.
        limiter: counts requests by key.
    """

    state: State
    clock: Callable[[], float]
    speed: float
    pause: Callable[[float], Awaitable[None]]
    limiter: RateLimiter
