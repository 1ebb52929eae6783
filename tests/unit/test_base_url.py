"""Base URLs of gateways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.environments.addresses import parse_base_url
from keybench.core.input_errors import BaseUrlInvalid, CardDataRefused, InputInvalid


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://gateway.example", "https://gateway.example"),
        (" https://gateway.example/ ", "https://gateway.example"),
        ("HTTPS://gateway.example", "https://gateway.example"),
        ("https://gateway.example:8443", "https://gateway.example:8443"),
        ("https://gateway.example/path/to//", "https://gateway.example/path/to"),
        ("https://gateway.example/a@b", "https://gateway.example/a@b"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443"),
        ("http://127.0.0.1:4001", "http://127.0.0.1:4001"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://localhost:4001/", "http://localhost:4001"),
        ("http://[::1]:4001", "http://[::1]:4001"),
        ("https://bücher.example:8443/a", "https://xn--bcher-kva.example:8443/a"),
        ("https://\u041a\u0430\u0441\u0441\u044b.example", "https://xn--80atwa4c.example"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.example", "https://xn--80ak6aa92e.example"),
        ("https://g\u043e\u043egle.example", "https://xn--ggle-55da.example"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_a_gateways_address_is_read(text: str, url: str) -> None:
    assert parse_base_url(text) == url


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", BaseUrlInvalid.EMPTY),
        ("   ", BaseUrlInvalid.EMPTY),
        ("gateway.example", BaseUrlInvalid.NO_SCHEME),
        ("//gateway.example", BaseUrlInvalid.NO_SCHEME),
        ("gateway.example:443", BaseUrlInvalid.NO_SCHEME),
        ("http://gateway.example", BaseUrlInvalid.NOT_HTTPS),
        ("http://10.0.0.1", BaseUrlInvalid.NOT_HTTPS),
        ("http://0.0.0.0", BaseUrlInvalid.NOT_HTTPS),
        ("http://localhost.evil.example", BaseUrlInvalid.NOT_HTTPS),
        ("http://127.0.0.1.evil.example", BaseUrlInvalid.NOT_HTTPS),
        ("ftp://gateway.example", BaseUrlInvalid.NOT_HTTPS),
        ("https://user@gateway.example", BaseUrlInvalid.CREDENTIALS),
        ("https://user:word@gateway.example", BaseUrlInvalid.CREDENTIALS),
        ("https://gateway.example@evil.example", BaseUrlInvalid.CREDENTIALS),
        ("https://@gateway.example", BaseUrlInvalid.CREDENTIALS),
        ("https://", BaseUrlInvalid.NO_HOST),
        ("https:///path", BaseUrlInvalid.NO_HOST),
        ("https://:443", BaseUrlInvalid.NO_HOST),
        ("https://gateway.example?a=b", BaseUrlInvalid.EXTRA),
        ("https://gateway.example/?", BaseUrlInvalid.EXTRA),
        ("https://gateway.example#top", BaseUrlInvalid.EXTRA),
        ("https://gateway.example:99999", BaseUrlInvalid.MALFORMED),
        ("https://gateway.example:port", BaseUrlInvalid.MALFORMED),
        ("https://[::1", BaseUrlInvalid.MALFORMED),
        ("https://g%6fogle.example", BaseUrlInvalid.MALFORMED),
        ("https://gate\u200bway.example", BaseUrlInvalid.MALFORMED),
        ("https://gate way.example", BaseUrlInvalid.MALFORMED),
        ("https://gateway\n.example", BaseUrlInvalid.MALFORMED),
        ("https://gateway.example\\evil", BaseUrlInvalid.MALFORMED),
        ("https://gateway.example/\u202e", BaseUrlInvalid.MALFORMED),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(BaseUrlInvalid) as caught:
        parse_base_url(text)
    assert caught.value.reason == reason


def test_a_card_number_in_an_address_is_refused() -> None:
    with pytest.raises(CardDataRefused):
        parse_base_url("https://gateway.example/4111111111111111")


@given(st.text(max_size=40), st.sampled_from(["", "https://", "http://", "https://a", "http://127.0.0.1"]))
def test_what_is_read_reads_back_as_itself(text: str, start: str) -> None:
    try:
        url = parse_base_url(start + text)
    except InputInvalid:
        return
    assert parse_base_url(url) == url
    assert url.startswith(("https://", "http://"))
    assert "@" not in url.split("/")[2]
