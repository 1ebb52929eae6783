"""Every statement of the service description that a gateway can keep or break, cited and tried over HTTP."""

from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from practice.bench import PORTAL, Bench, refused

SALE = "/api/v5/devices/till-1/payment-requests/sale"
HELD = "/api/v5/payments/sale"
CLASSIC = "/api/classic/sale"
AMOUNT = {"amount": "10.00"}
NOBODYS = "A1b2C3d4" * 4


@dataclass(frozen=True)
class Call:
    """One call; `{key}` stands for the key's value, also in the body."""

    status: int
    says: str = ""
    body: dict[str, Any] = field(default_factory=lambda: AMOUNT)
    path: str = SALE
    header: str | None = "{key}"
    content_type: str = "application/json"
    key: tuple[str, str, str] = ("counter1", "API", "private")
    faults: dict[str, Any] = field(default_factory=dict)


BODY_DEVICE = {**AMOUNT, "device_id": "till-1"}
WITH_KEY = {**BODY_DEVICE, "api_key": "{key}"}
READER = ("reports", "API", "private")
PUBLIC = ("counter1", "Tokenization", "public")
CHECKOUT = ("counter1", "Collect Checkout", "public")

#: (heading and number, the sentence, what it comes to)
STATEMENTS: list[tuple[str, str, Call]] = [
    ("What it does", "Asynchronous: POST …/devices/{device_id}/payment-requests/sale", Call(202)),
    (
        "What it does",
        "Synchronous: POST …/payments/sale with device_id in the body",
        Call(200, path=HELD, body=BODY_DEVICE),
    ),
    ("What it does", "with device_id in the request body", Call(400, "device_id", path=HELD)),
    ("API key", "The key inherits all permissions of this user", Call(403, "permissions", key=READER)),
    ("API key", "Public: client-side operations", Call(403, "public key", key=PUBLIC)),
    ("API key", "Public: client-side operations", Call(403, "public key", key=CHECKOUT)),
    ("API key", "Key permission type", Call(202, key=("counter1", "Cart", "private"))),
    ("API key", "Key permission type", Call(202, key=("counter1", "API and Cart", "private"))),
    *(
        ("Sale", "Card number, expiration, CVV: must not be in the body", Call(400, "Card data", body=body))
        for body in (
            {**AMOUNT, "card_number": "4111111111111111"},
            {**AMOUNT, "expiration": "12/30"},
            {**AMOUNT, "payment_details": {"cvv": "123"}},
        )
    ),
    ("Sale", "device_id: given in the URL path", Call(400, "device_id", body=BODY_DEVICE)),
    ("Endpoints", "identifier of the cloud device", Call(404, path=SALE.replace("till-1", "nowhere"))),
    ("Endpoints", "Request payload: JSON", Call(415, "Content-Type", content_type="text/plain")),
    *(
        ("Endpoints", "No synchronous option exists on this path", Call(400, name, body=body))
        for name, body in (
            ("response_method", {**AMOUNT, "response_method": "synchronous"}),
            ("sync", {**AMOUNT, "sync": True}),
        )
    ),
    ("Endpoints, rule 3", "no valid credentials: 401", Call(401, "missing", header=None)),
    ("Authentication 3", "sent in the request header Authorization", Call(401, header="", body=WITH_KEY)),
    ("Authentication 3", "with no scheme word in front", Call(401, "no scheme word", header="Bearer {key}")),
    ("Authentication 3", "with no scheme word in front", Call(401, "no scheme word", header="Basic {key}")),
    ("Authentication 4", "sent in the JSON body", Call(200, path=CLASSIC, body=WITH_KEY, header=None)),
    ("Authentication 4", "as the field api_key", Call(401, "api_key", path=CLASSIC, body=BODY_DEVICE)),
    (
        "Authentication 4",
        "next to the other body fields",
        Call(401, path=CLASSIC, body={"fields": WITH_KEY}, header=None),
    ),
    ("Authentication 5", "a wrong kind can limit functionality", Call(403, "kind", path=HELD, key=PUBLIC)),
    ("Errors, 401", "Key is invalid", Call(401, "not found", header=NOBODYS)),
    ("Errors, 401", "the Authorization header is missing", Call(401, "missing", header=None)),
    ("Errors, 401", "the key format is wrong", Call(401, "format", header="{key}x")),
    ("Errors, 403", "account restrictions", Call(403, "account", faults={"restricted": True})),
    ("Errors, 403", "account restrictions", Call(403, "disabled", key=("frozen", "API", "private"))),
    ("Errors, 403", "rate limit exceeded", Call(403, "Rate limit", faults={"requests_left": 0})),
    ("Errors", "third group: key kind mismatch", Call(403, "partner", header="v4_secret_abcdefgh")),
    ("Versioning", "carries the version in the path prefix", Call(404, path=SALE.replace("v5", "v4"))),
    ("Versioning", "carries the version in the path prefix", Call(404, path=SALE.replace("/v5", ""))),
]  # fmt: skip


