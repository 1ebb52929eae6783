"""The older status call: Bearer alone opens it, and a synchronous one is answered at the end."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from practice.bench import START, Bench, DroppedError, refused


async def asked(bench: Bench, key: str, guid: str, method: str | None = None) -> httpx.Response:
    query = {} if method is None else {"responseMethod": method}
    headers = {"Authorization": f"Bearer {key}"}
    return await bench.client.get(f"/api/asyncstatus/{guid}", params=query, headers=headers)


async def sold(bench: Bench, key: str, amount: str = "10.00") -> str:
    guid: str = (await bench.sell(key, amount)).json()["id"]
    return guid


async def test_a_poll_tells_where_the_sale_stands(bench: Bench) -> None:
    key = await bench.key()
    guid = await sold(bench, key)
    for method in (None, "asynchronous"):
        told = (await asked(bench, key, guid, method)).json()
        assert told == {"asyncStatusGuid": guid, "asyncStatus": "pending"}
    bench.clock.now += 3
    told = (await asked(bench, key, guid)).json()
    assert told["asyncStatus"] == "interactionComplete"
    assert (told["transaction"]["success"], told["transaction"]["responsetext"]) == (True, "APPROVED")


@pytest.mark.parametrize(
    ("amount", "status", "seconds"),
    [("30.00", "cancelledAtTerminal", 3), ("70.00", "interactionComplete", 3)],
)
async def test_a_synchronous_one_waits_for_the_end(
    bench: Bench, amount: str, status: str, seconds: float
) -> None:
    key = await bench.key()
    if amount == "70.00":
        with pytest.raises(DroppedError):
            await bench.sell(key, amount, order_details={"id": "R-1"})
        guid = bench.state.ledger.of_order("till-1", "R-1")[0].id
    else:
        guid = await sold(bench, key, amount)
    told = (await asked(bench, key, guid, "synchronous")).json()
    assert told["asyncStatus"] == status
    assert bench.clock.now >= START + seconds


@pytest.mark.parametrize("form", ["{key}", "Bearer", "Bearer ", "Basic {key}", "Bearer x{key}"])
async def test_another_form_of_the_key_is_refused(bench: Bench, form: str) -> None:
    key = await bench.key()
    guid = await sold(bench, key)
    headers = {"Authorization": form.replace("{key}", key)}
    refused(await bench.client.get(f"/api/asyncstatus/{guid}", headers=headers), 401)


async def test_what_makes_no_sense_is_refused(bench: Bench) -> None:
    key = await bench.key()
    refused(await asked(bench, key, "no-such-sale"), 404)
    refused(await asked(bench, key, await sold(bench, key), "later"), 400)


async def form_sale(bench: Bench, key: str, **fields: Any) -> dict[str, str]:
    body = {"type": "sale", "security_key": key, "poi_device_id": "till-1", "amount": "10.00", **fields}
    answer = await bench.client.post("/api/transact.php", data=body)
    assert answer.status_code == 200
    return dict(httpx.QueryParams(answer.text))


async def test_a_form_is_taken_with_the_code_101_and_an_identifier(bench: Bench) -> None:
    key = await bench.key()
    told = await form_sale(bench, key, response_method="asynchronous", orderid="R-1")
    assert (told["response"], told["response_code"], told["orderid"]) == ("1", "101", "R-1")
    assert (await asked(bench, key, told["async_status_guid"])).json()["asyncStatus"] == "pending"


@pytest.mark.parametrize(("amount", "response", "code"), [("10.00", "1", "100"), ("20.02", "2", "202")])
async def test_a_form_can_wait_for_the_outcome(bench: Bench, amount: str, response: str, code: str) -> None:
    told = await form_sale(bench, await bench.key(), amount=amount)
    assert (told["response"], told["response_code"]) == (response, code)
    assert "amount_authorized" not in told


async def test_a_partial_approval_tells_the_part_in_both_forms(bench: Bench) -> None:
    key = await bench.key()
    guid = await sold(bench, key, "15.00")
    bench.clock.now += 3
    told = (await asked(bench, key, guid)).json()
    assert (told["transaction"]["success"], told["transaction"]["amount"]) == (True, "10.00")
    form = await form_sale(bench, key, amount="15.00")
    assert (form["response"], form["amount_authorized"]) == ("1", "10.00")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        *(({"security_key": wrong}, "300") for wrong in ("", "A1b2C3d4" * 4)),
        *(({"poi_device_id": wrong}, "300") for wrong in ("no-such", "offline-1")),
        *(({name: "later"}, "300") for name in ("type", "response_method", "extra", "amount")),
        *(({"ccnumber": "4111111111111111"}, "300"), ({"amount": "80.00"}, "301")),
    ],
)
async def test_a_refusal_is_told_in_the_form(bench: Bench, fields: dict[str, str], code: str) -> None:
    told = await form_sale(bench, await bench.key(), **fields)
    assert (told["response"], told["response_code"]) == ("3", code)
    assert told["responsetext"]
    assert "4111111111111111" not in str(told)


async def test_a_form_that_is_none_is_refused(bench: Bench) -> None:
    for content, media_type in (
        (b"{}", "application/json"),
        (b"no form", "application/x-www-form-urlencoded"),
        (b"a=1&a=2", "application/x-www-form-urlencoded"),
        (b"a=\xff", "application/x-www-form-urlencoded"),
    ):
        answer = await bench.client.post(
            "/api/transact.php", content=content, headers={"Content-Type": media_type}
        )
        assert dict(httpx.QueryParams(answer.text))["response_code"] == "300"


async def test_a_form_sale_whose_answer_is_lost_or_fails(bench: Bench) -> None:
    key = await bench.key()
    for method in ("synchronous", "asynchronous"):
        with pytest.raises(DroppedError):
            await form_sale(bench, key, amount="70.00", response_method=method)
        bench.clock.now += 3
    body = {"type": "sale", "security_key": key, "poi_device_id": "till-1", "amount": "85.00"}
    assert (await bench.client.post("/api/transact.php", data=body)).status_code == 500
