"""What a failure itself shows: a sale's outcome, or the error of a call, as observations. All of it pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from keybench.core.diagnosis.checks import Observation, Seen, saw
from keybench.core.diagnosis.wording import hints
from keybench.core.environment import EnvironmentKind
from keybench.core.errors import GatewayError, JournalError, KeystoreError, NotSent, ValueDiffers
from keybench.core.exchange import Exchange
from keybench.core.forensics import Account, Finding
from keybench.core.input_errors import KeybenchError
from keybench.core.reasons import Reason
from keybench.core.sale import Mark, Outcome, Sale, SaleEvent, Verdict

#: What a reason shows, whatever was asked. An empty one shows nothing by itself.
_SHOWS: Final[Mapping[Reason, Seen | None]] = {
    Reason.NAME_NOT_FOUND: Seen.NAME_NOT_FOUND,
    Reason.CONNECTION_REFUSED: Seen.CONNECT_REFUSED,
    Reason.NETWORK_UNREACHABLE: Seen.CONNECT_UNREACHABLE,
    Reason.CONNECT_TIMEOUT: Seen.CONNECT_SILENT,
    Reason.CONNECTION_RESET: Seen.CALL_LOST,
    Reason.CONNECTION_CLOSED: Seen.CALL_LOST,
    Reason.TIMEOUT: Seen.CALL_SILENT,
    # Keybench itself had no free connection, or was told to stop.
    Reason.TOO_BUSY: None,
    Reason.CANCELLED: None,
    Reason.FAILED: Seen.CALL_LOST,
    Reason.INVALID_ADDRESS: Seen.URL_ODD,
    Reason.BAD_REQUEST_FORM: Seen.FORM_STRAY,
    Reason.NOT_HTTP: Seen.CALL_STRANGE,
    Reason.TLS: Seen.TLS_FAILED,
    Reason.TLS_EXPIRED: Seen.TLS_EXPIRED,
    Reason.TLS_NOT_YET_VALID: Seen.TLS_NOT_YET_VALID,
    Reason.TLS_OUT_OF_DATE: Seen.TLS_EXPIRED,
    Reason.TLS_WRONG_HOST: Seen.TLS_WRONG_HOST,
    Reason.TLS_SELF_SIGNED: Seen.TLS_SELF_SIGNED,
    Reason.TLS_UNTRUSTED: Seen.TLS_UNTRUSTED,
    Reason.TLS_NO_AUTHORITIES: Seen.TLS_UNTRUSTED,
    Reason.PROXY_NOT_FOUND: Seen.PROXY_UNUSABLE,
    Reason.PROXY_UNREACHABLE: Seen.PROXY_UNUSABLE,
    Reason.PROXY_SILENT: Seen.PROXY_SILENT,
    Reason.PROXY_CLOSED: Seen.PROXY_UNUSABLE,
    Reason.PROXY_TLS: Seen.PROXY_UNUSABLE,
    Reason.PROXY_UNTRUSTED: Seen.PROXY_UNUSABLE,
    Reason.PROXY_IN_VAIN: Seen.PROXY_REFUSES,
    Reason.PROXY_REFUSED: Seen.PROXY_REFUSES,
    Reason.PROXY_SETTING: Seen.PROXY_UNUSABLE,
    Reason.PROXY_SIGN_IN: Seen.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_WANTED: Seen.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_REFUSED: Seen.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_MISSING: Seen.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_UNREAD: Seen.PROXY_PASSWORD,
    Reason.NOT_A_PROXY: Seen.PROXY_UNUSABLE,
    Reason.CONTRACT: Seen.CONTRACT_INVALID,
    Reason.NOT_OFFERED: None,
    Reason.PRACTICE_NOT_RUN: Seen.GATEWAY_FAILING,
    Reason.PRACTICE_SILENT: Seen.GATEWAY_FAILING,
    Reason.PRACTICE_STRANGE: Seen.GATEWAY_FAILING,
    Reason.PRACTICE_ENDED: Seen.GATEWAY_FAILING,
    Reason.PRACTICE_STOPPING: None,
    Reason.RATE_LIMIT: Seen.CALL_RATE_LIMIT,
    Reason.DEVICE_OFFLINE: Seen.SALE_DEVICE_OFFLINE,
    Reason.DEVICE_BUSY: Seen.SALE_DEVICE_BUSY,
    Reason.REQUEST_UNKNOWN: Seen.SALE_NO_OUTCOME,
    Reason.BAD_REQUEST: Seen.SALE_BAD_REQUEST,
    Reason.UNAUTHORISED: Seen.CALL_UNAUTHORISED,
    Reason.FORBIDDEN: Seen.CALL_FORBIDDEN,
    Reason.NOT_FOUND: Seen.SALE_DEVICE_UNKNOWN,
    Reason.CONFLICT: Seen.SALE_CONFLICT,
    Reason.REPEATED: Seen.SALE_DUPLICATE,
    Reason.REFUSED: Seen.CALL_REFUSED_OTHERWISE,
    Reason.GATEWAY_TIMEOUT: Seen.CALL_FAILING,
    Reason.PROCESSOR_SILENT: Seen.SALE_PROCESSOR,
    Reason.REDIRECT: Seen.CALL_REDIRECT,
    Reason.UPGRADE: Seen.CALL_STRANGE,
    Reason.PART: Seen.SALE_NOT_UNDERSTOOD,
    Reason.EMPTY: Seen.SALE_NOT_UNDERSTOOD,
    Reason.TOO_BIG: Seen.SALE_NOT_UNDERSTOOD,
    Reason.UNKNOWN_ENCODING: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NOT_JSON: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NAME_TWICE: Seen.SALE_CONTRADICTORY,
    Reason.NOT_A_FORM: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NOT_AN_OBJECT: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NOT_THE_GATEWAYS: Seen.CALL_STRANGE,
    Reason.NO_LIST: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NO_KEY: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NO_STATUS: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NO_OUTCOME: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NO_IDENTIFIER: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NO_REFERENCE: Seen.SALE_NOT_UNDERSTOOD,
    Reason.OTHER_SALES: Seen.SALE_CONTRADICTORY,
    Reason.ANOTHER_REQUEST: Seen.SALE_CONTRADICTORY,
    Reason.ANOTHER_SALE: Seen.SALE_CONTRADICTORY,
    Reason.ANOTHER_DEVICE: Seen.SALE_CONTRADICTORY,
    Reason.DEVICE_TWICE: Seen.SALE_CONTRADICTORY,
    Reason.DEVICE_LISTED: Seen.SALE_CONTRADICTORY,
    Reason.MORE_PAGES: Seen.SALE_NOT_UNDERSTOOD,
    Reason.NOT_WHOLE: Seen.SALE_NOT_UNDERSTOOD,
    Reason.MORE_DEVICES: Seen.SALE_NOT_UNDERSTOOD,
    Reason.PAGE_ELSEWHERE: Seen.SALE_NOT_UNDERSTOOD,
    Reason.CONTRADICTORY: Seen.SALE_CONTRADICTORY,
    Reason.KEYSTORE_MISSING: Seen.KEYSTORE_SHUT,
    Reason.KEYSTORE_GONE: Seen.KEYSTORE_SHUT,
    Reason.KEYSTORE_LOCKED: Seen.KEYSTORE_SHUT,
    Reason.KEYSTORE_DENIED: Seen.KEYSTORE_SHUT,
    Reason.KEYSTORE_SILENT: Seen.KEYSTORE_SILENT,
    Reason.KEYSTORE_FAILED: Seen.KEYSTORE_SHUT,
    Reason.VALUE_TOO_LONG: Seen.FORM_UNUSUAL,
    Reason.VALUE_LOST: Seen.VALUE_MISSING,
    Reason.VALUE_NEVER_HERE: Seen.VALUE_MISSING,
    Reason.VALUE_DIFFERS: Seen.VALUE_OTHER,
    Reason.KEY_FORGOTTEN: Seen.VALUE_MISSING,
    Reason.NOT_NOTED: Seen.JOURNAL_FAILED,
    # Keybench ended, or it is too early to tell.
    Reason.ENDED_BEFORE_SENT: None,
    Reason.ENDED_BEFORE_ANSWER: None,
    Reason.NOT_FOUND_YET: None,
    Reason.NEVER_RECEIVED: Seen.CALL_LOST,
    Reason.SENT_ELSEWHERE: Seen.ADDRESS_CHANGED,
    Reason.IDENTIFIER_TWICE: Seen.SALE_CONTRADICTORY,
    Reason.DEADLINE: Seen.SALE_NO_OUTCOME,
    Reason.REFUSED_WHILE_FOLLOWING: Seen.CALL_REFUSED_OTHERWISE,
}
#: The reasons that contracts give to their words, besides those above.
_BY_CONTRACT: Final[Mapping[str, Seen]] = {
    "at the terminal": Seen.SALE_CANCELLED,
    "by the API": Seen.SALE_CANCELLED_HERE,
    "duplicate": Seen.SALE_DUPLICATE,
    "gateway": Seen.SALE_BAD_REQUEST,
    "processor": Seen.SALE_PROCESSOR,
}
#: What a status shows where the reason leaves it open.
_BY_STATUS: Final[Mapping[int, Seen]] = {
    401: Seen.CALL_UNAUTHORISED,
    403: Seen.CALL_FORBIDDEN,
    429: Seen.CALL_RATE_LIMIT,
}
_OPEN: Final = frozenset({Seen.CALL_REFUSED_OTHERWISE, Seen.SALE_NO_OUTCOME, Seen.CALL_LOST})
#: Before anything was sent, what was lost was the connection itself.
_NOT_SENT: Final = {Seen.CALL_LOST: Seen.CONNECT_LOST, Seen.CALL_SILENT: Seen.CONNECT_SILENT}
#: What a call that sells nothing shows by a reason that speaks of a device in a sale.
_WITHOUT_SALE: Final = {
    Seen.SALE_DEVICE_UNKNOWN: Seen.CALL_NO_PATH,
    Seen.SALE_NOT_UNDERSTOOD: Seen.CALL_STRANGE,
    Seen.SALE_CONTRADICTORY: Seen.CALL_STRANGE,
    Seen.SALE_BAD_REQUEST: Seen.CALL_REFUSED_OTHERWISE,
    Seen.SALE_CONFLICT: Seen.CALL_REFUSED_OTHERWISE,
    Seen.SALE_DUPLICATE: Seen.CALL_REFUSED_OTHERWISE,
    Seen.SALE_NO_OUTCOME: Seen.CALL_FAILING,
    Seen.SALE_PROCESSOR: Seen.CALL_FAILING,
}
_ABOUT_THE_KEY: Final = frozenset({Seen.CALL_UNAUTHORISED, Seen.CALL_FORBIDDEN})
_UNREAD: Final = frozenset({Seen.SALE_NOT_UNDERSTOOD, Seen.CALL_STRANGE})
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
    amounts: Mapping[str, str] | None = None,
    account: Account | None = None,
) -> tuple[Observation, ...]:
    """Return what a sale that has ended shows of why; nothing while it is under way.

    Args:
        sale: Which.
        events: Its timeline.
        exchanges: Its requests and answers, redacted.
        kind: The environment's; None where that is gone.
        amounts: What the contract says of amounts in tests, see `ContractFacts.amounts`.
        account: What went on while it was under way, as far as that is known.
    """
    verdict = sale.verdict
    if verdict is None:
        return ()
    match verdict.outcome:
        case Outcome.APPROVED | Outcome.PARTLY_APPROVED:
            partly = {"approved": str(sale.approved)} if sale.approved not in {None, sale.money} else {}
            return (saw(Seen.SALE_APPROVED, **partly),)
        case Outcome.DECLINED:
            return _declined(sale, verdict, kind, amounts or {})
        case Outcome.CANCELLED:
            return (saw(_BY_CONTRACT.get(verdict.reason, Seen.SALE_CANCELLED)),)
        case Outcome.EXPIRED:
            return (saw(_expired(sale, events, account)),)
        case _:
            is_unsent = verdict.outcome is Outcome.NOT_SENT
            called = _called(
                verdict.reason,
                verdict.status,
                verdict.message,
                exchanges[-1:],
                code=verdict.response_code,
                is_unsent=is_unsent,
            )
            return (*called, *_gaps(account))


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
                exchanges[-1:],
                is_unsent=isinstance(error, NotSent),
                asks_to_wait=error.asks_to_wait,
            )
            return tuple(Observation(_WITHOUT_SALE.get(one.seen, one.seen), one.facts) for one in seen)
        case ValueDiffers():
            return (saw(Seen.VALUE_OTHER, fingerprint=error.expected, found=error.found),)
        case KeystoreError():
            return _facts(_SHOWS[error.reason])
        case JournalError():
            return (saw(Seen.JOURNAL_FAILED),)
        case _:
            return ()


def seen_by_reason(reason: str) -> Seen | None:
    """Return what a reason shows by itself; None for nothing, and for one that isn't known."""
    kind = reason.partition(": ")[0]
    return _SHOWS[Reason(kind)] if kind in _KNOWN else _BY_CONTRACT.get(reason)


