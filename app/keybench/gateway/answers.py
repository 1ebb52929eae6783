"""What an answer means, by the contract: about a sale, or that it says no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final

from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyRefused,
    Refused,
)
from keybench.core.ports import Accepted, SaleOrder, StatusReading
from keybench.core.reasons import Reason
from keybench.core.sales.sale import APPROVALS, Outcome, Verdict, contradictory
from keybench.gateway.contract import AnswerFields, Contract, ErrorFields
from keybench.gateway.contract_rules import Meaning, Shape, Word
from keybench.gateway.evidence import AnswerEvidence
from keybench.gateway.json_paths import (
    HINT_LIMIT_S,
    ITEMS_LIMIT,
    document_in,
    find,
    find_all,
    find_id,
    find_moment,
    find_requests,
    find_seconds,
    find_text,
    find_words,
    is_no,
    looks_whole,
    next_link,
    objects_in,
    parse,
    raw_words,
    whole,
    words,
)
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

_MAY_BE_AUTHORISED: Final = frozenset({*APPROVALS, Outcome.UNKNOWN})
#: Outcomes with which no money was taken.
_NOTHING_TAKEN: Final = frozenset({Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED, Outcome.REFUSED})
#: Why a body holds no fields where it is none of the gateway's: a page, a text, or nothing.
_NO_FIELDS: Final = frozenset({Reason.EMPTY, Reason.NOT_JSON, Reason.NOT_A_FORM, Reason.NOT_AN_OBJECT})
#: Headers by which an answer says that it isn't all there is.
_OF_PARTS: Final = re.compile(
    r"content-range|total|count|more|next|cursor|page|pagina|continu|partial|truncat|warning", re.IGNORECASE
)
_LONGEST_PAUSE_S: Final = 3600.0
#: What every moment has that is told to a part of a second: a point behind a figure, or milliseconds.
_TO_PARTS: Final = re.compile(r"[0-9]\.[0-9]|[0-9]{13}")
#: A sale that took longer by the gateway's clock tells of a clock that was set.
_LONGEST_SALE_S: Final = 86_400.0
#: What words tell of which refusals: a 401 is about the key, whatever else it says.
_BY_WORDS: Final = tuple(
    (reason, statuses, re.compile(form, re.IGNORECASE))
    for reason, statuses, form in (
        (Reason.RATE_LIMIT, {403, 429}, r"rate.?limit|too.?many.?(requests|calls)|too.?often|throttl"),
        (
            Reason.DEVICE_OFFLINE,
            {400, 404, 409, 422, 424},
            r"(device|terminal|poi).{0,40}(not.?connected|offline|disconnected|not.?reachable|unreachable)",
        ),
        (Reason.DEVICE_BUSY, {400, 409, 422, 423}, r"(device|terminal|poi).{0,40}(in.?use|busy)"),
        (Reason.REPEATED, {400, 409, 422}, r"duplicat|repeat|already.?(exist|been|used|processed|submitted)"),
    )
)
_BY_STATUS: Final[dict[int, Reason]] = {
    HTTPStatus.BAD_REQUEST: Reason.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED: Reason.UNAUTHORISED,
    HTTPStatus.FORBIDDEN: Reason.FORBIDDEN,
    HTTPStatus.NOT_FOUND: Reason.NOT_FOUND,
    HTTPStatus.CONFLICT: Reason.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS: Reason.RATE_LIMIT,
    HTTPStatus.REQUEST_TIMEOUT: Reason.GATEWAY_TIMEOUT,
    HTTPStatus.GATEWAY_TIMEOUT: Reason.GATEWAY_TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the answer to a look-up.

    Attributes:
        next: What leads to the next page, as the contract has it; empty where nothing does.
        is_whole: Whether it looks as the contract says, so that the sales of this page and those before it
            are all there are.
    """

    items: Sequence[Any]
    next: str
    is_whole: bool
    status: int


