"""What a trainer breaks: `/portal/faults`."""

from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from practice.bench import PORTAL, Bench, refused

DEVICES = "/api/v5/devices"
WORDS = {"status": 403, "type": "zugriff", "error_code": "X1", "message": "Der Schlüssel ist gesperrt"}


async def broken(bench: Bench, **faults: Any) -> None:
    answer = await bench.client.put("/portal/faults", json=faults, headers=PORTAL)
    assert answer.status_code == 200, answer.text


async def ask(bench: Bench, **headers: str) -> httpx.Response:
    return await bench.client.get(DEVICES, headers=headers)


async def test_nothing_is_broken_at_first_and_everything_is_mended_at_once(bench: Bench) -> None:
    shown = (await bench.client.get("/portal/faults", headers=PORTAL)).json()
    assert {name for name, told in shown.items() if told} == {"header", "body", "weather"}
    assert (shown["header"], shown["body"], shown["weather"]["preset"]) == ("bare", "json", "calm")
    value = await bench.key()
    await broken(bench, status=503)
    refused(await ask(bench, Authorization=value), 503)
    await broken(bench)
    assert (await ask(bench, Authorization=value)).status_code == 200


async def test_faults_need_the_portals_header(bench: Bench) -> None:
    refused(await bench.client.put("/portal/faults", json={"status": 503}), 403)
    refused(await bench.client.get("/portal/faults"), 403)


@pytest.mark.parametrize(
    "fields",
    [
        *({"status": 404}, {"status": "503"}, {"page": 1}, {"redirect": "ftp://x"}, {"header": "Digest"}),
        *({"clock_off_s": True}, {"clock_off_s": 1e300}, {"requests_left": -1}, {"expired_keys": [1]}),
        *({"users": {"counter1": wrong}} for wrong in (["everything"], [[]])),
        *({"answers": {"*": wrong}} for wrong in ({"status": 200}, {"status": 403.0}, {"text": "x"})),
        *({"answers": {"*": {"message": 1}}}, {"devices": {"till-1": "asleep"}}),
        *({"body": "xml"}, {"fails": True}, {"next": ["hail"]}),
    ],
)
async def test_what_cant_be_a_fault_is_refused(bench: Bench, fields: dict[str, Any]) -> None:
    refused(await bench.client.put("/portal/faults", json=fields, headers=PORTAL), 400)


async def test_pages_and_redirects_stand_in_every_calls_place(bench: Bench) -> None:
    await broken(bench, page=True)
    assert (await ask(bench)).headers["Content-Type"].startswith("text/html")
    await broken(bench, redirect="https://elsewhere.example/login")
    assert (await ask(bench)).headers["Location"] == "https://elsewhere.example/login"


@pytest.mark.parametrize(
    ("form", "header", "before"), [("Bearer", "Authorization", "Bearer "), ("X-Api-Key", "X-Api-Key", "")]
)
async def test_a_header_of_another_form_is_wanted(bench: Bench, form: str, header: str, before: str) -> None:
    value = await bench.key()
    await broken(bench, header=form)
    assert "wants" in refused(await ask(bench, Authorization=value), 401) or form == "X-Api-Key"
    assert (await ask(bench, **{header: before + value})).status_code == 200


async def test_basic_takes_the_key_as_the_users_name(bench: Bench) -> None:
    value = await bench.key()
    await broken(bench, header="Basic")
    signed = await bench.client.get(DEVICES, auth=httpx.BasicAuth(value, ""))
    assert signed.status_code == 200
    refused(await ask(bench, Authorization="Basic ???"), 401)


async def test_the_date_is_wrong_by_what_is_asked_for(bench: Bench) -> None:
    right = parsedate_to_datetime((await ask(bench)).headers["Date"])
    await broken(bench, clock_off_s=-3600)
    wrong = parsedate_to_datetime((await ask(bench)).headers["Date"])
    assert (right - wrong).total_seconds() == 3600


async def test_the_rate_limit_is_reached_after_so_many_requests(bench: Bench) -> None:
    value = await bench.key()
    await broken(bench, requests_left=2)
    seen = [(await ask(bench, Authorization=value)).status_code for _ in range(3)]
    assert seen == [200, 200, 403]


async def test_devices_are_as_they_are_set(bench: Bench) -> None:
    value = await bench.key()
    await broken(bench, devices={"till-1": "disconnected", "till-2": "unknown", "kiosk-1": "busy"})
    listed = (await ask(bench, Authorization=value)).json()["devices"]
    states = {one["deviceId"]: one["connectionStatus"] for one in listed}
    assert states["till-1"] == "disconnected"
    assert "till-2" not in states
    refused(await bench.sell(value), 409)
    refused(await bench.sell(value, device="till-2"), 404)
    busy = (await bench.sell(value, device="kiosk-1")).json()
    assert busy["status"] == "poiDeviceInUse"


async def test_refusals_sound_like_another_gateways(bench: Bench) -> None:
    made = (await bench.create_key()).json()
    await bench.client.delete(f"/portal/keys/{made['id']}", headers=PORTAL)
    await broken(bench, answers={"key_deleted": WORDS, "*": {"status": 404}})
    said = await ask(bench, Authorization=made["value"])
    assert (said.status_code, said.json()["message"]) == (403, WORDS["message"])
    assert (await ask(bench)).status_code == 404
    await broken(bench, answers={"key_deleted": WORDS}, body="text")
    assert (await ask(bench, Authorization=made["value"])).text == WORDS["message"]
    await broken(bench, body="none")
    assert (await ask(bench, Authorization=made["value"])).content == b""