def _filled(body: dict[str, Any], value: str) -> dict[str, Any]:
    return {
        name: _filled(told, value) if isinstance(told, dict) else value if told == "{key}" else told
        for name, told in body.items()
    }


@pytest.mark.parametrize(
    ("heading", "sentence", "call"),
    STATEMENTS,
    ids=[f"{heading}: {sentence}" for heading, sentence, _ in STATEMENTS],
)
async def test_what_the_description_says_is_kept(
    bench: Bench, heading: str, sentence: str, call: Call
) -> None:
    username, permission, kind = call.key
    value = await bench.key(username, permission, kind)
    await bench.client.put("/portal/faults", json=call.faults, headers=PORTAL)
    headers = {} if call.header is None else {"Authorization": call.header.replace("{key}", value)}
    content = httpx.Request("POST", "http://x", json=_filled(call.body, value)).content
    answer = await bench.client.post(
        call.path, content=content, headers={**headers, "Content-Type": call.content_type}
    )
    if call.status < 300:
        assert answer.status_code == call.status
    else:
        said = refused(answer, call.status)
        assert call.says.lower() in said.lower()
        assert bench.state.ledger.last_on("till-1") is None


async def test_states_the_endpoint_starts_the_sale_and_does_not_wait_for_the_outcome(bench: Bench) -> None:
    key, began = await bench.key(), bench.clock.now
    started = (await bench.sell(key, "90.00")).json()
    assert (started["status"], bench.clock.now) == ("pending", began)


async def test_what_it_does_both_ways_use_the_same_underlying_functionality(bench: Bench) -> None:
    key = await bench.key()
    order = {"order_details": {"id": "R-1"}}
    await bench.sell(key, **order)
    bench.clock.now += 60
    held = (await bench.sell_held(key, **order)).json()
    path = "/api/v5/devices/till-1/payment-requests?order_id=R-1"
    found = (await bench.client.get(path, headers={"Authorization": key})).json()["payment_requests"]
    assert [one["status"] for one in found] == ["interactionComplete"] * 2
    assert found[1]["id"] == held["request_id"]


async def test_authentication_1_a_key_has_its_users_permissions_as_they_are_now(bench: Bench) -> None:
    key, reading = await bench.key(), {"users": {"counter1": ["read devices and payments"]}}
    for faults, status in (({}, 202), (reading, 403), ({}, 202)):
        bench.clock.now += 60
        await bench.client.put("/portal/faults", json=faults, headers=PORTAL)
        assert (await bench.sell(key)).status_code == status
    for enabled, status in ((False, 403), (True, 202)):
        bench.clock.now += 60
        await bench.client.patch("/portal/users/counter1", json={"enabled": enabled}, headers=PORTAL)
        assert (await bench.sell(key)).status_code == status


async def test_authentication_6_a_replacement_sells_and_the_deleted_key_does_not(bench: Bench) -> None:
    old, new = (await bench.create_key()).json(), await bench.key()
    assert (await bench.sell(new)).status_code == 202
    bench.clock.now += 60
    await bench.client.delete(f"/portal/keys/{old['id']}", headers=PORTAL)
    refused(await bench.sell(old["value"]), 401)
    assert (await bench.sell(new)).status_code == 202


async def test_errors_401_the_key_is_expired(bench: Bench) -> None:
    made = (await bench.create_key()).json()
    await bench.client.put("/portal/faults", json={"expired_keys": [made["id"]]}, headers=PORTAL)
    assert "expired" in refused(await bench.sell(made["value"]), 401)


async def test_versioning_keys_are_environment_specific(bench: Bench) -> None:
    other = Bench()
    foreign = await other.key()
    await other.close()
    assert "not found" in refused(await bench.sell(foreign), 401)
