"""What the harmless calls of a diagnosis tell by their answers, and how few of them are made."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from gateway.callers import MADE_UP_KEY, MakeCaller
from gateway.hostile import Hostile, Play, hostile, http, says
from keybench.core.diagnosis.checks import Observation, Sign
from keybench.core.errors import NotSent
from keybench.core.exchange import Exchange
from keybench.core.secret import MASK
from keybench.gateway.contracts import Contracts
from keybench.gateway.diagnosis.probing import HttpProbing

HTML = b"<!DOCTYPE html><html><body>Sign in</body></html>"
FOUND = http("200 OK", b'{"devices": []}')


def refused(status: str = "401 Unauthorized", **said: str) -> bytes:
    return http(status, json.dumps(said).encode(), "Content-Type: application/json")


@pytest.fixture
async def probing() -> AsyncIterator[HttpProbing]:
    probing = HttpProbing(limit_s=30.0)
    yield probing
    await probing.close()


CALLS = [
    (FOUND, {Sign.CALL_ACCEPTED}),
    (refused(message="No such key"), {Sign.CALL_UNAUTHORISED}),
    (http("401 Unauthorized", b"Key expired"), {Sign.CALL_UNAUTHORISED, Sign.WORDS_KEY_ENDED}),
    (http("401 Unauthorized"), {Sign.CALL_UNAUTHORISED}),
    (refused("403 Forbidden", message="User disabled"), {Sign.CALL_FORBIDDEN, Sign.WORDS_USER}),
    (refused("403 Forbidden", message="Rate limit exceeded"), {Sign.RATE_LIMIT, Sign.WORDS_RATE}),
    (
        refused("403 Forbidden", message="Insufficient permissions, account restrictions or rate limit"),
        {Sign.CALL_FORBIDDEN},
    ),
    (http("403 Forbidden", b"", "Retry-After: 3"), {Sign.RATE_LIMIT}),
    (http("429 Too Many Requests"), {Sign.RATE_LIMIT, Sign.WORDS_RATE}),
    (http("503 Service Unavailable", HTML), {Sign.FAILING}),
    (http("408 Request Timeout"), {Sign.FAILING}),
    (http("200 OK", HTML), {Sign.PAGE}),
    (
        http("401 Unauthorized", HTML, "Content-Type: text/html"),
        {Sign.CALL_UNAUTHORISED, Sign.BARRED_BY_PAGE},
    ),
    (http("404 Not Found", b'{"error_code": "E_ROUTE_NOT_FOUND"}'), {Sign.CALL_NO_PATH}),
    (http("400 Bad Request", b"{}"), {Sign.CALL_REFUSED_OTHERWISE}),
    (http("200 OK", b"It works!"), {Sign.STRANGE}),
    (http("204 No Content"), {Sign.STRANGE}),
    (http("302 Found", b"", "Location: /login"), {Sign.REDIRECT}),
    (http("302 Found", b"", "Location: https://hotel.example/login"), {Sign.REDIRECT_AWAY}),
    (
        http("200 OK", b'{"success": false, "message": "Invalid API key"}'),
        {Sign.CALL_DENIED},
    ),
    (http("200 OK", b'{"error": {"reason": 7}}'), {Sign.CALL_DENIED}),
    (http("200 OK", b'{"devices": [], "error": null, "success": true}'), {Sign.CALL_ACCEPTED}),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{", {Sign.LOST}),
    (b"220 mail.example ready\r\n\r\n", {Sign.STRANGE}),
    (b"", {Sign.LOST}),
]


@pytest.mark.parametrize(("answer", "expected"), CALLS)
async def test_what_a_call_with_the_key_shows(
    probing: HttpProbing, caller: MakeCaller, answer: bytes, expected: set[Sign]
) -> None:
    async with hostile(says(answer)) as server:
        seen = await probing.call(caller(server.base_url, contract="v5"))
    assert {one.seen for one in seen} == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused(message="no key"), Sign.GATEWAY_ASKS_FOR_KEY),
        (refused("403 Forbidden", message="no key"), Sign.GATEWAY_ASKS_FOR_KEY),
        (refused("403 Forbidden", message="Too many requests"), Sign.RATE_LIMIT),
        (http("429 Too Many Requests"), Sign.RATE_LIMIT),
        (FOUND, Sign.GATEWAY_OPEN),
        (http("200 OK", HTML), Sign.PAGE),
        (http("302 Found", b"", "Location: /in"), Sign.REDIRECT),
        (http("302 Found", b"", "Location: https://hotel.example/in"), Sign.REDIRECT_AWAY),
        (http("404 Not Found", b"{}"), Sign.GATEWAY_NO_PATH),
        (http("502 Bad Gateway"), Sign.FAILING),
        (http("200 OK", b"It works!"), Sign.STRANGE),
        (b"", Sign.LOST),
        (b"220 mail.example ready\r\n\r\n", Sign.STRANGE),
    ],
)
async def test_what_a_call_without_a_key_shows(
    probing: HttpProbing, caller: MakeCaller, exchanges: list[Exchange], answer: bytes, expected: Sign
) -> None:
    async with hostile(says(answer)) as server:
        at = caller(server.base_url, contract="v5")
        (seen,) = await probing.gateway(at.environment, at.base_url, exchanges.append)
    assert seen.seen is expected
    (sent,) = server.requests
    assert b"authorization" not in sent.lower()
    assert len(exchanges) == 1


async def test_the_answers_own_words_are_beside_what_was_seen(
    probing: HttpProbing, caller: MakeCaller
) -> None:
    said = refused(error_code="E_KEY", message=f"No such key: {MADE_UP_KEY}", ref_id="r-7")
    async with hostile(says(said)) as server:
        seen, *_ = await probing.call(caller(server.base_url, contract="v5"))
    facts = dict(seen.facts)
    assert facts.pop("took_s") is not None
    assert facts == {"status": 401, "code": "E_KEY", "message": f"No such key: {MASK}", "ref": "r-7"}


Accepts = Callable[[bytes], bool]


def accepting(accepts: Accepts, **said: str) -> Play:
    """Play a gateway that accepts what `accepts` tells of a request's head."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = play.server.requests[-1]  # type: ignore[attr-defined]
        writer.write(FOUND if accepts(head) else refused(**(said or {"message": "No such key"})))
        await writer.drain()

    return play


