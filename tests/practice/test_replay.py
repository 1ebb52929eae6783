"""Playing a support bundle back: recorded answers, in order, with their timing."""

import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from keybench.practice.replay import Recorded, UnreadableRecording, read_recording
from practice.bench import Bench, DroppedError

BEGAN = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
OLD, NEW = "KB-AAAA-BBBB-CCCC", "KB-1111-2222-3333"
SALES = "/api/v5/payment_requests"
POLL = f"{SALES}/R-1"


def entry(
    method: str,
    path: str,
    after_s: float,
    status: int,
    body: object,
    *,
    takes_s: float = 0.25,
    sale: str = OLD,
) -> dict[str, Any]:
    return {
        "request": {"method": method, "url": f"https://gateway.example/merchant{path}?a=1", "headers": []},
        "response": {
            "status": status,
            "headers": [{"name": "X-Request", "value": "7"}, {"name": "Content-Length", "value": "9999"}],
            "content": {"text": json.dumps(body)},
        },
        "_keybench": {
            "sale": sale,
            "at": (BEGAN + timedelta(seconds=after_s)).isoformat(),
            "failure": "",
            "timings": {"total_s": takes_s},
        },
    }


def written(path: Path, *entries: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("exchanges.har", json.dumps({"log": {"entries": list(entries)}}))
    return path


@pytest.fixture
def recording(tmp_path: Path) -> list[list[Recorded]]:
    return read_recording(
        written(
            tmp_path / "bundle.zip",
            entry("POST", SALES, 0, 202, {"id": "R-1", "order_details": {"id": OLD}}, takes_s=1.5),
            entry("GET", POLL, 4, 503, {"message": "try later"}),
            entry("GET", POLL, 2, 200, {"status": "inProgress"}),
            entry("GET", POLL, 9, 200, {"status": "interactionComplete", "order": OLD}),
        )
    )


@asynccontextmanager
async def playing(recording: list[list[Recorded]], speed: float = 1.0) -> AsyncIterator[Bench]:
    bench = Bench(speed=speed, recording=recording)
    try:
        yield bench
    finally:
        await bench.close()


async def sell(bench: Bench, reference: str = NEW) -> Any:
    return await bench.client.post(
        SALES, json={"order_details": {"id": reference}}, headers={"Authorization": "<key:kiosk>"}
    )


async def test_answers_come_in_their_order_with_their_timing(recording: list[list[Recorded]]) -> None:
    async with playing(recording) as bench:
        began = bench.clock.now
        accepted = await sell(bench)
        assert (accepted.status_code, bench.clock.now - began) == (202, 1.5)
        assert accepted.headers["x-request"] == "7"
        seen = []
        for at in (2, 3, 4, 6, 9, 12):
            bench.clock.now = began + at
            answer = await bench.client.get(POLL)
            seen.append((at, answer.status_code, answer.json().get("status", "")))
        assert seen == [
            (2, 200, "inProgress"),
            (3, 200, "inProgress"),
            (4, 503, ""),
            (6, 503, ""),
            (9, 200, "interactionComplete"),
            (12, 200, "interactionComplete"),
        ]


async def test_answers_are_about_the_sale_that_was_sent(recording: list[list[Recorded]]) -> None:
    async with playing(recording) as bench:
        assert (await sell(bench)).json() == {"id": "R-1", "order_details": {"id": NEW}}
        bench.clock.now += 20
        for _poll in range(2):
            await bench.client.get(POLL)
        assert (await bench.client.get(POLL)).json()["order"] == NEW


async def test_another_sale_begins_again(recording: list[list[Recorded]]) -> None:
    async with playing(recording) as bench:
        await sell(bench)
        bench.clock.now += 20
        for _poll in range(3):
            await bench.client.get(POLL)
        await sell(bench, OLD)
        assert (await bench.client.get(POLL)).json() == {"status": "inProgress"}


async def test_ten_times_as_fast_is_ten_times_as_fast(recording: list[list[Recorded]]) -> None:
    async with playing(recording, speed=10.0) as bench:
        began = bench.clock.now
        await sell(bench)
        assert bench.clock.now - began == pytest.approx(0.15)
        await bench.client.get(POLL)
        bench.clock.now = began + 0.4
        assert (await bench.client.get(POLL)).status_code == 503


async def test_an_answer_that_never_came_does_not_come(tmp_path: Path) -> None:
    path = written(tmp_path / "b.zip", entry("POST", SALES, 0, 0, "", takes_s=30.0))
    async with playing(read_recording(path)) as bench:
        began = bench.clock.now
        with pytest.raises(DroppedError):
            await sell(bench)
        assert bench.clock.now - began == 30.0


async def test_several_sales_are_played_one_after_another(tmp_path: Path) -> None:
    other = "KB-DDDD-EEEE-FFFF"
    path = written(
        tmp_path / "b.zip",
        entry("POST", SALES, 60, 403, {"message": "second"}, sale=other),
        entry("POST", SALES, 0, 401, {"message": "first"}),
    )
    async with playing(read_recording(path)) as bench:
        assert [(await sell(bench)).status_code for _ in range(3)] == [401, 403, 401]


async def test_what_is_not_recorded_is_for_the_practice_gateway(recording: list[list[Recorded]]) -> None:
    async with playing(recording) as bench:
        assert (await bench.client.get("/health")).json()["service"] == "keybench-practice"
        value = await bench.key()
        answer = await bench.client.get("/api/v5/devices", headers={"Authorization": value})
        assert answer.status_code in {200, 404}
        assert (await bench.client.get(f"{SALES}/R-2")).status_code in {401, 404}


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"no zip",
        {"log": {"entries": []}},
        {"log": {"entries": [{"request": {}}]}},
        {"log": 3},
        {
            "log": {
                "entries": [{**entry("GET", POLL, 0, 200, ""), "_keybench": {"at": "2026-01-01T00:00:00"}}]
            }
        },
    ],
)
def test_what_cannot_be_played_back_is_refused(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "b.zip"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("exchanges.har", json.dumps(content))
    with pytest.raises(UnreadableRecording):
        read_recording(path)


def test_a_bundle_whose_packed_bytes_are_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("exchanges.har", "x" * 5000)
    whole = bytearray(path.read_bytes())
    begin = 30 + len("exchanges.har")  # behind the local header
    whole[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(whole)
    with pytest.raises(UnreadableRecording):
        read_recording(path)
