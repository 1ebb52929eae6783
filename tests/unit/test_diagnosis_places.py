"""Which environments are of one gateway: a key is sent to no other."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keybench.core.diagnosis.places import names_other_kind, same_gateway
from keybench.core.environments.environment import Environment, EnvironmentKind


def at(base_url: str, contract: str = "v5", kind: EnvironmentKind = EnvironmentKind.TEST) -> Environment:
    return Environment(base_url, base_url, kind, base_url, contract, datetime(2026, 3, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://sandbox.pay.example", "https://secure.pay.example"),
        ("https://sandbox.pay.example", "https://pay.example"),
        ("https://api-sandbox.pay.example", "https://api.pay.example"),
        ("https://sandbox2.pay.example/base", "https://live.pay.example/other"),
        ("https://sandbox.api.pay.co.uk", "https://api.pay.co.uk"),
        ("https://pay.example/test", "https://pay.example/live"),
        ("http://127.0.0.1:4001/a", "http://127.0.0.1:4001/b"),
    ],
)
def test_hosts_that_differ_only_in_words_for_an_environment_are_of_one_gateway(one: str, other: str) -> None:
    assert same_gateway(at(one), at(other, kind=EnvironmentKind.LIVE))
    assert same_gateway(at(other), at(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://sandbox.pay.example", "https://sandbox.other.example"),
        ("https://sandbox.pay.example", "https://sandbox.pay.example"),  # one and the same
        ("https://shop.pay.example", "https://till.pay.example"),
        ("https://sandbox.pay.example", "https://pay.example.evil.example"),
        ("https://sandbox.pay.example", "https://sandbox-pay.example"),
        ("https://sandbox.co.uk", "https://live.co.uk"),
        ("https://sandbox.github.io", "https://live.github.io"),
        ("https://a.sandbox.herokuapp.com", "https://a.live.herokuapp.com"),
        ("https://sandbox.example", "https://live.example"),
        ("https://sandbox.pay.example:8443", "https://secure.pay.example"),
        ("http://127.0.0.1:4001", "http://127.0.0.1:4002"),
        ("http://127.0.0.1:4001", "http://127.0.0.2:4001"),
        ("https://192.0.2.1", "https://192.0.3.1"),
        ("https://sandbox", "https://live"),
        ("https://[bad", "https://live.pay.example"),
        ("", "https://live.pay.example"),
    ],
)
def test_no_other_hosts_are_of_one_gateway(one: str, other: str) -> None:
    assert not same_gateway(at(one), at(other))
    assert not same_gateway(at(other), at(one))


def test_another_contract_is_another_gateway() -> None:
    assert not same_gateway(at("https://sandbox.pay.example"), at("https://pay.example", "other"))


def test_practice_is_no_ones_sibling() -> None:
    practice = at("https://sandbox.pay.example", kind=EnvironmentKind.PRACTICE)
    assert not same_gateway(practice, at("https://pay.example"))


@pytest.mark.parametrize(
    ("host", "kind", "is_other"),
    [
        ("sandbox.pay.example", EnvironmentKind.LIVE, True),
        ("api-test.pay.example", EnvironmentKind.LIVE, True),
        ("secure.pay.example", EnvironmentKind.LIVE, False),
        ("contest.pay.example", EnvironmentKind.LIVE, False),
        ("live.pay.example", EnvironmentKind.TEST, True),
        ("secure.pay.example", EnvironmentKind.TEST, False),
        ("sandbox.pay.example", EnvironmentKind.TEST, False),
        ("127.0.0.1", EnvironmentKind.LIVE, False),
    ],
)
def test_a_host_may_name_the_other_kind(host: str, kind: EnvironmentKind, *, is_other: bool) -> None:
    assert names_other_kind(host, kind) is is_other
