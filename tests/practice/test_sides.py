"""A test and a live side, served at once: keys belong to one, all else is shared."""

import contextlib
import sqlite3
from pathlib import Path

import httpx

from keybench.practice import database
from keybench.practice.state import State
from practice.bench import PORTAL, START, Bench, refused

SALE = "/api/v5/devices/till-1/payment-requests/sale"


async def sell(bench: Bench, side: str, key: str) -> httpx.Response:
    return await bench.client.post(side + SALE, json={"amount": 10}, headers={"Authorization": key})


async def test_a_key_of_one_side_is_unknown_on_the_other(bench: Bench) -> None:
    asked = {"name": "Shop", "username": "counter1", "permission": "API", "kind": "private"}
    live = (await bench.client.post("/live/portal/keys", json=asked, headers=PORTAL)).json()
    test = (await bench.create_key()).json()
    for side, foreign in (("", live), ("/live", test)):
        assert refused(await sell(bench, side, foreign["value"]), 401) == "Specified API key not found"
        newest = (await bench.log())[0]
        assert (newest["path"], newest["why"]) == (side + SALE, "wrong_environment")
        assert newest["key_id"] == foreign["id"]
        refused(await bench.client.delete(f"{side}/portal/keys/{foreign['id']}", headers=PORTAL), 404)
    for side, own in (("", test), ("/live", live)):
        listed = (await bench.client.get(f"{side}/portal/keys", headers=PORTAL)).json()["keys"]
        assert [key["id"] for key in listed] == [own["id"]]
        assert (await sell(bench, side, own["value"])).status_code == 202
        bench.clock.now += 10
    health = [(await bench.client.get(f"{side}/health")).json() for side in ("", "/live")]
    assert health[0] == health[1]


def test_an_older_state_is_brought_up_to_date_and_its_keys_are_test(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as older:
        older.executescript(database._FIRST + "PRAGMA user_version = 1;")
        older.execute("INSERT INTO user VALUES ('u', 'U', '', 1)")
        older.execute("INSERT INTO security_key VALUES ('k','K','u','API','private','x','d',NULL,1,NULL)")
        older.execute("INSERT INTO device VALUES ('d', 'D', 'm', 'm', 's', 1, 1, 1)")
        older.execute("INSERT INTO request_log VALUES (7, 1, 'GET', '/x', 200, NULL, NULL)")
        older.commit()
    for _ in range(2):
        state = State(path, START)
        assert [key.id for key in state.keys.active()] == ["k"]
        device = state.fleet.find("d")
        assert device is not None
        assert (device.battery, device.by_hand, device.slow) == (87, False, 1.0)
        (entry,) = state.log.latest(1)
        assert (entry.sequence, entry.why) == (7, "")
        state.close()
