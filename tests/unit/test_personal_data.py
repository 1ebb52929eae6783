"""Of a body only what is on a list stays, whatever its form; of a text no card's or person's data does."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.personal_data import KEPT, is_of_people, plain_name, reduced, without_personal_data

PRIVATE = "Zoë Quill"
names = st.sampled_from(
    ["status", "message", "id", "customer", "card", "note", "x", "zoe@example.org", "a b"]
)
harmless = st.none() | st.booleans() | st.integers(0, 99) | st.text(string.ascii_letters, max_size=12)


def documents(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4)
    )


@given(document=documents(harmless), cut=st.integers(0, 200))
def test_reducing_twice_changes_no_more_than_once(document: Any, cut: int) -> None:
    body = json.dumps(document)
    for one in (body, body[:cut], f"{body} {body}"):
        once = reduced(one)
        assert reduced(once) == once


@given(document=documents(st.just(PRIVATE)), cut=st.integers(0, 300), escaped=st.booleans())
def test_of_a_field_that_is_not_on_the_list_nothing_stays(document: Any, cut: int, escaped: bool) -> None:  # noqa: FBT001 - hypothesis passes it by name
    body = json.dumps({"note": document}, ensure_ascii=escaped)
    for listed in ("status", "message", "id"):
        body = body.replace(f'"{listed}"', '"note"')
    for one in (body, body[:cut]):
        kept = reduced(one)
        assert "Quill" not in kept
        assert "example" not in kept


@given(document=documents(harmless))
def test_the_form_of_a_body_stays(document: Any) -> None:
    def form(value: Any) -> Any:
        if isinstance(value, dict):
            return [form(one) for one in value.values()]
        return [form(one) for one in value] if isinstance(value, list) else type(value) in {bool, type(None)}

    assert form(json.loads(reduced(json.dumps(document)))) == form(document)


@given(text=st.text(max_size=80))
def test_a_text_is_masked_once(text: str) -> None:
    once = without_personal_data(text)
    assert without_personal_data(once) == once


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("cvv 737", "cvv @"),
        ("CVC: 123, try again", "CVC: @, try again"),
        ("the security code was 1234", "the security code was @"),
        ("exp 04/27", "exp @"),
        ("Expiry date: 4/2027", "Expiry date: @"),
        ("valid thru 0427", "valid thru @"),
        ("born 12.04.1980", "born @"),
        ("Cardholder: Zoë Quill, declined", "Cardholder: @, declined"),
        ("tel. 030 1234567", "tel. @"),
    ],
)
def test_what_a_text_calls_a_cards_or_a_persons_is_masked(text: str, kept: str) -> None:
    assert without_personal_data(text) == kept.replace("@", "\u2039hidden\u203a")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("to zoe.quill+x@mail.example.org.", "to <e-mail>."),
        ("to zoe%40example.org", "to <e-mail>"),
        ("call +49 (30) 123-4567 now", "call <telephone> now"),
        ("IBAN DE89 3704 0044 0532 0130 00 with this name", "IBAN <IBAN> with this name"),
        ("DE89370400440532013000", "<IBAN>"),
    ],
)
def test_what_can_be_told_by_its_form_is_masked(text: str, kept: str) -> None:
    assert without_personal_data(text) == kept.replace("<", "\u2039").replace(">", "\u203a")


@pytest.mark.parametrize(
    "text",
    [
        "70a6272c-0f3e-4c7a-9b1d-2f5a8e3d1c44",
        "KB-7Q2M-X4T9-KD3F",
        "DE89370400440532013001",
        "de8937040044053201300a0000000000",
        "2026-11-22T03:04:53.123456+00:00",
        "The key expired 2026-03-31; a retry in 10 seconds may help",
        "HTTP 504 at /api/v5/devices/d1: CVV check failed, error 504",
        "amount 10.00 instead of 999.99",
        "interactionComplete",
        "[Errno 111] Connection refused",
        "user@host",
    ],
)
def test_identifiers_times_and_figures_stay(text: str) -> None:
    assert without_personal_data(text) == text


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('{"id": "r1", "name": "Zoe"}', '{"id": "r1", "name": "<3 characters>"}'),
        ('{"customer": {"id": "c1", "vip": true}}', '{"customer": {"id": "<2 characters>", "vip": true}}'),
        ('{"zoe@x.org": null}', '{"<9 characters>": null}'),
        ('{"message": "cvv 737"}', '{"message": "cvv <hidden>"}'),
        ('{"link": "https://x.example/a?zoe#b"}', '{"link": "https://x.example/a?<hidden>"}'),
        ("{'status': Zoe", '{"<8 characters>": "<3 characters>"'),
        ("response=1&first_name=Zo%C3%AB&orderid=7", "response=1&first_name=<3 characters>&orderid=7"),
        ("<sale><name>Zoe</name></sale>", "<29 characters>"),
        ("x" * 350, "x" * 300 + "<50 more characters>"),
        ("", ""),
    ],
)
def test_a_body_is_reduced_by_its_form(body: str, kept: str) -> None:
    marks = str.maketrans("<>", "\u2039\u203a")
    assert reduced(body) == kept.translate(marks)


def test_a_contracts_own_names_stay_too() -> None:
    assert reduced('{"Store_No": 12}', {"storeno"}) == '{"Store_No": 12}'


def test_no_name_on_the_list_is_a_persons() -> None:
    assert not [name for name in KEPT if is_of_people(name) or plain_name(name) != name]
