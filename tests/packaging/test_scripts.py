"""The scripts as a person meets them: their command lines, their words, their closing lines."""

import ast
import contextlib
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import session
import steps
import sweeps
import tools
from command_line import split_at_dashes, telling_trouble
from messages import SetupError, explain_os_error, last_lines
from session import Session
from steps import Bench, Result

REPORT = """<?xml version="1.0"?><testsuites>
<testsuite tests="9" failures="2" errors="1" skipped="0"/></testsuites>"""


@pytest.mark.parametrize("name", ["run.py", "test.py"])
def test_an_older_python_can_read_the_script_as_far_as_its_message(root: Path, name: str) -> None:
    ast.parse((root / "packaging" / name).read_text("utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("name", ["run.py", "test.py"])
def test_wrong_use_is_told_without_a_traceback(root: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, root / "packaging" / name, "--nonsense"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--nonsense" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("given", "own", "passed"),
    [
        ([], [], []),
        (["--prepare"], ["--prepare"], []),
        (["--", "sale", "--", "x"], [], ["sale", "--", "x"]),
        (["--only", "lint", "--", "-k", "a"], ["--only", "lint"], ["-k", "a"]),
    ],
)
def test_the_first_dashes_divide_a_command_line(given: list[str], own: list[str], passed: list[str]) -> None:
    assert split_at_dashes(given) == (own, passed)


@pytest.mark.parametrize(
    ("trouble", "status", "words"),
    [
        (SetupError("There is no NSIS."), 1, "There is no NSIS.\n"),
        (OSError(errno.ENOSPC, "full", "/out"), 1, "The disk is full (/out). "),
        (KeyboardInterrupt(), 130, "Put away.\n"),
        (None, 130, "Put away.\n"),
    ],
)
def test_trouble_is_told_in_a_sentence_and_a_status(
    capsys: pytest.CaptureFixture[str], trouble: BaseException | None, status: int, words: str
) -> None:
    @telling_trouble(stopped="Put away.")
    def main(_arguments: list[str]) -> int:
        if trouble:
            raise trouble
        signal.raise_signal(signal.SIGTERM)
        return 0

    before = signal.getsignal(signal.SIGTERM)
    try:
        assert main([]) == status
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err.startswith(words)


@pytest.mark.parametrize(
    ("trouble", "words"), [("", "sh failed."), ("It could not be made.", "It could not be made.")]
)
def test_a_tool_that_fails_is_told_with_its_last_words(trouble: str, words: str) -> None:
    with pytest.raises(SetupError) as told:
        tools.run("sh", "-c", "echo the reason >&2; exit 3", trouble=trouble)
    assert str(told.value) == f"{words} Its last lines:\n    the reason"


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "can't be written"), (errno.EACCES, "can't be written")],
)
def test_trouble_with_the_disk_says_what_to_do(number: int, words: str) -> None:
    told = explain_os_error(OSError(number, "as the system has it", "/some/where"))
    assert words in told
    assert "/some/where" in told
    assert "start again" in told


def test_only_the_last_lines_of_a_tool_are_kept() -> None:
    kept = last_lines("\n\n".join(f"line {number}" for number in range(20)))
    assert [line.strip() for line in kept.splitlines()] == [f"line {number}" for number in range(12, 20)]


def test_pytests_results_are_counted_from_its_report(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert steps.closing_line(tmp_path / "report.xml", 1) == "6 passed, 3 failed"


def test_a_run_that_left_no_report_is_told(tmp_path: Path) -> None:
    assert "status -11" in steps.closing_line(tmp_path / "none.xml", -11)


def test_tests_beside_one_another_have_a_desktop_each() -> None:
    desktops = [Session({"DISPLAY": f":{n}", "HOME": f"/tmp/{n}", "LC_ALL": "C.UTF-8"}) for n in (1, 2)]  # noqa: S108 - nothing is put there
    assert steps.shared_among(desktops) == [
        "--tx=popen//env:HOME=/tmp/1//env:DISPLAY=:1",
        "--tx=popen//env:HOME=/tmp/2//env:DISPLAY=:2",
        "--dist=worksteal",
    ]


@pytest.mark.parametrize("everything", [False, True])
def test_the_sweeps_are_left_out_unless_all_is_asked_for(
    everything: bool,  # noqa: FBT001 - a table's column
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is marked, and what `sweeps.every` leaves out; the interpreter tells what it was started with."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$KEYBENCH_ALL" "$@" > {tmp_path}/told\n')
    python.chmod(0o755)
    desktops = contextlib.nullcontext([Session(os.environ)])
    monkeypatch.setattr(session, "private_sessions", lambda _count: desktops)
    assert steps.STEPS["tests"](Bench(tmp_path, python, everything=everything)).passed
    told = (tmp_path / "told").read_text()
    assert told.startswith("1 " if everything else "0 ")
    assert told.endswith("-m not sweep\n") is not everything


def test_a_list_of_cases_is_thinned_unless_all_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "ALL", False)
    assert sweeps.every(3, range(8)) == [0, 3, 6]
    monkeypatch.setattr(sweeps, "ALL", True)
    assert sweeps.every(3, range(8)) == [*range(8)]


def test_every_step_runs_whatever_fails_and_the_tests_have_the_last_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran: list[str] = []

    def ending(name: str, result: Result) -> None:
        monkeypatch.setitem(steps.STEPS, name, lambda _bench: ran.append(name) or result)

    ending("lint", Result(passed=False))
    ending("types", Result(passed=True))
    ending("tests", Result(passed=True, closing="5 passed, 0 failed"))
    assert not steps.run(Bench(tmp_path, Path(sys.executable)), ("tests", "types", "lint"))
    lines = capfd.readouterr().out.splitlines()
    assert ran == ["lint", "types", "tests"]
    assert [line.split()[:2] for line in lines[:3]] == [["lint", "FAILED"], ["types", "ok"], ["tests", "ok"]]
    assert lines[3:] == ["Failed: lint", "5 passed, 0 failed"]
