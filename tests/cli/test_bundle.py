"""The command that saves a support bundle, and shows one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes.world import MADE_UP
from keybench.core.bundle import FILES
from keybench.core.errors import KeystoreDenied, KeystoreFailed, KeystoreLocked, KeystoreMissing

from .conftest import CommandLine, shows_value

SALE = ["sale", "--environment", "practice", "--key", "Till", "--device", "D-1", "--amount", "1.00", "--json"]


def sold(keybench: CommandLine) -> str:
    return str(keybench(*SALE).records[-1]["reference"])


def test_a_bundle_is_written_and_shown_again(with_key: CommandLine, tmp_path: Path) -> None:
    reference = sold(with_key)
    path = tmp_path / "bundle.zip"
    ended = with_key("bundle", "--out", str(path), "--sale", reference.lower().removeprefix("kb-"), "--json")
    assert ended.status == 0
    (record,) = ended.records
    assert (record["file"], record["written"], record["files"]) == (str(path), True, list(FILES))
    assert record["sales"] == 1
    assert "Left out: The value of 1 key: never in a bundle" in ended.err
    assert MADE_UP.encode() not in path.read_bytes()
    shown = with_key("bundle", "--open", str(path), "--json")
    (documents,) = shown.records
    assert [one["reference"] for one in documents["timeline.json"]["sales"]] == [reference]
    assert documents["bundle.json"]["about"] == reference
    told = with_key("bundle", "--open", str(path))
    assert told.out.startswith(f"Support bundle about the sale {reference}\n")
    assert not shows_value(ended.out, ended.err, shown.out, told.out)


def test_without_a_sale_it_is_about_the_newest(with_key: CommandLine, tmp_path: Path) -> None:
    references = {sold(with_key), sold(with_key)}
    ended = with_key("bundle", "--out", str(tmp_path / "bundle.zip"))
    assert (ended.status, ended.out) == (
        0,
        f"Wrote {tmp_path}/bundle.zip. Checked: no key value appears here.\n",
    )
    shown = with_key("bundle", "--open", str(tmp_path / "bundle.zip"), "--json")
    assert {one["reference"] for one in shown.records[0]["timeline.json"]["sales"]} == references


@pytest.mark.parametrize(
    "failure", [KeystoreLocked(), KeystoreMissing(), KeystoreDenied(), KeystoreFailed("DBusError")]
)
def test_without_the_keystore_nothing_is_written(
    with_key: CommandLine, tmp_path: Path, failure: Exception
) -> None:
    sold(with_key)
    with_key.bench.keystore.failure = failure
    ended = with_key("bundle", "--out", str(tmp_path / "bundle.zip"), "--json")
    assert ended.status == 40
    assert ended.records[-1]["written"] is False
    assert list(tmp_path.iterdir()) == []


def test_what_must_not_leave_is_found_and_said_and_nothing_is_written(
    with_key: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sold(with_key)
    monkeypatch.setattr("keybench.words.bundle_page._STYLE", f"body {{ content: '{MADE_UP}' }}")
    path = tmp_path / "bundle.zip"
    path.write_text("the one before")
    ended = with_key("bundle", "--out", str(path), "--json")
    assert ended.status == 1
    assert path.read_text() == "the one before"
    found = ended.records[-1]["found"][0]
    assert (found["what"], found["file"]) == ("the value of the key “Till”", "read-me-first.html")
    assert "the value of the key “Till” in read-me-first.html, line " in ended.err
    assert not shows_value(ended.out, ended.err)


def test_a_diagnosis_goes_along(with_key: CommandLine, tmp_path: Path) -> None:
    lines = [{"check": "key", "result": "fault"}, {"verdict": "ours", "causes": []}]
    diagnosis = tmp_path / "diagnosis.jsonl"
    diagnosis.write_text("\n".join(map(json.dumps, lines)))
    path = str(tmp_path / "bundle.zip")
    assert with_key("bundle", "--out", path, "--diagnosis", str(diagnosis)).status == 0
    shown = with_key("bundle", "--open", path, "--json")
    assert shown.records[0]["diagnosis.json"]["verdict"] == "ours"


@pytest.mark.parametrize("content", [None, b"", b"PK not really"])
def test_what_is_no_bundle_is_wrong_use(keybench: CommandLine, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bundle.zip"
    if content is not None:
        path.write_bytes(content)
    ended = keybench("bundle", "--open", str(path))
    assert (ended.status, ended.out) == (2, "")
    assert "bundle" in ended.err or "can't be read" in ended.err


def test_a_file_that_cannot_be_written_is_explained(with_key: CommandLine, tmp_path: Path) -> None:
    ended = with_key("bundle", "--out", str(tmp_path / "none" / "bundle.zip"))
    assert (ended.status, ended.out) == (1, "")


def test_one_of_two_things_is_asked_for(keybench: CommandLine) -> None:
    assert keybench("bundle").status == 2


def test_practice_is_told_to_play_a_bundle_back(keybench: CommandLine) -> None:
    keybench("practice", "--replay", "bundle.zip")
    asked = keybench.composed.asked[-1]
    assert isinstance(asked, tuple)
    assert (asked[0], asked[1][-2:]) == ("practice", ["--replay", "bundle.zip"])
