"""What a gateway's words name, and when two answers say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.diagnosis.checks import Sign
from keybench.core.diagnosis.wording import hint, likeness

SAID = [
    ("", "This API key has expired", Sign.WORDS_KEY_ENDED),
    ("KEY_REVOKED", "", Sign.WORDS_KEY_ENDED),
    ("", "Your token is no longer valid", Sign.WORDS_KEY_ENDED),
    ("", "Malformed API key", Sign.WORDS_KEY_FORM),
    ("", "Missing Authorization header", Sign.WORDS_HEADER),
    ("", "Unsupported authorization scheme", Sign.WORDS_HEADER),
    ("", "This call needs a private key; you sent a public key", Sign.WORDS_KIND),
    ("", "This is a key of the partner API; the key kind is wrong here", Sign.WORDS_KIND),
    ("", "You are using a test key in live mode", Sign.WORDS_ENVIRONMENT),
    ("", "The user of this key is suspended", Sign.WORDS_USER),
    ("", "Account restriction: the user of this key is disabled", Sign.WORDS_USER),
    ("", "Merchant account is suspended", Sign.WORDS_ACCOUNT),
    ("", "Account restriction", Sign.WORDS_ACCOUNT),
    ("", "Insufficient permissions: the user of this key may not read devices", Sign.WORDS_PERMISSION),
    ("insufficient_scope", "", Sign.WORDS_PERMISSION),
    ("insufficient_scope", "The key has expired", Sign.WORDS_KEY_ENDED),
    ("", "Rate limit exceeded; try again in a moment", Sign.WORDS_RATE),
    ("too_many_requests", "", Sign.WORDS_RATE),
]


@pytest.mark.parametrize(("code", "message", "named"), SAID)
def test_words_name_what_they_say(code: str, message: str, named: Sign) -> None:
    assert hint(401, code, message) is named
    assert hint(401, code.lower(), f"\t {message.upper()} \n") is named


@pytest.mark.parametrize(
    "message",
    [
        *("", "Unauthorized", "Forbidden", "Access denied", "Specified API key not found", "Nicht erlaubt"),
        *("Invalid username or password", "The key has not expired"),
        "See https://sandbox.gateway.example/docs/expired-keys",
        # A list of all that it may be names none of it.
        "The key is invalid or expired",
        "The access token provided is expired, revoked, malformed, or invalid for other reasons",
        "Insufficient permissions, account restrictions",
    ],
)
def test_words_that_name_nothing_or_several_things_say_nothing(message: str) -> None:
    assert hint(401, "", message) is None


def test_a_429_is_the_rate_limit_whatever_its_words() -> None:
    assert hint(429, "", "") is Sign.WORDS_RATE


@given(st.text(max_size=900), st.text(max_size=80))
def test_any_words_can_be_looked_at(message: str, code: str) -> None:
    named = hint(401, code, message)
    assert named is None or named.name.startswith("WORDS_")


@pytest.mark.parametrize("part", ["key ", "not ", "invalid ", "user of this ", "account not "])
def test_a_long_text_is_looked_at_in_no_time(part: str) -> None:
    assert hint(401, part * 5000, part * 5000) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invalid key sk_a1b2 (request 7f3e)", "Invalid key sk_zz9y (request 0a1b)"),
        ("Key •••••• not found at 14:02:11", "Key •••••• not found at 14:02:12"),
        ("No  such key", "No such\nkey"),
    ],
)
def test_two_answers_that_say_the_same_are_alike(one: str, other: str) -> None:
    assert likeness(401, "E_KEY", one) == likeness(401, "E_KEY", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((401, "E_KEY", "No such key"), (403, "E_KEY", "No such key")),
        ((401, "E_KEY", "No such key"), (401, "E_USER", "No such key")),
        ((401, "E_KEY", "No such key"), (401, "E_KEY", "The key has expired")),
    ],
)
def test_two_answers_that_say_different_things_are_not(
    one: tuple[int, str, str], other: tuple[int, str, str]
) -> None:
    assert likeness(*one) != likeness(*other)