async def forms_of(
    probing: HttpProbing, caller: MakeCaller, play: Play, contract: str = "v5"
) -> tuple[list[Observation], Hostile]:
    """Return what the forms show, and what was sent for them."""
    async with hostile(play) as server:
        play.server = server  # type: ignore[attr-defined]
        return list(await probing.forms(caller(server.base_url, contract=contract))), server


BASIC = b64encode(f"{MADE_UP_KEY}:".encode()).decode()


@pytest.mark.parametrize(
    ("header", "form"),
    [
        (f"Authorization: Bearer {MADE_UP_KEY}", "Bearer"),
        (f"Authorization: Basic {BASIC}", "Basic"),
        (f"X-Api-Key: {MADE_UP_KEY}", "X-Api-Key"),
    ],
)
async def test_a_form_that_is_accepted_is_found(
    probing: HttpProbing, caller: MakeCaller, exchanges: list[Exchange], header: str, form: str
) -> None:
    seen, server = await forms_of(probing, caller, accepting(lambda head: header.encode() in head))
    assert [(one.seen, one.facts["form"]) for one in seen] == [(Sign.OTHER_FORM_ACCEPTED, form)]
    assert 3 <= len(server.requests) <= 5
    assert not any(MADE_UP_KEY in repr(one) or BASIC in repr(one) for one in (*exchanges, *seen))


