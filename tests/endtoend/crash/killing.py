"""Kills sellers at moments of every kind, and judges what is left by the gateway's own books."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endtoend.conftest import Keybench
from endtoend.crash.mortal_gateway import MortalGateway
from keybench.bootstrap import open_console
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.sales.sale import RESUMED, Mark
from keybench.runtime.data_folder import DataFolder

HERE = Path(__file__).parent
SLOTS = 3
DEVICES_EACH = 3
#: After which points of its timelines a seller dies.
MARKS = (Mark.NOTED, Mark.SENT, Mark.SENT, Mark.ACCEPTED, Mark.OUTCOME)
#: A mark's line is read a moment after the mark was written: the next step is some milliseconds away.
_AFTER_A_MARK_S = 0.006
_STARTING_S = 1.0
_LONGEST_LIFE_S = 1.5
_PATIENCE_S = 60.0
_TAKEN_UP = f"{Mark.LOOKED_UP}:{RESUMED}"


@dataclass(slots=True)
class Till:
    """One place for a seller: an environment of its own, and devices."""

    environment: str
    devices: list[str]


@dataclass(slots=True)
class Killing:
    """Sellers that share one data folder, and one gateway.

    Attributes:
        killed: How many processes were killed, by what.
    """

    keybench: Keybench
    gateway: MortalGateway
    chance: random.Random
    tills: list[Till] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)
    _alive: set[asyncio.subprocess.Process] = field(default_factory=set)

    async def set_up(self) -> None:
        """Add an environment with a key for every till; they share the gateway and the data folder."""
        devices = self.gateway.register_devices(SLOTS * DEVICES_EACH)
        async with open_console(DataFolder(self.keybench.folder)) as console:
            status = await console.look_at_keystore()
            assert status.durable, "a keystore is needed"
            for slot in range(SLOTS):
                till = Till(f"SANDBOX {slot}", devices[slot::SLOTS])
                where = await console.environments.add(
                    till.environment, EnvironmentKind.TEST, self.gateway.base_url, "practice"
                )
                draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
                await console.add_key.keep(where, draft, self.gateway.make_key("counter1"))
                self.tills.append(till)

    async def kill_sellers(self, kills: int) -> None:
        """Have so many sellers sell and die, several at a time."""
        left = [kills // SLOTS + (slot < kills % SLOTS) for slot in range(SLOTS)]
        async with asyncio.TaskGroup() as tasks:
            for till, deaths in zip(self.tills, left, strict=True):
                tasks.create_task(self._die_often(till, deaths))

    async def kill_gateway(self, kills: int, *, with_sellers: bool) -> None:
        """Have sellers sell while the gateway dies and comes back so many times; then end them, too."""
        sellers = [await self._start(till) for till in self.tills]
        for _ in range(kills):
            await self._until_a_mark(self.chance.choice(sellers))
            self.gateway.kill()
            self.killed["gateway"] += 1
            if with_sellers:
                await self._end(sellers)
            self.gateway.start()
            self.gateway.read_log()
            if with_sellers:
                sellers = [await self._start(till) for till in self.tills]
        await self._until_a_mark(sellers[0])
        await self._end(sellers)

    async def _die_often(self, till: Till, deaths: int) -> None:
        for _ in range(deaths):
            seller = await self._start(till)
            match self.chance.choice(["at the start", "at any time", "after a mark", "after a mark"]):
                case "at the start":
                    await self._listen(seller, self.chance.uniform(0.0, _STARTING_S))
                case "at any time":
                    await self._hear(seller, "", 1)
                    await self._listen(seller, self.chance.uniform(0.0, _LONGEST_LIFE_S))
                case _:
                    await self._until_a_mark(seller)
            await self._end([seller])
            self.gateway.read_log()

    async def _until_a_mark(self, seller: asyncio.subprocess.Process) -> None:
        """Wait until a seller has told some marks of one kind, and a moment more."""
        await self._hear(seller, f"{self.chance.choice(MARKS)} ", self.chance.randint(1, 8))
        await self._listen(seller, self.chance.uniform(0.0, _AFTER_A_MARK_S))

    async def _start(self, till: Till) -> asyncio.subprocess.Process:
        seller = await asyncio.create_subprocess_exec(
            *(sys.executable, str(HERE / "seller.py"), str(self.keybench.folder)),
            *(till.environment, *till.devices),
            stdout=asyncio.subprocess.PIPE,
        )
        self._alive.add(seller)
        return seller

    async def _hear(self, seller: asyncio.subprocess.Process, beginning: str, times: int) -> None:
        """Hear what a seller tells until so many lines have begun so."""
        assert seller.stdout
        async with asyncio.timeout(_PATIENCE_S):
            while times:
                line = await seller.stdout.readline()
                assert line, "a seller ended by itself"
                times -= line.startswith(beginning.encode())

    async def _listen(self, seller: asyncio.subprocess.Process, seconds: float) -> None:
        """Hear what a seller tells for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._hear(seller, "", sys.maxsize)
        except TimeoutError:
            return

    async def _end(self, sellers: list[asyncio.subprocess.Process]) -> None:
        for seller in sellers:
            assert seller.returncode is None, "a seller ended by itself"
            seller.kill()
            self.killed["seller"] += 1
        for seller in sellers:
            await seller.communicate()
            self._alive.discard(seller)

    async def clean_up(self) -> None:
        """End what a test that failed has left running."""
        for seller in self._alive:
            with suppress(ProcessLookupError):
                seller.kill()
            await seller.communicate()

    def judge(self) -> dict[str, Any]:
        """Resume, settle, and hold what the journal says against the gateway's books; return the figures."""
        resumed = self.keybench.run_program("resume")
        still = {line["reference"] for line in resumed.lines if line["state"] == "unknown"}
        assert resumed.status == (30 if still else 0), resumed.err
        assert {line["reference"] for line in self.keybench.run_program("resume").lines} == still
        told = self.keybench.run_program("history", "--limit", "1000000")
        assert told.status == 0, told.err
        settled = self._settled()
        self.gateway.read_log()
        taken = self.gateway.taken()

        states = Counter(line["reference"] for line in told.lines)
        assert states, "nothing was sold"
        assert set(states.values()) == {1}, "a sale has two states"
        assert all(line["state"] for line in told.lines), "a sale has no state"
        assert not [r for r, times in self.gateway.posted.items() if times > 1], "posted twice"
        assert {len(ends) for ends in taken.values()} <= {1}, "a sale was taken twice"
        assert set(self.gateway.posted) | set(taken) <= set(states), "a posted sale is missing"
        assert len(settled) == len(states)
        for sale in settled:
            assert _is_true(sale, taken.get(sale["reference"])), sale
            before = sale["before"]
            assert before in {"unknown", sale["state"]}, sale
        return self._figures(settled)

    def _settled(self) -> list[dict[str, Any]]:
        done = subprocess.run(
            [sys.executable, str(HERE / "settler.py"), str(self.keybench.folder)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _figures(self, settled: list[dict[str, Any]]) -> dict[str, Any]:
        struck = Counter(
            marks[index - 1].partition(":")[0]
            for marks in (sale["marks"] for sale in settled)
            for index, mark in enumerate(marks)
            if mark == _TAKEN_UP
        )
        return {
            "killed": dict(self.killed),
            "sales": len(settled),
            "posted": len(self.gateway.posted),
            "unknown before the look-up": sum(sale["before"] == "unknown" for sale in settled),
            "states": dict(Counter(sale["state"] for sale in settled)),
            "last point before the kill": dict(struck),
        }


def _is_true(sale: dict[str, Any], ends: list[str] | None) -> bool:
    if ends is None:
        return sale["state"] in {"refused", "not_sent"}
    return bool(sale["state"] == ends[0] and sale["request_id"])
