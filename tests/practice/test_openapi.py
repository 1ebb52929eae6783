"""The API's description: whole, and true to what the gateway does."""

import itertools
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from starlette.routing import Route

from keybench.practice import devices, portal, sales
from keybench.practice.openapi import OPERATIONS, Operation
from practice.bench import PORTAL, Bench
from practice.serving import served

#: These amounts are there to break the description: no answer, half of one, a failure.
_BREAKING = {f"{amount}{end}" for amount in (70, 71, 85) for end in ("", ".0", ".00")}


async def test_each_route_of_the_api_is_described_and_each_described_call_has_one(bench: Bench) -> None:
    routes: list[Route] = [*sales.ROUTES, *devices.ROUTES, *portal.ROUTES]
    served = {
        f"{method} {route.path}"
        for route in routes
        for method in (route.methods or set()) - {"HEAD"}
        if route.path.startswith("/api/")
    }
    assert {f"{one.method} {one.path}" for one in OPERATIONS} == served
    told = (await bench.client.get("/openapi.json")).json()
    assert {
        f"{method.upper()} {path}" for path, methods in told["paths"].items() for method in methods
    } == served
    assert told["openapi"] == "3.1.0"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What exists at a served gateway: its address, a key that may do everything, a device, a sale."""
    with served(tmp_path_factory.mktemp("practice"), 1000.0) as base_url:
        asked = {"name": "All", "username": "admin", "permission": "API", "kind": "private"}
        value = httpx.post(f"{base_url}/portal/keys", json=asked, headers=PORTAL).json()["value"]
        path = f"{base_url}/api/v5/devices/till-1/payment-requests/sale"
        sold = httpx.post(path, json={"amount": 15}, headers={"Authorization": value}).json()["id"]
        yield {
            **dict.fromkeys(("device_id", "poi_device_id"), "till-1"),
            **dict.fromkeys(("request_id", "guid"), sold),
            **dict.fromkeys(("api_key", "security_key"), value),
            "base_url": base_url,
        }


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("described", OPERATIONS, ids=lambda one: f"{one.method} {one.path}")
def test_the_description_is_true(known: dict[str, str], described: Operation, mode: str) -> None:
    import schemathesis  # noqa: PLC0415 - takes a second
    from schemathesis.checks import not_a_server_error  # noqa: PLC0415 - with it
    from schemathesis.specs.openapi import checks  # noqa: PLC0415 - with it

    schema = schemathesis.openapi.from_url(f"{known['base_url']}/openapi.json")
    operation = schema[described.path][described.method]
    value, codes = known["api_key"], itertools.count(10)
    headers = {"Authorization": f"Bearer {value}" if described.key == "bearer" else value}
    if described.method == "DELETE":
        known = {**known, "device_id": "till-2"}

    @settings(max_examples=60, suppress_health_check=[*HealthCheck])
    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    def is_true(case: Any) -> None:
        body = case.body if isinstance(case.body, dict) else {}
        assume(str(body.get("amount")) not in _BREAKING)
        if mode == "positive":  # of what exists, so that more than refusals is seen
            for told in (body, case.path_parameters):
                told |= {name: known[name] for name in known if name in told}
            if "registration_code" in body:
                body["registration_code"] = f"T{next(codes):05d}"
            if isinstance(body.get("amount"), float):
                body["amount"] = round(body["amount"], 2)
        case.call_and_validate(
            headers=headers,
            checks=[
                *(not_a_server_error, checks.status_code_conformance, checks.content_type_conformance),
                *(checks.response_schema_conformance, checks.unsupported_method),
                # A form's refusals are answered 200.
                *([] if described.path.endswith(".php") else [checks.negative_data_rejection]),
            ],
        )

    is_true()
