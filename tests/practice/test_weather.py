"""The fault dial: shares, a seed that gives the same faults again, and single faults."""

import threading
from collections import Counter
from typing import Any

import httpx
import pytest

from keybench.practice.weather import CallCounter, Weather
from practice.bench import PORTAL, Bench, DroppedError, refused

SALE = "/api/v5/devices/till-1/payment-requests/sale"
WILD = {"resets": 0.2, "errors": 0.2, "refusals": 0.2, "loss": 0.1, "slow": 0.2, "latency_s": [0.5, 1.5]}


async def turn(bench: Bench, **fields: Any) -> dict[str, Any]:
    """Set the dial and return the weather that it has then."""
    answer = await bench.client.put("/portal/faults", json=fields, headers=PORTAL)
    assert answer.status_code == 200, answer.text
    weather: dict[str, Any] = answer.json()["weather"]
    return weather


async def ask(bench: Bench, path: str, key: str, method: str = "GET", **more: Any) -> str:
    """Return what became of a call, and after how many seconds."""
    began = bench.clock.now
    try:
        answer = await bench.client.request(method, path, headers={"Authorization": key}, **more)
        said = f"{answer.status_code} {len(answer.content) > 0}"
    except DroppedError:
        said = "dropped"
    return f"{said} {bench.clock.now - began:.6f}"


async def day(seed: int, *, busy: bool = False) -> list[str]:
    """Sell and poll ten times at a new gateway; return what became of each call, by name."""
    bench = Bench()
    key, other = await bench.key(), await bench.key("counter2")
    await turn(bench, weather={**WILD, "seed": seed})
    seen = []
    for _ in range(10):
        seen.append(await ask(bench, SALE, key, "POST", json={"amount": "10.00"}))
        sold = bench.state.ledger._select("WHERE device_id = 'till-1' ORDER BY sequence DESC LIMIT 1")
        poll = f"/api/v5/devices/till-1/payment-requests/{sold[0].id if sold else 'none'}"
        for _ in range(5):
            if busy:
                await ask(bench, SALE.replace("till-1", "till-2"), other, "POST", json={"amount": "10.00"})
                await ask(bench, "/api/v5/devices", other)
            seen.append(await ask(bench, poll, key))
        bench.clock.now += 60
    await bench.close()
    return seen


async def test_a_seed_gives_the_same_faults_again_whatever_else_goes_on() -> None:
    quiet = await day(4711)
    assert len({each.split()[0] for each in quiet}) > 3
    ends = threading.Event()

    def burn() -> None:
        while not ends.is_set():
            pass

    burners = [threading.Thread(target=burn) for _ in range(2)]
    for burner in burners:
        burner.start()
    try:
        assert await day(4711, busy=True) == quiet
    finally:
        ends.set()
        for burner in burners:
            burner.join()
    assert await day(4712) != quiet


def test_shares_are_kept() -> None:
    weather = Weather(seed=1, resets=0.1, errors=0.2, refusals=0.05, loss=0.15, slow=0.25)
    calls = CallCounter()
    seen = Counter(str(weather.drawn(calls.name("GET", "/api/v5/devices"))[0]) for _ in range(2000))
    told = {"reset": 194, "error": 407, "rate limit": 99, "lost": 313, "slow": 503, "None": 484}
    assert seen == told


async def test_a_seed_is_made_up_and_told_and_the_dial_starts_anew_when_it_is_set(bench: Bench) -> None:
    key = await bench.key()
    told = await turn(bench, weather="bad wifi")
    assert (told["preset"], told["loss"]) == ("bad wifi", 0.1)
    assert (await bench.client.get("/portal/faults", headers=PORTAL)).json()["weather"] == told
    first = [await ask(bench, "/api/v5/devices", key) for _ in range(20)]
    assert await turn(bench, weather=told) == told
    assert [await ask(bench, "/api/v5/devices", key) for _ in range(20)] == first


