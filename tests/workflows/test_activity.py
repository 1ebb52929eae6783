"""What was done on this computer is found again, and handed to an auditor whole."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fakes.world import MADE_UP, Bench
from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import FileNotSaved
from keybench.core.ports import Activity, ActivityFilter
from keybench.workflows.activity import AT_A_TIME, COLUMNS, ActivityTrail


@pytest.fixture
async def bench() -> Bench:
    bench = Bench()
    await bench.journal.open()
    return bench


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


async def test_a_spreadsheet_runs_nothing_of_it(bench: Bench, tmp_path: Path) -> None:
    at = bench.clock.now()
    await bench.journal.record_activity(Activity(at, "key added", "gone", '=HYPERLINK("x")', ""))
    path = tmp_path / "activity.csv"

    await ActivityTrail(bench.console.world).export(ActivityFilter(), path)

    with path.open(newline="", encoding="utf-8") as file:
        heads, line = csv.reader(file)
    assert heads == list(COLUMNS)
    assert line[heads.index("environment")] == "removed"
    assert line[heads.index("subject")] == '\'=HYPERLINK("x")'


async def test_a_file_of_no_known_form_is_refused(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(FileNotSaved):
        await ActivityTrail(bench.console.world).export(ActivityFilter(), tmp_path / "activity.doc")
