"""Weighing what an answer says of a sale's end: an outcome is told where nothing in it says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final

from keybench.core.money import Money
from keybench.core.ports import SaleOrder
from keybench.core.reasons import Reason
from keybench.core.sales.sale import contradictory
from keybench.gateway.contract import AnswerFields, Contract
from keybench.gateway.contract_rules import Meaning, Paths, Shape, Word
from keybench.gateway.json_paths import find, find_all, find_text, words
from keybench.gateway.redaction import Redactor

#: As much of what an answer says is quoted.
_QUOTED: Final = 60
#: What stands where there is no authorisation.
_NO_AUTHORISATION: Final = frozenset({"none", "null", "n/a", "na"})
_UNCLEAR: Final = "unclear"
#: What gateways' and processors' own words say, in English: that it was not approved, that it was, in part.
_DENIES: Final = re.compile(
    r"declin|refus|reject|denie|deny|cancel|\bvoid|revers|fail|insufficient|unsuccess|invalid|expired"
    r"|tim(ed|e).?out|do not hono|pick.?up|(?<!no )(?<!without )\berror"
    r"|(\b(not|no|non|never)|n.t|\bun|\bdis)\W?(been |be )?(approv|author|accept|complet)",
    re.IGNORECASE,
)
_APPROVES: Final = re.compile(r"\bapprov(ed|al)\b", re.IGNORECASE)
_STATES_APPROVAL: Final = re.compile(r"approv(ed|al)[\W\d]*", re.IGNORECASE)
_IN_PART: Final = re.compile(r"\bpart(ial|ly)", re.IGNORECASE)
_FIGURE: Final = re.compile(r"[0-9][0-9.,]{0,20}(E[0-9])?")
#: What a refusal may say besides no without anything being sold.
_SAYS_NO: Final = frozenset({Meaning.DECLINED, Meaning.CANCELLED, Meaning.EXPIRED, Meaning.REFUSED})


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an answer says of the sale's end.

    Attributes:
        where: Where it stands: ``status``, ``flag``, ``response``, ``code``, ``text`` or ``authorisation``.
        word: What it means; None for what agrees with no outcome, because it isn't understood.
        told: The same in a word, for people.
    """

    where: str
    word: Word | None
    told: str

    def __str__(self) -> str:
        return f"{self.where} {self.told}"


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """All that one answer says about one sale."""

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
        differing = self.differing(decided)
        unclear = None in meanings and decided != Word(Meaning.UNKNOWN)
        if denied or differing or unclear or Meaning.GOES_ON in meanings:
            return Word(Meaning.UNKNOWN, contradictory(*map(str, claims), *differing))
        silent = (claim.word for claim in claims if claim.word and claim.word.meaning is Meaning.UNKNOWN)
        return next(silent, decided)

    def beside_refusal(self) -> list[Claim]:
        """Return what the answer says of the sale that a refusal doesn't go with.

        A text counts only where it says no more than that: refusals also say what would be approved.
        """
        said = self.claims()
        told = [
            one
            for one in said
            if (one.word or one.where in {"flag", "authorisation"})
            and not (one.word and one.word.meaning in {*_SAYS_NO, Meaning.BY_CODE})
            and (one.where != "text" or self._states_approval(one.told))
        ]
        if not said and (transaction := find_text(self.document, self.fields.transaction_id)):
            told.append(Claim("transaction", None, self._quoted(transaction)))
        return told

    def _states_approval(self, text: str) -> bool:
        known = text.strip().casefold() in self.contract.lowercase_texts
        return known or _STATES_APPROVAL.fullmatch(text) is not None

    @property
    def approved_amount(self) -> Decimal | None:
        """What was approved of an approval where that is less than was asked for; else None.

        A form may have broken off within its figure.
        """
        told = find_all(self.document, self.fields.approved) or find_all(self.document, self.fields.amount)
        amount = _amount(told[0], self.order.money) if told else None
        is_part = amount is not None and 0 < amount < self.order.money.amount
        return amount if is_part and self.fields.body is not Shape.FORM else None

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
        by_word: tuple[tuple[str, Paths, Callable[[str], Word | None], bool], ...] = (
            ("status", fields.status, partial(_status_like, contract), False),
            ("response", fields.response, contract.responses.get, True),
            ("code", fields.response_code, partial(word_for_code, contract), True),
            ("text", fields.message, partial(_text_like, contract), False),
        )
        for where, paths, meant, is_closed in by_word:
            for value in find_all(self.document, paths):
                if not isinstance(value, str):
                    yield Claim(where, None, _UNCLEAR)
                elif word := meant(value.strip()):
                    told = self._quoted(value) if where == "text" else word.meaning.value
                    yield Claim(where, word, told)
                elif is_closed and value.strip(" 0"):  # zeros are no code
                    yield Claim(where, None, self._quoted(value))
        for value in find_all(self.document, fields.success):
            flag = _by_flag(value)
            yield Claim("flag", flag, flag.meaning.value if flag else _UNCLEAR)
        for value in find_all(self.document, fields.authorisation):
            if not isinstance(value, str):
                yield Claim("authorisation", None, _UNCLEAR)
            elif value.strip(" 0-.") and value.strip().casefold() not in _NO_AUTHORISATION:
                yield Claim("authorisation", Word(Meaning.APPROVED), self._quoted(value))

    def differing(self, told: Word | None = None) -> list[str]:
        """Return what the answer is about where that isn't what was asked for.

        An approval may be of a part of the amount, and that of a sale without one may be told as zero.
        """
        money, fields = self.order.money, self.fields
        approved = told is not None and told.meaning is Meaning.APPROVED
        part = (self.approved_amount or money.amount) if approved else Decimal(0) if told else money.amount
        known = {part, money.amount}
        by_path = (
            ("amount", fields.approved, {part} if approved else known, money.figure),
            ("amount", fields.amount, known, money.figure),
            ("currency", fields.currency, {money.currency.casefold()}, money.currency),
            ("device", fields.device, {self.order.device.strip().casefold()}, self.order.device),
            ("reference", fields.reference, {self.order.reference.strip().casefold()}, self.order.reference),
        )
        found = []
        for where, paths, right, asked in by_path:
            for value in find_all(self.document, paths):
                text = value.strip().casefold() if isinstance(value, str) else None
                if (_amount(value, money) if where == "amount" else text) not in right:
                    found.append(f"{where} {self._quoted(value)} instead of {asked}")
        if approved and part == money.amount:
            texts = find_all(self.document, fields.message)
            found += [
                f"text {self._quoted(one)}" for one in texts if isinstance(one, str) and _IN_PART.search(one)
            ]
        return list(dict.fromkeys(found))

    def _quoted(self, value: Any) -> str:
        return words(value, self.redactor)[:_QUOTED] if isinstance(value, str) else _UNCLEAR


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
    plain = status.casefold()
    known = (word for known, word in contract.statuses.items() if known.casefold() == plain)
    return next(known, None) or _text_like(contract, status)


