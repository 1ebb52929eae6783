"""A TLS handshake by itself: what the certificate was, and what a failure is."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from httpcore import AsyncNetworkStream as Stream

from keybench.core.diagnosis.checks import Fact, Sign
from keybench.core.reasons import Reason
from keybench.gateway.connections import secured
from keybench.gateway.diagnosis.certificates import Certificate, read
from keybench.gateway.failures import causes_of, reason_of

#: What OpenSSL says of an end that doesn't speak TLS.
_PLAIN: Final = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNKNOWN_PROTOCOL", "BAD_RECORD_TYPE"}
    | {"PACKET_LENGTH_TOO_LONG", "UNEXPECTED_MESSAGE", "RECORD_LAYER_FAILURE"}
)
#: A reset leaves behind that OpenSSL wanted to read on.
_ENDED: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError)


@dataclass(frozen=True, slots=True)
class Handshake:
    """What a handshake came to: TLS's version, and the host's certificate; None where it can't be read."""

    version: str
    certificate: Certificate | None


async def shake(stream: Stream, context: ssl.SSLContext, host: str, limit_s: float) -> Handshake:
    """Shake hands and hang up.

    Raises:
        httpcore.ConnectError, httpcore.ConnectTimeout: It fails; the cause is within.
    """
    stream = await secured(stream, context, host, limit_s)
    try:
        tls = stream.get_extra_info("ssl_object")
        shown = tls.getpeercert(binary_form=True)
        return Handshake(tls.version() or "", read(shown) if shown else None)
    finally:
        await stream.aclose()


def trouble_of(error: Exception) -> Sign | None:
    """Return what a failed handshake is, apart from a certificate that isn't trusted; None for that."""
    if reason_of(error) in {Reason.CONNECT_TIMEOUT, Reason.TIMEOUT}:
        return Sign.TLS_SILENT
    causes = list(causes_of(error))
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in causes):
        return None
    if any(isinstance(one, _ENDED) for one in causes):
        return Sign.TLS_LOST
    tls = next((one for one in causes if isinstance(one, ssl.SSLError)), None)
    if tls is None:
        return Sign.TLS_LOST
    return Sign.TLS_NOT_SPOKEN if tls.reason in _PLAIN else Sign.TLS_FAILED


def said_by(error: Exception) -> Mapping[str, Fact]:
    """Return OpenSSL's own word for a failure."""
    told = [one.reason for one in causes_of(error) if isinstance(one, ssl.SSLError) and one.reason]
    return {"reason": told[0].replace("_", " ").lower()} if told else {}


def described(shaken: Handshake, now: datetime) -> Mapping[str, Fact]:
    """Return the facts of a handshake and its certificates."""
    told: dict[str, Fact] = {"version": shaken.version}
    shown = shaken.certificate
    if shown is None:
        return told
    return told | {"issuer": shown.issuer, "names": ", ".join(shown.names), "days": _days(shown, now)}


def _days(shown: Certificate, now: datetime) -> int:
    """Return how many days a certificate has left; since when, or from when on, where it isn't valid."""
    if now < shown.begins:
        return (shown.begins - now).days
    return abs(shown.ends - now).days
