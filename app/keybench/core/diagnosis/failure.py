"""What a failure itself shows: a sale's outcome, or the error of a call, as observations. All of it pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Final

from keybench.core.diagnosis.checks import Fact, Observation, Sign, saw
from keybench.core.diagnosis.wording import hint
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import GatewayError, JournalError, KeystoreError, NotSent, ValueDiffers
from keybench.core.exchange import Exchange
from keybench.core.input_errors import KeybenchError
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict

_R: Final = Reason
#: What each reason shows, whatever was asked. One that isn't here shows nothing: Keybench was too busy,
#: was told to stop or ended, or it is too early to tell.
_SHOWING: Final[Mapping[Sign, tuple[Reason, ...]]] = {
    Sign.NAME_NOT_FOUND: (_R.NAME_NOT_FOUND,),
    Sign.CONNECT_REFUSED: (_R.CONNECTION_REFUSED,),
    Sign.CONNECT_UNREACHABLE: (_R.NETWORK_UNREACHABLE,),
    Sign.CONNECT_SILENT: (_R.CONNECT_TIMEOUT,),
    Sign.LOST: (_R.CONNECTION_RESET, _R.CONNECTION_CLOSED, _R.FAILED, _R.NEVER_RECEIVED),
    Sign.SILENT: (_R.TIMEOUT,),
    Sign.URL_ODD: (_R.INVALID_ADDRESS,),
    Sign.FORM_STRAY: (_R.BAD_REQUEST_FORM,),
    Sign.STRANGE: (_R.NOT_HTTP, _R.UPGRADE, _R.NOT_THE_GATEWAYS),
    Sign.TLS_FAILED: (_R.TLS,),
    Sign.TLS_EXPIRED: (_R.TLS_EXPIRED, _R.TLS_OUT_OF_DATE),
    Sign.TLS_NOT_YET_VALID: (_R.TLS_NOT_YET_VALID,),
    Sign.TLS_WRONG_HOST: (_R.TLS_WRONG_HOST,),
    Sign.TLS_SELF_SIGNED: (_R.TLS_SELF_SIGNED,),
    Sign.TLS_UNTRUSTED: (_R.TLS_UNTRUSTED, _R.TLS_NO_AUTHORITIES, _R.CLASS_CERTIFICATE),
    Sign.PROXY_UNUSABLE: (
        *(_R.PROXY_NOT_FOUND, _R.PROXY_UNREACHABLE, _R.PROXY_CLOSED, _R.PROXY_TLS, _R.PROXY_UNTRUSTED),
        *(_R.PROXY_SETTING, _R.NOT_A_PROXY),
    ),
    Sign.PROXY_SILENT: (_R.PROXY_SILENT,),
    Sign.PROXY_REFUSES: (_R.PROXY_IN_VAIN, _R.PROXY_REFUSED),
    Sign.PROXY_PASSWORD: (
        *(_R.PROXY_SIGN_IN, _R.PROXY_PASSWORD_WANTED, _R.PROXY_PASSWORD_REFUSED),
        *(_R.PROXY_PASSWORD_MISSING, _R.PROXY_PASSWORD_UNREAD),
    ),
    Sign.CONTRACT_INVALID: (_R.CONTRACT,),
    Sign.FAILING: (
        *(_R.PRACTICE_NOT_RUN, _R.PRACTICE_SILENT, _R.PRACTICE_STRANGE, _R.PRACTICE_ENDED),
        _R.GATEWAY_TIMEOUT,
    ),
    Sign.RATE_LIMIT: (_R.RATE_LIMIT,),
    Sign.SALE_DEVICE_OFFLINE: (_R.DEVICE_OFFLINE,),
    Sign.SALE_DEVICE_BUSY: (_R.DEVICE_BUSY,),
    Sign.SALE_NO_OUTCOME: (_R.REQUEST_UNKNOWN, _R.DEADLINE),
    Sign.SALE_BAD_REQUEST: (_R.BAD_REQUEST,),
    Sign.CALL_UNAUTHORISED: (_R.UNAUTHORISED,),
    Sign.CALL_FORBIDDEN: (_R.FORBIDDEN,),
    Sign.SALE_DEVICE_UNKNOWN: (_R.NOT_FOUND,),
    Sign.SALE_CONFLICT: (_R.CONFLICT,),
    Sign.SALE_DUPLICATE: (_R.REPEATED,),
    Sign.CALL_REFUSED_OTHERWISE: (_R.REFUSED, _R.REFUSED_WHILE_FOLLOWING),
    Sign.SALE_PROCESSOR: (_R.PROCESSOR_SILENT,),
    Sign.REDIRECT: (_R.REDIRECT,),
    Sign.SALE_NOT_UNDERSTOOD: (
        *(_R.PART, _R.EMPTY, _R.TOO_BIG, _R.UNKNOWN_ENCODING, _R.NOT_JSON, _R.NOT_A_FORM, _R.NOT_AN_OBJECT),
        *(_R.NO_LIST, _R.NO_KEY, _R.NO_STATUS, _R.NO_OUTCOME, _R.NO_IDENTIFIER, _R.NO_REFERENCE),
        *(_R.MORE_PAGES, _R.NOT_WHOLE, _R.MORE_DEVICES, _R.PAGE_ELSEWHERE),
    ),
    Sign.SALE_CONTRADICTORY: (
        *(_R.NAME_TWICE, _R.OTHER_SALES, _R.ANOTHER_REQUEST, _R.ANOTHER_SALE, _R.ANOTHER_DEVICE),
        *(_R.DEVICE_TWICE, _R.DEVICE_LISTED, _R.CONTRADICTORY, _R.IDENTIFIER_TWICE),
    ),
    Sign.KEYSTORE_SHUT: (
        *(_R.KEYSTORE_MISSING, _R.KEYSTORE_GONE, _R.KEYSTORE_LOCKED, _R.KEYSTORE_DENIED, _R.KEYSTORE_FAILED),
    ),
    Sign.KEYSTORE_SILENT: (_R.KEYSTORE_SILENT,),
    Sign.FORM_UNUSUAL: (_R.VALUE_TOO_LONG,),
    Sign.VALUE_MISSING: (_R.VALUE_LOST, _R.VALUE_NEVER_HERE, _R.KEY_FORGOTTEN),
    Sign.VALUE_OTHER: (_R.VALUE_DIFFERS,),
    Sign.JOURNAL_FAILED: (_R.NOT_NOTED,),
    Sign.SALE_SENT_ELSEWHERE: (_R.SENT_ELSEWHERE,),
}
#: The last ones are those that contracts give to their words.
_SHOWS: Final[Mapping[str, Sign]] = {
    **{str(reason): seen for seen, reasons in _SHOWING.items() for reason in reasons},
    "at the terminal": Sign.SALE_CANCELLED,
    "by the API": Sign.SALE_CANCELLED_HERE,
    "duplicate": Sign.SALE_DUPLICATE,
    "gateway": Sign.SALE_BAD_REQUEST,
    "processor": Sign.SALE_PROCESSOR,
}
#: What a status shows where the reason leaves it open.
_BY_STATUS: Final[Mapping[int, Sign]] = {
    401: Sign.CALL_UNAUTHORISED,
    403: Sign.CALL_FORBIDDEN,
    429: Sign.RATE_LIMIT,
}
_OPEN: Final = frozenset({None, Sign.CALL_REFUSED_OTHERWISE, Sign.SALE_NO_OUTCOME, Sign.LOST})
#: Before anything was sent, what was lost was the connection itself.
_NOT_SENT: Final = {Sign.LOST: Sign.CONNECT_LOST, Sign.SILENT: Sign.CONNECT_SILENT}
#: What a call that sells nothing shows by a reason that speaks of a device in a sale.
_WITHOUT_SALE: Final = {
    Sign.SALE_DEVICE_UNKNOWN: Sign.CALL_NO_PATH,
    Sign.SALE_NOT_UNDERSTOOD: Sign.STRANGE,
    Sign.SALE_CONTRADICTORY: Sign.STRANGE,
    Sign.SALE_BAD_REQUEST: Sign.CALL_REFUSED_OTHERWISE,
    Sign.SALE_CONFLICT: Sign.CALL_REFUSED_OTHERWISE,
    Sign.SALE_DUPLICATE: Sign.CALL_REFUSED_OTHERWISE,
    Sign.SALE_NO_OUTCOME: Sign.FAILING,
    Sign.SALE_PROCESSOR: Sign.FAILING,
}
_ABOUT_THE_KEY: Final = frozenset({Sign.CALL_UNAUTHORISED, Sign.CALL_FORBIDDEN})
_UNREAD: Final = frozenset({Sign.SALE_NOT_UNDERSTOOD, Sign.STRANGE})
_FAILED: Final = 500
#: Below it, tests decline.
_LEAST_TEST_AMOUNT: Final = Decimal("1.00")
#: How the identifiers of the vendor's simulated devices end; none of them is in live.
_SIMULATED: Final = "0" * 12
#: Issuers don't decline a sale for being like another; gateways do.
_REPEATED: Final = re.compile(r"\bduplicat", re.IGNORECASE)
#: How gateways call a request that its device works on, and one that it hasn't taken up.
_TAKEN_UP: Final = ("flight", "progress", "present", "card", "interact", "process")
_NOT_TAKEN_UP: Final = ("pending", "queued", "created", "new", "received", "accepted", "sent")


def observations_of_sale(
    sale: Sale,
    events: Sequence[SaleEvent] = (),
    exchanges: Sequence[Exchange] = (),
    *,
    kind: EnvironmentKind | None = None,
    declined_amounts: Collection[str] = (),
) -> tuple[Observation, ...]:
    """Return what a sale that has ended shows of why; nothing while it is under way."""
    verdict = sale.verdict
    if verdict is None:
        return ()
    match verdict.outcome:
        case Outcome.APPROVED | Outcome.PARTLY_APPROVED:
            partly = {"approved": str(sale.approved)} if sale.approved not in {None, sale.money} else {}
            return (saw(Sign.SALE_APPROVED, **partly),)
        case Outcome.DECLINED:
            return _declined(sale, verdict, kind, declined_amounts)
        case Outcome.CANCELLED:
            return (saw(_SHOWS.get(verdict.reason, Sign.SALE_CANCELLED)),)
        case Outcome.EXPIRED:
            return (saw(_expired(sale, events)),)
        case _:
            called = _called(
                verdict.reason,
                verdict.status,
                verdict.message,
                exchanges,
                code=verdict.response_code,
                is_unsent=verdict.outcome is Outcome.NOT_SENT,
            )
            seen = _last_trouble(events) if verdict.reason == Reason.DEADLINE else None
            return (*called, saw(seen)) if seen else called


def observations_of_error(
    error: KeybenchError, exchanges: Sequence[Exchange] = ()
) -> tuple[Observation, ...]:
    """Return what the error of a call that sells nothing shows, such as the test of a key."""
    match error:
        case GatewayError():
            seen = _called(
                error.reason,
                error.status,
                error.message,
                exchanges,
                is_unsent=isinstance(error, NotSent),
                asks_to_wait=error.asks_to_wait,
            )
            return tuple(Observation(_WITHOUT_SALE.get(one.seen, one.seen), one.facts) for one in seen)
        case ValueDiffers():
            return (saw(Sign.VALUE_OTHER, fingerprint=error.expected, found=error.found),)
        case KeystoreError():
            return (saw(_SHOWS[error.reason]),)
        case JournalError():
            return (saw(Sign.JOURNAL_FAILED),)
        case _:
            return ()


def seen_by_reason(reason: str) -> Sign | None:
    """Return what a reason shows by itself; None for nothing, and for one that isn't known."""
    return _SHOWS.get(reason.partition(": ")[0])


