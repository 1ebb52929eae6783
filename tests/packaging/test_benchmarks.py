"""The measurements: a table, a file, and a status that says only whether they could be made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.figures import Figure


@pytest.fixture(autouse=True)
def _measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two measurements: one whose figure isn't as wanted, and one that can't be made."""

    def fails(_folder: Path) -> list[Figure]:
        raise RuntimeError("there is nothing to measure with")

    slow = [Figure("the longest the loop stood still", 51.25, "ms", 50), Figure("memory", 1234.5, "MB")]
    for name, measure in (("slow", lambda _folder: slow), ("broken", fails)):
        module = ModuleType(f"benchmarks.{name}")
        vars(module)["measure"] = measure
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(benchmarks.NAMES, name, "made up")


def test_a_figure_that_is_not_as_wanted_is_told_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "build" / "figures.json"
    assert benchmarks.main(["slow", "--json", str(file)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["what", "seen", "wanted"]
    assert lines[1] == ["the", "longest", "the", "loop", "stood", "still", "51.25", "ms", "50"]
    assert lines[2] == ["memory", "1,234.50", "MB"]
    told = json.loads(file.read_text("utf-8"))
    assert told["figures"][0] == {
        "of": "slow",
        "name": "the longest the loop stood still",
        "value": 51.25,
        "unit": "ms",
        "wanted": 50,
    }


def test_what_can_not_be_measured_is_told_and_the_rest_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmarks.main(["broken", "slow", "--json", str(tmp_path / "figures.json")]) == 1
    said = capsys.readouterr()
    assert "nothing to measure with" in said.err
    assert "Not measured: broken" in said.err
    assert "51.25" in said.out


def test_an_unknown_measurement_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        benchmarks.main(["nothing", "--json", str(tmp_path / "figures.json")])
    assert ended.value.code == 2
