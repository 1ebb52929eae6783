"""A TLS handshake by itself: what was shown there, trusted or not, and what a failure is.

Nothing here decides what is trusted: TLS does (`gateway.trust`). This tells people what they were shown.
"""

from __future__ import annotations

import ipaddress
import ssl
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from httpcore import AsyncNetworkStream as Stream

from keybench.core.diagnosis.checks import Fact, Sign
from keybench.core.reasons import Reason
from keybench.gateway.connections import secured
from keybench.gateway.failures import causes_of, reason_of
from keybench.gateway.json_paths import harmless

_LONGEST: Final = 120
_MOST_NAMES: Final = 20
#: Before it ends, people should know: in so many days, and no sooner than in the last part of its life.
_SOON: Final = timedelta(days=14)
_LAST_PART: Final = 4

#: What stands in the issuer of certificates that an inspection makes on the way, in lower case.
INSPECTIONS: Final = (
    *("zscaler", "netskope", "goskope", "fortinet", "fortigate", "palo alto", "paloalto", "prisma access"),
    *("check point", "checkpoint", "cisco umbrella", "opendns", "ironport", "cisco web security"),
    *("cloudflare managed", "gateway ca - cloudflare", "cloudflare for teams", "blue coat", "bluecoat"),
    *("symantec web gateway", "symantec cloud services", "mcafee web gateway", "skyhigh", "forcepoint"),
    *("websense", "sophos", "barracuda", "sonicwall", "watchguard", "trend micro", "trendmicro"),
    *("kaspersky", "eset ssl filter", "eset, spol", "avast", "avg technologies", "bitdefender", "dr.web"),
    *("doctor web", "adguard", "iboss", "menlo security", "cato networks", "akamai enterprise"),
    *("akamai etp", "lightspeed", "securly", "smoothwall", "untangle", "arista edge threat", "stormshield"),
    *("netasq", "clearswift", "squid", "pfsense", "opnsense", "mitmproxy", "charles proxy", "fiddler"),
    *("portswigger", "owasp zed", "zap root ca", "owasp zap", "proxyman", "http toolkit"),
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a certificate says of itself."""

    issuer: str
    names: tuple[str, ...]
    begins: datetime
    ends: datetime
    is_self_signed: bool
    is_inspection: bool

    def ends_soon(self, now: datetime) -> bool:
        """Tell whether it is time to renew it."""
        return timedelta(0) <= self.ends - now < min(_SOON, (self.ends - self.begins) / _LAST_PART)

    def is_for(self, host: str) -> bool:
        """Tell whether it is for a host, which may be an address."""
        return any(_fits(name.lower(), host.lower()) for name in self.names)


def read(der: bytes) -> Certificate | None:
    """Return what a certificate says; None if it can't be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later version of the library won't read
            return _read(x509.load_der_x509_certificate(der))
    except ValueError:  # a host can show anything
        return None


def _read(found: x509.Certificate) -> Certificate:
    return Certificate(
        issuer=_name(found.issuer),
        names=tuple(_names(found)),
        begins=found.not_valid_before_utc,
        ends=found.not_valid_after_utc,
        is_self_signed=found.issuer == found.subject,
        is_inspection=is_inspection(found.issuer.rfc4514_string()),
    )


def is_inspection(issuer: str) -> bool:
    """Tell whether an issuer's name is an inspection's."""
    return any(mark in issuer.lower() for mark in INSPECTIONS)


def _name(name: x509.Name) -> str:
    """Return who a name means: the organisation and what it calls itself there."""
    told = []
    for kind in (x509.NameOID.ORGANIZATION_NAME, x509.NameOID.COMMON_NAME):
        told += [str(one.value) for one in name.get_attributes_for_oid(kind)]
    shown = ", ".join(dict.fromkeys(told)) or name.rfc4514_string()
    return " ".join(harmless(shown).split())[:_LONGEST]


def _names(found: x509.Certificate) -> Sequence[str]:
    try:
        others = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    names = list(others.get_values_for_type(x509.DNSName))
    names += [str(one) for one in others.get_values_for_type(x509.IPAddress)]
    return [harmless(one)[:_LONGEST] for one in names[:_MOST_NAMES]]


def _fits(name: str, host: str) -> bool:
    """Tell whether a name of a certificate is a host's (RFC 9525, 6.3)."""
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(host)
    except ValueError:
        pass
    if not name.startswith("*."):
        return name == host.rstrip(".")
    return host.partition(".")[2].rstrip(".") == name[2:]


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
