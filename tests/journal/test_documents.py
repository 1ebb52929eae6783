"""A rotation is kept whole: what goes in comes out the same, and what can't be one is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.journal_samples import NOW
from contracts.register_samples import a_rotation, documented, with_evidence
from journal.anything import Plain, any_of
from keybench.core.rotations.rotation import Documentation, KeyTest, Rotation
from keybench.runtime.documents import UnreadableDocument, read_document, write_document
from sweeps import examples

LAW: Final = settings(max_examples=examples(60))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
PLAIN: Final[Plain] = {
    str: st.text(max_size=20),
    int: st.integers(),
    bool: st.booleans(),
    datetime: st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=zones),  # noqa: DTZ001 - the zones come apart
}


@LAW
@given(rotation=any_of(Rotation, PLAIN))
def test_a_rotation_comes_back(rotation: Rotation) -> None:
    document = write_document(rotation)
    assert document.isascii()
    assert read_document(Rotation, document) == rotation


def test_times_come_back_in_utc() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-3, minutes=-30)))
    back = read_document(Documentation, write_document(Documentation(elsewhere, "Mira")))
    assert back.at == NOW
    assert back.at.utcoffset() == timedelta(0)


@pytest.mark.parametrize("odd", ["half a pair \ud83d", "nul \0", "\udcff"])
def test_text_that_no_database_keeps_comes_back(odd: str) -> None:
    rotation = replace(a_rotation(), reason=odd)
    assert read_document(Rotation, write_document(rotation)) == rotation


def test_a_field_that_was_added_since_takes_its_default() -> None:
    older = json.loads(write_document(documented(a_rotation())))
    del older["checks"], older["documentation"]["place"]
    assert read_document(Rotation, json.dumps(older)) == documented(a_rotation())


@pytest.mark.parametrize(
    "wrong",
    [
        {"unheard_of": 1},
        {"reason": None},
        {"reason": 3},
        {"compromised": 1},
        {"compromised": "no"},
        {"old": "Till 3"},
        {"old": {}},
        {"started_at": "noon"},
        {"started_at": "2026-03-01T12:30:15"},
        {"started_at": 1},
        {"started_at": "0001-01-01T00:00:00+14:00"},
        {"evidence": {}},
        {"evidence": [{"at": "2026-03-01T12:30:15Z", "what": "seen", "status": True}]},
        {"documentation": []},
        {"checks": [{"step": "dream"}]},
    ],
    ids=str,
)
def test_what_can_t_be_a_rotation_is_refused(wrong: dict[str, Any]) -> None:
    plain = json.loads(write_document(with_evidence(a_rotation()))) | wrong
    with pytest.raises(UnreadableDocument):
        read_document(Rotation, json.dumps(plain))


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "{}", "NaN", "[" * 100_000])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        read_document(Rotation, text)


@dataclass(frozen=True, slots=True)
class Odd:
    """A record of a kind that isn't written."""

    amount: bytes


@dataclass(frozen=True, slots=True)
class Figure:
    """A record with a decimal."""

    amount: Decimal | None


def test_a_value_of_another_kind_is_never_written() -> None:
    with pytest.raises(TypeError):
        write_document(Odd(b"0.5"))


@pytest.mark.parametrize("amount", [Decimal("5.00"), Decimal("0.5"), None])
def test_a_decimal_keeps_its_digits(amount: Decimal | None) -> None:
    back = read_document(Figure, write_document(Figure(amount)))
    assert (back, str(back.amount)) == (Figure(amount), str(amount))


@pytest.mark.parametrize("amount", ["5", '"five"', '"NaN"', '"Infinity"', "true", "{}"])
def test_what_is_no_decimal_is_refused(amount: str) -> None:
    with pytest.raises(UnreadableDocument):
        read_document(Figure, f'{{"amount": {amount}}}')


def test_a_number_is_no_truth_and_the_other_way_round() -> None:
    with pytest.raises(UnreadableDocument):
        read_document(KeyTest, '{"at": "2026-03-01T12:30:15Z", "status": true}')
