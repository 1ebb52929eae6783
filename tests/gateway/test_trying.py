"""An address tried without a key: what answers there is told apart, and nothing secret is sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.certificates import certificate, serving
from gateway.conftest import SHORT
from gateway.hostile import Play, hostile, http, is_silent, resets, says, trickles
from keybench.core.environments.connection import BaseUrlFound
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway

HTML = b"<!DOCTYPE html><html><body><form>Sign in</form></body></html>"
WHERE = Environment("e1", "Shop", EnvironmentKind.TEST, "", "v5", datetime(2026, 3, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("answer", "found", "status"),
    [
        (http("401 Unauthorized", b'{"message": "no key"}'), BaseUrlFound.GATEWAY, 401),
        (http("401 Unauthorized"), BaseUrlFound.GATEWAY, 401),
        (http("403 Forbidden", b'{"message": "no key"}'), BaseUrlFound.GATEWAY, 403),
        (http("200 OK", b'{"devices": []}'), BaseUrlFound.OPEN, 200),
        (http("200 OK", b"[]"), BaseUrlFound.OPEN, 200),
        (http("200 OK", HTML, "Content-Type: text/html; charset=utf-8"), BaseUrlFound.PAGE, 200),
        (http("200 OK", HTML), BaseUrlFound.PAGE, 200),
        (http("401 Unauthorized", HTML, "Content-Type: text/html"), BaseUrlFound.PAGE, 401),
        (http("404 Not Found", HTML), BaseUrlFound.PAGE, 404),
        (http("404 Not Found", b'{"error_code": "E_ROUTE_NOT_FOUND"}'), BaseUrlFound.NO_PATH, 404),
        (http("405 Method Not Allowed"), BaseUrlFound.NO_PATH, 405),
        (http("429 Too Many Requests"), BaseUrlFound.TOO_OFTEN, 429),
        (http("503 Service Unavailable", HTML), BaseUrlFound.FAILING, 503),
        (http("200 OK", b"It works!"), BaseUrlFound.OTHER, 200),
        (http("204 No Content"), BaseUrlFound.OTHER, 204),
        (http("302 Found", b"", "Location: https://login.example/in?x=1"), BaseUrlFound.REDIRECT, 302),
    ],
)
async def test_what_answers_is_told_apart_and_is_sent_no_key(
    answer: bytes, found: BaseUrlFound, status: int
) -> None:
    gateway = HttpGateway()
    async with hostile(says(answer)) as server:
        tried = await gateway.try_connection(WHERE, server.base_url)
    (sent,) = server.requests
    assert (tried.found, tried.status, tried.base_url) == (found, status, server.base_url)
    assert tried.elapsed_s > 0
    line, *headers = sent.decode().split("\r\n")
    assert line == "GET /api/v5/devices HTTP/1.1"
    names = {header.partition(":")[0].lower() for header in headers if header}
    assert names == {"host", "accept", "accept-encoding", "user-agent"}


@pytest.mark.parametrize(
    ("play", "found", "reasons"),
    [
        (resets, BaseUrlFound.NO_ANSWER, {"connection reset", "connection closed"}),
        (is_silent, BaseUrlFound.NO_ANSWER, {"timeout"}),
        (says(b""), BaseUrlFound.NO_ANSWER, {"connection closed"}),
        (says(b"220 mail.example ready\r\n\r\n"), BaseUrlFound.NO_ANSWER, {"not http"}),
    ],
)
async def test_what_gives_no_answer_is_told_apart(play: Play, found: BaseUrlFound, reasons: set[str]) -> None:
    gateway = HttpGateway(limits=SHORT)
    async with hostile(play) as server:
        tried = await gateway.try_connection(WHERE, server.base_url)
    assert tried.found is found
    assert tried.reason in reasons
    assert tried.status == 0


async def test_an_answer_that_never_ends_is_judged_by_what_came() -> None:
    gateway = HttpGateway(limits=SHORT)
    async with hostile(trickles(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 999999\r\n\r\n{")) as server:
        tried = await gateway.try_connection(WHERE, server.base_url)
    assert (tried.found, tried.status) == (BaseUrlFound.GATEWAY, 401)


async def test_a_certificate_that_is_not_trusted_is_told_and_sent_nothing(tmp_path: Path) -> None:
    async with hostile(says(http("401 Unauthorized")), tls=serving(certificate(tmp_path))) as server:
        tried = await HttpGateway().try_connection(WHERE, server.base_url)
        assert server.requests == []
    assert (tried.found, tried.reason) == (BaseUrlFound.NOT_REACHED, "tls self-signed")


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("{base}/v2/api/v5/devices?a=1", "{base}/v2/api/v5/devices"),
        ("/login?back=%2Fapi", "{base}/login"),
        ("https://me:word@elsewhere.example/x", "https://elsewhere.example/x"),
        ("http://[broken", ""),
        ("", "{base}/api/v5/devices"),
    ],
)
async def test_a_redirect_is_told_and_not_followed(location: str, leads_to: str) -> None:
    async def play(reader: object, writer: object) -> None:
        answer = http("301 Moved", b"", f"Location: {location.format(base=server.base_url)}")
        await says(answer)(reader, writer)  # type: ignore[arg-type]  # as hostile calls it

    async with hostile(play) as server:
        tried = await HttpGateway().try_connection(WHERE, server.base_url)
    base = server.base_url
    assert len(server.requests) == 1
    assert tried.found is BaseUrlFound.REDIRECT
    assert tried.leads_to == leads_to.format(base=base)


async def test_an_entered_proxy_password_is_given_to_that_proxy_alone() -> None:
    far = replace(WHERE, proxy="http://anna@127.0.0.1:1")
    async with hostile(says(http("407 Proxy Authentication Required"))) as proxy:
        far = replace(far, proxy=proxy.base_url.replace("://", "://anna@"))
        tried = await HttpGateway().try_connection(far, "https://gateway.invalid", Secret("made-up word"))
    assert (tried.found, tried.reason) == (BaseUrlFound.NOT_REACHED, "proxy password refused")
    (sent,) = proxy.requests
    assert sent.startswith(b"CONNECT gateway.invalid:443 ")
    assert b"Basic YW5uYTptYWRlLXVwIHdvcmQ=" in sent