async def test_other_faults_leave_the_dials_count_alone(bench: Bench) -> None:
    key = await bench.key()
    told = await turn(bench, weather={**WILD, "seed": 4711})
    whole = [await ask(bench, "/api/v5/devices", key) for _ in range(20)]
    await turn(bench, weather=told)
    seen = [await ask(bench, "/api/v5/devices", key) for _ in range(10)]
    await turn(bench, weather=told, next=["lost"])
    assert [*seen, *[await ask(bench, "/api/v5/devices", key) for _ in range(10)]] == whole


@pytest.mark.parametrize(
    ("fault", "status", "sold"),
    [("reset", 0, 0), ("lost", 0, 1), ("error", 503, 0), ("slow", 202, 1), ("rate limit", 403, 0)],
)
async def test_a_single_fault_is_for_one_call_and_said_in_the_log(
    bench: Bench, fault: str, status: int, sold: int
) -> None:
    key = await bench.key()
    await turn(bench, next=[fault])
    assert (await ask(bench, "/api/v5/devices", key)).startswith("200")  # neither starts a sale nor asks
    seen = await ask(bench, SALE, key, "POST", json={"amount": "10.00", "order_details": {"id": "R-1"}})
    assert seen.split()[0] == ("dropped" if not status else str(status))
    told = (await bench.log())[0]
    assert (told["status"], told["why"]) == (status, f"fault: {fault}")
    assert len(bench.state.ledger.of_order("till-1", "R-1")) == sold
    bench.clock.now += 60
    assert (await bench.sell(key)).status_code == 202


async def test_single_faults_come_in_their_order_and_a_device_is_away_for_sales_alone(bench: Bench) -> None:
    key = await bench.key()
    sold = (await bench.sell(key)).json()
    bench.clock.now += 60
    await turn(bench, next=["offline", "error"])
    assert (await bench.status(key, sold["id"]))["status"] == "interactionComplete"
    assert "not connected" in refused(await bench.sell(key), 409)
    refused(await bench.sell(key), 503)
    assert (await bench.sell(key)).status_code == 202


async def test_a_slow_body_is_whole(bench: Bench) -> None:
    key = await bench.key()
    await turn(bench, weather={"slow": 1.0})
    began = bench.clock.now
    answer = await bench.client.get("/api/v5/devices", headers={"Authorization": key})
    assert len(answer.json()["devices"]) == 5
    assert bench.clock.now - began == 1.75


async def test_a_tighter_limit_is_each_keys(bench: Bench) -> None:
    key, other = await bench.key(), await bench.key()
    await turn(bench, weather={"limit_per_s": 2})
    seen = [(await ask(bench, "/api/v5/devices", key)).split()[0] for _ in range(3)]
    assert seen == ["200", "200", "403"]
    assert (await ask(bench, "/api/v5/devices", other)).startswith("200")
    bench.clock.now += 0.5
    assert (await ask(bench, "/api/v5/devices", key)).startswith("200")


@pytest.mark.parametrize(
    "weather",
    [
        *("snow", 5, {"preset": 1}, {"wind": 1}, {"seed": -1}, {"seed": "1"}, {"seed": True}),
        *({"loss": 1.1}, {"loss": "1"}, {"loss": 0.6, "slow": 0.6}, {"latency_s": [1]}, {"latency_s": 1}),
        *({"latency_s": [0, 61]}, {"limit_per_s": -1}),
    ],
)
async def test_what_cant_be_a_weather_is_refused(bench: Bench, weather: object) -> None:
    refused(await bench.client.put("/portal/faults", json={"weather": weather}, headers=PORTAL), 400)


async def test_the_portal_always_works(bench: Bench) -> None:
    await turn(bench, weather="outage")
    assert (await bench.create_key()).status_code == 201
    answer: httpx.Response = await bench.client.get("/health")
    assert answer.status_code == 200
