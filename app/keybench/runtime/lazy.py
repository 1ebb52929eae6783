"""An object that is made when something is first asked of it: what is slow to import can wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Lazy:
    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()


def lazily(make: Callable[[], T]) -> T:
    """Return an object that stands for the one `make` returns; closing it makes nothing."""
    return cast("T", _Lazy(make))
