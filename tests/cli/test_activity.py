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

    ended = with_key("activity", "--out", str(path))

    assert ended.out == f"Wrote 1 line to {path}.\n"
    assert [one["action"] for one in json.loads(path.read_text("utf-8"))] == ["key added"]


def test_a_text_is_erased_when_that_is_confirmed(with_key: CommandLine) -> None:
    with_key("key", "test", "--environment", "practice", "--name", "Till")
    text = "another till"
    key = ("--environment", "practice", "--username", "mira", "--permission", "Sale", "--kind", "private")
    assert with_key("key", "add", "--name", text, *key).status == 0

    looked = with_key("activity", "--erase", "--json", stdin=f"{text}\n")

    assert looked.status == 2
    assert looked.records == [{"erased": False, "places": 2, "copies": 0}]
    assert "Nothing was erased. With --yes" in looked.err

    ended = with_key("activity", "--erase", "--yes", "--json", stdin=f"{text.upper()}\n")

    assert ended.status == 0
    assert ended.records == [{"erased": True, "places": 2, "copies": 0, "number": 4, "swept": True}]
    assert "rotate the key" in ended.err
    listed = with_key("activity", "--json").records
    assert listed[0]["action"] == "text erased"
    assert listed[0]["result"].startswith("in 2 places")
    assert listed[1]["subject"] == "[erased #4]"
    assert text not in "".join(f"{one}" for one in listed)
    names = [one["name"] for one in with_key("key", "list", "--json").records]
    assert sorted(names) == ["Till", "[erased #4]"]


def test_a_text_that_cant_be_erased_is_said_so(with_key: CommandLine) -> None:
    short = with_key("activity", "--erase", "--yes", stdin="Till")
    assert short.status == 2
    assert "6 characters at least" in short.err
    nowhere = with_key("activity", "--erase", "--yes", stdin="nowhere to be found")
    assert (nowhere.status, nowhere.out) == (0, "Erased in 0 places.\n")


def test_there_is_no_option_for_the_text(with_key: CommandLine) -> None:
    refused = with_key("activity", "--erase", "a text that is secret")
    assert refused.status == 2
    assert "secret" not in refused.err
