"""The addresses in an environment's settings: its gateway's base URL, its portal's, a proxy on the way."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import idna

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY
from keybench.core.input_errors import BaseUrlInvalid, PortalUrlInvalid, ProxyInvalid

_PLAIN_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(?:%[0-9A-Za-z._-]+)?")


def parse_base_url(text: str) -> str:
    """Return `text` as a base URL without its final slash; BaseUrlInvalid or CardDataRefused if it is none.

    Its host is in ASCII as it is looked up, as ``xn--bcher-kva.example`` for ``bücher.example``, so that one
    that looks like another is seen to be different. The scheme is https; plain http is allowed to loopback
    hosts only, where nobody can listen in.
    """
    refuse_card_data("base URL", text)
    url = text.strip()
    if not url:
        raise BaseUrlInvalid(BaseUrlInvalid.EMPTY)
    if "://" not in url:
        raise BaseUrlInvalid(BaseUrlInvalid.NO_SCHEME)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BaseUrlInvalid(BaseUrlInvalid.MALFORMED) from None
    if "@" in parts.netloc:
        raise BaseUrlInvalid(BaseUrlInvalid.CREDENTIALS)
    if not host:
        raise BaseUrlInvalid(BaseUrlInvalid.NO_HOST)
    netloc = parts.netloc if _PLAIN_HOST.fullmatch(host) else _plain_netloc(host, port)
    if parts.query or parts.fragment or url.endswith(("?", "#")):
        raise BaseUrlInvalid(BaseUrlInvalid.EXTRA)
    if any(c.isspace() or not c.isprintable() or c == "\\" for c in url):
        raise BaseUrlInvalid(BaseUrlInvalid.MALFORMED)
    scheme = parts.scheme.lower()
    if scheme != "https" and not (scheme == "http" and is_loopback(host)):
        raise BaseUrlInvalid(BaseUrlInvalid.NOT_HTTPS)
    return f"{scheme}://{netloc}{parts.path}".rstrip("/")


def parse_portal_url(text: str) -> str:
    """Return a portal's address, which may have a query, or nothing for nothing; else PortalUrlInvalid."""
    refuse_card_data("portal address", text)
    url = text.strip()
    if not url:
        return ""
    bare = re.split("[?#]", url, maxsplit=1)[0]
    try:
        parse_base_url(bare)
    except BaseUrlInvalid as error:
        raise PortalUrlInvalid(error.reason) from None
    if any(c.isspace() or not c.isprintable() or c == "\\" for c in url):
        raise PortalUrlInvalid(BaseUrlInvalid.MALFORMED)
    return url


def is_loopback(host: str) -> bool:
    """Tell whether a host, as a URL names it, is this computer itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _plain_netloc(host: str, port: int | None) -> str:
    try:
        plain = idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise BaseUrlInvalid(BaseUrlInvalid.MALFORMED) from None
    return plain if port is None else f"{plain}:{port}"


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, spoken to by `scheme`; an IPv6 host has no brackets. Its password is in the keystore."""

    scheme: str
    host: str
    port: int
    user: str = ""

    @property
    def address(self) -> str:
        """Its address without the user."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __str__(self) -> str:
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        return self.address.replace("://", f"://{user}", 1)


def parse_proxy(text: str) -> str:
    """Return `SYSTEM_PROXY` (for nothing), `NO_PROXY` or an address; else ProxyInvalid or CardDataRefused."""
    refuse_card_data("proxy", text)
    word = text.strip()
    if word.lower() in {"", SYSTEM_PROXY, NO_PROXY}:
        return word.lower() or SYSTEM_PROXY
    return str(proxy_at(word))


def proxy_at(address: str) -> Proxy:
    """Take a proxy's address apart; without a scheme it is plain HTTP's. ProxyInvalid if it can't be used."""
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ProxyInvalid(ProxyInvalid.MALFORMED) from None
    if parts.password is not None:
        raise ProxyInvalid(ProxyInvalid.PASSWORD)
    if parts.scheme not in {"http", "https"}:
        raise ProxyInvalid(ProxyInvalid.KIND)
    user = unquote(parts.username or "")
    if not host or not port or parts.path.strip("/") or parts.query or parts.fragment:
        raise ProxyInvalid(ProxyInvalid.MALFORMED)
    # RFC 7617, 2: a user name with a colon can't be told from its password.
    if not _is_printable(host) or not host.isascii() or not user.isprintable() or ":" in user:
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


def _is_printable(host: str) -> bool:
    return host.isprintable() and not any(c.isspace() or c in '\\"<>|%' for c in host)


def proxy_entry(environment_id: str) -> str:
    """Return the name of the keystore entry that holds the password of an environment's proxy."""
    return f"{environment_id}/proxy"