class Reader:
    """Reads the answers of one call."""

    def __init__(self, contract: Contract, redactor: Redactor, now: datetime) -> None:
        self._contract = contract
        self._redactor = redactor
        self._now = now

    def sold(self, answer: Answer, order: SaleOrder) -> Accepted | Verdict:
        """Read the answer to a sale: its outcome, or that it goes on.

        An answer without the gateway's response figure tells an outcome only where it was held for it.

        Raises:
            Refused, GatewayFailed: It says so, and nothing else.
            AnswerLost, AnswerUnreadable: It says neither an outcome nor an identifier to ask by.
        """
        fields = self._contract.reads(order.mode)
        if error := refusal(answer, self._contract.errors, self._redactor, self._now):
            return self._beside_refusal(answer, order, error)
        document = whole(answer, fields.body)
        evidence = self._evidence(document, fields, order, polled=False)
        tells = self._contract.waits(order.mode) or bool(fields.response)
        if tells and (word := evidence.weigh()):
            return self._verdict(evidence, word, answer.status)
        request_id = self._redactor.clean(find_id(document, fields.request_id))
        if not request_id:
            raise AnswerUnreadable(Reason.NO_OUTCOME if tells else Reason.NO_IDENTIFIER, status=answer.status)
        requests = find_requests(document, fields.request_id)
        differing = evidence.differing()
        if differing or requests != {request_id}:
            # Its outcome would be another sale's. Of the identifiers nothing is kept but these words.
            reason = contradictory(*differing, *map(self._named, sorted(requests)))
            return self._verdict(evidence, Word(Meaning.UNKNOWN, reason), answer.status)
        return Accepted(request_id, find_words(document, fields.status, self._redactor))

    def _beside_refusal(self, answer: Answer, order: SaleOrder, error: GatewayError) -> Accepted | Verdict:
        """Return what an answer with a refusal's or a failure's status says besides of the sale.

        An identifier is followed. Beside the gateway's words for why it refuses, it may be another sale's,
        such as one that holds the device or was taken for the same, unless our reference is there, too.
        """
        fields = self._contract.reads(order.mode)
        document = _beside_no(answer, fields, error)
        if document is None:
            raise error
        evidence = self._evidence(document, fields, order, polled=False)
        request_id = self._redactor.clean(find_id(document, fields.request_id))
        requests = find_requests(document, fields.request_id)
        why = said(answer, self._contract.errors, self._redactor)
        is_ours = find_text(document, fields.reference) == order.reference
        is_ours |= not (why.type or why.code or why.message)
        if request_id and requests == {request_id} and is_ours and not evidence.differing():
            status = find_words(document, fields.status, self._redactor)
            return Accepted(request_id, f"{answer.status} {status}".strip(), answer.status)
        parts = (self._evidence(part, fields, order, polled=False) for part in objects_in(document))
        claims = dict.fromkeys(str(one) for part in parts for one in part.beside_refusal())
        if not isinstance(error, Refused) or not (claims or requests):
            raise error
        reason = contradictory(f"http {answer.status}", *claims, *map(self._named, sorted(requests)))
        return self._verdict(evidence, Word(Meaning.UNKNOWN, reason), answer.status)

    def _named(self, request_id: str) -> str:
        return f"request {words(request_id, self._redactor)}"

    def status(self, answer: Answer, order: SaleOrder, request_id: str) -> StatusReading:
        """Read the answer to a poll.

        Raises:
            AnswerLost, AnswerUnreadable: There is no status word, or it answers about another sale than the
                request id and our reference say; asking again may help.
        """
        fields = self._contract.started
        document = whole(answer, fields.body)
        reading = self._reading(document, order, answer.status, request_id)
        if any(value != order.reference for value in find_all(document, fields.reference)):
            raise AnswerUnreadable(Reason.ANOTHER_SALE, status=answer.status)
        if reading.verdict:
            return replace(reading, lasted_s=_lasted(document, fields))
        return replace(reading, next_s=self._hint(document, answer))

    def _hint(self, document: Any, answer: Answer) -> float | None:
        """Return when the gateway suggests to ask again: the contract's field, else ``Retry-After``."""
        said = find_seconds(document, self._contract.started.next_s)
        if said is not None:
            return said
        pause = retry_after(answer.header("retry-after"), self._now)
        return None if pause is None else min(pause, HINT_LIMIT_S)

    def page(self, answer: Answer, listed: int) -> Page:
        """Read one page of the answer to a look-up.

        `listed` says how many sales the pages before it had.

        Raises:
            AnswerLost, AnswerUnreadable: It isn't a list of sales.
        """
        calls = self._contract.calls
        document = whole(answer)
        items = find(document, calls.look_up_items)
        if not isinstance(items, list):
            raise AnswerUnreadable(Reason.NO_LIST, status=answer.status)
        linked = next_link(answer.header("link"))
        leads = find_text(document, calls.look_up_next) or linked if calls.look_up_next else ""
        is_whole = (
            answer.status == HTTPStatus.OK
            and len(items) <= ITEMS_LIMIT
            and (bool(leads) or not linked)
            and not any(_OF_PARTS.search(name) and not is_no(value) for name, value in answer.headers)
            and bool(calls.look_up_whole)
            and looks_whole(document, parse(calls.look_up_whole), items, listed + len(items), leads)
        )
        return Page(items[:ITEMS_LIMIT], leads, is_whole, answer.status)

    def found(self, pages: Sequence[Page], order: SaleOrder) -> StatusReading | None:
        """Read the answer to a look-up by our reference; None if it lists no sale at all.

        Raises:
            AnswerUnreadable: Nobody can tell from it: it isn't known to be whole, lists sales but none with
                our reference, or says that nothing was taken where another may be ours, too.
        """
        http_status = pages[-1].status
        items = [item for page in pages for item in page.items]
        fields = self._contract.started
        references = [find_text(item, fields.reference) for item in items]
        doubt = None if all(page.is_whole for page in pages) else Reason.NOT_WHOLE
        if pages[-1].next:
            doubt = Reason.MORE_PAGES
        elif "" in references:
            doubt = Reason.NO_REFERENCE
        ours = [item for item, named in zip(items, references, strict=True) if named == order.reference]
        if not ours:
            if doubt or items:
                raise AnswerUnreadable(doubt or Reason.OTHER_SALES, status=http_status)
            return None
        reading = _of_several([self._reading(item, order, http_status) for item in ours])
        if doubt and reading.verdict and reading.verdict.outcome in _NOTHING_TAKEN:
            raise AnswerUnreadable(doubt, status=http_status)
        return reading

    def _reading(
        self, document: Any, order: SaleOrder, http_status: int, asked_for: str = ""
    ) -> StatusReading:
        fields = self._contract.started
        if not find_text(document, fields.status):
            raise AnswerUnreadable(Reason.NO_STATUS, status=http_status)
        request_id = self._redactor.clean(find_id(document, fields.request_id))
        if find_requests(document, fields.request_id) - {asked_for or request_id}:
            raise AnswerUnreadable(Reason.ANOTHER_REQUEST, status=http_status)
        evidence = self._evidence(document, fields, order, polled=True)
        word = evidence.weigh()
        verdict = self._verdict(evidence, word, http_status) if word else None
        return StatusReading(find_words(document, fields.status, self._redactor), verdict, request_id)

    def _evidence(
        self, document: Any, fields: AnswerFields, order: SaleOrder, *, polled: bool
    ) -> AnswerEvidence:
        return AnswerEvidence(document, fields, self._contract, order, self._redactor, polled)

    def _verdict(self, evidence: AnswerEvidence, word: Word, http_status: int) -> Verdict:
        def said(paths: tuple[str, ...]) -> str:
            return find_words(evidence.document, paths, self._redactor)

        fields = evidence.fields
        part = evidence.approved_amount if word.meaning is Meaning.APPROVED else None
        # A verdict's word has one of the meanings that are outcomes.
        outcome = Outcome(word.meaning.value) if part is None else Outcome.PARTLY_APPROVED
        sold = outcome is Outcome.DECLINED or outcome in _MAY_BE_AUTHORISED
        return Verdict(
            outcome=outcome,
            reason=word.reason,
            message=said(fields.message),
            status=http_status,
            gateway_status=said(fields.status),
            transaction_id=said(fields.transaction_id) if sold else "",
            authorisation=said(fields.authorisation) if outcome in _MAY_BE_AUTHORISED else "",
            response_code=said(fields.response_code),
            approved_amount=part,
        )


