"""The portal's page as calls, and the log."""

import re
from typing import Any

import pytest

from practice.bench import PORTAL, Bench, refused


async def test_users_are_listed_with_what_they_may(bench: Bench) -> None:
    users = (await bench.client.get("/portal/users", headers=PORTAL)).json()["users"]
    names = [user["username"] for user in users]
    assert names == ["admin", "counter1", "counter2", "reports", "web", "frozen"]
    assert users[3]["permissions"] == ["read devices and payments"]
    assert [user["username"] for user in users if not user["enabled"]] == ["frozen"]


@pytest.mark.parametrize(
    ("permission", "kind", "form"),
    [
        *((one, "private", r"[A-Za-z0-9]{32}") for one in ("API", "API and Cart", "Cart")),
        ("Tokenization", "public", r"[A-Za-z0-9]{6}(-[A-Za-z0-9]{6}){3}"),
        ("Collect Checkout", "public", r"checkout_public_[A-Za-z0-9]{32}"),
    ],
)
async def test_a_key_is_made_in_the_form_of_its_permission(
    bench: Bench, permission: str, kind: str, form: str
) -> None:
    answer = await bench.create_key(permission=permission, kind=kind)
    assert answer.status_code == 201
    fits = bool(re.fullmatch(form, answer.json()["value"]))
    assert fits
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_value_is_shown_once(bench: Bench) -> None:
    made = (await bench.create_key(name="Till 1")).json()
    listed = await bench.client.get("/portal/keys", headers=PORTAL)
    (only,) = listed.json()["keys"]
    value = made.pop("value")
    assert only == made
    leaked = value in listed.text
    assert not leaked


@pytest.mark.parametrize(
    "fields",
    [
        *({"name": wrong} for wrong in ("  ", "x" * 101, "a\tb", 5, "A1b2C3d4" * 4)),
        *({"username": "nobody"}, {"permission": "Everything"}, {"kind": "secret"}),
        *({"permission": "API", "kind": "public"}, {"permission": "Tokenization", "kind": "private"}),
        *({"request_id": ""}, {"value": "mine"}),
    ],
)
async def test_a_wrong_field_makes_no_key(bench: Bench, fields: dict[str, Any]) -> None:
    refused(await bench.create_key(**fields), 400)
    assert bench.state.keys.active() == []


async def test_what_is_not_there_is_404(bench: Bench) -> None:
    refused(await bench.client.delete("/portal/keys/none", headers=PORTAL), 404)
    refused(await bench.client.patch("/portal/users/none", json={"enabled": True}, headers=PORTAL), 404)
    answer = await bench.client.get("/portal/none", headers=PORTAL)
    refused(answer, 404)
    assert answer.json()["error_code"] == "E_ROUTE_NOT_FOUND"


async def test_a_user_is_added_and_changed_by_name(bench: Bench) -> None:
    path = "/portal/users/mira"
    told = {"permissions": ["sell on devices"]}
    added = await bench.client.put(path, json=told, headers=PORTAL)
    assert added.json() == {"username": "mira", "full_name": "mira", "enabled": True, **told}
    key = await bench.key("mira")
    assert (await bench.sell(key)).status_code == 202
    for fields in ({"permissions": []}, {"full_name": "Mira"}):
        await bench.client.put(path, json=fields, headers=PORTAL)
    refused(await bench.sell(key), 403)
    users = (await bench.client.get("/portal/users", headers=PORTAL)).json()["users"]
    assert (users[-1]["full_name"], users[-1]["permissions"]) == ("Mira", [])
    for wrong in (
        {"permissions": ["all"]},
        {"permissions": [{}]},
        {"enabled": 1},
        {"full_name": ""},
        {"x": 1},
    ):
        refused(await bench.client.put(path, json=wrong, headers=PORTAL), 400)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", f"/portal/{page}") for page in ("users", "keys", "permissions", "log")),
        *(("POST", "/portal/keys"), ("DELETE", "/portal/keys/x"), ("PATCH", "/portal/users/admin")),
    ],
)
async def test_a_foreign_pages_call_is_refused(bench: Bench, method: str, path: str) -> None:
    refused(await bench.client.request(method, path), 403)
    refused(await bench.client.request(method, path, headers={**PORTAL, "Host": "evil.example:80"}), 421)


async def test_loopback_names_are_let_in_and_no_others(bench: Bench) -> None:
    for host in ("127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:9"):
        assert (await bench.client.get("/health", headers={"Host": host})).status_code == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil", "", "10.0.0.1"):
        refused(await bench.client.get("/health", headers={"Host": host}), 421)


async def test_a_wrong_method_is_told_in_the_envelope(bench: Bench) -> None:
    answer = await bench.client.put("/portal/keys", headers=PORTAL)
    refused(answer, 405)
    assert "GET" in answer.headers["Allow"]


async def test_the_log_says_who_asked_what_and_never_a_value(bench: Bench) -> None:
    made = (await bench.create_key()).json()
    await bench.sell(made["value"], order_details={"id": "R-1"})
    await bench.client.get(f"/api/v5/devices/{made['value']}", headers={"Authorization": made["value"]})
    newest, sale, create = await bench.log()
    assert (newest["path"], newest["status"]) == ("(withheld)", 404)
    assert (sale["method"], sale["status"], sale["order_id"]) == ("POST", 202, "R-1")
    assert sale["key_id"] == create["key_id"] == made["id"]


@pytest.mark.parametrize("limit", ["x", "-1", "0", "", "20001", "99999", "²"])
async def test_a_wrong_limit_is_refused(bench: Bench, limit: str) -> None:
    refused(await bench.client.get("/portal/log", params={"limit": limit}, headers=PORTAL), 400)


async def test_keys_are_named_without_values_to_those_who_may_manage_them(bench: Bench) -> None:
    path, admin, seller = "/api/v5/security_keys", await bench.key("admin"), await bench.key("counter1")
    answer = await bench.client.get(path, headers={"Authorization": admin})
    assert [key["username"] for key in answer.json()["security_keys"]] == ["admin", "counter1"]
    leaked = admin in answer.text or seller in answer.text
    assert not leaked
    refused(await bench.client.get(path, headers={"Authorization": seller}), 403)
    refused(await bench.client.get(path), 401)
