"""A rotation killed at every moment, on real parts: one replacement, no value lost, nothing deleted twice.

The short form kills once at every third boundary of the steps, and at every one as a sweep. The long one
kills as often as it is told, at chance moments and between them, and prints its figures:
``KEYBENCH_ROTATION_KILLS=300 python3 packaging/test.py --only tests -- -n 0 -s FILE`` with this file's path.
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
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.runtime.data_folder import DataFolder
from sweeps import every

KILLS = int(os.environ.get("KEYBENCH_ROTATION_KILLS", "0"))
ROTATOR = Path(__file__).parent / "crash" / "rotator.py"
WHERE = "SANDBOX"
NEVER = 0
#: More than a rotation has.
_MOST_MOMENTS = 60
_STEPS = [
    "rotation started",
    "replacement created",
    "permissions compared",
    "application changed",
    "application seen working",
    "new key tested",
    "deletion asked for",
    "old key deleted",
    "old key refused",
    "old value erased",
    "documentation updated",
]
pytestmark = pytest.mark.timeout(300 + 5 * KILLS)


@dataclass(slots=True)
class Rotators:
    """Programs that rotate the same key's successors, one after the other.

    Attributes:
        ended: How each rotation ended, in order.
        killed: After which moments they were killed.
    """

    folder: Path
    gateway: MortalGateway
    ended: list[dict[str, Any]] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)

    async def set_up(self) -> None:
        """Add an environment on the gateway, with a key that the gateway makes."""
        async with open_console(DataFolder(self.folder)) as console:
            assert (await console.look_at_keystore()).durable, "a keystore is needed"
            base_url = self.gateway.base_url
            where = await console.environments.add(WHERE, EnvironmentKind.TEST, base_url, "practice")
            draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
            await console.add_key.create(where, draft)

    def run(self, moment: int, more_s: float = 0.0) -> bool:
        """Run one, see `run_to`."""
        return run_to(ROTATOR, (str(self.folder), WHERE), moment, more_s, self._hear, self.killed)

    def _hear(self, told: dict[str, Any]) -> None:
        """Keep how a rotation ended, unless the one that ended it told it before it was killed."""
        if not self.ended or told != self.ended[-1]:
            self.ended.append(told)

    def judge(self) -> None:
        """Hold what the rotations say against the gateway's own books."""
        active = [key["id"] for key in self.gateway.portal("GET", "keys")["keys"]]
        assert active == [self.ended[-1]["new"]], "one active key, the last replacement"
        for one in self.ended:
            assert not one["open"]
            assert one["leftovers"] == 0
            assert one["keys"] == [one["new"]]
            assert (one["has_new"], one["has_old"]) == (True, False)
            assert [what for what in one["evidence"] if what in _STEPS] == _STEPS
        assert [one["old"] for one in self.ended[1:]] == [one["new"] for one in self.ended[:-1]]
        self._judge_deletions()

    def _judge_deletions(self) -> None:
        prefix = "/portal/keys/"
        asked = Counter(
            (entry["path"].removeprefix(prefix), entry["status"])
            for entry in self.gateway.portal("GET", "log?limit=5000")["entries"]
            if entry["method"] == "DELETE" and entry["path"].startswith(prefix)
        )
        for one in self.ended:
            assert asked[one["old"], 204] == 1, "deleted once"
            assert asked[one["old"], 404] == 0, "and not asked for again"


@pytest.fixture
async def rotators(tmp_path: Path) -> Rotators:
    ready = Rotators(tmp_path / "data", MortalGateway(tmp_path / "somebody else's"))
    await ready.set_up()
    return ready


@pytest.fixture(autouse=True)
def _stopped(rotators: Rotators) -> Iterator[None]:
    yield
    rotators.gateway.stop()


def test_killed_at_every_moment_of_a_rotation(rotators: Rotators) -> None:
    # Before the first change, and after each: after one change is before the next.
    moments = every(6, (1, *range(2, _MOST_MOMENTS, 2)))
    last = next(moment for moment in moments if not rotators.run(moment))
    assert last > 2 * len(_STEPS), "each step has a moment before it and one after it"
    rotators.judge()
    assert sum(rotators.killed.values()) == moments.index(last)
    assert len(rotators.ended) == moments.index(last), "the first was killed before it had begun"
    print(dict(rotators.killed))


@pytest.mark.sweep
def test_killed_between_the_moments(rotators: Rotators) -> None:
    chance = random.Random(20261120)
    for _ in range(max(KILLS, 3)):
        rotators.run(-chance.randint(1, 30), chance.uniform(0.0, 0.03))
    rotators.run(NEVER)
    rotators.judge()
    print(dict(rotators.killed))
