"""Which of a diagnosis's exchanges belong to which of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from keybench.core.diagnosis.checks import Check
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.exchange import Exchange
from keybench.core.secret import MASK


def exchanges_of(diagnosis: Diagnosis, check: Check) -> Sequence[Exchange]:
    """Return what a check asked of a gateway and was answered, in order.

    Checks go on side by side, so that is told by where an exchange went and how it carried the key. The first
    with the bare key is the harmless call, and a later one there carried a value that was made up.
    """
    of: dict[Check, list[Exchange]] = {}
    for exchange in diagnosis.exchanges:
        whose = _check_of(diagnosis, exchange)
        if whose is Check.CALL and of.get(Check.CALL):
            whose = Check.FORMS if _was_made(diagnosis, Check.FORMS) else Check.DEVICE
        of.setdefault(whose, []).append(exchange)
    return of.get(check, [])


def _was_made(diagnosis: Diagnosis, check: Check) -> bool:
    finding = diagnosis.finding(check)
    return finding is not None and bool(finding.observations)


def _check_of(diagnosis: Diagnosis, exchange: Exchange) -> Check:
    parts = urlsplit(exchange.url)
    carried = [value for _name, value in exchange.request_headers if MASK in value]
    if diagnosis.host not in {parts.netloc, parts.hostname}:
        return Check.ELSEWHERE
    if not carried:
        return Check.GATEWAY
    if any(value != MASK for value in carried):
        return Check.FORMS
    if diagnosis.device and diagnosis.device in parts.path:
        return Check.DEVICE
    return Check.CALL
