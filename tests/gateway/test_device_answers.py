"""What answers about devices are read as: other names and words, contradictions, odd figures, lists."""

from __future__ import annotations

import json
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.callers import MADE_UP_KEY, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.devices.state import DeviceState
from keybench.core.errors import AnswerUnreadable, ContractInvalid, NotSent, Refused
from keybench.core.exchange import Exchange
from keybench.core.reasons import Reason
from keybench.gateway.client import HttpGateway
from keybench.gateway.contracts import Contracts

NAMED = {"deviceId": "till-1"}
WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[HttpGateway]:
    """A client whose contracts know one, `lists`, that has no call for one device."""
    v5 = Contracts().get("v5")
    assert v5.calls.device
    preset = (Path(__file__).parents[2] / "resources/contracts/v5.toml").read_text(encoding="utf-8")
    text = "\n".join(line for line in preset.splitlines() if not line.startswith('device = "GET'))
    (tmp_path / "lists.toml").write_text(text, encoding="utf-8")
    gateway = HttpGateway(contracts=Contracts(tmp_path))
    yield gateway
    await gateway.close()


async def state(
    gateway: HttpGateway, caller: MakeCaller, body: Any, contract: str = "practice"
) -> DeviceState:
    async with hostile(says(http("200 OK", json.dumps(body).encode()))) as server:
        return await gateway.device_state(caller(server.base_url, contract=contract), "till-1")


@pytest.mark.parametrize(
    ("said", "is_connected"),
    [
        *[(word, True) for word in ("connected", "Connected", "CONNECTED", "online", True)],
        *[(word, False) for word in ("disconnected", "notConnected", "NOT_CONNECTED", "Offline", False)],
        *[(word, None) for word in ("asleep", "", None, 1, ["connected"], {"is": "connected"})],
    ],
)
async def test_a_connection_word_that_is_not_known_leaves_it_unknown(
    gateway: HttpGateway, caller: MakeCaller, said: Any, is_connected: object
) -> None:
    found = await state(gateway, caller, {**NAMED, "connectionStatus": said})
    assert found.is_connected is is_connected
    assert found.connection == (
        said if isinstance(said, str) else "1" if said == 1 and said is not True else ""
    )


@pytest.mark.parametrize(
    ("fields", "is_busy", "busy_with"),
    [
        ({}, None, ""),
        ({"busy": False, "busyRequestId": None}, False, ""),
        ({"busy": True, "busyRequestId": "r1"}, True, "r1"),
        ({"busy": "true"}, True, ""),
        ({"busyRequestId": "r1"}, True, "r1"),
        ({"busy": False, "busyRequestId": "r1"}, None, ""),
        ({"busy": "perhaps"}, None, ""),
        ({"busy": True, "busyRequestId": {"id": "r1"}}, True, ""),
    ],
)
async def test_whether_it_is_busy_is_told_or_unknown(
    gateway: HttpGateway, caller: MakeCaller, fields: dict[str, Any], is_busy: object, busy_with: str
) -> None:
    found = await state(gateway, caller, {**NAMED, **fields})
    assert (found.is_busy, found.busy_with) == (is_busy, busy_with)


@pytest.mark.parametrize(
    ("level", "percent"),
    [(87, 87), ("87", 87), ("87 %", 87), (100, 100), (0, 0), (87.0, 87)]
    + [(odd, None) for odd in (0.87, 101, -5, 87.5, None, "full", True)],
)
async def test_a_battery_is_told_in_whole_per_cent_or_unknown(
    gateway: HttpGateway, caller: MakeCaller, level: Any, percent: int | None
) -> None:
    assert (await state(gateway, caller, {**NAMED, "battery": {"level": level}})).battery_percent == percent


@pytest.mark.parametrize(
    ("told", "when"),
    [
        ("2026-03-01T09:30:00Z", WHEN),
        ("2026-03-01T10:30:00.000+01:00", WHEN),
        ("2026-03-01 09:30:00", WHEN),
        (int(WHEN.timestamp()), WHEN),
        (int(WHEN.timestamp()) * 1000, WHEN),
        *[(odd, None) for odd in ("yesterday", "", None, 5, 10**30, "0001-01-01T00:00:00+14:00")],
    ],
)
async def test_a_moment_is_told_or_unknown(
    gateway: HttpGateway, caller: MakeCaller, told: Any, when: datetime | None
) -> None:
    fields = {"lastConnectedDate": told, "lastTransactionDate": told}
    found = await state(gateway, caller, {**NAMED, **fields})
    assert (found.last_connected_at, found.last_sale_at) == (when, when)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"deviceId": "till-2", "connectionStatus": "connected"}, "another device"),
        ({"connectionStatus": "connected"}, "no identifier"),
        ({}, "no identifier"),
        ([], "no identifier"),
        ("connected", "not an object"),
    ],
)
async def test_an_answer_that_is_not_about_the_device_is_not_believed(
    gateway: HttpGateway, caller: MakeCaller, body: Any, reason: str
) -> None:
    with pytest.raises(AnswerUnreadable) as raised:
        await state(gateway, caller, body)
    assert raised.value.reason == reason


