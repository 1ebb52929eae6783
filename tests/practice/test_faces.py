"""A device with a face: what it shows, its buttons, its plug, and its box."""

from typing import Any

import httpx
import pytest

from practice.bench import PORTAL, Bench, refused


async def call(bench: Bench, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
    return await bench.client.request(method, f"/portal/devices{path}", json=body, headers=PORTAL)


async def face(bench: Bench, device: str = "till-1") -> dict[str, Any]:
    listed = (await call(bench, "GET", "")).json()["devices"]
    return next(one for one in listed if one["id"] == device)


async def press(bench: Bench, button: str) -> httpx.Response:
    return await call(bench, "POST", "/till-1/press", {"button": button})


async def test_a_device_shows_how_far_a_sale_is(bench: Bench) -> None:
    made = (await bench.create_key(name="Counter")).json()
    assert (await face(bench))["display"] == "idle"
    accepted = (await bench.sell(made["value"], "12.30")).json()
    shown = await face(bench)
    assert (shown["display"], shown["amount"], shown["currency"]) == ("amount", "12.30", "USD")
    assert (shown["held_by"], shown["request_id"], shown["left_s"]) == ("Counter", accepted["id"], 3.0)
    for seconds, display in ((1, "insert card"), (1.6, "processing"), (0.4, "approved"), (5, "idle")):
        bench.clock.now += seconds
        assert (await face(bench))["display"] == display
    for amount, seconds, display in (
        ("20.00", 3, "declined"),
        ("30.00", 3, "cancelled"),
        ("40.00", 12, "timed out"),
    ):
        await bench.sell(made["value"], amount)
        bench.clock.now += seconds
        shown = await face(bench)
        assert (shown["display"], shown["amount"], shown["held_by"]) == (display, amount, None)
    assert (await face(bench, "offline-1"))["display"] == "offline"


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize(
    ("button", "status", "code", "display"),
    [
        ("approve", "interactionComplete", "100", "approved"),
        ("decline", "interactionComplete", "200", "declined"),
        ("cancel", "cancelledAtTerminal", None, "cancelled"),
    ],
)
async def test_a_button_ends_the_sale_half_a_second_later(
    bench: Bench, button: str, status: str, code: str | None, display: str, *, by_hand: bool
) -> None:
    await call(bench, "PATCH", "/till-1", {"by_hand": by_hand})
    key = await bench.key()
    accepted = (await bench.sell(key, "20.02")).json()
    bench.clock.now += 2
    assert (await press(bench, button)).json()["left_s"] == 0.5
    assert (await bench.status(key, accepted["id"]))["status"] == "inFlight"
    refused(await press(bench, button), 409)
    bench.clock.now += 0.5
    ended = await bench.status(key, accepted["id"])
    assert ended["status"] == status
    assert ended.get("transaction", {}).get("response_code") == code
    assert (await face(bench))["display"] == display
    refused(await press(bench, button), 409)
    assert (await bench.sell(key)).json()["status"] == "pending"


async def test_by_hand_a_sale_that_nobody_touches_times_out(bench: Bench) -> None:
    await call(bench, "PATCH", "/till-1", {"by_hand": True, "slow": 2})
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    for seconds, status in ((119, "inFlight"), (1, "cancelledByTimeout")):
        bench.clock.now += seconds
        assert (await bench.status(key, accepted["id"]))["status"] == status


async def test_a_sale_times_out_when_the_plug_is_pulled(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    pulled = await call(bench, "PATCH", "/till-1", {"connected": False})
    assert (pulled.json()["display"], pulled.json()["left_s"]) == ("offline", 60.0)
    refused(await bench.sell(key), 409)
    refused(await press(bench, "approve"), 409)
    bench.clock.now += 59
    assert (await bench.status(key, accepted["id"]))["status"] == "inFlight"
    await call(bench, "PATCH", "/till-1", {"connected": True})
    refused(await press(bench, "approve"), 409)
    bench.clock.now += 1
    assert (await bench.status(key, accepted["id"]))["status"] == "cancelledByTimeout"
    assert (await bench.sell(key)).status_code == 202


async def test_battery_and_signal_are_as_they_are_set(bench: Bench) -> None:
    await call(bench, "PATCH", "/till-1", {"battery": 4, "signal": None})
    shown = await bench.client.get(
        "/api/v5/devices/till-1?include_status=true", headers={"Authorization": await bench.key()}
    )
    assert (shown.json()["battery"]["level"], shown.json()["wifi"]["signal"]) == (4, None)


async def test_a_device_in_its_box_is_paired_by_the_code_it_shows(bench: Bench) -> None:
    code = (await call(bench, "GET", "")).json()["unpaired"]["code"]
    assert (await call(bench, "GET", "")).json()["unpaired"]["code"] == code
    headers = {"Authorization": await bench.key("admin")}
    body = {"registration_code": code, "nickname": "New"}
    assert (await bench.client.post("/api/v5/devices", json=body, headers=headers)).status_code == 201
    listed = (await call(bench, "GET", "")).json()
    assert listed["devices"][-1]["nickname"] == "New"
    assert listed["unpaired"]["code"] != code


async def test_a_stage_adds_devices_under_identifiers_of_its_own(bench: Bench) -> None:
    body = {"id": "hall-7", "nickname": "Hall 7", "connected": False}
    assert (await call(bench, "POST", "", body)).status_code == 201
    assert (await face(bench, "hall-7"))["display"] == "offline"
    refused(await call(bench, "POST", "", body), 409)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        *(
            ("PATCH", "/till-1", {name: "x"})
            for name in ("connected", "battery", "signal", "by_hand", "slow", "x")
        ),
        ("PATCH", "/till-1", {"battery": 101}),
        ("PATCH", "/till-1", {"battery": 1.5}),
        ("PATCH", "/till-1", {"slow": 0}),
        ("POST", "/till-1/press", {"button": "smash"}),
        ("POST", "", {"id": "a/b", "nickname": "A"}),
    ],
)
async def test_what_a_device_cant_be_is_refused(
    bench: Bench, method: str, path: str, body: dict[str, Any]
) -> None:
    refused(await call(bench, method, path, body), 400)
    refused(await bench.client.request(method, f"/portal/devices{path}", json=body), 403)
