"""An environment's base URL tried out: what answered there, and which address was probably meant instead."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from keybench.core.environments.addresses import is_loopback, parse_base_url
from keybench.core.input_errors import BaseUrlInvalid


class Slip(enum.StrEnum):
    """How an address differs from the base URL that was probably meant, the gravest last."""

    NO_SCHEME = "no scheme"
    EXTRA = "query or fragment"
    PLAIN_HTTP = "plain http"
    PORTAL = "portal"
    DOUBLED_PATH = "doubled path"
    CREDENTIALS = "credentials"


@dataclass(frozen=True, slots=True)
class Correction:
    """The base URL that was probably meant, and what was wrong with the other; the gravest thing counts."""

    base_url: str
    slip: Slip


class BaseUrlFound(enum.StrEnum):
    """What a call without a key found at a base URL."""

    #: It asks for a key, as a gateway should.
    GATEWAY = "gateway"
    #: It answers like a gateway, and doesn't ask for a key.
    OPEN = "no key wanted"
    #: A page for people: HTML, such as a login page.
    PAGE = "page"
    REDIRECT = "redirect"
    #: It answers, and doesn't know the API's path.
    NO_PATH = "no such path"
    TOO_OFTEN = "rate limit"
    FAILING = "failing"
    #: It speaks HTTP, and isn't understood.
    OTHER = "other"
    #: Nothing was sent; the reason tells why.
    NOT_REACHED = "not reached"
    #: It was asked, and gave no answer.
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class ConnectionResult:
    """What a base URL was found to be; status 0 where no answer came, for a `reason` as `Reason` has it.

    A redirect's `leads_to` is without what stands behind ? or #; `correction` is what may have been meant.
    """

    base_url: str
    found: BaseUrlFound
    elapsed_s: float
    status: int = 0
    reason: str = ""
    leads_to: str = ""
    correction: Correction | None = None

    @property
    def is_gateway(self) -> bool:
        """Whether a gateway answered as one should that is called without a key."""
        return self.found is BaseUrlFound.GATEWAY


_HOST: Final = re.compile(r"(localhost|[\w-]+(\.[\w-]+)+|\[[0-9a-f:.]+\])(:\d+)?([/?#].*)?", re.IGNORECASE)
#: How the pages of a merchant's or a partner's portal begin, and files that only a browser opens.
_PAGES: Final = frozenset(
    {"portal", "merchant", "merchants", "partner", "partners", "reseller", "resellers"}
    | {"login", "signin", "sign-in", "logon", "settings", "account", "dashboard"}
)
_PAGE_FILE: Final = re.compile(r"[^/]+\.(html?|php|aspx?|jsp)", re.IGNORECASE)
_USUAL_PORTS: Final = {"http": 80, "https": 443}


def correction_of(entered: str, paths: Sequence[str] = (), portals: Sequence[str] = ()) -> Correction | None:
    """Return which base URL was probably meant by what was entered; None if that can be used, or for no idea.

    `paths` are those that a contract calls, such as ``/api/v5/devices/{device_id}``; `portals` are those
    known, also as far as one has been typed. Nothing is called; a card number is CardDataRefused.
    """
    text, slips = entered.strip(), list[Slip]()
    if "://" not in text:
        if not _HOST.fullmatch(text.lstrip("/")):
            return None
        text = f"https://{text.lstrip('/')}"
        slips.append(Slip.NO_SCHEME)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.scheme.lower() not in _USUAL_PORTS:
        return None
    if "@" in parts.netloc:
        slips.append(Slip.CREDENTIALS)
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        slips.append(Slip.EXTRA)
    scheme, port = _secured(parts.scheme.lower(), host, port, slips)
    netloc = parts.netloc.rpartition("@")[2]
    netloc = re.sub(r":\d*$", "", netloc) + (f":{port}" if port else "")
    path = _base_path(parts, paths, portals, slips)
    if not slips:
        return None
    try:
        return Correction(parse_base_url(f"{scheme}://{netloc}{path}"), max(slips, key=list(Slip).index))
    except BaseUrlInvalid:
        return None


def redirected(asked: str, location: str) -> str:
    """Return where a redirect leads, without user, query and fragment; empty where that can't be told.

    `asked` is the whole URL that was asked for, and `location` the answer's header, which can say anything.
    """
    try:
        target = urlsplit(urljoin(asked, location.strip()))
    except ValueError:
        return ""
    leads_to = f"{target.scheme}://{target.netloc.rpartition('@')[2]}{target.path}"
    return leads_to if leads_to.isprintable() else ""


def _secured(scheme: str, host: str, port: int | None, slips: list[Slip]) -> tuple[str, int | None]:
    """Return scheme and port as they should be; this computer may be called by plain http."""
    if is_loopback(host):
        if Slip.NO_SCHEME in slips:
            scheme = "http"  # nothing on this computer has a certificate, as a rule
        return scheme, port
    if scheme == "http":
        slips.append(Slip.PLAIN_HTTP)
    return "https", None if port in _USUAL_PORTS.values() else port


def _base_path(parts: SplitResult, paths: Sequence[str], portals: Sequence[str], slips: list[Slip]) -> str:
    path = parts.path.rstrip("/")
    steps = [step for step in path.split("/") if step]
    for start in range(len(steps)):
        if any(_begins(steps[start:], call) for call in paths):
            slips.append(Slip.DOUBLED_PATH)
            return "".join(f"/{step}" for step in steps[:start])
    is_page = bool(steps) and (steps[0].lower() in _PAGES or bool(_PAGE_FILE.fullmatch(steps[-1])))
    if is_page or (path and any(_is_page_of(one, parts) for one in portals)):
        slips.append(Slip.PORTAL)
        return ""
    return path


def _is_page_of(portal: str, parts: SplitResult) -> bool:
    try:
        page = urlsplit(portal)
    except ValueError:
        return False
    host = parts.netloc.rpartition("@")[2]
    return page.netloc.lower() == host.lower() and page.path.rstrip("/") == parts.path.rstrip("/")


def _begins(steps: Sequence[str], call: str) -> bool:
    """Tell whether a call's path begins with these steps; one in braces stands for any."""
    wanted = [step for step in call.partition("?")[0].split("/") if step]
    if len(steps) > len(wanted) or wanted[0].startswith("{"):
        return False
    return all(
        step == want or want.startswith("{") for step, want in zip(steps, wanted[: len(steps)], strict=True)
    )
