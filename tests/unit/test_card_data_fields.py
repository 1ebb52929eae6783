"""The guard's second half: expiry dates and security codes, known by the fields that they stand in."""

from __future__ import annotations

import json

import pytest

from keybench.core.card_data import holds_card_data, holds_card_fields, refuse_card_data
from keybench.core.input_errors import CardDataRefused, NameInvalid
from keybench.core.text import clean_text
from keybench.words.fields import field_sentence


@pytest.mark.parametrize(
    "text",
    [
        '{"cvv": "123"}',
        '{"amount": "10.00", "payment_details": {"card_exp": "1227", "cvv": 123}}',
        '{"expirationDate":"12/27"}',
        "{'exp_month': 12, 'exp_year': 2027}",
        '{\n  "card": {\n    "Security-Code" :\n "999"\n  }\n}',
        '"{\\"cvv2\\": \\"123\\"}"',
        "cvv=123",
        "ccnumber=x&ccexp=1227&cvv=999",
        "CVV: 123",
        "card.cvc = 123",
        "ccexp = '12/27'",
        '{"cvv": "\uff11\uff12\uff13"}',
        '{"track1": "%B4"}',
        '"pinblock": "A1B2"',
    ],
)
def test_a_filled_field_of_a_card_is_refused_by_its_name(text: str) -> None:
    assert not holds_card_data(text)
    assert holds_card_fields(text)
    with pytest.raises(CardDataRefused) as caught:
        refuse_card_data("purpose", text)
    assert caught.value.reason == CardDataRefused.FIELD
    assert "a card's details" in field_sentence(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Till 3",
        "tests the cvv field",
        "CVV: never asked for",
        "expires 12/27",
        "exp: 2026-12-31",
        "expiry: 31.12.2026",
        "rotate by 2027-01-01",
        "pan-european shop: 3",
        '{"cvv": ""}',
        '{"cvv": null, "expiry": {}, "pan": []}',
        '{"amount": "10.00", "currency": "USD", "order_details": {"id": "KB-7Q2M-X4T9"}}',
        '{"device_id": "till-1", "processor_id": "12"}',
        '{"exponent": 2, "expires_in": 3600, "pane": 1}',
        "https://gateway.example:8443/api?v=5",
        "company=1",
        "till:3",
    ],
)
def test_other_fields_and_mere_talk_are_let_through(text: str) -> None:
    assert not holds_card_fields(text)


def test_card_data_is_what_is_said_of_a_text_that_breaks_other_rules_too() -> None:
    pasted = json.dumps({"number": "4111 1111 1111 1111", "note": "x" * 500}, indent=1)
    with pytest.raises(CardDataRefused):
        clean_text("device", pasted)
    with pytest.raises(CardDataRefused):
        clean_text("device", '{\n "cvv": "123"\n}')
    with pytest.raises(NameInvalid):
        clean_text("device", '{\n "id": "123"\n}')
