"""An exchange as cURL and PowerShell: each, read by its own rules, is the same request again."""

from __future__ import annotations

import shlex
import subprocess
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keybench.core.exchange import VARIABLE, Exchange, Timings, as_curl, as_powershell
from keybench.core.secret import MASK

AT = datetime(2026, 11, 20, 14, 2, 11, 204000, tzinfo=UTC)
URL = "https://gateway.example/api/v5/devices/till-1/payment-requests/sale"
SHELL_VARIABLE = f"${VARIABLE}"

awkward = st.sampled_from(
    ["'", '"', "$HOME", "`id`", "\\", "!", "\u2019", "%PATH%", "; rm", "{a,b}", MASK, "@x"]
)
plain = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=("Cs", "Cc")), max_size=8
)
texts = st.lists(plain | awkward | st.just("\n"), max_size=6).map("".join)
lines = st.lists(plain | awkward, max_size=5).map("".join)
names = st.from_regex(r"[A-Z][a-z]{1,8}(-[A-Z][a-z]{1,8})?", fullmatch=True)
headers = st.dictionaries(names, lines, max_size=4).map(lambda found: tuple(found.items()))


def exchange(
    *, method: str = "POST", url: str = URL, headers: tuple[tuple[str, str], ...] = (), body: str = ""
) -> Exchange:
    return Exchange(AT, method, url, headers, body, 200, (), "", "", Timings(0.041))


def filled(text: str, value: str = SHELL_VARIABLE) -> str:
    return text.replace(MASK, value)


SALE = exchange(
    headers=(("Accept", "application/json"), ("Content-Type", "application/json"), ("Authorization", MASK)),
    body='{"amount": "10.00", "order_details": {"id": "KB-7Q2M-0042"}}',
)
CLASSIC = exchange(
    headers=(("Content-Type", "application/json"),), body=f'{{"api_key": "{MASK}", "note": "it\'s"}}'
)


def expected_words(one: Exchange, value: str) -> list[str]:
    words = ["--request", one.method, one.url]
    for name, content in one.request_headers:
        words += ["--header", f"{name}: {filled(content, value)}" if content else f"{name};"]
    return words + (["--data-raw", filled(one.request_body, value)] if one.request_body else [])


# --- cURL ---------------------------------------------------------------------------------------------


@given(headers=headers, body=texts)
def test_curl_is_split_into_the_request_again(headers: tuple[tuple[str, str], ...], body: str) -> None:
    one = exchange(headers=headers, body=body)
    assume(" \\\n  " not in body)
    words = shlex.split(as_curl(one).replace(" \\\n  ", " "))
    assert words == ["curl", *expected_words(one, SHELL_VARIABLE)]


@settings(max_examples=25)
@given(headers=headers, body=texts)
def test_a_real_shell_hands_curl_the_request_with_the_variable_filled_in(
    headers: tuple[tuple[str, str], ...], body: str
) -> None:
    one = exchange(headers=headers, body=body)
    told = subprocess.run(
        ["/bin/sh", "-c", "curl() { printf '%s\\0' \"$@\"; }\n" + as_curl(one)],
        env={VARIABLE: "made $up 'key'", "HOME": "/elsewhere"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert told.stdout.decode().split("\0")[:-1] == expected_words(one, "made $up 'key'")


def test_an_address_that_curl_would_take_for_many_is_taken_as_it_is() -> None:
    assert "--globoff" in as_curl(exchange(url="http://[::1]:8731/api"))
    assert "--globoff" not in as_curl(SALE)


# --- PowerShell ---------------------------------------------------------------------------------------

QUOTES = "'\u2018\u2019\u201a\u201b"


def read_powershell(text: str) -> list[str]:
    """Return what stands in single quotes, each read by PowerShell's rules: two quotes in a row are one."""
    found: list[str] = []
    place = 0
    while place < len(text):
        if text[place] not in QUOTES:
            place += 1
            continue
        place += 1
        word = ""
        while not (text[place] in QUOTES and (place + 1 == len(text) or text[place + 1] not in QUOTES)):
            place += text[place] in QUOTES
            word += text[place]
            place += 1
        place += 1
        found.append(word)
    return found


@given(body=texts)
def test_powershell_reads_any_body(body: str) -> None:
    command = as_powershell(exchange(body=body))
    expected = [part for part in body.split(MASK) if part]
    read = read_powershell(command)
    assert read == ["POST", URL, *expected]
    assert command.count(f"$env:{VARIABLE}") == body.count(MASK)


def test_powershell_names_the_headers_it_has_options_for() -> None:
    command = as_powershell(SALE)
    assert f"  'Authorization' = $env:{VARIABLE}" in command
    assert "-ContentType 'application/json'" in command
    assert "'Content-Type'" not in command
    assert f"""('{{"api_key": "' + $env:{VARIABLE} + '", "note": "it''s"}}')""" in as_powershell(CLASSIC)


# --- all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [as_curl, as_powershell])
def test_no_mask_is_left_and_the_variable_is_there(make: type[str]) -> None:
    for one in (SALE, CLASSIC):
        assert MASK not in make(one)
        assert VARIABLE in make(one)
