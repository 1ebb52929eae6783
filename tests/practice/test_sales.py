"""The asynchronous sale, its status, its look-up and its cancellation."""

from datetime import datetime
from typing import Any

import pytest

from practice.bench import Bench, DroppedError, refused


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


async def test_a_declined_sale_is_complete_without_success(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key, 20.02)).json()
    bench.clock.now += 3
    transaction = (await bench.status(key, accepted["id"]))["transaction"]
    assert (transaction["success"], transaction["response_code"]) == (False, "202")


async def test_devices_act_as_fast_as_asked() -> None:
    bench = Bench(speed=10.0)
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    bench.clock.now += 0.31
    assert (await bench.status(key, accepted["id"]))["status"] == "interactionComplete"
    await bench.close()


async def test_a_device_does_one_sale_at_a_time(bench: Bench) -> None:
    key = await bench.key()
    await bench.sell(key)
    second = (await bench.sell(key)).json()
    assert second["status"] == "poiDeviceInUse"
    assert (await bench.sell(key, device="till-2")).json()["status"] == "pending"
    bench.clock.now += 3
    assert (await bench.sell(key)).json()["status"] == "pending"
    assert (await bench.status(key, second["id"]))["status"] == "poiDeviceInUse"


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


async def test_an_authorised_sale_cannot_be_cancelled(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    bench.clock.now += 3
    path = f"/api/v5/devices/till-1/payment-requests/{accepted['id']}/cancel"
    refused(await bench.client.post(path, headers={"Authorization": key}), 409)


@pytest.mark.parametrize("amount", ["70.00", "71.00"])
async def test_a_sale_whose_answer_is_lost_is_found_by_its_order(bench: Bench, amount: str) -> None:
    key = await bench.key()
    if amount == "70.00":
        with pytest.raises(DroppedError):
            await bench.sell(key, amount, order_details={"id": "R-7"})
    else:
        answer = await bench.sell(key, amount, order_details={"id": "R-7"})
        assert answer.is_success
        with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
            answer.json()
    bench.clock.now += 3
    found = await bench.client.get(
        "/api/v5/devices/till-1/payment-requests",
        params={"order_id": "R-7"},
        headers={"Authorization": key},
    )
    (only,) = found.json()["payment_requests"]
    assert only["transaction"]["success"] is True


async def test_a_partial_approval_tells_the_part_at_the_end_where_the_amount_stands(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key, "15.00")).json()
    assert (accepted["amount"], "requested_amount" in accepted) == ("15.00", False)
    bench.clock.now += 3
    shown = await bench.status(key, accepted["id"])
    assert (shown["amount"], shown["requested_amount"]) == ("10.00", "15.00")
    assert shown["transaction"]["success"] is True


async def test_an_unknown_order_is_an_empty_list(bench: Bench) -> None:
    path = "/api/v5/devices/till-1/payment-requests?order_id=none"
    found = await bench.client.get(path, headers={"Authorization": await bench.key()})
    assert found.json() == {"payment_requests": []}


@pytest.mark.parametrize(
    ("amount", "device", "status", "says"),
    [
        ("60.00", "till-1", 409, "not connected"),
        ("10.00", "offline-1", 409, "not connected"),
        ("80.00", "till-1", 403, "Rate limit"),
        ("85.00", "till-1", 500, "Internal"),
        ("10.00", "nowhere", 404, "Device not found"),
    ],
)
async def test_a_refused_sale_takes_nothing(
    bench: Bench, amount: str, device: str, status: int, says: str
) -> None:
    key = await bench.key()
    answer = await bench.sell(key, amount, device, order_details={"id": "R-9"})
    assert says in refused(answer, status)
    assert bench.state.ledger.of_order(device, "R-9") == []


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
