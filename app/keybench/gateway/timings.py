"""Where a request's time goes: a stopwatch the HTTP library calls at each phase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from keybench.core.exchange import Timings


class Stopwatch:
    """Notes when a phase began and ended, and whether anything may have been sent.

    Args:
        monotonic: Seconds on a clock that never goes back.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._began = monotonic()
        self._marks: dict[str, float] = {}

    async def trace(self, event: str, _info: dict[str, Any]) -> None:
        """Take a phase's mark, such as ``connection.connect_tcp.started``; httpcore's ``trace`` extension."""
        self.mark(event)

    def follow_look_up(self) -> None:
        """Let `name_look_up` know that what this task connects for is this request."""
        _FOLLOWED.set(self)

    def mark(self, event: str) -> None:
        """Note that something happened now; only its first time counts."""
        self._marks.setdefault(event, self._monotonic())

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Note when a phase begins and, unless it fails, when it is complete."""
        self.mark(f"{name}.started")
        yield
        self.mark(f"{name}.complete")

    @property
    def sending(self) -> bool:
        """Whether the request's first byte may have left."""
        return "http11.send_request_headers.started" in self._marks

    def read(self) -> Timings:
        """Return the timings up to now."""
        end = self._monotonic()
        sent = self._marks.get("http11.send_request_body.complete")
        headed = self._marks.get("http11.receive_response_headers.complete")
        dns_s, connect_s = self._took("look_up"), self._took("connection.connect_tcp")
        return Timings(
            total_s=end - self._began,
            dns_s=dns_s,
            connect_s=connect_s if connect_s is None else max(connect_s - (dns_s or 0.0), 0.0),
            tls_s=self._took("connection.start_tls"),
            wait_s=headed - sent if headed is not None and sent is not None else None,
            read_s=end - headed if headed is not None else None,
        )

    def _took(self, phase: str) -> float | None:
        began, ended = self._marks.get(f"{phase}.started"), self._marks.get(f"{phase}.complete")
        return ended - began if began is not None and ended is not None else None


_FOLLOWED: Final[ContextVar[Stopwatch | None]] = ContextVar("followed", default=None)


@contextmanager
def name_look_up() -> Iterator[None]:
    """Time a name look-up for the request that this task connects for, also one that fails."""
    watch = _FOLLOWED.get()
    if watch:
        watch.mark("look_up.started")
    try:
        yield
    finally:
        if watch:
            watch.mark("look_up.complete")
