"""Time is moved on: everything the gateway does goes by its own clock."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from keybench.practice.state import State
from practice.bench import PORTAL, START, Bench, refused

DAY = 24 * 3600


async def move(bench: Bench, seconds: float) -> dict[str, Any]:
    answer = await bench.client.put("/portal/clock", json={"moved_s": seconds}, headers=PORTAL)
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


async def test_a_sale_under_way_has_ended_when_time_is_moved_past_its_end(bench: Bench) -> None:
    assert (await bench.client.get("/portal/clock", headers=PORTAL)).json() == {
        "now": "2027-01-15T08:00:00.000Z",
        "moved_s": 0.0,
    }
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    assert (await move(bench, 40 * DAY))["now"] == "2027-02-24T08:00:00.000Z"
    done = await bench.status(key, accepted["id"])
    assert (done["status"], done["completed_date"]) == ("interactionComplete", "2027-01-15T08:00:03.000Z")
    made = (await bench.create_key()).json()
    assert datetime.fromisoformat(made["created"]).timestamp() == START + 40 * DAY
    assert (await bench.log())[0]["time"] == "2027-02-24T08:00:00.000Z"


async def test_what_has_ended_stays_so_when_time_is_set_back(bench: Bench) -> None:
    key = await bench.key()
    await move(bench, 40 * DAY)
    ended = (await bench.sell(key)).json()
    bench.clock.now += 3
    going_on = (await bench.sell(key, device="till-2")).json()
    bench.clock.now += 1.5
    await move(bench, 0)
    assert (await bench.status(key, ended["id"]))["status"] == "interactionComplete"
    assert (await bench.status(key, going_on["id"], "till-2"))["status"] == "inFlight"
    assert (await bench.sell(key)).json()["status"] == "pending", "the device is free"


async def test_moved_time_is_remembered(tmp_path: Path) -> None:
    first = Bench(state=State(tmp_path / "state.sqlite3", START))
    await move(first, -1.5)
    await first.close()
    second = Bench(state=State(tmp_path / "state.sqlite3", START))
    told = (await second.client.get("/portal/clock", headers=PORTAL)).json()
    assert told == {"now": "2027-01-15T07:59:58.500Z", "moved_s": -1.5}
    await second.close()


@pytest.mark.parametrize("body", ['{"moved_s": 1e9}', '{"moved_s": true}', '{"moved_s": 1, "x": 1}', "{}"])
async def test_another_time_is_refused(bench: Bench, body: str) -> None:
    headers = {**PORTAL, "Content-Type": "application/json"}
    refused(await bench.client.put("/portal/clock", content=body, headers=headers), 400)
    refused(await bench.client.put("/portal/clock", json={"moved_s": 1}), 403)
