"""Killed at any moment, console and gateway alike: no sale is lost, none is sent twice, none is false.

The short form of a longer run, which takes some ten minutes and prints its figures:
``KEYBENCH_KILLS=500 python3 packaging/test.py --only tests -- -n 0 -s tests/endtoend/test_crash.py``.
"""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.crash.killing import Killing
from endtoend.crash.mortal_gateway import MortalGateway
from sweeps import ALL

KILLS = int(os.environ.get("KEYBENCH_KILLS", "6" if ALL else "1"))
# A busy machine starts programs slowly.
pytestmark = pytest.mark.timeout(300 + 10 * KILLS)


@pytest.fixture
async def killing(tmp_path: Path) -> AsyncIterator[Killing]:
    gateway = MortalGateway(tmp_path / "somebody else's")
    ready = Killing(Keybench(tmp_path / "data"), gateway, random.Random(20261120))
    await ready.set_up()
    yield ready
    await ready.clean_up()
    gateway.stop()


async def test_killed_sellers_lose_nothing_and_send_nothing_twice(killing: Killing) -> None:
    await killing.kill_sellers(KILLS)
    print(killing.judge())


@pytest.mark.sweep
async def test_a_killed_gateway_leaves_every_sale_with_its_truth(killing: Killing) -> None:
    await killing.kill_gateway(max(2, KILLS // 8), with_sellers=False)
    print(killing.judge())


@pytest.mark.sweep
async def test_both_killed_at_once_leave_every_sale_with_its_truth(killing: Killing) -> None:
    await killing.kill_gateway(max(1, KILLS // 8), with_sellers=True)
    print(killing.judge())
