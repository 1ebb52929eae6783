"""What a failed call means: for certain not sent, or nobody can tell; and its reason as a stable word.

The division follows httpx's exception tree: what fails before a byte is written is certain, all else isn't.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpx

from keybench.core.errors import AnswerLost, GatewayError, NotSent

_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    httpx.ProxyError,
    UnicodeError,  # a host name or a header that can't be written down
)

# OpenSSL's verification codes (x509_vfy.h).
_CERTIFICATE: Final = {
    9: "tls certificate not yet valid",
    10: "tls certificate expired",
    18: "tls self-signed",
    19: "tls self-signed",
    62: "tls wrong host",
    64: "tls wrong host",
}

_BY_CLASS: Final[dict[type[Exception], str]] = {
    httpx.ConnectTimeout: "connect timeout",
    httpx.PoolTimeout: "too busy",
    httpx.ReadTimeout: "timeout",
    httpx.WriteTimeout: "timeout",
    httpx.UnsupportedProtocol: "invalid address",
    httpx.InvalidURL: "invalid address",
    httpx.ProxyError: "proxy",
    httpx.LocalProtocolError: "bad request form",
    UnicodeError: "bad request form",
}

_BY_ERRNO: Final = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: "connection reset",
    errno.ECONNABORTED: "connection reset",
    errno.EPIPE: "connection reset",
    errno.ENETUNREACH: "network unreachable",
    errno.EHOSTUNREACH: "network unreachable",
    errno.ETIMEDOUT: "connect timeout",
}


def as_gateway_error(error: Exception, *, sending: bool) -> GatewayError:
    """Return the error of ours for one of the HTTP library's; nothing of the original is kept in it.

    Args:
        error: What was raised.
        sending: Whether the request's first byte may have left; decides where the class alone doesn't.
    """
    reason = reason_of(error)
    if isinstance(error, _NOT_SENT) and not sending:
        return NotSent(reason)
    if isinstance(error, httpx.HTTPError) or sending:
        return AnswerLost(reason)
    return NotSent(reason)


def reason_of(error: Exception) -> str:
    """Return the stable word for what went wrong on the wire."""
    for kind, word in _BY_CLASS.items():
        if isinstance(error, kind):
            return word
    for cause in _causes(error):
        if word := _system_word(cause):
            return word
    if isinstance(error, httpx.RemoteProtocolError):
        text = str(error)
        closed = "disconnected" in text or "closed" in text
        return "connection closed" if closed else "not http"
    if isinstance(error, httpx.NetworkError):
        return "connection closed"
    return "failed"


def _system_word(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _CERTIFICATE.get(cause.verify_code, "tls untrusted")
    if isinstance(cause, ssl.SSLError):
        return "tls"
    if isinstance(cause, socket.gaierror):
        return "name not found"
    if isinstance(cause, OSError):
        return _BY_ERRNO.get(cause.errno or 0, "")
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Walk an exception, what it was raised from, and the members of groups, each once."""
    waiting, seen = [error], set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting += [cause for cause in (current.__context__, current.__cause__) if cause is not None]
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions
