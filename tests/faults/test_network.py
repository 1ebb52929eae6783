"""Twelve faults of a network, with real parts: each is seen, told as what it is, and never ruled out."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from faults.network import (
    NAME,
    PAGE,
    SOON_S,
    Place,
    answers,
    clock_off,
    dark,
    named,
    plain,
    proxied,
    proxy_that,
    refuses_what_is_not_http,
    says_to_all,
    secure,
    shut,
    slowly,
    takes_all,
)
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import hostile, http, resets
from gateway.office import office
from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Sign
from keybench.core.diagnosis.conclusion import Standing, conclude

OPENS = b"HTTP/1.1 200 Connection established\r\n\r\n"
Faulty = Callable[[Path], AbstractAsyncContextManager[Place]]


def seen_in(findings: Sequence[CheckFinding]) -> set[Sign]:
    return {one.seen for finding in findings for one in finding.observations}


def facts_of(findings: Sequence[CheckFinding], seen: Sign) -> dict[str, object]:
    return next(dict(one.facts) for finding in findings for one in finding.observations if one.seen is seen)


@asynccontextmanager
async def expired(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, starts=-60, ends=-3) as place:
        yield place


@asynccontextmanager
async def not_yet_valid(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, starts=3, ends=60) as place:
        yield place


@asynccontextmanager
async def wrong_host(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, address="10.9.8.7") as place:
        yield place


@asynccontextmanager
async def self_signed(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, trusted=False) as place:
        yield place


@asynccontextmanager
async def wrong_clock(_folder: Path) -> AsyncIterator[Place]:
    async with plain(clock=clock_off(days=-3)) as place:
        yield place


@asynccontextmanager
async def wrong_clock_that_spoils_tls(folder: Path) -> AsyncIterator[Place]:
    """This computer is ten days ahead of the gateway, whose certificate has ended meanwhile."""

    def there() -> dt.datetime:
        return dt.datetime.now(dt.UTC) - dt.timedelta(days=10)

    async with secure(folder, answers(now=there), starts=-60, ends=-3) as place:
        yield place


@asynccontextmanager
async def dead_proxy(folder: Path) -> AsyncIterator[Place]:
    with shut() as port:
        async with secure(folder) as place:
            yield replace(named(place), proxy=f"http://127.0.0.1:{port}")


@asynccontextmanager
async def silent_proxy(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder) as place, proxied(proxy_that(None)) as proxy:
        yield replace(named(place), proxy=proxy.base_url, limit_s=SOON_S)


@asynccontextmanager
async def lying_proxy(folder: Path) -> AsyncIterator[Place]:
    """It opens a tunnel, and answers in it itself."""
    async with (
        secure(folder) as place,
        proxied(proxy_that(OPENS, inside=http("200 OK", PAGE, "Content-Type: text/html"))) as proxy,
    ):
        yield replace(named(place), proxy=proxy.base_url)


@asynccontextmanager
async def proxy_with_a_page(folder: Path) -> AsyncIterator[Place]:
    away = http("302 Found", b"", "Location: http://login.example/")
    async with secure(folder) as place, proxied(says_to_all(away)) as proxy:
        yield replace(named(place), proxy=proxy.base_url)


@asynccontextmanager
async def barred_by_proxy(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder) as place, proxied(says_to_all(http("403 Forbidden"))) as proxy:
        yield replace(place, proxy=proxy.base_url)  # and the way without it works


@asynccontextmanager
async def captive_page(_folder: Path) -> AsyncIterator[Place]:
    async with plain(says_to_all(http("200 OK", PAGE, "Content-Type: text/html"))) as place:
        yield place


@asynccontextmanager
async def captive_redirect(_folder: Path) -> AsyncIterator[Place]:
    away = http("302 Found", b"", "Location: http://login.hotel.example/welcome?from=1")
    async with plain(says_to_all(away)) as place:
        yield place


@asynccontextmanager
async def black_hole(_folder: Path) -> AsyncIterator[Place]:
    with dark() as port:
        yield Place(f"https://127.0.0.1:{port}", limit_s=SOON_S)


@asynccontextmanager
async def half_open(_folder: Path) -> AsyncIterator[Place]:
    async with plain(takes_all, limit_s=SOON_S) as place:
        yield place


@asynccontextmanager
async def stalling_tls(_folder: Path) -> AsyncIterator[Place]:
    async with hostile(takes_all, reads=False) as server:
        yield Place(server.base_url.replace("http:", "https:"), limit_s=SOON_S)


@asynccontextmanager
async def byte_a_second(_folder: Path) -> AsyncIterator[Place]:
    async with plain(slowly(), limit_s=SOON_S) as place:
        yield place


@asynccontextmanager
async def body_a_byte_a_second(_folder: Path) -> AsyncIterator[Place]:
    async with plain(slowly(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{"), limit_s=SOON_S) as place:
        yield place


@asynccontextmanager
async def no_such_name(_folder: Path) -> AsyncIterator[Place]:
    yield Place("https://gateway.invalid")


@asynccontextmanager
async def name_that_a_filter_answers(_folder: Path) -> AsyncIterator[Place]:
    yield Place(f"https://{NAME}", look_up=lambda _host, _port: ["0.0.0.0", "::"])  # noqa: S104 - no server


@asynccontextmanager
async def nobody_listens(_folder: Path) -> AsyncIterator[Place]:
    with shut() as port:
        yield Place(f"https://127.0.0.1:{port}")


@asynccontextmanager
async def connection_that_breaks(_folder: Path) -> AsyncIterator[Place]:
    async with plain(resets) as place:
        yield place


@asynccontextmanager
async def no_tls_there(_folder: Path) -> AsyncIterator[Place]:
    async with plain(refuses_what_is_not_http) as place:
        yield replace(place, base_url=place.base_url.replace("http:", "https:"))


FAULTS: Sequence[tuple[Faulty, Cause, set[Sign]]] = (
    (expired, Cause.TLS_EXPIRED, {Sign.TLS_EXPIRED, Sign.CLOCK_RIGHT}),
    (not_yet_valid, Cause.TLS_EXPIRED, {Sign.TLS_NOT_YET_VALID, Sign.CLOCK_RIGHT}),
    (wrong_host, Cause.TLS_WRONG_HOST, {Sign.TLS_WRONG_HOST}),
    (self_signed, Cause.TLS_UNTRUSTED, {Sign.TLS_SELF_SIGNED}),
    (wrong_clock, Cause.CLOCK, {Sign.CLOCK_WRONG, Sign.CALL_ACCEPTED}),
    (wrong_clock_that_spoils_tls, Cause.CLOCK, {Sign.TLS_EXPIRED, Sign.CLOCK_WRONG}),
    (dead_proxy, Cause.PROXY, {Sign.PROXY_UNUSABLE, Sign.CONNECT_NOT_TO_PROXY, Sign.NAME_LEFT_TO_PROXY}),
    (silent_proxy, Cause.PROXY, {Sign.PROXY_SILENT}),
    (lying_proxy, Cause.PROXY, {Sign.PROXY_ANSWERS_ITSELF, Sign.CONNECTED_TO_PROXY}),
    (proxy_with_a_page, Cause.PROXY, {Sign.PROXY_ANSWERS_ITSELF}),
    (barred_by_proxy, Cause.PROXY, {Sign.PROXY_REFUSES, Sign.PROXY_NEEDLESS}),
    (captive_page, Cause.NOT_A_GATEWAY, {Sign.PAGE, Sign.PAGE}),
    (captive_redirect, Cause.NOT_A_GATEWAY, {Sign.REDIRECT_AWAY, Sign.REDIRECT_AWAY}),
    (black_hole, Cause.NO_ANSWER, {Sign.CONNECT_SILENT}),
    (half_open, Cause.NO_ANSWER, {Sign.SILENT, Sign.SILENT}),
    (stalling_tls, Cause.NO_ANSWER, {Sign.TLS_SILENT}),
    (byte_a_second, Cause.NO_ANSWER, {Sign.SILENT, Sign.SILENT}),
    (body_a_byte_a_second, Cause.NO_ANSWER, {Sign.SILENT, Sign.SILENT}),
    (no_such_name, Cause.NAME_RESOLUTION, set()),
    (name_that_a_filter_answers, Cause.NAME_RESOLUTION, {Sign.NAME_BLOCKED}),
    (nobody_listens, Cause.CONNECTION_REFUSED, {Sign.CONNECT_REFUSED}),
    (connection_that_breaks, Cause.CONNECTION_LOST, {Sign.LOST, Sign.LOST}),
)


@pytest.mark.parametrize(("fault", "cause", "expected"), FAULTS, ids=[one[0].__name__ for one in FAULTS])
async def test_a_fault_is_seen_and_its_cause_comes_first(
    tmp_path: Path, fault: Faulty, cause: Cause, expected: set[Sign]
) -> None:
    async with fault(tmp_path) as place:
        findings = await place.findings()
    seen = seen_in(findings)
    assert expected <= seen
    concluded = conclude(findings)
    assert concluded.causes[0].cause is cause
    assert concluded.causes[0].standing is Standing.LIKELY


async def test_where_all_is_well_nothing_is_likely(tmp_path: Path) -> None:
    async with secure(tmp_path) as place:
        findings = await place.findings()
    assert {Sign.TLS_TRUSTED, Sign.CLOCK_RIGHT, Sign.GATEWAY_ASKS_FOR_KEY, Sign.CALL_ACCEPTED} <= seen_in(
        findings
    )
    assert not conclude(findings).likely
    assert conclude(findings).trouble is Trouble.NONE


async def test_where_no_tls_is_spoken_the_address_is_a_likely_cause() -> None:
    async with no_tls_there(Path()) as place:
        findings = await place.findings()
    assert Sign.TLS_NOT_SPOKEN in seen_in(findings)
    assert Cause.BASE_URL in {one.cause for one in conclude(findings).likely}


@pytest.mark.parametrize("trusted", [False, True], ids=["not trusted", "trusted"])
async def test_an_inspecting_proxy_is_named(tmp_path: Path, *, trusted: bool) -> None:
    made = certificate(tmp_path / "gateway", name=NAME)
    async with (
        hostile(answers(), reads=False, tls=serving(made)) as server,
        office(tmp_path / "proxy", inspects=True, trusts=made) as proxy,
    ):
        url = server.base_url.replace("127.0.0.1", NAME)
        place = Place(url, proxy.address, trusts=trusting(made), public=trusting(made))
        place.trusts = trusting(proxy.authority if trusted else made)
        findings = await place.findings()
    seen = Sign.TLS_INSPECTION_TRUSTED if trusted else Sign.TLS_INSPECTION
    facts = facts_of(findings, seen)
    assert facts["issuer"] == "mitmproxy"
    concluded = conclude(findings)
    assert concluded.causes[0].cause is Cause.TLS_INSPECTED
    if trusted:  # everything works here, so it is told and blamed for nothing
        assert Sign.CALL_ACCEPTED in seen_in(findings)
        assert not concluded.likely
    else:
        assert concluded.trouble is Trouble.NETWORK


async def test_a_certificate_tells_all_that_is_wrong_with_it(tmp_path: Path) -> None:
    async with secure(tmp_path, address="10.9.8.7", starts=-60, ends=-3, trusted=False) as place:
        findings = await place.findings()
    wrong = {Sign.TLS_SELF_SIGNED, Sign.TLS_WRONG_HOST, Sign.TLS_EXPIRED}
    assert wrong <= seen_in(findings)
    facts = facts_of(findings, Sign.TLS_EXPIRED)
    assert (facts["names"], facts["days"]) == ("10.9.8.7", 3)
    assert str(facts["issuer"]).startswith("practice test")
    assert facts["version"] == "TLSv1.3"


async def test_a_certificate_that_ends_soon_is_told_and_no_fault(tmp_path: Path) -> None:
    async with secure(tmp_path, starts=-80, ends=5) as place:
        findings = await place.findings()
    assert {Sign.TLS_TRUSTED, Sign.TLS_ENDS_SOON} <= seen_in(findings)
    assert not conclude(findings).likely


@pytest.mark.parametrize(("alert", "said"), [(40, "handshake failure"), (70, "protocol version")])
async def test_a_handshake_without_anything_in_common_is_told(alert: int, said: str) -> None:
    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(bytes((21, 3, 3, 0, 2, 2, alert)))  # RFC 8446, 6
        await writer.drain()

    async with hostile(play, reads=False) as server:
        place = Place(server.base_url.replace("http:", "https:"))
        findings = await place.findings()
    assert said in str(facts_of(findings, Sign.TLS_FAILED)["reason"])


async def test_a_private_issuer_is_told_where_this_computer_trusts_it(tmp_path: Path) -> None:
    async with secure(tmp_path) as place:
        findings = await replace(place, public=trusting(certificate(tmp_path / "public"))).findings()
    assert Sign.TLS_PRIVATE_ISSUER in seen_in(findings)
    assert Sign.TLS_TRUSTED not in seen_in(findings)
    assert not conclude(findings).likely


async def test_nothing_but_a_call_without_a_key_is_sent_to_a_host_whose_certificate_has_ended(
    tmp_path: Path,
) -> None:
    log: list[bytes] = []
    async with secure(tmp_path, answers(log=log), starts=-60, ends=-3) as place:
        await place.findings()
    assert [one.split(b" ")[0] for one in log] == [b"HEAD"]
    assert b"authorization" not in log[0].lower()


@pytest.mark.parametrize("fault", [wrong_host, self_signed], ids=["wrong host", "self-signed"])
async def test_nothing_at_all_is_sent_to_a_host_that_is_not_trusted(tmp_path: Path, fault: Faulty) -> None:
    async with fault(tmp_path) as place:
        findings = await place.findings()
    assert not {one for one in seen_in(findings) if one.check in {Check.GATEWAY, Check.CALL, Check.CLOCK}}
