"""Finding values: in which forms, wherever they stand, and nothing where none is."""

from __future__ import annotations

import base64
import random
import uuid

import pytest

from fakes.echoing import SAID, made_value
from fakes.spelled import SPELLINGS
from keybench.core.secret import Secret
from keybench.core.support.masking import ValueFinder

VALUE = "zK4vX9mQ2tL7pR5wB8nD3cF6hJ1sG0yA"


def finder_of(*values: str) -> ValueFinder:
    return ValueFinder((f"<{number}>", Secret(value)) for number, value in enumerate(values))


def labels_in(text: str, *values: str) -> list[str]:
    return sorted({label for *_span, label in finder_of(*values).spans(text.encode())})


@pytest.mark.parametrize("spelling", SAID)
@pytest.mark.parametrize("value", [VALUE, "a/b+c&d=e\"f'g<h>i j", "ümläut-und-Schlüssel"])
def test_a_value_is_found_as_it_is_and_encoded(spelling: str, value: str) -> None:
    assert labels_in(f"before {SPELLINGS[spelling](value)} behind", value) == ["<0>"]


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("text", ["{}", "kiosk:{}", "{}:", "a{}b"])
def test_in_base64_it_is_found_wherever_it_begins(before: int, text: str) -> None:
    said = base64.b64encode(b"x" * before + text.format(VALUE).encode()).decode()
    assert labels_in(said, VALUE) == ["<0>"]


def test_each_of_many_is_found_with_its_place_at_every_distance_from_the_beginning() -> None:
    rng = random.Random(1)
    values = [made_value(rng) for _ in range(200)]
    finder = finder_of(*values)
    for number, value in enumerate(values):
        text = f"{' ' * number}“{value}”".encode()
        spans = finder.spans(text)
        assert {label for *_span, label in spans} == {f"<{number}>"}
        ((start, end, _label),) = spans
        assert value.encode().endswith(text[start:end])
        assert end == text.index(value.encode()) + len(value.encode())


def test_what_says_which_kind_of_key_it_is_is_no_part_of_a_value() -> None:
    value = f"checkout_public_v4_{VALUE}"
    assert labels_in(f"wrong: {VALUE}", value) == ["<0>"]
    assert labels_in("a checkout_public_v4_ key", value) == []


def test_a_short_value_is_found_as_a_word() -> None:
    assert labels_in("the key Kiosk1 is wrong", "kiosk1") == ["<0>"]
    assert labels_in("kiosk12 and akiosk1", "kiosk1") == []


def test_nothing_is_found_in_what_an_honest_gateway_says() -> None:
    rng = random.Random(2)
    finder = finder_of(*(made_value(rng) for _ in range(50)))
    said = " ".join(f"{uuid.UUID(int=rng.getrandbits(128))} {rng.randbytes(40).hex()}" for _ in range(20_000))
    assert finder.spans(said.encode()) == set()
