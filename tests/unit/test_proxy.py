"""Proxies as they are entered: the system's, none, or an address without a password."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.environments.addresses import Proxy, has_user, parse_proxy, proxy_at, signed_in
from keybench.core.input_errors import CardDataRefused, InputInvalid, ProxyInvalid


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("", "system"),
        (" System ", "system"),
        ("NONE", "none"),
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        (" HTTP://proxy.example:3128/ ", "http://proxy.example:3128"),
        ("https://proxy.example:8443", "https://proxy.example:8443"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("127.0.0.1:3128", "http://127.0.0.1:3128"),
        ("http://[2001:db8::1]:3128", "http://[2001:db8::1]:3128"),
        ("http://anna@proxy.example:3128", "http://anna@proxy.example:3128"),
        ("http://OFFICE%5Canna@proxy.example:3128", "http://OFFICE%5Canna@proxy.example:3128"),
        (
            "http://anna%40office.example@proxy.example:3128",
            "http://anna%40office.example@proxy.example:3128",
        ),
    ],
)
def test_a_setting_is_read(text: str, setting: str) -> None:
    assert parse_proxy(text) == setting
    assert parse_proxy(setting) == setting


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://anna:tulip@proxy.example:3128", ProxyInvalid.PASSWORD),
        ("http://anna:@proxy.example:3128", ProxyInvalid.PASSWORD),
        ("anna:tulip@proxy.example:3128", ProxyInvalid.PASSWORD),
        ("socks5://proxy.example:1080", ProxyInvalid.KIND),
        ("ftp://proxy.example:21", ProxyInvalid.KIND),
        ("proxy.example", ProxyInvalid.MALFORMED),
        ("http://proxy.example", ProxyInvalid.MALFORMED),
        ("http://proxy.example:0", ProxyInvalid.MALFORMED),
        ("http://proxy.example:99999", ProxyInvalid.MALFORMED),
        ("http://proxy.example:port", ProxyInvalid.MALFORMED),
        ("http://", ProxyInvalid.MALFORMED),
        ("http://:3128", ProxyInvalid.MALFORMED),
        ("http://[::1:3128", ProxyInvalid.MALFORMED),
        ("http://proxy.example:3128/path", ProxyInvalid.MALFORMED),
        ("http://proxy.example:3128?a=b", ProxyInvalid.MALFORMED),
        ("http://proxy.example:3128#top", ProxyInvalid.MALFORMED),
        ("http://pro xy.example:3128", ProxyInvalid.MALFORMED),
        ("http://pr\N{CYRILLIC SMALL LETTER O}xy.example:3128", ProxyInvalid.MALFORMED),
        ("http://anna%3Atulip@proxy.example:3128", ProxyInvalid.MALFORMED),
        ("http://anna%0Atulip@proxy.example:3128", ProxyInvalid.MALFORMED),
    ],
)
def test_what_is_no_proxy_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ProxyInvalid) as raised:
        parse_proxy(text)
    assert raised.value.reason == reason
    assert "tulip" not in repr(vars(raised.value))


def test_a_card_number_is_no_proxy() -> None:
    with pytest.raises(CardDataRefused):
        parse_proxy("http://4111111111111111@proxy.example:3128")


@given(st.text())
def test_any_text_is_a_setting_or_refused(text: str) -> None:
    try:
        setting = parse_proxy(text)
    except InputInvalid:
        return
    assert parse_proxy(setting) == setting


@given(st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters=":"), min_size=1))
def test_a_user_entered_apart_is_the_addresss(user: str) -> None:
    address = signed_in("http://proxy.example:3128", user)
    assert proxy_at(address) == Proxy("http", "proxy.example", 3128, user)
    assert has_user(address)
