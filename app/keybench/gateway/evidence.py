"""Weighing what an answer says of a sale's end: an outcome is told where nothing in it says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final

from keybench.core.ports import SaleOrder
from keybench.core.reasons import Reason
from keybench.core.sale import contradictory
from keybench.gateway.contract import AnswerFields, Contract
from keybench.gateway.contract_rules import Meaning, Shape, Word
from keybench.gateway.reading import find, find_all, find_text, find_texts, words
from keybench.gateway.redaction import Redactor

#: As much of what an answer says is quoted.
_QUOTED: Final = 60
#: What stands where there is no authorisation.
_NO_AUTHORISATION: Final = frozenset({"none", "null", "n/a", "na"})


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an answer says of the sale's end.

    Attributes:
        where: Where it stands: ``status``, ``flag``, ``response``, ``code``, ``text`` or ``authorisation``.
        word: What it means; None for what agrees with no outcome, as a flag that is neither true nor false.
        told: The same in a word, for people.
    """

    where: str
    word: Word | None
    told: str

    def __str__(self) -> str:
        return f"{self.where} {self.told}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that one answer says about one sale.

    Attributes:
        document: The answer, or an item of a list.
        fields: Where it carries what.
        contract: What its words mean.
        redactor: Masks the caller's value in what is quoted.
        polled: Whether the answer's status word alone says that the sale is over.
    """

    document: Any
    fields: AnswerFields
    contract: Contract
    order: SaleOrder
    redactor: Redactor
    polled: bool

    def weigh(self) -> Word | None:
        """Return the outcome's word, or None where the sale goes on or nothing is said of its end."""
        decided = self._decided()
        if decided is None:
            return None
        claims = self.claims()
        meanings = {claim.word.meaning if claim.word else None for claim in claims} - {Meaning.BY_SUCCESS}
        meanings.add(decided.meaning)
        denied = Meaning.APPROVED in meanings and len(meanings) > 1
        differing = self.differing(approved=decided.meaning is Meaning.APPROVED)
        if denied or differing or meanings & {None, Meaning.GOES_ON}:
            return Word(Meaning.UNKNOWN, contradictory(*map(str, claims), *differing))
        silent = (claim.word for claim in claims if claim.word and claim.word.meaning is Meaning.UNKNOWN)
        return next(silent, decided)

    @property
    def approves(self) -> bool:
        """Whether anything in the answer says that the sale was approved."""
        return any(claim.word and claim.word.meaning is Meaning.APPROVED for claim in self.claims())

    def _decided(self) -> Word | None:
        """Return what the answer says where each thing is meant to stand, whatever else is in it."""
        fields, contract = self.fields, self.contract
        status = contract.statuses.get(find_text(self.document, fields.status))
        code = word_for_code(contract, find_text(self.document, fields.response_code))
        if status is None and self.polled:
            return None
        if status and status.meaning is not Meaning.BY_SUCCESS:
            return None if status.meaning is Meaning.GOES_ON else status
        if flag := _by_flag(find(self.document, fields.success)):
            return flag
        if code and code.meaning is Meaning.GOES_ON:
            return None
        response = contract.responses.get(find_text(self.document, fields.response))
        if fields.body is Shape.FORM and code is None:
            response = None  # a form that broke off looks whole, and may have lost that it isn't over
        if response and response.meaning is Meaning.BY_CODE:
            return code or Word(Meaning.UNKNOWN)
        return response or (Word(Meaning.UNKNOWN, Reason.NO_OUTCOME) if self.polled else None)

    def claims(self) -> list[Claim]:
        """Return what the answer says of the end, wherever the contract has a path for it."""
        claims = list(dict.fromkeys(self._claims()))
        is_over = any(claim.word == Word(Meaning.BY_SUCCESS) for claim in claims)
        if self.polled and is_over and not any(claim.where in {"flag", "response"} for claim in claims):
            claims.append(Claim("flag", None, "missing"))
        return claims

    def _claims(self) -> Iterator[Claim]:
        fields, contract = self.fields, self.contract
        by_word = (
            ("status", fields.status, partial(_status_like, contract)),
            ("response", fields.response, contract.responses.get),
            ("code", fields.response_code, partial(word_for_code, contract)),
            (
                "text",
                fields.message,
                lambda text: contract.lowercase_texts.get(text.strip().casefold()),
            ),
        )
        for where, paths, meant in by_word:
            for text in find_texts(self.document, paths):
                if word := meant(text):
                    yield Claim(where, word, word.meaning.value)
        for value in find_all(self.document, fields.success):
            flag = _by_flag(value)
            yield Claim("flag", flag, flag.meaning.value if flag else "unclear")
        for text in find_texts(self.document, fields.authorisation):
            if text.strip(" 0-.") and text.strip().casefold() not in _NO_AUTHORISATION:
                yield Claim("authorisation", Word(Meaning.APPROVED), self._quoted(text))

    def differing(self, *, approved: bool) -> list[str]:
        """Return what the answer is about where that isn't what was asked for.

        Args:
            approved: Whether it says so of an approval: the amount of a sale without one may be told as zero.
        """
        money, found = self.order.money, []
        for text in find_texts(self.document, self.fields.amount):
            meant = _amounts(text)
            if meant and money.amount not in meant and (approved or any(meant)):
                found.append(f"amount {self._quoted(text)} instead of {money.figure}")
        for where, paths, asked in (
            ("currency", self.fields.currency, money.currency),
            ("device", self.fields.device, self.order.device),
            ("reference", self.fields.reference, self.order.reference),
        ):
            found += [
                f"{where} {self._quoted(text)} instead of {asked}"
                for text in find_texts(self.document, paths)
                if text.strip().casefold() != asked.strip().casefold()
            ]
        return list(dict.fromkeys(found))

    def _quoted(self, text: str) -> str:
        return words(text, self.redactor)[:_QUOTED]


def word_for_code(contract: Contract, code: str) -> Word | None:
    """Return what a response code means, or None if no range of the contract has it."""
    if not (code.isascii() and code.isdecimal() and len(code) <= 9):  # noqa: PLR2004 - far above any code
        return None
    fitting = [span for span in contract.codes if span.first <= int(code) <= span.last]
    return contract.codes[min(fitting, key=lambda span: span.width)] if fitting else None


def _status_like(contract: Contract, status: str) -> Word | None:
    """Return what a status word means, also in another case of letters or with blanks; None if unknown.

    This is for doubts: an outcome is told by the word itself.
    """
    if status in contract.statuses:
        return contract.statuses[status]
    plain = status.strip().casefold()
    return next((word for known, word in contract.statuses.items() if known.casefold() == plain), None)


def _by_flag(success: Any) -> Word | None:
    """Return whether the flag says approved or declined, or None if it is neither true nor false."""
    text = success.lower() if isinstance(success, str) else success
    if text is True or text == "true":
        return Word(Meaning.APPROVED)
    return Word(Meaning.DECLINED) if text is False or text == "false" else None


def _amounts(text: str) -> set[Decimal]:
    """Return the amounts that a text can mean: a comma may stand before decimals or thousands."""
    spellings = {text, text.replace(",", ""), text.replace(".", "").replace(",", ".")}
    found = set()
    for spelling in spellings if "," in text else {text}:
        try:
            amount = Decimal(spelling.strip())
        except InvalidOperation:
            continue
        if not amount.is_nan():
            found.add(amount)
    return found
