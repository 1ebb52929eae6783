"""The synchronous sale and Classic: the answer is the outcome."""

import asyncio
from typing import Any

import httpx
import pytest

from practice.bench import START, Bench, DroppedError, refused


async def test_an_approved_sale_is_answered_with_its_outcome(bench: Bench) -> None:
    answer = await bench.sell_held(await bench.key(), "10.00", order_details={"id": "R-1"})
    told = answer.json()
    assert answer.status_code == 200
    assert bench.clock.now >= START + 3
    assert (told["response"], told["response_code"], told["amount"]) == ("1", "100", "10.00")
    assert told["payment_details"]["card_number"].startswith("****")
    assert bench.state.ledger.of_order("till-1", "R-1") != []


@pytest.mark.parametrize(
    ("amount", "response", "code", "status"),
    [
        ("20.00", "2", "200", "interactionComplete"),
        ("0.50", "2", "200", "interactionComplete"),
        ("30.00", "3", "300", "cancelledAtTerminal"),
        ("40.00", "3", "300", "cancelledByTimeout"),
        ("50.00", "3", "300", "poiDeviceInUse"),
    ],
)
async def test_a_sale_that_fails_is_still_a_200(
    bench: Bench, amount: str, response: str, code: str, status: str
) -> None:
    answer = await bench.sell_held(await bench.key(), amount)
    told = answer.json()
    assert answer.status_code == 200
    assert (told["response"], told["response_code"], told["status"]) == (response, code, status)


async def test_a_duplicate_is_an_error_and_no_decline(bench: Bench) -> None:
    key = await bench.key()
    for amount in ("10.00", "15.00"):
        sold = [(await bench.sell_held(key, amount, dup_seconds=60)).json() for _ in range(2)]
        assert [(told["response"], told["response_code"]) for told in sold] == [("1", "100"), ("3", "430")]


async def test_several_are_held_at_once(bench: Bench) -> None:
    key = await bench.key()
    answers = await asyncio.gather(*(bench.sell_held(key, device_id=one) for one in ("till-1", "till-2")))
    assert [answer.json()["response"] for answer in answers] == ["1", "1"]


async def test_the_lost_and_the_unreadable_answer(bench: Bench) -> None:
    key = await bench.key()
    with pytest.raises(DroppedError):
        await bench.sell_held(key, "70.00")
    bench.clock.now += 3
    answer = await bench.sell_held(key, "71.00")
    assert answer.status_code == 200
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        answer.json()


@pytest.mark.parametrize("fields", [{"device_id": ""}, {"device_id": 5}, {"api_key": "x"}])
async def test_a_wrong_body_is_refused(bench: Bench, fields: dict[str, Any]) -> None:
    refused(await bench.sell_held(await bench.key(), **fields), 400)


async def classic(bench: Bench, **fields: Any) -> httpx.Response:
    body = {"device_id": "till-1", "amount": "10.00", **fields}
    return await bench.client.post("/api/classic/sale", json=body)


async def test_classic_can_be_asynchronous(bench: Bench) -> None:
    key = await bench.key()
    answer = await classic(bench, api_key=key, response_method="asynchronous")
    assert answer.status_code == 202
    bench.clock.now += 3
    assert (await bench.status(key, answer.json()["id"]))["transaction"]["success"] is True


@pytest.mark.parametrize("value", [" ", 5, "short"])
async def test_classic_without_a_valid_key_is_401(bench: Bench, value: object) -> None:
    refused(await classic(bench, api_key=value), 401)


async def test_classic_knows_permissions_too(bench: Bench) -> None:
    refused(await classic(bench, api_key=await bench.key("reports")), 403)
    refused(await classic(bench, api_key=await bench.key(), response_method="later"), 400)
