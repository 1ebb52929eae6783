"""A class of 30, each with 5 sales in flight that are polled, beside an empty Starlette route in one run.

Each learner polls as a console does, once a second for each sale, over one kept connection, by TLS. The empty
route is asked at the same rate, in the same way, on the same computer.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from pathlib import Path
from typing import Final

import httpcore

from benchmarks.figures import Figure, probe_command, probe_environment, size
from keybench.class_identity import certificate_of
from practice.class_bench import LESSON, SOURCE, SeatedLearner, ServedClass

_SALES: Final = 5
_DEVICES: Final = ("till-1", "till-2", "counter-1", "kiosk-1", "till-5")
_AS_ONE: Final = 0.99
_WANTED_MS: Final = 50.0


def measure(folder: Path) -> list[Figure]:
    """Have the class poll for a while, and the empty route as long."""
    learners, seconds = size("KEYBENCH_LEARNERS", 30), size("KEYBENCH_CLASS_S", 20)
    with ServedClass(folder, host="127.0.0.1") as served:
        served.board.put("/class", json={"lesson": LESSON})
        seated = [served.join() for _ in range(learners)]
        asked = [asked for learner in seated for asked in _sales(learner)]
        took = asyncio.run(_poll(served.told["base_url"], served.identity, asked, seconds))
        inside_ms = served.seen()["answers_ms"]
        beside = _beside(served.identity, len(asked), seconds)
    return [
        Figure(f"99 % of answers to {learners} learners within", took * 1000, "ms", _WANTED_MS),
        Figure("the same, as the gateway counts it", inside_ms, "ms", _WANTED_MS),
        Figure("the same of an empty Starlette route", beside * 1000, "ms"),
        Figure("a class beside the empty route", took / beside, "times"),
    ]


def _sales(learner: SeatedLearner) -> list[tuple[str, dict[str, str]]]:
    """Start a learner's sales, on devices that wait for a person, and return what asks for each."""
    learner.make_key()
    learner.client.post("/portal/devices", json={"id": _DEVICES[-1], "nickname": "Till 5"})
    polls = []
    for device in _DEVICES[:_SALES]:
        learner.client.patch(f"/portal/devices/{device}", json={"connected": True, "by_hand": True})
        request_id = learner.sell(device).raise_for_status().json()["id"]
        path = f"/api/v5/devices/{device}/payment-requests/{request_id}"
        polls.append((path, {"X-Class-Ticket": learner.ticket, "Authorization": learner.key}))
    return polls


def _beside(identity: str, calls: int, seconds: int) -> float:
    """Return the same of as many calls to an empty route."""
    with subprocess.Popen(
        probe_command("empty_route"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**probe_environment(), "PYTHONPATH": str(SOURCE)},
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(identity)
        process.stdin.close()
        port = process.stdout.readline().strip()
        took = asyncio.run(_poll(f"https://127.0.0.1:{port}", identity, [("/", {})] * calls, seconds))
        process.terminate()
    return took


async def _poll(base_url: str, identity: str, asked: list[tuple[str, dict[str, str]]], seconds: int) -> float:
    """Ask for everything once a second, spread over it, and return in which time 99 % were answered."""
    trust = ssl.create_default_context(cadata=certificate_of(identity))
    took: list[float] = []

    async def one(number: int, path: str, headers: dict[str, str]) -> None:
        await asyncio.sleep(number / len(asked))
        for _ in range(seconds):
            began = time.perf_counter()
            answer = await pool.request("GET", base_url + path, headers=headers)
            took.append(time.perf_counter() - began)
            assert answer.status == 200, answer.content
            await asyncio.sleep(max(1.0 - took[-1], 0.0))

    async with httpcore.AsyncConnectionPool(ssl_context=trust, max_connections=60) as pool:
        await asyncio.gather(*(one(number, *call) for number, call in enumerate(asked)))
    return sorted(took)[int(len(took) * _AS_ONE)]
