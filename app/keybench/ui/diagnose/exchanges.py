"""Which of a diagnosis's exchanges belong to which of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from keybench.core.diagnosis.checks import Check
from keybench.core.diagnosis.record import Diagnosis
from keybench.core.exchange import Exchange
from keybench.core.secret import MASK


def exchanges_of(diagnosis: Diagnosis, check: Check) -> Sequence[Exchange]:
    """Return what a check asked of a gateway and was answered, in order."""
    return [one for one in diagnosis.exchanges if _check_of(diagnosis, one) is check]


def _check_of(diagnosis: Diagnosis, exchange: Exchange) -> Check:
    """Return which check made an exchange, by where it went and how it carried the key."""
    parts = urlsplit(exchange.url)
    carried = [value for _name, value in exchange.request_headers if MASK in value]
    if diagnosis.host not in {parts.netloc, parts.hostname}:
        return Check.ELSEWHERE
    if not carried:
        return Check.GATEWAY
    if MASK not in carried:
        return Check.FORMS
    if diagnosis.device and diagnosis.device in parts.path:
        return Check.DEVICE
    return Check.CALL
