"""Environments: one gateway to talk to, with its kind, address and contract."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keybench.core.errors import BaseUrlInvalid

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

# The window's first frame shows an environment and checks none, so what checking takes is imported there.

PRACTICE_ID: Final = "practice"
#: The proxy that the operating system is set to, if any.
SYSTEM_PROXY: Final = "system"
#: No proxy, whatever the operating system is set to.
NO_PROXY: Final = "none"


class EnvironmentKind(enum.StrEnum):
    """What a sale in an environment means: nothing, a test, or money."""

    PRACTICE = "practice"
    TEST = "test"
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Environment:
    """One gateway to talk to. Keys, devices and sales belong to exactly one.

    Attributes:
        id: Ours, stable for its life.
        name: What people call it; unique.
        kind: Practice, test or live.
        base_url: Without a slash at its end; empty for practice, whose gateway is found when it is up.
        contract: The name of the contract its gateway speaks.
        created_at: When it was added, UTC.
        amount_limit: The most a sale may be, as a figure in whichever currency; None for no limit.
        proxy: Through which proxy its gateway is called: `SYSTEM_PROXY`, `NO_PROXY`, or the proxy's address.
    """

    id: str
    name: str
    kind: EnvironmentKind
    base_url: str
    contract: str
    created_at: datetime
    amount_limit: Decimal | None = None
    proxy: str = SYSTEM_PROXY

    @property
    def is_live(self) -> bool:
        """Whether real money moves here."""
        return self.kind is EnvironmentKind.LIVE


def is_loopback(host: str) -> bool:
    """Tell whether a host, as a URL names it, is this computer itself."""
    import ipaddress  # noqa: PLC0415 - see above

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _plain_netloc(host: str, port: int | None) -> str:
    from keybench.core.hosts import plain_host  # noqa: PLC0415 - see above

    try:
        plain = plain_host(host)
    except ValueError:
        raise BaseUrlInvalid(BaseUrlInvalid.MALFORMED) from None
    return plain if port is None else f"{plain}:{port}"


def parse_base_url(text: str) -> str:
    """Return `text` as a base URL without its final slash, its host in ASCII as it is looked up.

    The scheme is https; plain http is allowed to loopback hosts only, where nobody can listen in.

    Raises:
        BaseUrlInvalid: Empty, without scheme or host, not https, with a user name or password in it,
            with a query or fragment, with a host of mixed scripts, or not a URL at all.
        CardDataRefused: It holds a card number.
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - see above

    from keybench.core.card_data import refuse_card_data  # noqa: PLC0415 - see above
    from keybench.core.hosts import is_plain_host, mixes_scripts  # noqa: PLC0415 - see above

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
    netloc = parts.netloc if is_plain_host(host) else _plain_netloc(host, port)
    if mixes_scripts(host):
        raise BaseUrlInvalid(BaseUrlInvalid.LOOK_ALIKE)
    if parts.query or parts.fragment or url.endswith(("?", "#")):
        raise BaseUrlInvalid(BaseUrlInvalid.EXTRA)
    if any(c.isspace() or not c.isprintable() or c == "\\" for c in url):
        raise BaseUrlInvalid(BaseUrlInvalid.MALFORMED)
    scheme = parts.scheme.lower()
    if scheme != "https" and not (scheme == "http" and is_loopback(host)):
        raise BaseUrlInvalid(BaseUrlInvalid.NOT_HTTPS)
    return f"{scheme}://{netloc}{parts.path}".rstrip("/")