_KNOWN: Final = frozenset(_SHOWS)


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
    if status >= _FAILED and (seen is None or seen in _OPEN):
        seen = Seen.CALL_FAILING
    elif seen is None or seen in _OPEN:
        seen = _BY_STATUS.get(status, seen)
    if asks_to_wait and seen in _ABOUT_THE_KEY:
        seen = Seen.CALL_RATE_LIMIT
    if seen is None:
        return ()
    if is_unsent and reason != Reason.NEVER_RECEIVED:
        seen = _NOT_SENT.get(seen, seen)
    if seen in _UNREAD and any(_is_page(one) for one in exchanges):
        seen = Seen.CALL_PAGE
    told = _facts(seen, status=status, message=message)
    if seen not in _ABOUT_THE_KEY:
        return told
    headers = dict(exchanges[-1].response_headers) if exchanges else {}
    return (*told, *map(saw, hints(status, code, message, headers)))


def _facts(seen: Seen | None, *, status: int = 0, message: str = "") -> tuple[Observation, ...]:
    if seen is None:
        return ()
    facts: dict[str, str | int] = {}
    if status:
        facts["status"] = status
    if message:
        facts["message"] = message
    return (saw(seen, **facts),)


def _declined(
    sale: Sale, verdict: Verdict, kind: EnvironmentKind | None, amounts: Mapping[str, str]
) -> tuple[Observation, ...]:
    seen = Seen.SALE_DUPLICATE if _REPEATED.search(verdict.message) else Seen.SALE_DECLINED
    declined = _facts(seen, message=verdict.message)
    is_for_tests = amounts.get(sale.money.figure, "").startswith("declined")
    is_small = sale.money.amount < _LEAST_TEST_AMOUNT
    if kind is EnvironmentKind.LIVE:
        if sale.device.endswith(_SIMULATED):
            return (saw(Seen.SALE_TEST_MODE),)
        # An issuer may decline such an amount, too.
        return (*declined, saw(Seen.SALE_TEST_MODE)) if is_for_tests or is_small else declined
    if kind is not None and (is_for_tests or is_small):
        return (saw(Seen.SALE_TEST_AMOUNT, amount=str(sale.money)),)
    return declined


