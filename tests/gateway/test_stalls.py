"""A program that stood still past its time limits: what came meanwhile is read, and counts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from fakes.waiting import until
from gateway.caller_program import CALLS, LIMITS
from gateway.callers import ORDER
from gateway.hostile import hostile, http

APPROVAL = {"id": "T-1", "success": True, "auth_code": "A1"}
HELD = {"id": "T-1", "response": "1", "response_code": "100", "auth_code": "A1"}
DONE = {"id": "R-1", "status": "interactionComplete", "transaction": APPROVAL}
#: Longer than the longest of its limits.
FROZEN_S = LIMITS.total_s + LIMITS.held_s + 0.2


TOLD = {
    "sale": "request_id='R-1'",
    "held sale": "APPROVED",
    "poll": "APPROVED",
    "held poll": "APPROVED",
    "look-up": "APPROVED",
    "key": "'K-1'",
}


def answer_to(request: bytes) -> bytes:
    """Return what the gateway says at once."""
    line = request.split(b"\r\n", 1)[0].decode()
    if "/portal/keys" in line:
        return http("201 Created", json.dumps({"id": "K-1", "value": "MadeUpForThisTest001122"}).encode())
    if "order_id=" in line:
        found = DONE | {"order_details": {"id": ORDER.reference}}
        return http("200 OK", json.dumps({"payment_requests": [found]}).encode())
    if "POST" in line and "payment-requests" in line:
        return http("202 Accepted", json.dumps({"id": "R-1", "status": "pending"}).encode())
    return http("200 OK", json.dumps(HELD if "POST" in line else DONE).encode())


class Freezer:
    """Stops a program as soon as its requests are there, for a while, and answers meanwhile."""

    def __init__(self, *, answers: bool) -> None:
        self._answers = answers
        self._is_stopped = asyncio.Event()
        self._has_thawed = False

    async def _play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = self._seen.requests[-1]
        await self._is_stopped.wait()
        if self._answers or self._has_thawed:
            writer.write(answer_to(request))
            await writer.drain()
        await reader.read()

    async def _freeze(self, program: Process) -> None:
        await until(lambda: len(self._seen.requests) == len(CALLS))
        program.send_signal(signal.SIGSTOP)
        await until(lambda: os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOHANG))
        self._is_stopped.set()
        thaws_at = time.monotonic() + FROZEN_S
        await until(lambda: time.monotonic() >= thaws_at)
        self._has_thawed = True
        program.send_signal(signal.SIGCONT)

    async def run(self, loop: str) -> dict[str, str]:
        """Return what the program told of its calls."""
        async with hostile(self._play) as self._seen:
            command = (str(Path(__file__).with_name("caller_program.py")), self._seen.base_url, loop)
            program = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=PIPE)
            await self._freeze(program)
            out, _ = await program.communicate()
        told: dict[str, str] = json.loads(out)
        return told


LOOPS = pytest.mark.parametrize("loop", ["plain", "qt"])


@LOOPS
async def test_an_answer_that_came_while_the_program_stood_still_is_read(loop: str) -> None:
    told = await Freezer(answers=True).run(loop)
    for call, said in TOLD.items():
        assert said in told[call], (call, told[call])


@pytest.mark.thin(2)
@LOOPS
async def test_a_gateway_that_said_nothing_meanwhile_is_waited_for_no_longer(loop: str) -> None:
    told = await Freezer(answers=False).run(loop)
    assert told == dict.fromkeys(CALLS, "AnswerLost: timeout")
