"""Adding keys killed at every moment, on real parts: each key once, known, and with its value.

The short form kills once at every third boundary of the steps; the sweep at every one, and a few times
between them. The long one kills as often as it is told, and prints its figures:
``KEYBENCH_ADD_KILLS=300 python3 packaging/test.py --only tests -- -n 0 -s FILE`` with this file's path.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from endtoend.crash.mortal_gateway import MortalGateway
from endtoend.crash.standing_still import run_to
from keybench.bootstrap import open_console
from keybench.core.environments.environment import EnvironmentKind
from keybench.runtime.data_folder import DataFolder
from sweeps import every

KILLS = int(os.environ.get("KEYBENCH_ADD_KILLS", "0"))
ADDER = Path(__file__).parent / "crash" / "adder.py"
WHERE = "SANDBOX"
NEVER = 0
#: More than adding a key has.
_MOST_MOMENTS = 30
pytestmark = pytest.mark.timeout(300 + 5 * KILLS)


@dataclass(slots=True)
class Adders:
    """Programs that add keys to one account, one after the other.

    Attributes:
        told: What the last one told that wasn't killed.
        killed: After which moments they were killed.
        names: What the keys were to be called.
    """

    folder: Path
    gateway: MortalGateway
    told: dict[str, Any] = field(default_factory=dict)
    killed: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)

    async def set_up(self) -> None:
        """Add an environment on the gateway."""
        base_url = self.gateway.base_url
        async with open_console(DataFolder(self.folder)) as console:
            await console.environments.add(WHERE, EnvironmentKind.TEST, base_url, "practice")

    def run(self, moment: int, more_s: float = 0.0) -> bool:
        """Have one add another key, and kill it; tell whether it came to the moment."""
        self.names.append(f"till {len(self.names) + 1}")
        arguments = (str(self.folder), WHERE, self.names[-1])
        return run_to(ADDER, arguments, moment, more_s, self._hear, self.killed)

    def _hear(self, told: dict[str, Any]) -> None:
        self.told = told

    def judge(self) -> None:
        """Hold what is known here against the gateway's own books."""
        active = {key["id"]: key["name"] for key in self.gateway.portal("GET", "keys")["keys"]}
        known = self.told["keys"]
        assert self.told["plans"] == 0
        assert active == {gateway_id: name for name, gateway_id in known.items()}, "each once, and known"
        assert set(known) <= set(self.names)
        assert sorted(self.told["added"]) == sorted(known), "a line of the activity for each"


@pytest.fixture
async def adders(tmp_path: Path) -> Adders:
    ready = Adders(tmp_path / "data", MortalGateway(tmp_path / "somebody else's"))
    await ready.set_up()
    return ready


@pytest.fixture(autouse=True)
def _stopped(adders: Adders) -> Iterator[None]:
    yield
    adders.gateway.stop()


@pytest.mark.sweep
def test_killed_at_every_moment_of_adding_a_key(adders: Adders) -> None:
    # Before the first change, and after each: after one change is before the next.
    moments = every(3, (1, *range(2, _MOST_MOMENTS, 2)))
    last = next(moment for moment in moments if not adders.run(moment))
    assert last > 10, "a plan, that it is asked for, the key, its value, the key's line"
    adders.judge()
    assert sum(adders.killed.values()) == moments.index(last)
    assert adders.names[-1] in adders.told["keys"]
    print(dict(adders.killed))


@pytest.mark.sweep
def test_killed_between_the_moments_with_a_gateway_that_comes_back(adders: Adders) -> None:
    chance = random.Random(20261122)
    for turn in range(max(KILLS, 4)):
        adders.run(-chance.randint(1, 10), chance.uniform(0.0, 0.03))
        if turn % 4 == 1:  # it must still know which requests it was asked before
            adders.gateway.kill()
            adders.gateway.start()
    adders.run(NEVER)
    adders.judge()
    print(len(adders.told["keys"]), dict(adders.killed))
