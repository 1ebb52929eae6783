"""Announcements within the program: who publishes doesn't know who listens."""

from __future__ import annotations

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
        """Call every listener of the event's type, in the order they subscribed."""
        for listener in tuple(self._listeners.get(type(event), ())):
            listener(event)
