"""The command that looks through what was done on this computer."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import CommandLine


def test_what_was_done_is_listed_newest_first(with_key: CommandLine) -> None:
    with_key("key", "test", "--environment", "practice", "--name", "Till")

    listed = with_key("activity", "--json")

    assert listed.status == 0
    assert [one["action"] for one in listed.records] == ["key tested", "key added"]
    assert listed.records[0]["environment"] == "practice"
    assert "Key tested  Till  practice" in with_key("activity", "--limit", "1").out


def test_it_is_found_by_its_words_and_days(with_key: CommandLine) -> None:
    assert len(with_key("activity", "--json", "--find", "ADDED till").records) == 1
    assert with_key("activity", "--json", "--find", "forgotten").records == []
    assert with_key("activity", "--json", "--until", "1999-12-31").records == []
    assert len(with_key("activity", "--json", "--environment", "practice").records) == 1


def test_it_is_written_to_a_file(with_key: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "activity.json"
    with_key("key", "test", "--environment", "practice", "--name", "Till")

    for limit, written in ((["--limit", "1"], "1 line"), ([], "2 lines")):
        ended = with_key("activity", "--out", str(path), *limit)
        assert ended.out == f"Wrote {written} to {path}.\n"
    assert [one["action"] for one in json.loads(path.read_text("utf-8"))] == ["key tested", "key added"]
