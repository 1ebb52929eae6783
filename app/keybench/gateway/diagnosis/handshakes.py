"""A TLS handshake by itself: what the certificate was, and what a failure is."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

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
#: A chain has two or three more certificates, as a rule.
_LONGEST: Final = 8
#: How `_ssl` names the form in which a certificate is signed.
_DER: Final = 2
#: A reset leaves behind that OpenSSL wanted to read on.
_ENDED: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError)


@dataclass(frozen=True, slots=True)
class Handshake:
    """What a handshake came to.

    Attributes:
        version: Of TLS.
        chain: The certificates, from the host's own to the one that is trusted, as far as they are known and
            can be read.
    """

    version: str
    chain: tuple[Certificate, ...]

    @property
    def certificate(self) -> Certificate | None:
        """The host's own; None where it can't be read."""
        return self.chain[0] if self.chain else None

    @property
    def inspection(self) -> str:
        """The inspection that a name in the chain speaks for; empty for none."""
        return next((one.inspection for one in self.chain if one.inspection), "")


async def shake(stream: Stream, context: ssl.SSLContext, host: str, limit_s: float) -> Handshake:
    """Shake hands and hang up.

    Raises:
        httpcore.ConnectError, httpcore.ConnectTimeout: It fails; the cause is within.
    """
    stream = await secured(stream, context, host, limit_s)
    try:
        tls = stream.get_extra_info("ssl_object")
        own = tls.getpeercert(binary_form=True)
        others = [one for one in _chain_of(tls) if one != own]
        found = [read(one) for one in ([own] if own else []) + others[:_LONGEST]]
        return Handshake(tls.version() or "", tuple(one for one in found if one))
    finally:
        await stream.aclose()


def _chain_of(tls: Any) -> Sequence[bytes]:
    """Return the certificates by which a host was trusted, else those that it showed.

    Python 3.13 made a public name of what it has had under another since 3.10.
    """
    inner = tls if hasattr(tls, "get_unverified_chain") else getattr(tls, "_sslobj", None)
    for name in ("get_verified_chain", "get_unverified_chain"):
        shown = getattr(inner, name, lambda: None)()
        if shown:
            return [one if isinstance(one, bytes) else one.public_bytes(_DER) for one in shown]
    return ()


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
    told |= {"issuer": shown.issuer, "names": ", ".join(shown.names)}
    told |= {"days": _days(shown, now), "chain": " ← ".join(_names_of(shaken.chain))}
    return told | ({"inspection": shaken.inspection} if shaken.inspection else {})


def _days(shown: Certificate, now: datetime) -> int:
    """Return how many days a certificate has left; since when, or from when on, where it isn't valid."""
    if now < shown.begins:
        return (shown.begins - now).days
    return abs(shown.ends - now).days


def _names_of(chain: Sequence[Certificate]) -> Sequence[str]:
    """Return whose certificates they are, and who made the last, which may not be among them."""
    last = () if chain[-1].is_self_signed else (chain[-1].issuer,)
    return (*(one.subject for one in chain), *last)
