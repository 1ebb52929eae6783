"""The command that saves a support bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes.own_search import zip_texts
from fakes.world import MADE_UP
from keybench.core.errors import KeystoreDenied, KeystoreFailed, KeystoreLocked, KeystoreMissing
from keybench.core.support.bundle import FILES, PAGE

from .conftest import CommandLine, shows_value

SALE = ["sale", "--environment", "practice", "--key", "Till", "--device", "D-1", "--amount", "1.00", "--json"]


def documents_of(path: Path) -> dict[str, Any]:
    return {name: json.loads(text) for name, text in zip_texts(path.read_bytes()).items() if name != PAGE}


def sold(keybench: CommandLine) -> str:
    return str(keybench(*SALE).records[-1]["reference"])


def test_a_bundle_is_written(with_key: CommandLine, tmp_path: Path) -> None:
    reference = sold(with_key)
    path = tmp_path / "bundle.zip"
    ended = with_key("bundle", "--out", str(path), "--sale", reference.lower().removeprefix("kb-"), "--json")
    assert ended.status == 0
    (record,) = ended.records
    assert (record["file"], record["written"], record["files"]) == (str(path), True, list(FILES))
    assert record["sales"] == 1
    assert "Left out: The value of 1 key: never in a bundle" in ended.err
    assert MADE_UP.encode() not in path.read_bytes()
    documents = documents_of(path)
    assert [one["reference"] for one in documents["timeline.json"]["sales"]] == [reference]
    assert documents["bundle.json"]["about"] == reference
    assert not shows_value(ended.out, ended.err)


def test_without_a_sale_it_is_about_the_newest(with_key: CommandLine, tmp_path: Path) -> None:
    references = {sold(with_key), sold(with_key)}
    ended = with_key("bundle", "--out", str(tmp_path / "bundle.zip"))
    assert (ended.status, ended.out) == (
        0,
        f"Wrote {tmp_path}/bundle.zip. Checked: no key value appears here.\n",
    )
    told = documents_of(tmp_path / "bundle.zip")["timeline.json"]["sales"]
    assert {one["reference"] for one in told} == references


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
    monkeypatch.setattr("keybench.words.support.page._STYLE", f"body {{ content: '{MADE_UP}' }}")
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
    path = tmp_path / "bundle.zip"
    assert with_key("bundle", "--out", str(path), "--diagnosis", str(diagnosis)).status == 0
    assert documents_of(path)["diagnosis.json"]["verdict"] == "ours"


@pytest.mark.parametrize("content", [None, b"\xff", b"no JSON"])
def test_what_is_no_diagnosis_is_wrong_use(
    with_key: CommandLine, tmp_path: Path, content: bytes | None
) -> None:
    diagnosis = tmp_path / "diagnosis.jsonl"
    if content is not None:
        diagnosis.write_bytes(content)
    ended = with_key("bundle", "--out", str(tmp_path / "bundle.zip"), "--diagnosis", str(diagnosis))
    assert (ended.status, ended.out) == (2, "")
    assert "can't be read" in ended.err


def test_a_file_that_cannot_be_written_is_explained(with_key: CommandLine, tmp_path: Path) -> None:
    ended = with_key("bundle", "--out", str(tmp_path / "none" / "bundle.zip"))
    assert (ended.status, ended.out) == (1, "")


def test_practice_is_told_to_play_a_bundle_back(keybench: CommandLine) -> None:
    keybench("practice", "--replay", "bundle.zip")
    asked = keybench.composed.asked[-1]
    assert isinstance(asked, tuple)
    assert (asked[0], asked[1][-2:]) == ("practice", ["--replay", "bundle.zip"])
