"""Where a key may be tried: at what may be a gateway, and in other environments of the same one."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from keybench.core.diagnosis.checks import Observation, Sign
from keybench.core.environments.environment import Environment, EnvironmentKind

#: What no gateway answers to a call without a key.
_NO_GATEWAY: Final = frozenset(
    {Sign.SILENT, Sign.LOST, Sign.PAGE, Sign.BARRED_BY_PAGE}
    | {Sign.REDIRECT, Sign.REDIRECT_AWAY, Sign.STRANGE}
)
#: Words in a host's name that tell which of a gateway's environments it is.
_ENVIRONMENTS: Final = frozenset(
    {"sandbox", "sbx", "test", "testing", "tst", "uat", "qa", "stage", "staging", "stg", "preprod", "demo"}
    | {"dev", "cert", "certification", "integration", "live", "prod", "production", "secure"}
)
_TESTS: Final = _ENVIRONMENTS - {"live", "prod", "production", "secure"}
_LIVE: Final = frozenset({"live", "prod", "production"})
#: Under these, names next to each other belong to different people.
_HOSTING: Final = frozenset(
    {"github.io", "gitlab.io", "herokuapp.com", "azurewebsites.net", "cloudapp.azure.com", "web.app"}
    | {"amazonaws.com", "cloudfront.net", "elasticbeanstalk.com", "appspot.com", "run.app", "fly.dev"}
    | {"vercel.app", "netlify.app", "pages.dev", "workers.dev", "onrender.com", "ngrok.io", "ngrok.app"}
    | {"ngrok-free.app", "duckdns.org", "dyndns.org", "no-ip.org", "trycloudflare.com", "firebaseapp.com"}
)
#: Second levels under which a country's names are registered, such as ``co.uk``.
_SECOND_LEVELS: Final = frozenset({"ac", "co", "com", "edu", "gov", "ltd", "net", "ne", "or", "org", "plc"})
_COUNTRY: Final = 2
#: A name of one's own has so many labels under the top, and one more under a second level.
_OWN: Final = 2


def same_gateway(one: Environment, other: Environment) -> bool:
    """Tell whether two environments are different ones of one gateway, by what they are set to.

    They have one contract. Their hosts are one, or have names of one registered domain that differ only in
    words such as ``sandbox`` or ``live``: nothing else shows that both belong to who is meant to see the key.
    Those of one address are one and the same.
    """
    if EnvironmentKind.PRACTICE in {one.kind, other.kind} or one.contract != other.contract:
        return False
    here, there = _place(one.base_url), _place(other.base_url)
    if here is None or there is None or one.base_url == other.base_url:
        return False
    (scheme, host, port), (other_scheme, other_host, other_port) = here, there
    if scheme != other_scheme or port != other_port:
        return False
    if host == other_host:
        return True
    bare, other_bare = _without_environment(host), _without_environment(other_host)
    return bare is not None and bare == other_bare


def may_be_gateway(met: Sequence[Observation]) -> bool:
    """Return whether a key may be sent, in whichever form, where a call without one met this."""
    return bool(met) and not any(one.seen in _NO_GATEWAY or "page" in one.facts for one in met)


def names_other_kind(host: str, kind: EnvironmentKind) -> bool:
    """Tell whether a host's name says that it is for tests where the environment is live, or the reverse."""
    words = {word for label in host.lower().split(".") for word in re.split(r"[-_\d]+", label)}
    if kind is EnvironmentKind.LIVE:
        return bool(words & _TESTS) and not words & _LIVE
    return kind is EnvironmentKind.TEST and bool(words & _LIVE) and not words & _TESTS


def _place(base_url: str) -> tuple[str, str, int | None] | None:
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (parts.scheme, host.rstrip(".").lower(), port) if host else None


def _without_environment(host: str) -> tuple[str, ...] | None:
    """Return a host's labels without the words for its environment; None where nobody owns the domain."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        labels = host.split(".")
    else:
        return None
    own = _OWN + (len(labels[-1]) == _COUNTRY and labels[-2:-1] != [] and labels[-2] in _SECOND_LEVELS)
    domain = labels[-own:]
    if len(domain) < own or any(host.endswith(f".{one}") or host == one for one in _HOSTING):
        return None
    left = [_bare(label) for label in labels[:-own]]
    return (*(label for label in left if label), *domain)


def _bare(label: str) -> str:
    return "-".join(word for word in label.split("-") if word.rstrip("0123456789") not in _ENVIRONMENTS)
