"""What a gateway's words hint at, in the manner of many gateways, and what they must not be taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.diagnosis.checks import Seen
from keybench.core.diagnosis.wording import hints, likeness

ENDED = Seen.WORDS_KEY_ENDED
UNKNOWN = Seen.WORDS_KEY_UNKNOWN
FORM = Seen.WORDS_KEY_FORM
HEADER = Seen.WORDS_HEADER
KIND = Seen.WORDS_KIND
ELSEWHERE = Seen.WORDS_ENVIRONMENT
USER = Seen.WORDS_USER
MAY = Seen.WORDS_PERMISSION
ACCOUNT = Seen.WORDS_ACCOUNT
RATE = Seen.WORDS_RATE
SEVERAL = Seen.WORDS_SEVERAL

SAID = [
    # A key that was good once.
    ("", "This API key has expired", {ENDED}),
    ("api_key_expired", "Expired API Key provided: sk_****4242", {ENDED}),
    ("KEY_REVOKED", "", {ENDED}),
    ("", "The security key was deleted by an administrator.", {ENDED}),
    ("", "Your token is no longer valid", {ENDED}),
    ("invalid_token", "The access token expired", {ENDED, UNKNOWN}),
    ("", "This credential has been deactivated", {ENDED}),
    ("", "API key is disabled", {ENDED}),
    ("", "JWT expired", {ENDED}),
    ("", "Key expired on 2026-01-02 or was rotated", {ENDED}),
    # One that isn't known.
    ("", "Specified API key not found", {UNKNOWN}),
    ("INVALID_KEY", "", {UNKNOWN}),
    ("invalidApiKey", "", {UNKNOWN}),
    ("", "Invalid API Key provided: sk_****4242", {UNKNOWN}),
    ("", "No such API key", {UNKNOWN}),
    ("", "The key does not match our records", {UNKNOWN}),
    ("", "Unrecognised credentials", {UNKNOWN}),
    ("", "apikey unknown", {UNKNOWN}),
    # A list of all it may be tells no more than that.
    ("", "The key is invalid or expired", {UNKNOWN}),
    ("", "The access token provided is expired, revoked, malformed, or invalid for other reasons", {UNKNOWN}),
    ("", "API key not found or user disabled", {UNKNOWN, USER, SEVERAL}),
    ("", "Invalid or missing API key", {UNKNOWN, HEADER, SEVERAL}),
    ("", "Insufficient permissions or account restrictions", {MAY, ACCOUNT, SEVERAL}),
    # Its form, and the header.
    ("", "Malformed API key", {FORM}),
    ("", "The API key must begin with 'pk_' and have 32 characters", {FORM}),
    ("invalid_key_format", "", {FORM, UNKNOWN}),
    ("", "API key is too short", {FORM}),
    ("", "Missing Authorization header", {HEADER}),
    ("", "You did not provide an API key. Use HTTP Basic auth.", {HEADER}),
    ("", "Expected a Bearer token", {HEADER}),
    ("", "Unsupported authorization scheme", {HEADER}),
    ("", "Authentication required", {HEADER}),
    ("NO_API_KEY", "", {HEADER}),
    # Its kind.
    ("", "This call needs a private key; you sent a public key", {KIND}),
    ("", "A publishable key can't be used here", {KIND}),
    ("WRONG_KEY_TYPE", "", {KIND, UNKNOWN}),
    ("", "Tokenization keys may not sell", {KIND, MAY}),
    ("", "This is a key of the partner API; it can't be used here", {KIND}),
    # Its environment.
    ("", "You are using a test key in live mode", {ELSEWHERE}),
    ("", "This key belongs to the sandbox", {ELSEWHERE}),
    ("ENVIRONMENT_MISMATCH", "", {ELSEWHERE}),
    ("", "Token mode: TEST, expected: LIVE", {ELSEWHERE}),
    ("", "Use your production credentials", {ELSEWHERE}),
    # Its user, their permissions, the account.
    ("", "User is disabled", {USER}),
    ("", "The user of this key is suspended", {USER}),
    ("", "This key's owner has been deactivated", {USER}),
    ("USER_LOCKED", "", {USER}),
    ("", "Login frozen after too many attempts", {USER, RATE}),
    ("", "The user account associated with this key is locked", {USER}),
    ("", "Insufficient permissions: the user of this key may not read devices", {MAY}),
    ("insufficient_scope", "", {MAY}),
    ("", "You are not authorized to perform this action", {MAY}),
    ("", "The token lacks the required privilege devices.read", {MAY}),
    ("", "Merchant account is suspended", {ACCOUNT}),
    ("ACCOUNT_CLOSED", "", {ACCOUNT}),
    ("", "Cloud devices are not enabled for this account", {ACCOUNT}),
    ("", "Account restriction", {ACCOUNT}),
    ("", "Your account is not yet activated", {ACCOUNT}),
    ("", "API access is disabled for this merchant", {ACCOUNT}),
    ("", "Your subscription has expired", {ACCOUNT}),
    ("", "No processor is configured", {ACCOUNT}),
    ("", "Your IP address is not allowed", {ACCOUNT}),
    # The rate limit.
    ("", "Rate limit exceeded; try again in a moment", {RATE}),
    ("too_many_requests", "", {RATE}),
    ("ThrottlingException", "", {RATE}),
    ("", "Request quota used up", {RATE}),
    ("", "You have exceeded the number of allowed requests", {RATE}),
]


@pytest.mark.parametrize(("code", "message", "hinted"), SAID, ids=[f"{one[0]} {one[1]}" for one in SAID])
def test_words_hint_at_what_they_say(code: str, message: str, hinted: set[Seen]) -> None:
    assert set(hints(401, code, message, {})) == hinted


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Unauthorized",
        "Forbidden",
        "Access denied",
        # They don't speak of the key.
        "Invalid authentication",
        "Authentication failed",
        "Invalid username or password",
        "The request could not be authenticated",
        "The key has not expired",
        "Your user is not disabled and your account isn't suspended",
        "Insufficient funds",
        "Card expired",
        "Payment method expired",
        "The device is disabled",
        "Something went wrong (4242)",
        "See https://sandbox.gateway.example/docs/expired-keys",
        "Device not found",
        "Method not allowed",
        "Nicht erlaubt",
    ],
)
def test_words_that_say_nothing_of_it_hint_at_nothing(message: str) -> None:
    assert hints(401, "", message, {}) == ()


def test_what_oauth_says_in_its_header_counts() -> None:
    told = 'Bearer realm="api", error="insufficient_scope", error_description="The key expired"'
    assert set(hints(401, "", "", {"WWW-Authenticate": told})) == {MAY, ENDED}
    assert hints(401, "", "", {"www-authenticate": 'Basic realm="api"'}) == ()


def test_a_429_hints_at_the_rate_limit_whatever_its_words() -> None:
    assert hints(429, "", "", {}) == (RATE,)


@given(st.text(max_size=900), st.text(max_size=80), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_words_can_be_looked_at(message: str, code: str, headers: dict[str, str]) -> None:
    found = hints(401, code, message, headers)
    assert list(found) == [one for one in Seen if one in set(found)]
    assert all(one.name.startswith("WORDS_") for one in found)


@pytest.mark.parametrize("message", [one[1] for one in SAID])
def test_case_and_white_space_make_no_difference(message: str) -> None:
    plain = hints(401, "", message.lower(), {})
    assert hints(401, "", message.upper(), {}) == hints(401, "", f"\t {message.lower()}  \n", {}) == plain


@pytest.mark.parametrize("part", ["key ", "not ", "invalid ", "user of this ", "account not "])
def test_a_long_text_is_looked_at_in_no_time(part: str) -> None:
    assert hints(401, part * 5000, part * 5000, {"WWW-Authenticate": 'error="' * 5000}) is not None


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
