"""One HTTP request and its answer, redacted when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Timings:
    """Where an exchange's time went, in seconds; None where a phase did not happen.

    Attributes:
        dns_s: Looking the host's name up; None too where the address has no name to look up.
        connect_s: The TCP connection, once the name was known; through a proxy until it leads on.
        tls_s: TLS handshake.
        wait_s: From the request's last byte to the answer's first.
        read_s: The answer's head and body.
        total_s: All of it.
    """

    total_s: float
    dns_s: float | None = None
    connect_s: float | None = None
    tls_s: float | None = None
    wait_s: float | None = None
    read_s: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange as it may be shown, kept and attached to a ticket: nothing secret is in it.

    Attributes:
        at: When it began, UTC.
        url: The whole URL.
        request_headers, response_headers: Redacted, in order.
        request_body, response_body: Redacted and capped; empty if there was none.
        status: 0 when no answer came.
        failure: Why there was no whole answer, a `Reason`; empty if there was one.
    """

    at: datetime
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: str
    status: int
    response_headers: tuple[tuple[str, str], ...]
    response_body: str
    failure: str
    timings: Timings
