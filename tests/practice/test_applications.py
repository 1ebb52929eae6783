"""Simulated applications sell with the key they run with, through everything a caller meets."""

from typing import Any

import httpx
import pytest

from fakes.waiting import until
from practice.bench import PORTAL, Bench, refused

SHOP: dict[str, Any] = {"device_id": "till-1", "amount": "10.00", "every_s": 5}


async def call(bench: Bench, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
    return await bench.client.request(method, f"/portal/applications{path}", json=body, headers=PORTAL)


async def shown(bench: Bench) -> dict[str, Any]:
    (only,) = (await call(bench, "GET", "")).json()["applications"]
    return dict(only)


async def sold(bench: Bench) -> tuple[str, bool]:
    """Let the application have its turn; return why its sale was answered so, and whether it was approved."""
    before = await shown(bench)
    await bench.gateway.applications.turn("Web shop")
    now = await shown(bench)
    assert now["sold"] + now["failed"] == before["sold"] + before["failed"] + 1
    return now["last"]["why"], now["sold"] > before["sold"]


async def set_up(bench: Bench, **fields: Any) -> dict[str, Any]:
    """Set the application up with a new key, and return that."""
    made: dict[str, Any] = (await bench.create_key(name="Old")).json()
    answer = await call(bench, "PUT", "/Web%20shop", {**SHOP, "key_id": made["id"], **fields})
    assert answer.status_code == 201
    return made


async def revoke(bench: Bench, key_id: str) -> None:
    await bench.client.delete(f"/portal/keys/{key_id}", headers=PORTAL)


async def test_an_application_sells_and_follows_its_sale_to_the_outcome(bench: Bench) -> None:
    key = await set_up(bench)
    assert await sold(bench) == ("accepted", True)
    await sold(bench)
    one = await shown(bench)
    assert (one["sold"], one["failed"], one["running_key_name"]) == (2, 0, "Old")
    sale = next(entry for entry in await bench.log() if entry["order_id"] == "web-shop-2")
    assert (sale["caller"], sale["key_id"], sale["amount"]) == ("Web shop", key["id"], "10.00")
    await call(bench, "PUT", "/Web%20shop", {"amount": "20.00"})
    assert await sold(bench) == ("accepted", False)
    assert (await call(bench, "DELETE", "/Web%20shop")).status_code == 204
    refused(await call(bench, "POST", "/Web%20shop/restart"), 404)


@pytest.mark.parametrize("takes_key", ["restart", "at once"])
async def test_a_changed_key_is_taken_when_the_application_takes_keys(bench: Bench, takes_key: str) -> None:
    old = await set_up(bench, takes_key=takes_key)
    new = (await bench.create_key(name="New")).json()
    await call(bench, "PUT", "/Web%20shop", {"key_id": new["id"]})
    assert (await shown(bench))["running_key_name"] == "Old"
    await sold(bench)
    kept = takes_key == "restart"
    assert (await shown(bench))["running_key_name"] == ("Old" if kept else "New")
    await revoke(bench, old["id"])
    assert await sold(bench) == (("key_deleted", False) if kept else ("accepted", True))
    await call(bench, "POST", "/Web%20shop/restart")
    assert await sold(bench) == ("accepted", True)
    assert (await shown(bench))["failed"] == int(kept)


async def test_an_application_is_refused_as_any_caller_is(bench: Bench) -> None:
    await set_up(bench)
    live = {"name": "Live", "username": "counter1", "permission": "API", "kind": "private"}
    made = (await bench.client.post("/live/portal/keys", json=live, headers=PORTAL)).json()
    for user, why in (("frozen", "user_disabled"), ("reports", "permission")):
        key = (await bench.create_key(username=user)).json()
        await call(bench, "PUT", "/Web%20shop", {"key_id": key["id"], "takes_key": "at once"})
        assert await sold(bench) == (why, False)
    await call(bench, "PUT", "/Web%20shop", {"key_id": made["id"]})
    assert await sold(bench) == ("wrong_environment", False)


async def test_a_busy_device_is_tried_again_at_the_next_turn(bench: Bench) -> None:
    await set_up(bench)
    await bench.sell(await bench.key(), "90.00")
    assert await sold(bench) == ("device_busy", False)
    bench.clock.now += 30
    assert await sold(bench) == ("accepted", True)


async def test_applications_sell_as_often_as_they_are_told_to_until_they_are_stopped(bench: Bench) -> None:
    bench.gateway.applications.start()
    await set_up(bench)
    await until(lambda: bench.state.applications.every()[0].sold >= 3)
    await bench.gateway.applications.stop()
    log = (await bench.client.get("/portal/log?after=0", headers=PORTAL)).json()["entries"]
    begun = [entry["time"] for entry in log if entry["caller"] and entry["method"] == "POST"]
    assert [time[17:19] for time in begun[:3]] == ["00", "05", "10"]


@pytest.mark.parametrize(
    "fields",
    [
        *({"key_id": "none"}, {"every_s": 0.5}, {"takes_key": "never"}),
        *({"amount": "ten"}, {"x": 1}, {"device_id": "/"}),
    ],
)
async def test_what_an_application_cant_be_is_refused(bench: Bench, fields: dict[str, Any]) -> None:
    key = (await bench.create_key()).json()
    refused(await call(bench, "PUT", "/shop", {**SHOP, "key_id": key["id"], **fields}), 400)
    refused(await call(bench, "PUT", f"/{key['value']}", {**SHOP, "key_id": key["id"]}), 400)
    assert (await call(bench, "GET", "")).json() == {"applications": []}


async def test_nobody_can_name_a_key_instead_of_having_it(bench: Bench) -> None:
    key = await set_up(bench)
    answer = await bench.client.get("/api/v5/devices", headers={"running_key_id": key["id"]})
    refused(answer, 401)
