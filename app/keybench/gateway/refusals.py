"""An answer that says no: its status decides the error, its envelope gives the words and may tell why."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final

from keybench.core.errors import (
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyRefused,
    Refused,
)
from keybench.core.reasons import Reason
from keybench.gateway.contract_model import ErrorFields
from keybench.gateway.messages import Answer
from keybench.gateway.reading import find_text, find_words, parse, words
from keybench.gateway.redaction import Redactor

_LONGEST_PAUSE_S: Final = 3600.0
_BUSY: Final = HTTPStatus.TOO_MANY_REQUESTS
#: What words tell of which refusals: a 401 is about the key, whatever else it says.
_SAID: Final = tuple(
    (reason, statuses, re.compile(form, re.IGNORECASE))
    for reason, statuses, form in (
        (Reason.RATE_LIMIT, {403, 429}, r"rate.?limit|too.?many.?(requests|calls)|too.?often|throttl"),
        (
            Reason.DEVICE_OFFLINE,
            {400, 404, 409, 422, 424},
            r"(device|terminal|poi).{0,40}(not.?connected|offline|disconnected|not.?reachable|unreachable)",
        ),
        (Reason.DEVICE_BUSY, {400, 409, 422, 423}, r"(device|terminal|poi).{0,40}(in.?use|busy)"),
    )
)
_REASONS: Final = {
    HTTPStatus.BAD_REQUEST: Reason.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED: Reason.UNAUTHORISED,
    HTTPStatus.FORBIDDEN: Reason.FORBIDDEN,
    HTTPStatus.NOT_FOUND: Reason.NOT_FOUND,
    HTTPStatus.CONFLICT: Reason.CONFLICT,
    _BUSY: Reason.RATE_LIMIT,
    HTTPStatus.REQUEST_TIMEOUT: Reason.GATEWAY_TIMEOUT,
    HTTPStatus.GATEWAY_TIMEOUT: Reason.GATEWAY_TIMEOUT,
}


def refusal(answer: Answer, fields: ErrorFields, redactor: Redactor, now: datetime) -> GatewayError | None:
    """Return the error an answer stands for, or None if its status is below 400.

    The status alone decides the error: an envelope that broke off or can't be read costs the words and the
    nearer reason, not what it means for the money.
    """
    if answer.status < HTTPStatus.BAD_REQUEST:
        return None
    envelope = _envelope(answer.text)
    message = find_words(envelope, fields.message, redactor)
    kind = find_words(envelope, fields.kind, redactor)
    code = find_words(envelope, fields.code, redactor)
    pause = retry_after(answer.header("retry-after"), now)
    told = fields.meanings.get(code) or _nearer(answer.status, f"{code} {kind} {message}")
    return _class_of(answer.status)(
        told or _reason(answer.status, pause),
        message=message or code or kind or words(answer.text, redactor),
        status=answer.status,
        reference=find_words(envelope, fields.reference, redactor),
        retry_after_s=pause,
    )


def error_code(answer: Answer, fields: ErrorFields) -> str:
    """Return the envelope's error code, or the empty text."""
    return find_text(_envelope(answer.text), fields.code)


def _envelope(text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None


def _class_of(status: int) -> type[GatewayError]:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return GatewayFailed
    if status == HTTPStatus.UNAUTHORIZED:
        return KeyRefused
    return Forbidden if status == HTTPStatus.FORBIDDEN else Refused


def _nearer(status: int, said: str) -> Reason | None:
    """Return the reason that the gateway's own words tell, where the status leaves several; else None."""
    fitting = (reason for reason, statuses, form in _SAID if status in statuses and form.search(said))
    return next(fitting, None)


def _reason(status: int, pause: float | None) -> Reason:
    if status == HTTPStatus.FORBIDDEN and pause is not None:
        return Reason.RATE_LIMIT  # the service's way to say it: a 403 that asks to wait
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Reason.GATEWAY_TIMEOUT if status == HTTPStatus.GATEWAY_TIMEOUT else Reason.FAILED
    known = {int(code): word for code, word in _REASONS.items()}
    return known.get(status, Reason.REFUSED)


def retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds a ``Retry-After`` asks for, a number or a date (RFC 9110, 10.2.3), or None."""
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:9]), _LONGEST_PAUSE_S)
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return min(max((until - now).total_seconds(), 0.0), _LONGEST_PAUSE_S)
