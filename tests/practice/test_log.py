"""The log says why each answer was given, and with which key."""

from typing import Any

import pytest

from practice.bench import PORTAL, Bench, DroppedError, refused


async def entries(bench: Bench, **query: object) -> list[dict[str, Any]]:
    answer = await bench.client.get(
        "/portal/log", params={k: str(v) for k, v in query.items()}, headers=PORTAL
    )
    found: list[dict[str, Any]] = answer.json()["entries"]
    return found


async def test_a_sale_is_told_with_its_key_device_amount_and_payment_request(bench: Bench) -> None:
    made = (await bench.create_key(name="Web shop")).json()
    accepted = (await bench.sell(made["value"], "12.30")).json()
    (sale,) = await entries(bench, limit=1)
    assert (sale["why"], sale["key_name"], sale["caller"]) == ("accepted", "Web shop", "")
    assert (sale["device_id"], sale["amount"], sale["request_id"]) == ("till-1", "12.30", accepted["id"])
    assert (await entries(bench))[1]["why"] == "ok"


async def test_each_refusal_says_what_it_is_about(bench: Bench) -> None:
    key = await bench.key()
    gone = (await bench.create_key()).json()
    await bench.client.delete(f"/portal/keys/{gone['id']}", headers=PORTAL)
    for made, whys in {
        "": "missing",
        f"Bearer {key}": "header",
        "short": "key_form",
        "A1b2C3d4" * 4: "key_unknown",
        gone["value"]: "key_deleted",
        await bench.key("web", "Tokenization", "public"): "key_kind",
        await bench.key("frozen"): "user_disabled",
        await bench.key("reports"): "permission",
    }.items():
        await bench.sell(made)
        (newest,) = await entries(bench, limit=1)
        assert (newest["why"], newest["device_id"]) == (whys, "till-1")
    await bench.sell(key, "90.00", device="till-2")
    for asked, why in (
        ({"device": "offline-1"}, "device_offline"),
        ({"device": "nowhere"}, "device_unknown"),
        ({"device": "till-2"}, "device_busy"),
        ({"amount": "80.00"}, "rate_limit"),
        ({"amount": "85.00"}, "unavailable"),
        ({"amount": "ten"}, "validation"),
        ({"cvv": "123"}, "card_data"),
    ):
        await bench.sell(key, **asked)  # type: ignore[arg-type] # each has fields of its own
        (newest,) = await entries(bench, limit=1)
        assert newest["why"] == why
    with pytest.raises(DroppedError):
        await bench.sell(key, "70.00")
    assert (await entries(bench))[0]["why"] == "no_answer"


async def test_what_comes_after_an_entry_is_read_in_order_and_without_polls(bench: Bench) -> None:
    key = await bench.key()
    accepted = (await bench.sell(key)).json()
    seen = (await entries(bench))[0]["sequence"]
    assert await entries(bench, after=seen) == []
    await bench.status(key, accepted["id"])
    await bench.status(key, "made-up")
    await bench.status("short", accepted["id"])
    assert [one["why"] for one in await entries(bench, after=seen)] == [
        *("ok", "payment_request_not_found", "key_form")
    ]
    assert [one["status"] for one in await entries(bench, after=seen, polls="false", limit=1)] == [404]
    assert [one["status"] for one in await entries(bench, polls="false")][:3] == [401, 404, 202]
    for query in ({"after": "x"}, {"after": "-1"}, {"polls": "no"}):
        refused(await bench.client.get("/portal/log", params=query, headers=PORTAL), 400)
