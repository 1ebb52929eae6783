"""The device routes."""

from typing import Any

import httpx
import pytest

from practice.bench import START, Bench, refused

DEVICES = "/api/v5/devices"


async def register(bench: Bench, key: str, **fields: Any) -> httpx.Response:
    body = {"registration_code": "T00001", "nickname": "Trial", **fields}
    return await bench.client.post(DEVICES, json=body, headers={"Authorization": key})


async def test_devices_are_listed_with_their_connection(bench: Bench) -> None:
    answer = await bench.client.get(DEVICES, headers={"Authorization": await bench.key()})
    devices = answer.json()["devices"]
    assert [device["deviceId"] for device in devices] == [
        *("till-1", "till-2", "counter-1", "kiosk-1", "offline-1")
    ]
    assert [device["connectionStatus"] for device in devices] == ["connected"] * 4 + ["disconnected"]


async def test_battery_and_wifi_come_when_asked_for(bench: Bench) -> None:
    headers = {"Authorization": await bench.key()}
    plain = (await bench.client.get(f"{DEVICES}/till-1", headers=headers)).json()
    full = (await bench.client.get(f"{DEVICES}/till-1?include_status=true", headers=headers)).json()
    assert set(full) - set(plain) == {"battery", "wifi"}
    refused(await bench.client.get(f"{DEVICES}/till-1?include_status=yes", headers=headers), 400)
    assert refused(await bench.client.get(f"{DEVICES}/nowhere", headers=headers), 404) == "Device not found"


async def test_a_device_remembers_its_last_sale(bench: Bench) -> None:
    key = await bench.key()
    path = f"{DEVICES}/till-1"
    before = (await bench.client.get(path, headers={"Authorization": key})).json()
    await bench.sell(key)
    after = (await bench.client.get(path, headers={"Authorization": key})).json()
    assert before["lastTransactionDate"] is None
    assert after["lastTransactionDate"] == "2027-01-15T08:00:00.000Z"
    assert bench.clock.now == START


async def test_a_device_is_renamed(bench: Bench) -> None:
    headers = {"Authorization": await bench.key("admin")}
    path = f"{DEVICES}/till-1"
    answer = await bench.client.patch(path, json={"nickname": "Fair"}, headers=headers)
    assert (answer.status_code, answer.json()["deviceNickname"]) == (200, "Fair")
    for body in ({"nickname": ""}, {}, {"nickname": "A", "default": True}):
        refused(await bench.client.patch(path, json=body, headers=headers), 400)
    refused(await bench.client.patch(f"{DEVICES}/nowhere", json={"nickname": "A"}, headers=headers), 404)
    till = {"Authorization": await bench.key("counter1")}
    refused(await bench.client.patch(path, json={"nickname": "A"}, headers=till), 403)


@pytest.mark.parametrize(
    "fields",
    [{"registration_code": "T00002"}, {"registration_code": "X"}, {"nickname": ""}, {"default": 1}, {"x": 1}],
)
async def test_a_wrong_registration_is_400(bench: Bench, fields: dict[str, Any]) -> None:
    refused(await register(bench, await bench.key("admin"), **fields), 400)
