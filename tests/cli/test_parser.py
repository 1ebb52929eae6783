"""The command line's words: what can be said, and what can't."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from keybench.cli import entry
from keybench.cli.commands.tour import TourOptions
from keybench.cli.parser import COMMANDS, build_parser, parse

from .conftest import CommandLine


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from parsers(sub)


def test_no_option_takes_a_value_of_a_key() -> None:
    every = build_parser([command.name for command in COMMANDS])
    options = {o for parser in parsers(every) for a in parser._actions for o in a.option_strings}
    assert "--name" in options
    assert not {o for o in options if o.strip("-") in {"value", "key-value", "secret", "password", "token"}}


def test_help_and_the_man_page_say_what_each_word_of_a_command_is_for() -> None:
    every = build_parser([command.name for command in COMMANDS])
    wordless = [
        f"{parser.prog} {' '.join(action.option_strings) or action.metavar}"
        for parser in parsers(every)
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert not wordless


def test_the_promised_commands_are_there(keybench: CommandLine) -> None:
    said = keybench("--help").out
    promised = {"practice", "tour", "environment", "key", "sale", "sales", "resume", "look-up", "history"}
    assert not [one for one in promised if f"    {one}" not in said]
    assert "30 unknown" in said


def test_a_window_in_a_folder_of_its_own_waits_for_no_command() -> None:
    program = (
        "import sys; from keybench.cli.parser import parse; parse(['--data-dir', 'x']); print(*sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "app")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "keybench.cli.parser" in done.stdout.split()
    assert not [name for name in done.stdout.split() if name.startswith(("keybench.workflows", "sqlalchemy"))]


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["key"],
        ["key", "list", "--nonsense"],
        ["key", "add", "--environment", "practice", "--name", "Till"],
        ["key", "add", "--value", "x"],
        ["environment", "add", "Shop", "--kind", "practice", "--base-url", "https://a"],
        ["sale", "--environment", "practice", "--key", "Till", "--device", "D-1"],
        ["sale", "--environment", "p", "--key", "k", "--device", "d", "--amount", "1", "--mode", "fast"],
        ["history", "--limit", "0"],
        ["practice", "--port", "70000"],
        ["tour", "--pace", "nan"],
    ],
)
def test_wrong_use_ends_with_2_and_says_so_on_standard_error(
    keybench: CommandLine, arguments: list[str]
) -> None:
    ended = keybench(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert "usage: keybench" in ended.err
    assert not keybench.composed.still_open


def test_without_a_command_the_window_opens(
    keybench: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYBENCH_DATA_DIR", str(tmp_path))
    assert keybench().status == 0
    assert keybench("--data-dir", str(tmp_path / "other")).status == 0
    assert keybench.composed.asked == [("window", tmp_path), ("window", tmp_path / "other")]


@pytest.mark.parametrize("command", [(), ("history",), ("practice",)])
def test_root_is_kept_from_the_data_folder_of_its_caller(
    keybench: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(entry, "owner_behind_sudo", lambda _folder: "anna")
    ended = keybench(*command, "--data-dir", str(tmp_path))
    assert ended.status == 1
    assert "belongs to anna" in ended.err
    assert "without sudo" in ended.err
    assert not keybench.composed.asked


def test_the_tour_and_the_practice_gateway_are_handed_what_they_need(
    keybench: CommandLine, tmp_path: Path
) -> None:
    sized = ("--text-size", "14", "--presentation")
    keybench("tour", "--pace", "0", "--screenshots", "pictures", *sized, "--json")
    replay = ("--replay", "bundle.zip")
    keybench("--data-dir", str(tmp_path), "practice", "--port", "4001", *replay, "--json")
    tour, practice = keybench.composed.asked
    assert tour == ("tour", TourOptions(0.0, "pictures", "", "14", presents=True, as_json=True))
    kind, arguments = practice  # type: ignore[misc]  # a pair
    assert kind == "practice"
    assert arguments[:4] == ["--data-dir", str(tmp_path), "--port", "4001"]
    assert arguments[-3:] == [*replay, "--json"]


def test_a_value_typed_as_an_option_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["key", "list", "--value", "made-up-value", "--secret=made-up-value"])
    said = capsys.readouterr().err
    assert "--value --secret" in said
    assert "made-up-value" not in said
