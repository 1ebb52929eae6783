"""The reason of a failed call, as a stable word, made of the errors of the HTTP library and the system."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpcore
import httpx

# Verification codes of OpenSSL (x509_vfy.h), of Windows (winerror.h) and of macOS (SecBase.h).
_CERTIFICATE: Final = {
    9: "tls certificate not yet valid",
    10: "tls certificate expired",
    18: "tls self-signed",
    19: "tls self-signed",
    62: "tls wrong host",
    64: "tls wrong host",
    0x800B0101: "tls certificate out of date",
    0x800B010F: "tls wrong host",
    -67818: "tls certificate expired",
    -67819: "tls certificate not yet valid",
    -67602: "tls wrong host",
}

_BY_CLASS: Final[dict[type[Exception], str]] = {
    httpcore.ConnectTimeout: "connect timeout",
    httpcore.TimeoutException: "timeout",
    TimeoutError: "timeout",
    httpcore.UnsupportedProtocol: "invalid address",
    httpx.InvalidURL: "invalid address",
    httpcore.LocalProtocolError: "bad request form",
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

#: What a failure to connect means where the other end is a proxy.
_AT_THE_PROXY: Final = {
    "name not found": "proxy not found",
    "connection refused": "proxy unreachable",
    "network unreachable": "proxy unreachable",
    "connect timeout": "proxy silent",
    "timeout": "proxy silent",
    "connection reset": "proxy closed",
    "connection closed": "proxy closed",
    "not http": "not a proxy",
    "tls": "proxy tls",
}


def at_the_proxy(error: Exception) -> str:
    """Return the stable word for what went wrong on the way to a proxy, or with its answer."""
    reason = reason_of(error)
    return _AT_THE_PROXY.get(reason) or ("proxy untrusted" if reason.startswith("tls ") else "proxy closed")


def reason_of(error: Exception) -> str:
    """Return the stable word for what went wrong."""
    for kind, word in _BY_CLASS.items():
        if isinstance(error, kind):
            return word
    for cause in _causes(error):
        if word := _system_word(cause):
            return word
    if isinstance(error, httpcore.RemoteProtocolError):
        text = str(error)
        closed = "disconnected" in text or "closed" in text
        return "connection closed" if closed else "not http"
    return "connection closed" if isinstance(error, httpcore.NetworkError) else "failed"


def _system_word(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _CERTIFICATE.get(getattr(cause, "verify_code", 0), "tls untrusted")
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
