"""Reading the certificate that a host shows, also one that isn't trusted, and whose hand it shows.

Nothing here decides what is trusted: TLS does (`gateway.trust`). This tells people what they were shown.
"""

from __future__ import annotations

import ipaddress
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509

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
