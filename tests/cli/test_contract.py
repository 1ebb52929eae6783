"""`keybench contract`: what a file says, or which file, field and reason keep it from being used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import keybench as package
from cli.conftest import CommandLine

MINE = 'extends = "v5"\ntitle = "Ours"\ndeadline_s = 120\n'


def test_a_good_file_is_summed_up(keybench: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(MINE, encoding="utf-8")
    ended = keybench("contract", "check", str(path))
    assert ended.status == 0
    assert "ours can be used: Ours" in ended.out
    assert "sale async: POST /api/v5/devices/{device_id}/payment-requests/sale" in ended.out
    assert "modes: async, sync" in ended.out
    assert "deadline_s: 120" in ended.out
    (record,) = keybench("contract", "check", "--json", str(path)).records
    assert (record["contract"], record["usable"], record["deadline_s"]) == ("ours", True, 120.0)
    assert record["modes"] == ["async", "sync"]
    assert keybench.composed.still_open == 0


@pytest.mark.parametrize(
    ("content", "field", "reason"),
    [
        (MINE.replace("120", "'soon'"), "deadline_s", "not a number"),
        (MINE.replace("title", "titel"), "titel", "unknown field"),
        (MINE + "[sales.sync]\nbody = 'xml'", "sales.sync.body", "neither json nor form"),
        ("title = ", "", "isn't TOML"),
        (None, "", "can't be read"),
    ],
)
def test_a_wrong_file_names_file_field_and_reason(
    keybench: CommandLine, tmp_path: Path, content: str | None, field: str, reason: str
) -> None:
    path = tmp_path / "ours.toml"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    ended = keybench("contract", "check", str(path))
    assert ended.status == 2
    assert ended.out == ""
    assert "ours.toml" in ended.err
    assert field in ended.err
    assert reason in ended.err
    (record,) = keybench("contract", "check", "--json", str(path)).records
    assert (record["file"], record["field"], record["exit_status"]) == ("ours.toml", field, 2)
    assert record["reason"].startswith(reason)


def test_presets_and_ones_own_are_listed_with_their_troubles(keybench: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    folder.mkdir()
    (folder / "ours.toml").write_text(MINE, encoding="utf-8")
    (folder / "broken.toml").write_text("title = 5", encoding="utf-8")
    ended = keybench("--data-dir", str(tmp_path), "contract", "list")
    assert ended.status == 0
    lines = {line.split()[0]: line for line in ended.out.splitlines()}
    assert lines["ours"] == "ours  yours  Ours"
    assert "can't be used: broken.toml" in lines["broken"]
    assert "not for choosing" in lines["practice"]
    records = keybench("--data-dir", str(tmp_path), "contract", "list", "--json").records
    usable = {record["contract"]: record["usable"] for record in records}
    assert {name for name, can_be in usable.items() if not can_be} == {"broken"}


def test_the_http_library_and_the_journal_stay_out_of_it(tmp_path: Path) -> None:
    code = (
        "import sys; from keybench import launch; from keybench.cli.entry import run;"
        f"run(['--data-dir', {str(tmp_path)!r}, 'contract', 'list'], launch);"
        "print({'httpx', 'sqlalchemy', 'keyring', 'PySide6'} & set(sys.modules))"
    )
    source = {"PYTHONPATH": str(Path(package.__file__).parent.parent)}
    told = subprocess.check_output([sys.executable, "-c", code], env=os.environ | source, text=True)
    assert told.splitlines()[-1] == "set()"
    assert list(tmp_path.iterdir()) == []


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\r"


def is_harmless(text: str) -> bool:
    return all(character.isprintable() or character in "\n\t" for character in text)


@pytest.mark.parametrize(
    "content",
    [
        MINE.replace("Ours", HOSTILE.encode("unicode_escape").decode().replace("\\x", "\\u00")),
        MINE + '"{}" = 1'.format(HOSTILE.encode("unicode_escape").decode().replace("\\x", "\\u00")),
    ],
)
def test_nothing_of_a_file_commands_the_terminal(keybench: CommandLine, tmp_path: Path, content: str) -> None:
    path = tmp_path / f"ours{HOSTILE}.toml"
    path.write_text(content, encoding="utf-8")
    ended = keybench("contract", "check", str(path))
    assert "\\x1b[2J" in ended.out + ended.err
    assert is_harmless(ended.out)
    assert is_harmless(ended.err)


def test_a_mistaken_argument_does_not_command_the_terminal(keybench: CommandLine) -> None:
    ended = keybench("contract", "check", "one", HOSTILE)
    assert ended.status == 2
    assert is_harmless(ended.err)