def _lasted(document: Any, fields: AnswerFields) -> float | None:
    """Return how long a sale took by the gateway's clock; whole seconds tell nothing."""
    if not all(_TO_PARTS.search(find_text(document, paths)) for paths in (fields.began, fields.ended)):
        return None
    began, ended = find_moment(document, fields.began), find_moment(document, fields.ended)
    lasted_s = (ended - began).total_seconds() if began and ended else -1.0
    return lasted_s if 0.0 <= lasted_s <= _LONGEST_SALE_S else None


def _of_several(readings: Sequence[StatusReading]) -> StatusReading:
    """Return what the sales found under our reference say together; we sent one.

    One that goes on counts more than one without a payment. An approval beside anything else can't be told:
    the money may have been taken twice.
    """
    told = {
        (reading.request_id or index, reading.verdict and reading.verdict.outcome): reading
        for index, reading in enumerate(readings)
    }
    each = list(told.values())
    going_on = [reading for reading in each if reading.verdict is None]
    outcomes = [reading.verdict.outcome for reading in each if reading.verdict]
    if len(set(outcomes)) > 1 or (len(each) > 1 and not set(outcomes) <= _NOTHING_TAKEN):
        reason = contradictory(*(f"found {_told(reading)}" for reading in each))
        shown = each[0]
        verdict = Verdict(Outcome.UNKNOWN, reason, status=shown.verdict.status if shown.verdict else 0)
        return StatusReading(shown.gateway_status, verdict)
    return (going_on or each)[0]


