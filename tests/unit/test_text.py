"""Names, usernames, purposes and identifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.input_errors import CardDataRefused, InputInvalid, NameInvalid
from keybench.core.text import NAME_LIMIT, clean_text

UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u3164\u2800\ufe0f\U000e0061\U000e0100\u180e"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Till 3 ", "Till 3"),
        ("Cafe\u0301", "Café"),
        ("Kasse \u2013 Süd", "Kasse \u2013 Süd"),
        ("收银台", "收银台"),
        ("👩‍🔧", "👩‍🔧"),
        ("❤️ Kasse", "❤️ Kasse"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("क्\u200dष", "क्\u200dष"),
    ],
)
def test_a_name_is_trimmed_and_in_one_form(text: str, cleaned: str) -> None:
    assert clean_text("key name", text) == cleaned


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NameInvalid.EMPTY),
        (" \t\n", NameInvalid.EMPTY),
        ("\u200b", NameInvalid.EMPTY),
        ("\u2060 \ufeff", NameInvalid.EMPTY),
        ("x" * 300, NameInvalid.TOO_LONG),
        ("two\nlines", NameInvalid.CONTROL_CHARACTERS),
        ("a\x00b", NameInvalid.CONTROL_CHARACTERS),
        ("a\x1b[31mb", NameInvalid.CONTROL_CHARACTERS),
        ("a\u2028b", NameInvalid.CONTROL_CHARACTERS),
        ("evil\u202ecod", NameInvalid.CONTROL_CHARACTERS),
        ("a\ud800b", NameInvalid.CONTROL_CHARACTERS),
        *((f"ti{unseen}ll", NameInvalid.UNSEEN) for unseen in UNSEEN),
    ],
)
def test_a_name_that_breaks_a_rule_is_refused_with_it(text: str, reason: str) -> None:
    with pytest.raises(NameInvalid) as caught:
        clean_text("key name", text)
    assert (caught.value.what, caught.value.reason) == ("key name", reason)


def test_a_name_may_be_just_as_long_as_the_limit() -> None:
    assert len(clean_text("key name", "ü" * NAME_LIMIT)) == NAME_LIMIT


@pytest.mark.parametrize("text", ["", "  ", "\u200b"])
def test_a_text_that_may_be_left_out_may_be_empty(text: str) -> None:
    assert not clean_text("purpose", text, required=False)


def test_a_card_number_is_no_name() -> None:
    with pytest.raises(CardDataRefused) as caught:
        clean_text("key name", "card-4111111111111111")
    assert caught.value.where == "key name"


@given(st.text(max_size=120))
def test_a_clean_text_stays_as_it_is(text: str) -> None:
    try:
        cleaned = clean_text("key name", text)
    except InputInvalid:
        return
    assert clean_text("key name", cleaned) == cleaned
    assert cleaned.encode()
