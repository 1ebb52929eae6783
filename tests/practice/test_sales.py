"""The asynchronous sale, its status, its look-up and its cancellation."""

from datetime import datetime
from typing import Any

import pytest

from practice.bench import Bench


def lasted_s(shown: dict[str, Any]) -> float:
    began, ended = (datetime.fromisoformat(shown[name]) for name in ("created_date", "completed_date"))
    return (ended - began).total_seconds()


async def test_a_sale_is_accepted_followed_and_approved(bench: Bench) -> None:
    key = await bench.key()
    answer = await bench.sell(key, "10.00", currency="eur", order_details={"id": "R-1"})
    accepted = answer.json()
    assert (answer.status_code, accepted["status"]) == (202, "pending")
    bench.clock.now += 1.5
    under_way = await bench.status(key, accepted["id"])
    assert under_way["status"] == "inFlight"
    assert "completed_date" not in under_way
    bench.clock.now += 4.0
    done = await bench.status(key, accepted["id"])
    assert done["status"] == "interactionComplete"
    assert (done["amount"], done["currency"], done["order_details"]) == ("10.00", "EUR", {"id": "R-1"})
    assert lasted_s(done) == pytest.approx(3.0, abs=0.002)
    assert done["transaction"]["success"] is True
    assert done["transaction"]["id"].isdecimal()
    assert len(done["transaction"]["auth_code"]) == 6
    assert await bench.status(key, accepted["id"]) == done


async def test_order_details_come_back_whole(bench: Bench) -> None:
    key = await bench.key()
    order = {"id": "R-1", "order_description": "Two coffees"}
    accepted = (await bench.sell(key, order_details=order)).json()
    held = (await bench.sell_held(key, device_id="till-2", order_details=order)).json()
    assert accepted["order_details"] == held["order_details"] == order
    assert (await bench.status(key, accepted["id"]))["order_details"] == order


async def test_devices_act_as_fast_as_asked() -> None:
    bench = Bench(speed=10.0)
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    bench.clock.now += 0.31
    assert (await bench.status(key, accepted["id"]))["status"] == "interactionComplete"
    await bench.close()


async def test_a_cancelled_sale_says_so_and_frees_the_device(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key, "90.00")).json()
    path = f"/api/v5/devices/till-1/payment-requests/{accepted['id']}/cancel"
    bench.clock.now += 10
    for _ in range(2):
        cancelled = await bench.client.post(path, headers={"Authorization": key})
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelledByApi")
    bench.clock.now += 60
    shown = await bench.status(key, accepted["id"])
    assert shown["status"] == "cancelledByApi"
    assert lasted_s(shown) == pytest.approx(10.0, abs=0.002)
    assert (await bench.sell(key)).json()["status"] == "pending"


async def test_a_partial_approval_tells_the_part_at_the_end_where_the_amount_stands(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key, "15.00")).json()
    assert (accepted["amount"], "requested_amount" in accepted) == ("15.00", False)
    bench.clock.now += 3
    shown = await bench.status(key, accepted["id"])
    held = (await bench.sell_held(key, "15.00")).json()
    for told in (shown, held):
        assert (told["amount"], told["requested_amount"]) == ("10.00", "15.00")
    assert shown["transaction"]["success"] is True


async def test_dup_seconds_declines_the_same_sale_again(bench: Bench) -> None:
    key = await bench.key()
    again: dict[str, Any] = {"dup_seconds": 60, "order_details": {"id": "R-1"}}
    await bench.sell(key, "10.00", **again)
    bench.clock.now += 10
    repeated = (await bench.sell(key, "10.00", **again)).json()
    bench.clock.now += 10
    assert (await bench.status(key, repeated["id"]))["transaction"]["response_code"] == "430"
    for different in ({"amount": "11.00"}, {"order_details": {"id": "R-2"}}, {"dup_seconds": 5}):
        fields: dict[str, Any] = {"amount": "10.00", **again, **different}
        accepted = (await bench.sell(key, **fields)).json()
        bench.clock.now += 10
        assert (await bench.status(key, accepted["id"]))["transaction"]["success"] is True


async def test_an_unknown_payment_request_is_404(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    assert (await bench.status(key, "made-up"))["message"] == "Payment request not found"
    assert (await bench.status(key, accepted["id"], "till-2"))["message"] == "Payment request not found"