def _beside_no(answer: Answer, fields: AnswerFields, error: GatewayError) -> Any:
    """Return the fields of an answer to a sale that says no; None where it is a page, a text, or nothing."""
    is_json = answer.text.lstrip()[:1] in {"{", "["}
    try:
        return whole(replace(answer, status=HTTPStatus.OK), Shape.JSON if is_json else fields.body)
    except (AnswerLost, AnswerUnreadable) as unread:
        if not isinstance(error, Refused) or (not is_json and unread.reason in _NO_FIELDS):
            return None
        raise type(unread)(unread.reason, status=answer.status) from None


def _told(reading: StatusReading) -> str:
    return f"{reading.verdict.outcome if reading.verdict else 'going on'} {reading.request_id}".strip()


def refusal(answer: Answer, fields: ErrorFields, redactor: Redactor, now: datetime) -> GatewayError | None:
    """Return the error an answer stands for, or None if its status is below 400.

    The status alone decides the error: an envelope that broke off or can't be read costs the words and the
    nearer reason. What else such an answer says of a sale, `Reader.sold` weighs.
    """
    if answer.status < HTTPStatus.BAD_REQUEST:
        return None
    envelope = said(answer, fields, redactor)
    pause = retry_after(answer.header("retry-after"), now)
    told = fields.meanings.get(envelope.code) or _nearer(
        answer.status, f"{envelope.code} {envelope.type} {envelope.message}"
    )
    return _class_of(answer.status)(
        told or _reason(answer.status, pause),
        message=envelope.message or envelope.code or envelope.type or raw_words(answer.text, redactor),
        status=answer.status,
        reference=envelope.reference,
        retry_after_s=pause,
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What the error envelope of an answer says, fit for people; empty where it says nothing."""

    type: str
    code: str
    message: str
    reference: str


def said(answer: Answer, fields: ErrorFields, redactor: Redactor) -> Said:
    """Return what the error envelope of an answer says."""
    envelope = document_in(answer)
    return Said(
        type=find_words(envelope, fields.type, redactor),
        code=find_words(envelope, fields.code, redactor),
        message=find_words(envelope, fields.message, redactor),
        reference=find_words(envelope, fields.reference, redactor),
    )


def _class_of(status: int) -> type[GatewayError]:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return GatewayFailed
    if status == HTTPStatus.UNAUTHORIZED:
        return KeyRefused
    return Forbidden if status == HTTPStatus.FORBIDDEN else Refused


def _nearer(status: int, said: str) -> Reason | None:
    """Return the reason that the gateway's own words tell, where the status leaves several; else None."""
    fitting = (reason for reason, statuses, form in _BY_WORDS if status in statuses and form.search(said))
    return next(fitting, None)


def _reason(status: int, pause: float | None) -> Reason:
    if status == HTTPStatus.FORBIDDEN and pause is not None:
        return Reason.RATE_LIMIT  # the service's way to say it: a 403 that asks to wait
    failed = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return _BY_STATUS.get(status, Reason.FAILED if failed else Reason.REFUSED)


def retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds a ``Retry-After`` asks for, a number or a date (RFC 9110, 10.2.3), or None."""
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:9]), _LONGEST_PAUSE_S)
    until = http_date(text)
    return None if until is None else min(max((until - now).total_seconds(), 0.0), _LONGEST_PAUSE_S)


def http_date(text: str) -> datetime | None:
    """Return the moment that a header tells (RFC 9110, 5.6.7), or None."""
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