def _called(
    reason: str,
    status: int,
    message: str,
    exchanges: Sequence[Exchange],
    *,
    code: str = "",
    is_unsent: bool = False,
    asks_to_wait: bool = False,
) -> tuple[Observation, ...]:
    seen = seen_by_reason(reason)
    if seen in _OPEN:
        seen = Sign.FAILING if status >= _FAILED else _BY_STATUS.get(status, seen)
    if asks_to_wait and seen in _ABOUT_THE_KEY:
        seen = Sign.RATE_LIMIT
    if seen is None:
        return ()
    if is_unsent and reason != Reason.NEVER_RECEIVED:
        seen = _NOT_SENT.get(seen, seen)
    if seen in _UNREAD and exchanges and _is_page(exchanges[-1]):
        seen = Sign.PAGE
    named = hint(status, code, message) if seen in _ABOUT_THE_KEY else None
    told = (_said(seen, status, message),)
    return (*told, saw(named)) if named else told


def _said(seen: Sign, status: int, message: str) -> Observation:
    facts: dict[str, Fact] = {"status": status, "message": message}
    return Observation(seen, {name: fact for name, fact in facts.items() if fact})


def _declined(
    sale: Sale, verdict: Verdict, kind: EnvironmentKind | None, declined_amounts: Collection[str]
) -> tuple[Observation, ...]:
    seen = Sign.SALE_DUPLICATE if _REPEATED.search(verdict.message) else Sign.SALE_DECLINED
    declined = _said(seen, 0, verdict.message)
    is_for_tests = sale.money.figure in declined_amounts
    is_small = sale.money.amount < _LEAST_TEST_AMOUNT
    if kind is EnvironmentKind.LIVE:
        if sale.device.endswith(_SIMULATED):
            return (saw(Sign.SALE_TEST_MODE),)
        # An issuer may decline such an amount, too.
        return (declined, saw(Sign.SALE_TEST_MODE)) if is_for_tests or is_small else (declined,)
    if kind is not None and (is_for_tests or is_small):
        return (saw(Sign.SALE_TEST_AMOUNT, amount=str(sale.money)),)
    return (declined,)


