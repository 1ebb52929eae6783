"""Proxies: what an environment's setting says, and the address of one taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from keybench.core.card_data import refuse_card_data
from keybench.core.environment import NO_PROXY, SYSTEM_PROXY
from keybench.core.errors import ProxyInvalid

_SCHEMES: Final = ("http", "https")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy; its password is in the keystore.

    Attributes:
        scheme: How the proxy itself is spoken to: ``http``, or ``https`` where it has a certificate.
        host: Its name or address, an IPv6 one without brackets.
        port: Its port.
        user: Who signs in to it; empty where nobody does.
    """

    scheme: str
    host: str
    port: int
    user: str = ""

    @property
    def place(self) -> str:
        """Its address without the user."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __str__(self) -> str:
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        return self.place.replace("://", f"://{user}", 1)


def parse_proxy(text: str) -> str:
    """Return the setting that was entered: `SYSTEM_PROXY` (where nothing was), `NO_PROXY`, or an address.

    Raises:
        ProxyInvalid: It is none of these; an address has a port and no password.
        CardDataRefused: It holds a card number.
    """
    refuse_card_data("proxy", text)
    word = text.strip()
    if word.lower() in {"", SYSTEM_PROXY, NO_PROXY}:
        return word.lower() or SYSTEM_PROXY
    return str(proxy_at(word))


def proxy_at(address: str) -> Proxy:
    """Take a proxy's address apart; one without a scheme is plain HTTP's.

    Raises:
        ProxyInvalid: It isn't an address, is no HTTP proxy's, has no port, or has a password in it.
    """
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ProxyInvalid(ProxyInvalid.MALFORMED) from None
    if parts.password is not None:
        raise ProxyInvalid(ProxyInvalid.PASSWORD)
    if parts.scheme not in _SCHEMES:
        raise ProxyInvalid(ProxyInvalid.KIND)
    user = unquote(parts.username or "")
    if not host or not port or parts.path.strip("/") or parts.query or parts.fragment:
        raise ProxyInvalid(ProxyInvalid.MALFORMED)
    # RFC 7617, 2: a user name with a colon can't be told from its password.
    if not _is_plain(host) or not host.isascii() or not user.isprintable() or ":" in user:
        raise ProxyInvalid(ProxyInvalid.MALFORMED)
    return Proxy(parts.scheme, host, port, user)


def signed_in(address: str, user: str) -> str:
    """Return an address as entered with the name of its user in it, which was entered apart."""
    if not user:
        return address
    scheme, separator, rest = address.rpartition("://")
    return f"{scheme}{separator}{quote(user, safe='')}@{rest}"


def has_user(setting: str) -> bool:
    """Tell whether somebody signs in to the proxy of a setting, so that there is a password."""
    return "@" in setting


def _is_plain(host: str) -> bool:
    return host.isprintable() and not any(c.isspace() or c in '\\"<>|%' for c in host)


def proxy_entry(environment_id: str) -> str:
    """Return the name of the keystore entry that holds the password of an environment's proxy."""
    return f"{environment_id}/proxy"
