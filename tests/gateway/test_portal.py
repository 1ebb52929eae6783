"""The portal's calls when the answer is odd."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.callers import MakeCaller
from gateway.hostile import Hostile, hostile, http, says
from keybench.core.errors import (
    AnswerUnreadable,
    GatewayError,
    GatewayFailed,
    KeyMadeBefore,
    NotSent,
    Refused,
)
from keybench.core.input_errors import NameTaken
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import CreatedKey, PortalUser
from keybench.gateway.contracts import Contracts
from keybench.gateway.portal import HttpPortal
from keybench.runtime.data_folder import resource_path

DRAFT = KeyDraft("Till 3", "counter1", "API", KeyKind.PRIVATE)


@pytest.fixture
def contracts(tmp_path: Path) -> Contracts:
    """The presets, and a portal that wants names to differ."""
    for path in resource_path("contracts").glob("*.toml"):
        content = path.read_text(encoding="utf-8")
        strict = content.replace("[portal]", '[portal]\nname_taken = ["E_TAKEN"]')
        (tmp_path / path.name).write_text(strict, encoding="utf-8")
    return Contracts(presets=tmp_path)


@pytest.fixture
async def portal(contracts: Contracts) -> AsyncIterator[HttpPortal]:
    portal = HttpPortal(contracts=contracts)
    yield portal
    await portal.close()


async def created(portal: HttpPortal, caller: MakeCaller, server: Hostile) -> CreatedKey:
    environment = caller(server.base_url).environment
    return await portal.create_key(environment, server.base_url, DRAFT, "request-1")


async def test_a_made_key_comes_back_with_its_value_masked(portal: HttpPortal, caller: MakeCaller) -> None:
    value = "MadeUpOnlyForThisTest00112233445"
    body = json.dumps({"id": "k1", "value": value}).encode()
    async with hostile(says(http("201 Created", body))) as server:
        key = await created(portal, caller, server)
    leaked = value in repr(key)
    assert key.gateway_id == "k1"
    assert (len(key.value), leaked) == (len(value), False)
    assert b"X-Practice-Portal: 1\r\n" in server.requests[0]
    assert b"authorization" not in server.requests[0].lower()


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (http("409 Conflict", b'{"error_code": "E_TAKEN"}'), NameTaken, ""),
        (http("409 Conflict", b'{"error_code": "E_REPEATED_REQUEST"}'), KeyMadeBefore, "repeated"),
        (http("409 Conflict", b"?"), Refused, "conflict"),
        (http("500 Internal Server Error"), GatewayFailed, "failed"),
        (http("201 Created", b'{"id": "k1"}'), AnswerUnreadable, "no key"),
        (http("201 Created", b'{"value": "v"}'), AnswerUnreadable, "no key"),
        (http("201 Created", b'{"id": "k1", "value": ""}'), AnswerUnreadable, "no key"),
        (http("204 No Content"), AnswerUnreadable, "empty"),
    ],
)
async def test_a_key_that_was_not_made_is_said_to_be(
    portal: HttpPortal,
    caller: MakeCaller,
    answer: bytes,
    kind: type[GatewayError | NameTaken],
    reason: str,
) -> None:
    async with hostile(says(answer)) as server:
        with pytest.raises(kind) as raised:
            await created(portal, caller, server)
    assert raised.value.reason == reason


async def test_users_are_read_tolerantly(portal: HttpPortal, caller: MakeCaller) -> None:
    users = [{"username": "a", "permissions": ["x", 5, None], "enabled": False}, {"username": "b"}, {}, "c"]
    async with hostile(says(http("200 OK", json.dumps({"users": users}).encode()))) as server:
        found = await portal.users(caller(server.base_url).environment, server.base_url)
    assert found == [
        PortalUser("a", "", ("x", "5"), enabled=False),
        PortalUser("b", "", (), enabled=True),
    ]


async def test_users_that_are_no_list_are_unreadable(portal: HttpPortal, caller: MakeCaller) -> None:
    async with hostile(says(http("200 OK", b'{"users": {}}'))) as server:
        with pytest.raises(AnswerUnreadable):
            await portal.users(caller(server.base_url).environment, server.base_url)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (http("204 No Content"), None),
        (http("404 Not Found"), None),
        (http("302 Found", b"", "Location: /login"), AnswerUnreadable),
        (http("500 Internal Server Error"), GatewayFailed),
    ],
)
async def test_deleting_means_it_is_gone(
    portal: HttpPortal, caller: MakeCaller, answer: bytes, kind: type[GatewayError] | None
) -> None:
    async with hostile(says(answer)) as server:
        environment = caller(server.base_url).environment
        if kind is None:
            await portal.delete_key(environment, server.base_url, "k/1")
        else:
            with pytest.raises(kind):
                await portal.delete_key(environment, server.base_url, "k/1")
    assert server.requests[0].startswith(b"DELETE /portal/keys/k%2F1 HTTP/1.1\r\n")


async def test_a_gateway_without_portal_calls_is_sent_nothing(portal: HttpPortal, caller: MakeCaller) -> None:
    environment = replace(caller("http://127.0.0.1:1").environment, contract="v5")
    with pytest.raises(NotSent):
        await portal.users(environment, "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("body", "gateway_id"),
    [
        (b'{"error_code": "E_REPEATED_REQUEST", "id": "k1"}', "k1"),
        (b'{"error_code": "E_REPEATED_REQUEST", "id": 7}', "7"),
        (b'{"error_code": "E_REPEATED_REQUEST", "id": ["k1"]}', ""),
        (b'{"error_code": "E_REPEATED_REQUEST"}', ""),
    ],
)
async def test_a_request_that_made_a_key_before_names_it(
    portal: HttpPortal, caller: MakeCaller, body: bytes, gateway_id: str
) -> None:
    async with hostile(says(http("409 Conflict", body))) as server:
        with pytest.raises(KeyMadeBefore) as raised:
            await created(portal, caller, server)
    assert raised.value.gateway_id == gateway_id