def _last_trouble(events: Sequence[SaleEvent]) -> Sign | None:
    """Return what kept the last poll from finding out, where that was the last thing that was noted."""
    polls = [event for event in events if event.mark in {Mark.STATUS, Mark.TROUBLE}]
    if not polls or polls[-1].mark is not Mark.TROUBLE:
        return None
    return seen_by_reason(polls[-1].reason)


def _expired(sale: Sale, events: Sequence[SaleEvent]) -> Sign:
    """Return how far the device came, by the gateway's words.

    A word that was seen early alone tells nothing of what came later.
    """
    told = [event for event in events if event.mark in {Mark.ACCEPTED, Mark.STATUS} and event.detail]
    words = {event.detail.casefold() for event in told}
    if len(words) > 1 or any(part in word for word in words for part in _TAKEN_UP):
        return Sign.SALE_EXPIRED_WAITING
    begins, ends = sale.accepted_at, sale.finished_at
    if not words or begins is None or ends is None or told[-1].at - begins < (ends - begins) / 2:
        return Sign.SALE_EXPIRED
    is_waiting = any(part in word for word in words for part in _NOT_TAKEN_UP)
    return Sign.SALE_EXPIRED_UNTOUCHED if is_waiting else Sign.SALE_EXPIRED


def _is_page(exchange: Exchange) -> bool:
    """Tell whether what answered is meant for people."""
    kinds = [value for name, value in exchange.response_headers if name.lower() == "content-type"]
    begins = exchange.response_body.lstrip()[:15].lower()
    return any("html" in kind.lower() for kind in kinds) or begins.startswith(("<!doctype html", "<html"))
