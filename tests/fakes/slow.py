"""Stands before a port and holds an answer back, as a busy disk, a slow network or a person's password do."""

from __future__ import annotations

import asyncio
from typing import Any, Generic, TypeVar, cast

Port = TypeVar("Port")


class Slow(Generic[Port]):
    """Passes every call on, and the answer to one that is to be held once it is let go.

    Args:
        behind: A port's implementation.

    Attributes:
        is_held: Whether an answer is being held back: what was asked for is done by then.
    """

    def __init__(self, behind: Port) -> None:
        self._behind = behind
        self._to_hold = ""
        self._due = asyncio.Event()
        self.is_held = False

    @property
    def port(self) -> Port:
        """What takes the calls."""
        return cast("Port", self)

    def hold(self, call: str) -> None:
        """Hold back the answer to the next call of that name."""
        self._to_hold = call
        self._due.clear()

    def let_go(self) -> None:
        """Give the answer."""
        self.is_held = False
        self._due.set()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._behind, name)
        if name != self._to_hold:
            return found
        self._to_hold = ""

        async def held(*given: Any, **more: Any) -> Any:
            try:
                return await found(*given, **more)
            finally:
                self.is_held = True
                await self._due.wait()

        return held
