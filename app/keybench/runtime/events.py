"""Announcements within the program: who publishes doesn't know who listens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

E = TypeVar("E")


class Events:
    """Synchronous publish and subscribe by type, on the loop's own thread."""

    def __init__(self) -> None:
        self._listeners: dict[type[Any], list[Callable[[Any], None]]] = {}

    def subscribe(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]:
        """Have `listener` called with every announcement of type `kind`; return how to stop that."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def publish(self, event: object) -> None:
        """Call every listener of the event's type, in the order they subscribed.

        A listener that fails goes the loop's way for errors and stops nobody: what a use case does must not
        hang on who is watching.
        """
        for listener in tuple(self._listeners.get(type(event), ())):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - an edge: listeners are anybody's
                context = {"message": f"A listener to {type(event).__name__} failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)