async def test_a_wrapped_answer_is_opened(gateway: HttpGateway, caller: MakeCaller) -> None:
    found = await state(gateway, caller, {"device": {**NAMED, "connectionStatus": "connected"}})
    assert found.is_connected


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        ({"devices": [{"deviceId": "till-2"}]}, Reason.NOT_FOUND),
        ({"devices": None}, Reason.NOT_FOUND),
        ({"devices": [{"deviceId": "till-2"}, NAMED]}, Reason.DEVICE_LISTED),
    ],
)
async def test_a_device_that_is_listed_isnt_called_unknown(
    gateway: HttpGateway, caller: MakeCaller, listed: Any, reason: Reason
) -> None:
    answers = iter([http("404 Not Found", b"{}"), http("200 OK", json.dumps(listed).encode())])

    async def play(_reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(next(answers))

    async with hostile(play) as server:
        with pytest.raises(Refused if reason is Reason.NOT_FOUND else AnswerUnreadable) as raised:
            await gateway.device_state(caller(server.base_url), "till-1")
    assert (raised.value.reason, raised.value.status) == (reason, 404)


async def test_without_a_call_for_one_device_its_state_is_read_from_the_list(
    own: HttpGateway, caller: MakeCaller
) -> None:
    here = {**NAMED, "connectionStatus": "disconnected"}
    found = await state(own, caller, {"devices": [{"deviceId": "till-2"}, here]}, "lists")
    assert (found.device_id, found.is_connected, found.battery_percent) == ("till-1", False, None)
    with pytest.raises(Refused) as refused:
        await state(own, caller, {"devices": [{"deviceId": "till-2"}]}, "lists")
    assert (refused.value.status, refused.value.reason) == (404, "not found")
    for body, reason in (
        ({"devices": [{"deviceId": "till-2"}], "has_more": True}, "more devices"),
        ({"devices": [{"deviceId": "till-2"}], "last": "2"}, "more devices"),
        ({"devices": [{"deviceId": "till-2"}], "error": "partial"}, "more devices"),
        ({"devices": [{"deviceId": "till-2"}], "total": 7}, "more devices"),
        ({"devices": [here, {**here, "connectionStatus": "connected"}]}, "device listed twice"),
        ({"devices": None}, "no list"),
    ):
        with pytest.raises(AnswerUnreadable) as raised:
            await state(own, caller, body, "lists")
        assert raised.value.reason == reason
    assert (await state(own, caller, {"devices": [here, here]}, "lists")).is_connected is False


async def test_the_value_does_not_come_back_in_a_state(gateway: HttpGateway, caller: MakeCaller) -> None:
    echo = dict.fromkeys(("deviceNickname", "connectionStatus", "busyRequestId"), MADE_UP_KEY)
    found = await state(gateway, caller, {**NAMED, **echo, "busy": True, "wifi": {"ssid": MADE_UP_KEY}})
    assert found.is_busy
    leaked = MADE_UP_KEY in repr(found)
    assert not leaked


async def test_a_registration_sends_the_contracts_fields(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    body = json.dumps({"device": {**NAMED, "deviceNickname": "Trial"}}).encode()
    async with hostile(says(http("201 Created", body))) as server:
        device = await gateway.register_device(caller(server.base_url, contract="v5"), "T00001", "Trial")
    assert (device.device_id, device.nickname, device.is_connected) == ("till-1", "Trial", None)
    (request,) = server.requests
    head, _, sent = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/v5/devices HTTP/1.1")
    assert json.loads(sent) == {"registration_code": "T00001", "nickname": "Trial"}
    assert exchanges[0].status == 201


async def test_a_registration_that_names_no_device_may_have_been_made(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(http("201 Created", b'{"success": true}'))) as server:
        with pytest.raises(AnswerUnreadable):
            await gateway.register_device(caller(server.base_url), "T00001", "Trial")


async def test_a_contract_that_tells_no_device_asks_nothing(caller: MakeCaller, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "resources/contracts/v5.toml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith(('device = "GET', 'devices = "GET'))]
    (tmp_path / "none-of-them.toml").write_text("\n".join(kept), encoding="utf-8")
    gateway = HttpGateway(contracts=Contracts(tmp_path))
    assert not gateway.facts("none-of-them").can_tell_device
    with pytest.raises(NotSent):
        await gateway.device_state(caller("http://127.0.0.1:1", contract="none-of-them"), "till-1")
    await gateway.close()


def test_a_word_cannot_mean_connected_and_not(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    words = '[devices]\nconnected = ["on"]\nnot_connected = ["ON"]\n'
    path.write_text(f'extends = "v5"\ntitle = "Odd"\n{words}', encoding="utf-8")
    with pytest.raises(ContractInvalid) as raised:
        Contracts(tmp_path).checked(path)
    assert raised.value.where == "devices.not_connected"


async def test_a_long_list_of_devices_is_read_up_to_what_any_account_has(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    body = b'{"devices": [' + b",".join(b'{"id": "d%d"}' % number for number in range(12_000)) + b"]}"
    async with hostile(says(http("200 OK", body))) as server:
        found = await gateway.devices(caller(server.base_url))
    assert (len(found), found[-1].device_id) == (10_000, "d9999")
