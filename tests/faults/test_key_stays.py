"""The key goes to what may be a gateway alone: real calls, and what arrived with a key is counted."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from fakes.world import MADE_UP, Bench, build_world
from gateway.hostile import hostile, http
from keybench.core.diagnosis.checks import Check, Silence
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import SecurityKey
from keybench.gateway.diagnosis.probing import HttpProbing
from keybench.workflows.console import Console
from keybench.workflows.diagnosis.checks import Question
from keybench.workflows.diagnosis.diagnose import Diagnose

HTML = b"<!DOCTYPE html><html><body>Sign in</body></html>"
JSON = "Content-Type: application/json"
DEVICES = http("200 OK", b'{"devices": []}', JSON)
NO_KEY = http("401 Unauthorized", b'{"message": "No key was sent"}', JSON)
REFUSED = http("401 Unauthorized", b'{"message": "There is no such key"}', JSON)
#: What no gateway answers to a call without a key.
STRANGERS = {
    "a page": http("200 OK", HTML, "Content-Type: text/html"),
    "a page without a type": http("200 OK", HTML),
    "a page that refuses": http("401 Unauthorized", HTML, "Content-Type: text/html"),
    "a page that forbids": http("403 Forbidden", HTML, "Content-Type: text/html"),
    "a page that isn't there": http("404 Not Found", HTML, "Content-Type: text/html"),
    "a page of trouble": http("502 Bad Gateway", HTML, "Content-Type: text/html"),
    "a redirect": http("302 Found", b"", "Location: /login"),
    "a redirect to another host": http("307 Temporary Redirect", b"", "Location: https://else.example/"),
    "a redirect without a place": http("301 Moved Permanently"),
    "words": http("200 OK", b"It works!", "Content-Type: text/plain"),
    "no HTTP": b"220 mail.example ESMTP\r\n",
}


def with_key(request: bytes) -> bool:
    """Tell whether a request carries the key, in whichever form."""
    spelled = (MADE_UP.encode(), b64encode(MADE_UP.encode())[:16])
    return any(one in request for one in spelled)


def by_key(without: bytes, bare: bytes, other: bytes) -> Callable[[bytes], bytes]:
    """Return what answers a request without a key, with the bare one, and with one in another form."""

    def answer(request: bytes) -> bytes:
        if b"authorization: " not in request.lower() and b"x-api-key: " not in request.lower():
            return without
        return other if b"X-Api-Key" in request or b" Bearer " in request or b" Basic " in request else bare

    return answer


class Place:
    """A console whose one key meets this server, and what arrived there with the key."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.answer = answer
        self.requests: list[bytes] = []
        self.bench = Bench()
        self.environment: Environment
        self.key: SecurityKey
        self.diagnose: Diagnose

    @asynccontextmanager
    async def open(self, kind: EnvironmentKind = EnvironmentKind.TEST) -> AsyncIterator[Place]:
        probing = HttpProbing(limit_s=30.0)
        self.diagnose = Console(replace(build_world(self.bench), probing=probing)).diagnose
        try:
            async with hostile(self._play, reads=False) as server:
                await self.bench.journal.open()
                self.environment = await self.moved(await self.bench.add(kind=kind), server.base_url)
                self.key = await self.bench.add_key(self.environment)
                yield self
        finally:
            await probing.close()

    async def moved(self, environment: Environment, base_url: str) -> Environment:
        return await self.bench.journal.update_environment(
            environment.id, lambda stored: replace(stored, base_url=base_url)
        )

    @property
    def keyed(self) -> list[bytes]:
        return [one for one in self.requests if with_key(one)]

    async def run(self, *, other_forms: bool = False) -> Diagnosis:
        return await self.diagnose.run(Question(self.environment, self.key, other_forms=other_forms))

    async def _play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(request)
        writer.write(self.answer(request))
        await writer.drain()


def silence_of(diagnosis: Diagnosis, check: Check) -> tuple[Silence | None, Check | None]:
    finding = diagnosis.finding(check)
    assert finding is not None
    return finding.silence, finding.waits_for


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_no_key_follows_a_call_without_one_that_met_no_gateway(stranger: str) -> None:
    async with Place(by_key(STRANGERS[stranger], DEVICES, DEVICES)).open() as place:
        diagnosis = await place.run()
        assert silence_of(diagnosis, Check.CALL) == (Silence.WAITS, Check.GATEWAY)
        await place.run(other_forms=True)
        assert place.keyed == []
        assert len(place.requests) >= 2


async def test_a_stranger_that_has_come_since_meets_no_key_in_a_further_run() -> None:
    async with Place(by_key(NO_KEY, REFUSED, REFUSED)).open() as place:
        await place.run()
        assert len(place.keyed) == 5
        place.requests.clear()
        place.answer = lambda _request: STRANGERS["a page"]
        await place.run(other_forms=True)
        assert place.keyed == []


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_no_other_form_follows_a_page_or_a_redirect(stranger: str) -> None:
    async with Place(by_key(NO_KEY, STRANGERS[stranger], DEVICES)).open() as place:
        await place.run()
        assert len(place.keyed) == 1
    async with Place(by_key(NO_KEY, REFUSED, STRANGERS[stranger])).open() as place:
        await place.run()
        assert len(place.keyed) == 3


@pytest.mark.parametrize("stranger", [*STRANGERS, "a gateway"])
async def test_a_key_is_tried_elsewhere_only_where_a_gateway_answers(stranger: str) -> None:
    here = by_key(NO_KEY, REFUSED, REFUSED)
    there = by_key(STRANGERS.get(stranger, NO_KEY), DEVICES, DEVICES)
    async with Place(lambda request: (there if b" /other/" in request else here)(request)).open() as place:
        other = await place.moved(await place.bench.add("Other"), f"{place.environment.base_url}/other")
        diagnosis = await place.diagnose.run(Question(place.environment, place.key, elsewhere=(other,)))
        assert any(b" /other/" in one for one in place.requests)
        keyed = [one for one in place.keyed if b" /other/" in one]
        assert len(keyed) == (stranger == "a gateway")
        finding = diagnosis.finding(Check.ELSEWHERE)
        assert finding is not None
        assert bool(finding.observations) is (stranger == "a gateway")


async def test_in_live_other_forms_are_sent_only_once_a_person_agreed() -> None:
    async with Place(by_key(NO_KEY, REFUSED, REFUSED)).open(EnvironmentKind.LIVE) as place:
        diagnosis = await place.run()
        assert silence_of(diagnosis, Check.FORMS) == (Silence.NOT_ASKED, None)
        assert len(place.keyed) == 1
        place.requests.clear()
        await place.run(other_forms=True)
        assert len(place.keyed) == 5
