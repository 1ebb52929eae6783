"""Two faults at once: neither is ruled out by the other, and one of them comes first."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from faults.network import (
    PAGE,
    SOON_S,
    Place,
    answers,
    clock_off,
    plain,
    port_of,
    proxied,
    proxy_that,
    says_to_all,
    secure,
    shut,
    takes_all,
)
from gateway.hostile import hostile, http
from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Sign
from keybench.core.diagnosis.conclusion import Standing, conclude

OPENS = b"HTTP/1.1 200 Connection established\r\n\r\n"
Faulty = Callable[[Path], AbstractAsyncContextManager[Place]]


@asynccontextmanager
async def behind_a_proxy(place: Place) -> AsyncIterator[Place]:
    """Yield a place to which a proxy leads on; it keeps the address that its certificate is for."""
    async with proxied(proxy_that(OPENS, port_of(place.base_url))) as proxy:
        yield replace(place, proxy=proxy.base_url)


@asynccontextmanager
async def expired_for_another_host(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, address="10.9.8.7", ends=-3) as place:
        yield place


@asynccontextmanager
async def expired_and_the_clock_wrong(folder: Path) -> AsyncIterator[Place]:
    """It has ended by any clock, and this computer's is wrong besides."""

    def there() -> dt.datetime:
        return dt.datetime.now(dt.UTC) - dt.timedelta(days=1)

    async with secure(folder, answers(now=there), ends=-3) as place:
        yield place


@asynccontextmanager
async def a_page_and_the_clock_wrong(_folder: Path) -> AsyncIterator[Place]:
    page = http("200 OK", PAGE, "Content-Type: text/html", "Date: Mon, 02 Mar 2026 10:00:00 GMT")
    async with plain(says_to_all(page), clock=clock_off(0)) as place:
        yield place


@asynccontextmanager
async def expired_behind_a_proxy(folder: Path) -> AsyncIterator[Place]:
    async with secure(folder, ends=-3) as place, behind_a_proxy(place) as found:
        yield found


@asynccontextmanager
async def self_signed_behind_a_proxy(folder: Path) -> AsyncIterator[Place]:
    made = secure(folder, trusted=False)
    async with made as place, behind_a_proxy(place) as found:
        yield found


@asynccontextmanager
async def expired_behind_a_dead_proxy(folder: Path) -> AsyncIterator[Place]:
    with shut() as port:
        async with secure(folder, ends=-3) as place:
            yield replace(place, proxy=f"http://127.0.0.1:{port}")


@asynccontextmanager
async def nobody_behind_a_proxy(_folder: Path) -> AsyncIterator[Place]:
    bad = http("502 Bad Gateway")
    async with proxied(says_to_all(bad)) as proxy:
        yield Place("https://gateway.example", proxy.base_url)


@asynccontextmanager
async def silence_behind_a_proxy(_folder: Path) -> AsyncIterator[Place]:
    async with hostile(takes_all, reads=False) as server:
        silent = Place(server.base_url.replace("http:", "https:"), limit_s=SOON_S)
        async with behind_a_proxy(silent) as found:
            yield found


PAIRS: Sequence[tuple[Faulty, set[Cause]]] = (
    (expired_for_another_host, {Cause.TLS_EXPIRED, Cause.TLS_WRONG_HOST}),
    (expired_and_the_clock_wrong, {Cause.TLS_EXPIRED, Cause.CLOCK}),
    (a_page_and_the_clock_wrong, {Cause.NOT_A_GATEWAY, Cause.CLOCK}),
    (expired_behind_a_proxy, {Cause.TLS_EXPIRED}),
    (self_signed_behind_a_proxy, {Cause.TLS_UNTRUSTED}),
    (expired_behind_a_dead_proxy, {Cause.PROXY, Cause.TLS_EXPIRED}),
    (nobody_behind_a_proxy, {Cause.PROXY, Cause.CONNECTION_REFUSED, Cause.NAME_RESOLUTION, Cause.NO_ANSWER}),
    (silence_behind_a_proxy, {Cause.NO_ANSWER}),
)


@pytest.mark.parametrize(("fault", "causes"), PAIRS, ids=[one[0].__name__ for one in PAIRS])
async def test_no_true_cause_is_ruled_out_and_one_of_them_comes_first(
    tmp_path: Path, fault: Faulty, causes: set[Cause]
) -> None:
    async with fault(tmp_path) as place:
        concluded = conclude(await place.findings())
    assert concluded.causes[0].cause in causes
    assert {one.standing for one in concluded.causes if one.cause in causes}.isdisjoint({Standing.RULED_OUT})


async def test_a_proxy_that_leads_on_is_no_fault(tmp_path: Path) -> None:
    async with secure(tmp_path) as made, behind_a_proxy(made) as place:
        findings = await place.findings()
    seen = {one.seen for finding in findings for one in finding.observations}
    assert {
        Sign.NAME_LEFT_TO_PROXY,
        Sign.CONNECTED_TO_PROXY,
        Sign.PROXY_PASSES,
        Sign.TLS_TRUSTED,
        Sign.CALL_ACCEPTED,
    } <= seen
    assert not conclude(findings).likely
