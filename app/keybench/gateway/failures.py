"""The reason of a failed call, made of the errors of the HTTP library and the system."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpcore
import httpx

from keybench.core.reasons import Reason

# Verification codes of OpenSSL (x509_vfy.h), of Windows (winerror.h) and of macOS (SecBase.h).
_CERTIFICATE: Final = {
    9: Reason.TLS_NOT_YET_VALID,
    10: Reason.TLS_EXPIRED,
    18: Reason.TLS_SELF_SIGNED,
    19: Reason.TLS_SELF_SIGNED,
    62: Reason.TLS_WRONG_HOST,
    64: Reason.TLS_WRONG_HOST,
    0x800B0101: Reason.TLS_OUT_OF_DATE,
    0x800B010F: Reason.TLS_WRONG_HOST,
    -67818: Reason.TLS_EXPIRED,
    -67819: Reason.TLS_NOT_YET_VALID,
    -67602: Reason.TLS_WRONG_HOST,
}

_BY_CLASS: Final[dict[type[Exception], Reason]] = {
    httpcore.ConnectTimeout: Reason.CONNECT_TIMEOUT,
    httpcore.TimeoutException: Reason.TIMEOUT,
    TimeoutError: Reason.TIMEOUT,
    httpcore.UnsupportedProtocol: Reason.INVALID_ADDRESS,
    httpx.InvalidURL: Reason.INVALID_ADDRESS,
    httpcore.LocalProtocolError: Reason.BAD_REQUEST_FORM,
    UnicodeError: Reason.BAD_REQUEST_FORM,
}

_BY_ERRNO: Final = {
    errno.ECONNREFUSED: Reason.CONNECTION_REFUSED,
    errno.ECONNRESET: Reason.CONNECTION_RESET,
    errno.ECONNABORTED: Reason.CONNECTION_RESET,
    errno.EPIPE: Reason.CONNECTION_RESET,
    errno.ENETUNREACH: Reason.NETWORK_UNREACHABLE,
    errno.EHOSTUNREACH: Reason.NETWORK_UNREACHABLE,
    errno.ETIMEDOUT: Reason.CONNECT_TIMEOUT,
}

#: What a failure to connect means where the other end is a proxy.
_AT_THE_PROXY: Final = {
    Reason.NAME_NOT_FOUND: Reason.PROXY_NOT_FOUND,
    Reason.CONNECTION_REFUSED: Reason.PROXY_UNREACHABLE,
    Reason.NETWORK_UNREACHABLE: Reason.PROXY_UNREACHABLE,
    Reason.CONNECT_TIMEOUT: Reason.PROXY_SILENT,
    Reason.TIMEOUT: Reason.PROXY_SILENT,
    Reason.CONNECTION_RESET: Reason.PROXY_CLOSED,
    Reason.CONNECTION_CLOSED: Reason.PROXY_CLOSED,
    Reason.NOT_HTTP: Reason.NOT_A_PROXY,
    Reason.TLS: Reason.PROXY_TLS,
}


def at_the_proxy(error: Exception) -> Reason:
    """Return why a call failed on the way to a proxy, or with its answer."""
    reason = reason_of(error)
    return _AT_THE_PROXY.get(reason) or (
        Reason.PROXY_UNTRUSTED if reason.startswith("tls ") else Reason.PROXY_CLOSED
    )


def reason_of(error: BaseException) -> Reason:
    """Return why a call failed."""
    for kind, reason in _BY_CLASS.items():
        if isinstance(error, kind):
            return reason
    for cause in causes_of(error):
        if found := _system_reason(cause):
            return found
    if isinstance(error, httpcore.RemoteProtocolError):
        text = str(error)
        closed = "disconnected" in text or "closed" in text
        return Reason.CONNECTION_CLOSED if closed else Reason.NOT_HTTP
    return Reason.CONNECTION_CLOSED if isinstance(error, httpcore.NetworkError) else Reason.FAILED


def _system_reason(cause: BaseException) -> Reason | None:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _CERTIFICATE.get(getattr(cause, "verify_code", 0), Reason.TLS_UNTRUSTED)
    if isinstance(cause, ssl.SSLError):
        return Reason.TLS
    if isinstance(cause, socket.gaierror):
        return Reason.NAME_NOT_FOUND
    if isinstance(cause, OSError):
        return _BY_ERRNO.get(cause.errno or 0)
    return None


def causes_of(error: BaseException) -> Iterator[BaseException]:
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