async def test_the_bare_key_is_tried_where_a_contract_wants_bearer(
    tmp_path: Path, caller: MakeCaller
) -> None:
    own = 'extends = "v5"\ntitle = "Own"\n[key]\nheader = "Authorization"\nform = "Bearer {key}"\n'
    (tmp_path / "own.toml").write_text(own, encoding="utf-8")
    probing = HttpProbing(contracts=Contracts(tmp_path), limit_s=30.0)
    bare = f"Authorization: {MADE_UP_KEY}\r".encode()
    seen, _server = await forms_of(probing, caller, accepting(lambda head: bare in head), "own")
    await probing.close()
    assert [(one.seen, one.facts["form"]) for one in seen] == [(Sign.OTHER_FORM_ACCEPTED, "bare")]


async def test_each_call_is_a_question_and_made_once(probing: HttpProbing, caller: MakeCaller) -> None:
    seen, server = await forms_of(probing, caller, accepting(lambda _head: False))
    assert [one.seen for one in seen] == [Sign.OTHER_FORMS_REFUSED, Sign.LIKE_A_MADE_UP_KEY]
    assert len(server.requests) == 5
    assert {one.split(b" ")[0] for one in server.requests} == {b"GET"}
    assert MADE_UP_KEY.encode() not in server.requests[-1]  # the made-up one
    own = next(line for line in server.requests[-1].split(b"\r\n") if line.startswith(b"Authorization"))
    assert len(own) == len(f"Authorization: {MADE_UP_KEY}")


async def test_a_made_up_value_that_is_answered_otherwise_shows_that_the_key_is_known(
    probing: HttpProbing, caller: MakeCaller
) -> None:
    def known(head: bytes) -> bytes:
        is_ours = MADE_UP_KEY.encode() in head
        return refused(message="The user is disabled" if is_ours else "No such key")

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(known(play.server.requests[-1]))  # type: ignore[attr-defined]
        await writer.drain()

    seen, _server = await forms_of(probing, caller, play)
    assert [one.seen for one in seen] == [Sign.OTHER_FORMS_REFUSED, Sign.UNLIKE_A_MADE_UP_KEY]


async def test_a_gateway_that_takes_any_key_in_another_form_proves_nothing(
    probing: HttpProbing, caller: MakeCaller
) -> None:
    seen, _server = await forms_of(probing, caller, accepting(lambda head: b": Bearer " in head))
    assert [one.seen for one in seen] == [Sign.MADE_UP_KEY_ACCEPTED]


async def test_a_gateway_that_takes_any_key_is_told(probing: HttpProbing, caller: MakeCaller) -> None:
    seen, server = await forms_of(probing, caller, accepting(lambda _head: True))
    assert [one.seen for one in seen] == [Sign.MADE_UP_KEY_ACCEPTED]
    assert len(server.requests) == 2


async def test_other_forms_of_a_key_that_is_accepted_are_not_tried(
    probing: HttpProbing, caller: MakeCaller
) -> None:
    seen, server = await forms_of(probing, caller, accepting(lambda head: MADE_UP_KEY.encode() in head))
    assert [one.seen for one in seen] == [Sign.MADE_UP_KEY_REFUSED]
    assert len(server.requests) == 2


async def test_no_more_calls_are_made_after_a_rate_limit(probing: HttpProbing, caller: MakeCaller) -> None:
    seen, server = await forms_of(probing, caller, says(refused("403 Forbidden", message="Rate limit")))
    assert seen == []
    assert len(server.requests) == 1


async def test_a_contract_that_is_not_there_is_an_error_of_its_own(
    probing: HttpProbing, caller: MakeCaller
) -> None:
    at = caller("http://127.0.0.1:9", contract="nobodys")
    for check in (probing.call, probing.forms):
        with pytest.raises(NotSent):
            await check(at)
    with pytest.raises(NotSent):
        await probing.clock(at.environment, at.base_url)


@pytest.mark.parametrize("base_url", ["https://", "ftp://gateway.example", "http://:80"])
async def test_an_address_that_can_not_be_called_tells_nothing(
    probing: HttpProbing, caller: MakeCaller, base_url: str
) -> None:
    at = caller(base_url, contract="v5")
    for look in (probing.name, probing.connect, probing.proxy, probing.tls, probing.clock):
        assert await look(at.environment, base_url) == ()
    assert await probing.call(at) == ()