def _gaps(account: Account | None) -> tuple[Observation, ...]:
    """Return why a sale without an outcome couldn't be asked for."""
    found = account and account.found(Finding.NETWORK_GAP)
    seen = seen_by_reason(found.reason) if found else None
    return (saw(seen),) if seen else ()


def _expired(sale: Sale, events: Sequence[SaleEvent], account: Account | None) -> Seen:
    """Return how far the device came: by what the contract says of its words, else by the words themselves.

    A word that was seen early alone tells nothing of what came later.
    """
    if account and account.found(Finding.NEVER_WOKE):
        return Seen.SALE_EXPIRED_UNTOUCHED
    if account and account.found(Finding.CUSTOMER_LEFT):
        return Seen.SALE_EXPIRED_WAITING
    told = [event for event in events if event.mark in {Mark.ACCEPTED, Mark.STATUS} and event.detail]
    words = {event.detail.casefold() for event in told}
    if len(words) > 1 or any(part in word for word in words for part in _TAKEN_UP):
        return Seen.SALE_EXPIRED_WAITING
    begins, ends = sale.accepted_at, sale.finished_at
    if not words or begins is None or ends is None or told[-1].at - begins < (ends - begins) / 2:
        return Seen.SALE_EXPIRED
    is_waiting = any(part in word for word in words for part in _NOT_TAKEN_UP)
    return Seen.SALE_EXPIRED_UNTOUCHED if is_waiting else Seen.SALE_EXPIRED


def _is_page(exchange: Exchange) -> bool:
    """Tell whether what answered is meant for people."""
    kinds = [value for name, value in exchange.response_headers if name.lower() == "content-type"]
    begins = exchange.response_body.lstrip()[:15].lower()
    return any("html" in kind.lower() for kind in kinds) or begins.startswith(("<!doctype html", "<html"))
