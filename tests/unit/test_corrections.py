"""Addresses that aren't base URLs: which one was probably meant, and why."""

from __future__ import annotations

import pytest

from keybench.core.environments.addresses import parse_base_url, parse_portal_url
from keybench.core.environments.connection import Correction, Slip, correction_of
from keybench.core.input_errors import BaseUrlInvalid, CardDataRefused, PortalUrlInvalid

PATHS = (
    "/api/v5/devices",
    "/api/v5/devices/{device_id}/payment-requests/sale",
    "/api/transact.php",
    "/{anything}/other",
)
HOST = "https://gateway.example"


@pytest.mark.parametrize(
    ("entered", "meant", "slip"),
    [
        (f"{HOST}/api/v5", HOST, Slip.DOUBLED_PATH),
        (f"{HOST}/api/v5/", HOST, Slip.DOUBLED_PATH),
        (f"{HOST}/api", HOST, Slip.DOUBLED_PATH),
        (f"{HOST}/shop/api/v5", f"{HOST}/shop", Slip.DOUBLED_PATH),
        (f"{HOST}/api/v5/devices/till-1/payment-requests/sale", HOST, Slip.DOUBLED_PATH),
        (f"{HOST}/api/transact.php", HOST, Slip.DOUBLED_PATH),
        ("http://gateway.example", HOST, Slip.PLAIN_HTTP),
        ("HTTP://gateway.example:80/", HOST, Slip.PLAIN_HTTP),
        ("http://gateway.example:8443", f"{HOST}:8443", Slip.PLAIN_HTTP),
        ("gateway.example", HOST, Slip.NO_SCHEME),
        ("//gateway.example/", HOST, Slip.NO_SCHEME),
        ("gateway.example:8443/shop", f"{HOST}:8443/shop", Slip.NO_SCHEME),
        ("localhost:4001", "http://localhost:4001", Slip.NO_SCHEME),
        ("https://me:word@gateway.example:8443", f"{HOST}:8443", Slip.CREDENTIALS),
        ("http://me@gateway.example/api/v5?x=1", HOST, Slip.CREDENTIALS),
        (f"{HOST}/?a=1", HOST, Slip.EXTRA),
        (f"{HOST}#top", HOST, Slip.EXTRA),
        (f"{HOST}/merchants/login.php", HOST, Slip.PORTAL),
        (f"{HOST}/partner", HOST, Slip.PORTAL),
        (f"{HOST}/settings/security-keys", HOST, Slip.PORTAL),
        (f"{HOST}/keys/", HOST, Slip.PORTAL),
        ("http://[2001:db8::1]", "https://[2001:db8::1]", Slip.PLAIN_HTTP),
        ("http://127.0.0.1:4001/api/v5", "http://127.0.0.1:4001", Slip.DOUBLED_PATH),
    ],
)
def test_the_base_url_that_was_meant_is_found(entered: str, meant: str, slip: Slip) -> None:
    assert correction_of(entered, PATHS, [f"{HOST}/keys"]) == Correction(meant, slip)
    assert parse_base_url(meant) == meant
    assert correction_of(meant, PATHS, [f"{HOST}/keys"]) is None


@pytest.mark.parametrize(
    "entered",
    [
        HOST,
        f"{HOST}/",
        f"  {HOST}  ",
        f"{HOST}/shop",
        f"{HOST}:8443",
        "http://127.0.0.1:80",
        "http://localhost:4001",
        "",
        "https://",
        "gateway",
        "what is this",
        "ftp://gateway.example",
        "https://[broken",
        "https://gateway.example:port",
    ],
)
def test_what_can_be_used_and_what_nobody_can_guess_stays(entered: str) -> None:
    assert correction_of(entered, PATHS) is None


def test_a_contract_without_known_paths_says_nothing_of_a_path() -> None:
    assert correction_of(f"{HOST}/api/v5") is None


def test_a_portal_whose_address_is_only_begun_is_none() -> None:
    assert correction_of(f"{HOST}/shop", PATHS, ["https://[", f"{HOST}/keys"]) is None


def test_card_data_is_no_address() -> None:
    with pytest.raises(CardDataRefused):
        correction_of("gateway.example/4111111111111111")


@pytest.mark.parametrize(
    "entered",
    ["", "https://portal.example", "https://portal.example/keys?tab=2#new", "http://localhost:4001/portal"],
)
def test_a_portals_address_may_be_a_page(entered: str) -> None:
    assert parse_portal_url(f" {entered} ") == entered


@pytest.mark.parametrize(
    ("entered", "reason"),
    [
        ("portal.example", BaseUrlInvalid.NO_SCHEME),
        ("http://portal.example", BaseUrlInvalid.NOT_HTTPS),
        ("https://me:word@portal.example", BaseUrlInvalid.CREDENTIALS),
        ("javascript:alert(1)", BaseUrlInvalid.NO_SCHEME),
        ("file:///etc/passwd", BaseUrlInvalid.NO_HOST),
        ("https://portal.example/?a b", BaseUrlInvalid.MALFORMED),
    ],
)
def test_what_no_browser_should_open_is_refused(entered: str, reason: str) -> None:
    with pytest.raises(PortalUrlInvalid) as raised:
        parse_portal_url(entered)
    assert raised.value.reason == reason
    assert "word" not in str(raised.value)
