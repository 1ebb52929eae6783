"""What a certificate says of itself is read, whoever made it, and who inspects is known by name."""

from __future__ import annotations

import datetime as dt
import ssl
from pathlib import Path

import certifi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.certificates import DAY, certificate
from keybench.gateway.diagnosis.handshakes import INSPECTIONS, Certificate, is_inspection, read


def shown(path: Path) -> Certificate:
    der = ssl.PEM_cert_to_DER_cert(path.read_text().partition("-----END PRIVATE KEY-----\n")[2])
    found = read(der)
    assert found
    return found


def test_a_certificate_is_read(tmp_path: Path) -> None:
    found = shown(certificate(tmp_path, name="gateway.example", starts=-10, ends=20))
    assert found.names == ("gateway.example",)
    assert found.is_self_signed
    assert found.ends - found.begins == 30 * DAY
    assert not found.is_inspection


@given(st.binary(max_size=400))
def test_what_is_no_certificate_is_none(der: bytes) -> None:
    assert read(der) is None


@pytest.mark.parametrize(
    ("names", "host", "fits"),
    [
        (("gateway.example",), "gateway.example", True),
        (("Gateway.Example",), "gateway.EXAMPLE.", True),
        (("*.gateway.example",), "eu.gateway.example", True),
        (("*.gateway.example",), "gateway.example", False),
        (("*.gateway.example",), "a.eu.gateway.example", False),
        (("other.example", "gateway.example"), "gateway.example", True),
        (("10.9.8.7",), "10.9.8.7", True),
        (("::1",), "0:0:0:0:0:0:0:1", True),
        (("10.9.8.7",), "gateway.example", False),
        ((), "gateway.example", False),
    ],
)
def test_whose_it_is(names: tuple[str, ...], host: str, *, fits: bool) -> None:
    now = dt.datetime.now(dt.UTC)
    one = Certificate("", names, now, now, is_self_signed=False, is_inspection=False)
    assert one.is_for(host) is fits


@pytest.mark.parametrize(
    ("lasts", "left", "soon"),
    [(90, 13, True), (90, 20, False), (6, 4, False), (6, 1, True), (365, 13, True), (90, -1, False)],
)
def test_it_ends_soon_when_it_is_time_to_renew_it(lasts: int, left: int, *, soon: bool) -> None:
    now = dt.datetime.now(dt.UTC)
    ends = now + left * DAY
    one = Certificate("", (), ends - lasts * DAY, ends, is_self_signed=False, is_inspection=False)
    assert one.ends_soon(now) is soon


@pytest.mark.parametrize(
    ("issuer", "inspects"),
    [
        ("CN=mitmproxy,O=mitmproxy", True),
        ("CN=Zscaler Intermediate Root CA (zscaler.net),O=Zscaler Inc.", True),
        ("CN=DO_NOT_TRUST_FiddlerRoot,O=DO_NOT_TRUST", True),
        ("CN=R11,O=Let's Encrypt,C=US", False),
        ("CN=Cloudflare Inc ECC CA-3,O=Cloudflare\\, Inc.", False),
        ("CN=Example Company Root", False),
    ],
)
def test_who_inspects_is_known_by_the_issuers_name(issuer: str, *, inspects: bool) -> None:
    assert is_inspection(issuer) is inspects


def test_no_public_authority_is_taken_for_an_inspection() -> None:
    ends = "-----END CERTIFICATE-----\n"
    *listed, _rest = Path(certifi.where()).read_text("utf-8").split(ends)
    read_ones = [read(ssl.PEM_cert_to_DER_cert(one[one.index("-----BEGIN") :] + ends)) for one in listed]
    assert len(read_ones) > 100
    assert not any(one.is_inspection for one in read_ones if one)
    assert None not in read_ones


def test_the_marks_are_written_as_they_are_compared() -> None:
    assert [mark.lower() for mark in INSPECTIONS] == list(INSPECTIONS)
