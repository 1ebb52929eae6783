"""What may be told of every answer that a grammar makes: each field of an answer, in each way out of shape.

A row below is a field. A column is what is done to it, and the letter says what may be told then:
``A`` approved, ``D`` declined, ``P`` partly approved, ``?`` unknown, ``>`` accepted and followed, ``-``
nothing, because it can't be read or says nothing of the sale.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from gateway.callers import ORDER
from gateway.test_hostile_answers import FIELDS, GONE, REQUEST, SALE, but
from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.core.ports import Accepted
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.gateway.answers import Reader
from keybench.gateway.contracts import Contracts
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

LETTERS: Final = {
    Outcome.APPROVED: "A",
    Outcome.DECLINED: "D",
    Outcome.PARTLY_APPROVED: "P",
    Outcome.UNKNOWN: "?",
    None: "-",
}
ACCEPTANCE: Final = {name: value for name, value in REQUEST.items() if name != "transaction"} | {
    "status": "pending"
}
#: What is done to a field's value, by the column's name: `GONE` for a field that isn't there.
OPERATIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "gone": lambda _value: GONE,
    "null": lambda _value: None,
    "empty": lambda _value: "",
    "number": lambda _value: 7,
    "true": lambda _value: True,
    "text": lambda _value: "another",
    "list": lambda value: [value],
    "object": lambda value: {"value": value},
    "nested": lambda value: [[{"id": value}]],
    "blank": lambda value: f" {value} " if isinstance(value, str) else value,
}
#: What is done to the answer's text at the field's name.
TEXTS: Final = ("twice", "same twice", "cut")
COLUMNS: Final = (*OPERATIONS, *TEXTS)

# The columns: gone, null, empty, a number, true, another text, a list, an object, lists of objects, blanks
# round it; the field twice with another value before, the same twice, cut off behind it.
TABLE: Final = {
    "poll, approved": (REQUEST, """
        id                         AAA---A------
        device_id                  AAA???A??A---
        status                     -------------
        amount                     AAAP??A??A---
        currency                   AAA???A??A---
        order_details              AAA---AA-A---
        order_details.id           AAA---A------
        transaction                ?????????A---
        transaction.id             AAAAAAAAAA---
        transaction.success        ????A????A---
        transaction.response_code  AAA???A??A---
        transaction.response_text  AAAA?AA??A---
        transaction.auth_code      AAAA?AA??A---
    """),
    "held, approved": (SALE, """
        object                     AAAAAAAAAA---
        id                         AAAAAAAAAA---
        request_id                 AAAAAAAAAA---
        device_id                  AAA???A??A---
        status                     AAAA?AA??A---
        amount                     AAAP??A??A---
        currency                   AAA???A??A---
        order_details              AAA???AA?A---
        order_details.id           AAA???A??A---
        response                   >>>>>>>>>>---
        response_code              AAA???A??A---
        response_text              AAAA?AA??A---
        auth_code                  AAAA?AA??A---
    """),
    "form, approved": (FIELDS, """
        response                   -------------
        responsetext               AAAAAAAAAA---
        authcode                   AAAAAAAAAA---
        transactionid              AAAAAAAAAA---
        orderid                    A?A??????A---
        response_code              ------------A
        amount                     A?A??????A--A
        currency                   A?A??????A--A
        poi_device_id              A?A??????A--A
    """),
    "started": (ACCEPTANCE, """
        id                         --->->--->---
        device_id                  >>>???>??>---
        status                     >>>>>>>>>>---
        amount                     >>>???>??>---
        currency                   >>>???>??>---
        order_details              >>>???>>?>---
        order_details.id           >>>???>??>---
    """),
}  # fmt: skip


def fields_of(document: dict[str, Any], above: str = "") -> Iterator[str]:
    for name, value in document.items():
        yield above + name
        if isinstance(value, dict):
            yield from fields_of(value, f"{above}{name}.")


def value_at(document: Any, path: str) -> Any:
    for step in path.split("."):
        document = document[step]
    return document


def text_of(way: str, document: dict[str, Any]) -> str:
    return urlencode(document) if way.startswith("form") else json.dumps(document)


def answer_text(way: str, document: dict[str, Any], path: str, column: str) -> str:
    """Return an answer's text with one thing done to one of its fields."""
    if column in OPERATIONS:
        value = copy.deepcopy(value_at(document, path))
        return text_of(way, but(document, {path: OPERATIONS[column](value)}))
    marked = text_of(way, but(document, {path: "MARK"}))
    value = value_at(document, path)
    if way.startswith("form"):
        here, other = urlencode({path: value}), urlencode({path: "another"})
        before, after = marked.split(urlencode({path: "MARK"}))
        between = "&"
    else:
        name = json.dumps(path.rpartition(".")[2])
        here, other = f"{name}: {json.dumps(value)}", f'{name}: "another"'
        before, after = marked.split(f'{name}: "MARK"')
        between = ", "
    if column == "cut":
        return before + here
    return before + (other if column == "twice" else here) + between + here + after


def told(way: str, text: str) -> str:
    """Return the letter of what is told of a sale by an answer's text."""
    contracts = Contracts()
    contract = contracts.get("classic-form" if way.startswith("form") else "v5")
    reader = Reader(contract, Redactor([]), datetime(2026, 3, 1, tzinfo=UTC))
    answer = Answer(200, (("content-type", "application/json"),), text)
    try:
        if way.startswith("poll"):
            verdict = reader.status(answer, ORDER, "r1").verdict
        else:
            mode = {"held": SaleMode.SYNCHRONOUS, "form": SaleMode.CLASSIC}.get(way.partition(",")[0])
            sold = reader.sold(answer, replace(ORDER, mode=mode or ORDER.mode))
            if isinstance(sold, Accepted):
                return ">"
            verdict = sold
    except (AnswerLost, AnswerUnreadable):
        return "-"
    if verdict and verdict.reason.startswith(Reason.CONTRADICTORY):
        assert verdict.outcome is Outcome.UNKNOWN
    return LETTERS[verdict.outcome if isinstance(verdict, Verdict) else None]


ROWS: Final = [
    (way, document, *line.split())
    for way, (document, table) in TABLE.items()
    for line in table.strip().splitlines()
]


@pytest.mark.parametrize(("way", "document", "path", "letters"), ROWS, ids=lambda value: str(value)[:30])
def test_only_what_all_of_an_answer_says_is_told(
    way: str, document: dict[str, Any], path: str, letters: str
) -> None:
    seen = [told(way, answer_text(way, document, path, column)) for column in COLUMNS]
    assert dict(zip(COLUMNS, seen, strict=True)) == dict(zip(COLUMNS, letters, strict=True))


def test_the_table_has_every_field_of_every_answer() -> None:
    named = {way: [path for one, _document, path, _letters in ROWS if one == way] for way in TABLE}
    assert named == {way: list(fields_of(document)) for way, (document, _table) in TABLE.items()}
