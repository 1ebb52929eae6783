"""What was done on this computer is found again, and handed to an auditor whole."""

from __future__ import annotations

import json
from pathlib import Path

from fakes.world import MADE_UP, Bench
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.ports import Activity, ActivityFilter
from keybench.workflows.activity import AT_A_TIME, ActivityTrail


async def recorded(bench: Bench, count: int) -> None:
    for number in range(count):
        at = bench.clock.now()
        await bench.journal.record_activity(Activity(at, "key tested", PRACTICE_ID, f"Till {number}", "200"))


async def test_what_is_done_with_a_key_is_there_newest_first(bench: Bench) -> None:
    environment = await bench.practice_environment()
    key = await bench.add_key(environment)
    await bench.console.keys.value(key, "revealed")
    await bench.console.keys.forget(environment, key)
    lines = await ActivityTrail(bench.console.world).page(ActivityFilter())
    assert [line.action for line in lines] == ["key forgotten", "value revealed", "key added"]
    assert {line.subject for line in lines} == {key.name}
    assert all(MADE_UP not in f"{line}" for line in lines)


async def test_it_is_exported_whole_however_much_there_is(bench: Bench, tmp_path: Path) -> None:
    await recorded(bench, AT_A_TIME + 3)
    told: list[int] = []
    path = tmp_path / "activity.json"
    written = await ActivityTrail(bench.console.world).export(
        ActivityFilter(), path, lambda done, _all: told.append(done)
    )
    lines = json.loads(path.read_text("utf-8"))
    assert written == len(lines) == AT_A_TIME + 3
    assert told == [AT_A_TIME, AT_A_TIME + 3]
    assert lines[0]["subject"] == f"Till {AT_A_TIME + 2}"
    assert lines[0]["environment"] == "practice"
