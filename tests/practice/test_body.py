"""What a sale's body may hold, and how everything else is refused without a trace."""

import json
from typing import Any

import pytest

from practice.bench import Bench, refused

SALE = "/api/v5/devices/till-1/payment-requests/sale"
CARD = "4111111111111111"
ARABIC_THREE = chr(0x0663)


async def post(bench: Bench, content: bytes | str, content_type: str | None = "application/json") -> Any:
    headers = {"Authorization": await bench.key()}
    if content_type is not None:
        headers["Content-Type"] = content_type
    return await bench.client.post(SALE, content=content, headers=headers)


@pytest.mark.parametrize("amount", ["10", "10.00", "10.5", '"10.00"', '"0.01"', "0.5", '"999999.99"', "1E+1"])
async def test_an_amount_is_a_number_or_a_two_decimal_text(bench: Bench, amount: str) -> None:
    assert (await post(bench, f'{{"amount": {amount}}}')).status_code == 202


@pytest.mark.parametrize(
    "amount",
    [
        *("0", "-1", '"0.00"', "1.005", "1000000", "1e400", "1e-400", "1e99999999999999999999", "-0.0"),
        *('"10"', '"10.0"', '"1e3"', f'"{ARABIC_THREE}.00"', '" 10.00"', "true", "null", "[]"),
        *("NaN", "Infinity", "9" * 5000),
    ],
)
async def test_anything_else_is_no_amount(bench: Bench, amount: str) -> None:
    refused(await post(bench, f'{{"amount": {amount}}}'), 400)


@pytest.mark.parametrize(
    "fields",
    [
        *({"currency": wrong} for wrong in ("US", "US1", 840)),
        *({"order_details": {"id": wrong}} for wrong in ("x" * 51, "", 5, "a\nb", "\ud800")),
        *({"processor_id": wrong} for wrong in ("x" * 51, " ")),
        *({"dup_seconds": wrong} for wrong in (-1, 7_862_401, True, 1.5)),
        *({"order_details": "R-1"}, {"billing_address": {"city": ""}}),
        {"merchant_defined_fields": {str(n): "x" for n in range(21)}},
    ],
)
async def test_a_field_that_breaks_its_rule_is_400(bench: Bench, fields: dict[str, Any]) -> None:
    refused(await post(bench, json.dumps({"amount": "10.00", **fields})), 400)


@pytest.mark.parametrize(
    "fields", [{"tip": 1}, {"order_details": {"note": "x"}}, {"device_id": "till-1"}, {"\ud800": 1}]
)
async def test_an_unknown_field_is_refused_as_extra(bench: Bench, fields: dict[str, Any]) -> None:
    assert "extraParameters" in refused(await post(bench, json.dumps({"amount": "10.00", **fields})), 400)


@pytest.mark.parametrize(
    "fields",
    [
        {"order_details": {"order_description": f"card {CARD}"}},
        {"merchant_defined_fields": {"a": "4111 1111 1111 1111"}},
        {CARD: "x"},
    ],
)
async def test_card_data_is_refused_and_never_echoed(bench: Bench, fields: dict[str, Any]) -> None:
    answer = await post(bench, json.dumps({"amount": "10.00", **fields}))
    assert "Card data" in refused(answer, 400)
    assert CARD not in answer.text
    assert bench.state.ledger.last_on("till-1") is None


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (b'{"amount": 10}', None, 415),
        (b"amount=10", "application/x-www-form-urlencoded", 415),
        (b"", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b'{"amount": ', "application/json", 400),
        (b"\xff\xfe\xfa", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"a": "' + b"x" * 70_000 + b'"}', "application/json", 413),
        (b'{"amount": 10}', "application/json; charset=utf-8", 202),
    ],
)
async def test_only_a_json_object_of_a_sane_size_is_read(
    bench: Bench, content: bytes, content_type: str | None, status: int
) -> None:
    assert (await post(bench, content, content_type)).status_code == status


async def test_a_body_that_grows_too_large_without_saying_so_is_413(bench: Bench) -> None:
    async def pieces() -> Any:
        for _ in range(70):
            yield b" " * 1024

    headers = {"Authorization": await bench.key(), "Content-Type": "application/json"}
    refused(await bench.client.post(SALE, content=pieces(), headers=headers), 413)
