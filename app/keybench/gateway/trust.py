"""Which certificates are trusted: those the operating system trusts, whatever environment variables say.

``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` would let whoever sets a variable read payment calls, and
``SSLKEYLOGFILE`` would write their TLS secrets to a file. So the context is made here, by nothing that looks
at them. Windows and macOS are asked through truststore; on Linux it would read the system's file for each
connection, and as those variables say.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.messages import CallFailed
from keybench.runtime.system import this_system
from keybench.runtime.worker import run_in_thread

#: Where Linux distributions keep the authorities that the system trusts; an OpenSSL that came with Python may
#: have been built for another one.
FILES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Gentoo
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # Alpine
)
#: Where a Flatpak sees the computer's own files; without them its runtime's list counts.
_HOST: Final = "/run/host"

#: X509_V_FLAG_NO_CHECK_TIME of OpenSSL's x509_vfy.h, which Python has no name for.
_NO_CHECK_TIME: Final = ssl.VerifyFlags(0x200000)

#: What TLS says where a certificate's dates alone don't fit this computer's clock.
DATES: Final = frozenset({Reason.TLS_EXPIRED, Reason.TLS_NOT_YET_VALID, Reason.TLS_OUT_OF_DATE})


@dataclass(slots=True)
class Pin:
    """A host and port where one certificate counts, and the ticket that calls to there carry."""

    place: tuple[str | None, int | None]
    context: ssl.SSLContext
    ticket: Secret | None = None


class Trust:
    """The TLS context of all connections, loaded with the first that needs it.

    Attributes:
        pin: The one place where the system's trust doesn't count; None for nowhere.
    """

    def __init__(
        self, given: ssl.SSLContext | None = None, load: Callable[[], ssl.SSLContext] | None = None
    ) -> None:
        self.pin: Pin | None = None
        self._context = given
        self._load = load or (lambda: system_trust(authorities()))
        self._loading = asyncio.Lock()

    def pinned(self, host: str, port: int) -> Pin | None:
        """Return the pin if it is at this place."""
        return self.pin if self.pin and self.pin.place == (host, port) else None

    async def context(self, host: str = "", port: int = 0) -> ssl.SSLContext:
        """Return that of a place, or the usual one. Loading takes some 30 ms, and is done off the loop."""
        if pin := self.pinned(host, port):
            return pin.context
        async with self._loading:
            if self._context is None:
                self._context = await run_in_thread("keybench certificates", self._load)
            return self._context


def authorities() -> Sequence[str]:
    """Return where the system's authorities may be, on Linux, best first."""
    return [*(_HOST + file for file in FILES), *FILES] if this_system().in_flatpak else FILES


def system_trust(files: Sequence[str]) -> ssl.SSLContext:
    """Return what TLS goes by: version 1.2 or later, the host's name checked, the system's authorities."""
    if sys.platform in {"win32", "darwin"}:
        import truststore  # noqa: PLC0415 - not for Linux, see above

        context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    else:
        context = _read_from(files)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def public_trust() -> ssl.SSLContext:
    """Return what TLS goes by where only the public authorities count, whatever the system trusts besides.

    What the system trusts and this doesn't, somebody added: a company, or a program that inspects.
    """
    import certifi  # noqa: PLC0415 - only a diagnosis asks for it

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def only(certificate: str) -> ssl.SSLContext:
    """Return what TLS goes by where one certificate in PEM counts, whatever the address."""
    context = any_certificate()
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= _NO_CHECK_TIME  # learners' clocks differ, and the dates prove nothing here
    context.load_verify_locations(cadata=certificate)
    return context


def any_certificate() -> ssl.SSLContext:
    """Return what TLS goes by where a certificate is only read, and nothing secret is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def _read_from(files: Sequence[str]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for file in files:
        if Path(file).is_file():
            try:
                context.load_verify_locations(cafile=file)
            except OSError:  # empty, or not to be read; TLS's own errors are such, too
                break
            return context
    raise CallFailed(Reason.TLS_NO_AUTHORITIES)
