"""What the answer to a harmless call tells a diagnosis, with a key and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.diagnosis.checks import Fact, Observation, Sign, saw
from keybench.core.diagnosis.wording import hint, likeness
from keybench.core.environments.connection import redirected
from keybench.core.errors import GatewayError, NotSent
from keybench.core.reasons import Reason
from keybench.gateway.answers import http_date, refusal, said
from keybench.gateway.base_url_check import is_page
from keybench.gateway.contract import Contract
from keybench.gateway.json_paths import WORDS_LIMIT, document_in, raw_words
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

_LONGEST: Final = 200
_LONG_AGE: Final = 9
#: A gateway refuses so, also where it does it by a page.
BARRED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_CALL: Final[Mapping[int, Sign]] = {
    HTTPStatus.UNAUTHORIZED: Sign.CALL_UNAUTHORISED,
    HTTPStatus.FORBIDDEN: Sign.CALL_FORBIDDEN,
    HTTPStatus.NOT_FOUND: Sign.CALL_NO_PATH,
    HTTPStatus.METHOD_NOT_ALLOWED: Sign.CALL_NO_PATH,
    HTTPStatus.GONE: Sign.CALL_NO_PATH,
    HTTPStatus.TOO_MANY_REQUESTS: Sign.RATE_LIMIT,
    HTTPStatus.REQUEST_TIMEOUT: Sign.FAILING,
}
_BY_CLASS: Final = {3: Sign.REDIRECT, 4: Sign.CALL_REFUSED_OTHERWISE, 5: Sign.FAILING}
#: How gateways say within a successful answer that they refuse.
_SUCCESS: Final = ("success", "ok", "authenticated", "authorized")
_ERRORS: Final = ("error", "errors", "error_code", "errorCode", "error_message")


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What the answer to a harmless call tells.

    Attributes:
        seen: What it is, as the answer to a call with a key.
        facts: Beside it.
        named: Which cause its words name; None where they name none.
        like: What is the same in two answers that say the same.
    """

    seen: Sign
    facts: Mapping[str, Fact]
    named: Sign | None
    like: str


def told_by(answer: Answer, contract: Contract, redactor: Redactor, now: datetime) -> CheckAnswer:
    """Return what the answer to the harmless call tells, whatever its status.

    Args:
        answer: To the call with a key or without.
        contract: How its envelope is read, and which status means that the key was accepted.
        redactor: Masks the key in whatever the gateway says back.
        now: When it is read.
    """
    envelope = said(answer, contract.errors, redactor)
    message = said_whole = envelope.message
    if not message and answer.status >= HTTPStatus.BAD_REQUEST and not is_page(answer):
        message, said_whole = raw_words(answer.text, redactor), redactor.text_within(answer.text, WORDS_LIMIT)
    code = f"{envelope.type} {envelope.code}".strip()
    named = hint(answer.status, code, said_whole)
    error = refusal(answer, contract.errors, redactor, now)
    if error and contract.errors.meanings.get(envelope.code) is Reason.RATE_LIMIT:
        named = Sign.WORDS_RATE
    # Words that list what it may be, the rate limit among it, don't say that it is that.
    asks_to_wait = error is not None and error.retry_after_s is not None
    limited = (
        error is not None and error.reason is Reason.RATE_LIMIT and (named is Sign.WORDS_RATE or asks_to_wait)
    )
    facts: dict[str, Fact] = {"status": answer.status}
    facts |= {
        name: text
        for name, text in (("code", envelope.code), ("message", message), ("ref", envelope.reference))
        if text
    }
    if error and error.retry_after_s is not None:
        facts["retry_s"] = error.retry_after_s
    return CheckAnswer(
        seen=Sign.RATE_LIMIT if limited else _call_seen(answer, contract),
        facts=facts,
        named=named,
        like=likeness(answer.status, code, said_whole),
    )


def without_answer(error: GatewayError) -> Sequence[Observation]:
    """Return what a call without an answer tells; one that was never sent tells nothing of the gateway."""
    if isinstance(error, NotSent):
        return ()
    kinds = {Reason.TIMEOUT: Sign.SILENT, Reason.NOT_HTTP: Sign.STRANGE}
    return (saw(kinds.get(Reason(error.reason), Sign.LOST), reason=str(error.reason)),)


def broken_off(answer: Answer, facts: Mapping[str, Fact]) -> tuple[Observation, ...]:
    """Return what it tells that an answer isn't whole: it came too slowly, or the connection broke."""
    if not answer.lost:
        return ()
    seen = Sign.SILENT if answer.lost is Reason.TIMEOUT else Sign.LOST
    return (saw(seen, **{**facts, "reason": str(answer.lost)}),)


def _call_seen(answer: Answer, contract: Contract) -> Sign:
    kind = _BY_CLASS.get(answer.status // 100)
    if kind is not Sign.REDIRECT and kind is not Sign.FAILING and is_page(answer):
        return _CALL[answer.status] if answer.status in BARRED else Sign.PAGE
    if answer.status in contract.probe.accepted:
        document = document_in(answer)
        if document is not None:
            is_ok = answer.status < HTTPStatus.MULTIPLE_CHOICES
            return Sign.CALL_DENIED if is_ok and _denies(document) else Sign.CALL_ACCEPTED
    return _CALL.get(answer.status) or kind or Sign.STRANGE


def _denies(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    said_no = any(document.get(name) is False for name in _SUCCESS)
    return said_no or any(document.get(name) for name in _ERRORS)


def with_place(seen: Sign, base_url: str, facts: Mapping[str, Fact]) -> Sign:
    """Return what a redirect is: one within the gateway's own domain, or to somebody else's."""
    there, here = urlsplit(str(facts.get("leads_to", ""))).hostname, urlsplit(base_url).hostname
    is_away = seen is Sign.REDIRECT and there and here and _domain(there) != _domain(here)
    return Sign.REDIRECT_AWAY if is_away else seen


def _domain(host: str) -> str:
    """Return the part of a name that has one owner, nearly always; an address stands for itself."""
    is_address = ":" in host or host.rpartition(".")[2].isdecimal()
    return host if is_address else ".".join(host.rstrip(".").split(".")[-2:])


def leading(answer: Answer, url: str) -> Mapping[str, Fact]:
    """Return where a redirect leads, without what stands behind ? or # there."""
    if answer.status // 100 != 3:  # noqa: PLR2004 - HTTP's class of redirects
        return {}
    leads_to = redirected(url, answer.header("location"))
    return {"leads_to": Redactor().text(leads_to)[:_LONGEST]} if leads_to else {}


def date_of(answer: Answer) -> datetime | None:
    """Return when an answer was sent, by the gateway's clock; None where it doesn't tell."""
    age = answer.header("age").strip()  # of one that was kept on the way (RFC 9111, 5.1)
    passed = int(age) if age.isascii() and age.isdecimal() and len(age) < _LONG_AGE else 0
    date = http_date(answer.header("date"))
    try:
        return date and date + timedelta(seconds=passed)
    except OverflowError:
        return None
