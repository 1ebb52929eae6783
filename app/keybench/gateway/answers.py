"""What a successful answer about a sale or a device means, by the contract."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from keybench.core.errors import AnswerUnreadable
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Accepted, Device, StatusReading
from keybench.gateway.contract_model import (
    AnswerFields,
    Contract,
    DeviceFields,
    Meaning,
    SaleForm,
    Shape,
    Word,
)
from keybench.gateway.messages import Answer
from keybench.gateway.reading import (
    HINT_LIMIT_S,
    find,
    find_id,
    find_items,
    find_seconds,
    find_text,
    find_words,
    whole,
)
from keybench.gateway.redaction import Redactor
from keybench.gateway.refusals import retry_after

_OUTCOMES: Final = {
    Meaning.APPROVED: Outcome.APPROVED,
    Meaning.DECLINED: Outcome.DECLINED,
    Meaning.CANCELLED: Outcome.CANCELLED,
    Meaning.EXPIRED: Outcome.EXPIRED,
    Meaning.REFUSED: Outcome.REFUSED,
    Meaning.UNKNOWN: Outcome.UNKNOWN,
}
_ENDED_ON_DEVICE: Final = frozenset({Meaning.CANCELLED, Meaning.EXPIRED, Meaning.REFUSED})


class Reader:
    """Reads the answers of one call.

    Args:
        contract: How.
        redactor: Masks the caller's value in whatever the gateway says back.
        now: When it is read; a pause that the gateway gives as a date is reckoned from here.
    """

    def __init__(self, contract: Contract, redactor: Redactor, now: datetime) -> None:
        self._contract = contract
        self._redactor = redactor
        self._now = now

    def sold(self, answer: Answer, form: SaleForm) -> Accepted | Verdict:
        """Read the answer to a sale: its outcome, or that it goes on.

        An answer without the gateway's response figure tells an outcome only where it was held for it.

        Raises:
            AnswerLost, AnswerUnreadable: It says neither an outcome nor an identifier to ask by.
        """
        fields = form.reads
        document = whole(answer, fields.shape)
        tells = form.waits or bool(fields.response)
        if tells and (word := self._outcome_word(document, fields)):
            return self._verdict(document, fields, word, answer.status)
        request_id = self._request_id(document, fields)
        if not request_id:
            raise AnswerUnreadable("no outcome" if tells else "no identifier", status=answer.status)
        return Accepted(request_id, find_words(document, fields.status, self._redactor))

    def _outcome_word(self, document: Any, fields: AnswerFields) -> Word | None:
        """Weigh status word, response and code; where an approval is contradicted, nobody can tell."""
        status = self._contract.word_for_status(find_text(document, fields.status))
        ended = status.meaning in _ENDED_ON_DEVICE
        response = self._contract.responses.get(find_text(document, fields.response))
        code = find_text(document, fields.response_code)
        by_code = self._contract.word_for_code(code)
        if fields.shape is Shape.FORM and by_code == Word(Meaning.UNKNOWN):
            response = None  # a form that broke off looks whole, and may have lost that it isn't over
        if response is None or by_code.meaning is Meaning.GOES_ON:
            return status if ended else None
        if response.meaning is Meaning.APPROVED:
            denied = code and by_code.meaning not in {Meaning.APPROVED, Meaning.UNKNOWN}
            return Word(Meaning.UNKNOWN, "contradictory answer") if ended or denied else response
        if ended:
            return status
        if response.meaning is not Meaning.BY_CODE:
            return response
        if by_code.meaning is Meaning.APPROVED:
            return Word(Meaning.UNKNOWN, "contradictory answer")
        return by_code

    def status(self, answer: Answer, request_id: str, reference: str = "") -> StatusReading:
        """Read the answer to a poll.

        Raises:
            AnswerLost, AnswerUnreadable: There is no status word, or it is about another sale than the
                request id and, if given, our reference say.
        """
        fields = self._contract.started
        document = whole(answer, fields.shape)
        reading = self._reading(document, answer.status)
        if reading.request_id not in {"", request_id}:
            raise AnswerUnreadable("another request", status=answer.status)
        named = find_text(document, fields.reference)
        if reference and named not in {"", reference}:
            raise AnswerUnreadable("another sale", status=answer.status)
        return reading if reading.verdict else replace(reading, next_s=self._hint(document, answer))

    def _hint(self, document: Any, answer: Answer) -> float | None:
        """Return when the gateway suggests to ask again: the contract's field, else ``Retry-After``."""
        said = find_seconds(document, self._contract.started.next_s)
        if said is not None:
            return said
        pause = retry_after(answer.header("retry-after"), self._now)
        return None if pause is None else min(pause, HINT_LIMIT_S)

    def found(self, answer: Answer, reference: str) -> StatusReading | None:
        """Read the answer to a look-up by our reference; None if none of the sales in it is ours.

        Raises:
            AnswerLost, AnswerUnreadable: It isn't a list of sales.
        """
        items = find_items(whole(answer), self._contract.look_up_items)
        if items is None:
            raise AnswerUnreadable("no list", status=answer.status)
        paths = self._contract.started.reference
        ours = [item for item in items if find_text(item, paths) == reference]
        readings = [self._reading(item, answer.status) for item in ours]
        return max(readings, key=_weight) if readings else None

    def _reading(self, document: Any, http_status: int) -> StatusReading:
        fields = self._contract.started
        status = find_text(document, fields.status)
        if not status:
            raise AnswerUnreadable("no status", status=http_status)
        word = self._contract.word_for_status(status)
        if word.meaning is Meaning.BY_SUCCESS:
            word = _by_success(find(document, fields.success), http_status)
        verdict = None
        if word.meaning is not Meaning.GOES_ON:
            verdict = self._verdict(document, fields, word, http_status)
        shown = find_words(document, fields.status, self._redactor)
        return StatusReading(shown, verdict, self._request_id(document, fields))

    def _verdict(self, document: Any, fields: AnswerFields, word: Word, http_status: int) -> Verdict:
        def said(paths: tuple[str, ...]) -> str:
            return find_words(document, paths, self._redactor)

        outcome = _OUTCOMES[word.meaning]
        sold = outcome in {Outcome.APPROVED, Outcome.DECLINED, Outcome.UNKNOWN}
        return Verdict(
            outcome=outcome,
            reason=word.reason,
            message=said(fields.message),
            status=http_status,
            gateway_status=said(fields.status),
            transaction_id=said(fields.transaction_id) if sold else "",
            authorisation=said(fields.authorisation) if outcome is Outcome.APPROVED else "",
            response_code=said(fields.response_code),
        )

    def _request_id(self, document: Any, fields: AnswerFields) -> str:
        """Return the identifier, unless the value or a card is in it: URLs and the journal get it."""
        request_id = find_id(document, fields.request_id)
        return request_id if self._redactor.is_clean(request_id) else ""

    def devices(self, answer: Answer) -> list[Device]:
        """Read a list of devices; an item without an identifier that may be kept is left out.

        Raises:
            AnswerLost, AnswerUnreadable: It isn't a list of devices.
        """
        fields = self._contract.device_fields
        items = find_items(whole(answer), fields.items)
        if items is None:
            raise AnswerUnreadable("no list", status=answer.status)
        return [device for item in items if (device := self._device(item, fields))]

    def _device(self, item: Any, fields: DeviceFields) -> Device | None:
        device_id = find_id(item, fields.id)
        nickname = find_words(item, fields.nickname, self._redactor)
        connection = find_words(item, fields.connection, self._redactor)
        return (
            Device(device_id, nickname, connection)
            if device_id and self._redactor.is_clean(device_id)
            else None
        )


def _by_success(success: Any, http_status: int) -> Word:
    """Read the flag that tells an approval from a decline; a missing one is no approval.

    Raises:
        AnswerUnreadable: It is neither true nor false, so nobody can tell.
    """
    text = success.lower() if isinstance(success, str) else success
    if text is True or text == "true":
        return Word(Meaning.APPROVED)
    if text is None or text is False or text == "false":
        return Word(Meaning.DECLINED)
    raise AnswerUnreadable("success is neither true nor false", status=http_status)


def _weight(reading: StatusReading) -> int:
    """Order the sales found under one reference: an approval counts most, then one that goes on."""
    if reading.verdict is None:
        return 1
    return 2 if reading.verdict.outcome is Outcome.APPROVED else 0