def _text_like(contract: Contract, text: str) -> Word | None:
    if word := contract.lowercase_texts.get(text.casefold()):
        return word
    if _DENIES.search(text):
        return Word(Meaning.DECLINED)
    return Word(Meaning.APPROVED) if _APPROVES.search(text) else None


def _by_flag(success: Any) -> Word | None:
    text = success.lower() if isinstance(success, str) else success
    if text is True or text == "true":
        return Word(Meaning.APPROVED)
    return Word(Meaning.DECLINED) if text is False or text == "false" else None


def _amount(value: Any, asked: Money) -> Decimal | None:
    """Return the amount that a text means, with the places of what was asked for; None if it isn't clear.

    A comma may stand before decimals or thousands, and the currency's code before or behind.
    """
    text = value.strip().upper() if isinstance(value, str) else ""
    text = text.removeprefix(asked.currency).removesuffix(asked.currency).strip()
    if not _FIGURE.fullmatch(text):
        return None
    spellings = {text.replace(",", ""), text.replace(".", "").replace(",", ".")} if "," in text else {text}
    meant = set()
    for spelling in spellings:
        with suppress(InvalidOperation):
            amount = Decimal(spelling).quantize(asked.amount)
            if amount == Decimal(spelling):
                meant.add(amount)
    return asked.amount if asked.amount in meant else meant.pop() if len(meant) == 1 else None
