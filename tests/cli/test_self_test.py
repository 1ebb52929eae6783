"""The self-test's bookkeeping, with processes that crash, hang and print what they like."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import textwrap
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from keybench.cli.commands.self_test import follow
from keybench.cli.output import Output
from keybench.self_test import CHECKS
from keybench.words.self_test import TITLES

from .conftest import CommandLine

PROGRAM = """
import json, os, sys
def tell(check, result="ok", no_keystore=False):
    record = {"check": check, "result": result, "took_s": 0.1, "message": "seen", "no_keystore": no_keystore}
    print(json.dumps(record), flush=True)
"""


def made(folder: Path, text: str, *, limit_s: float = 60.0) -> tuple[int, str, dict[str, str], str]:
    """Return the status, verdict, results by check and messages of checks that a program makes."""
    told, messages = io.StringIO(), io.StringIO()
    source = f"{PROGRAM}\nchecks = {list(TITLES)}\n{textwrap.dedent(text)}"
    command = [sys.executable, "-I", "-S", "-c", source]
    with redirect_stdout(told), redirect_stderr(messages):
        status = asyncio.run(follow(command, folder, Output(as_json=True), limit_s))
    *checks, verdict = [json.loads(one) for one in told.getvalue().splitlines()]
    assert verdict["exit_status"] == status
    return status, verdict["verdict"], {one["check"]: one["result"] for one in checks}, messages.getvalue()


def test_each_check_has_a_title() -> None:
    assert [check.__name__ for check in CHECKS] == list(TITLES)


def test_each_check_is_told_once_whatever_else_is_printed(tmp_path: Path) -> None:
    status, verdict, results, messages = made(
        tmp_path,
        """
        print("a library's own words")
        print("x" * 200_000)
        print(json.dumps({"say": "It asks you."}))
        for check in checks: tell(check)
        """,
    )
    assert (status, verdict, set(results.values()), list(results)) == (0, "ok", {"ok"}, list(TITLES))
    assert messages == "It asks you.\n"


def test_a_crash_fails_the_check_that_it_came_in_and_none_after_it_passes(tmp_path: Path) -> None:
    status, verdict, results, _ = made(
        tmp_path,
        """
        for check in checks:
            if check == "platforms": os.abort()
            tell(check)
        """,
    )
    assert (status, verdict) == (1, "failed")
    assert {name: result for name, result in results.items() if result != "ok"} == {
        "platforms": "failed",
        "certificates": "could_not_tell",
    }


def test_what_hangs_is_ended_and_what_there_is_no_time_for_never_passed(tmp_path: Path) -> None:
    status, _, results, _ = made(tmp_path, "import threading; threading.Event().wait()", limit_s=0.5)
    assert (status, set(results.values()), len(results)) == (1, {"could_not_tell"}, len(TITLES))


@pytest.mark.parametrize(
    ("wrong", "verdict", "status"),
    [
        ({"keystore": True}, "no_keystore", 40),
        ({"keystore": True, "sale": False}, "failed", 1),
        ({"keystore": False}, "failed", 1),
    ],
)
def test_the_verdict_is_that_of_the_worst(
    tmp_path: Path, wrong: dict[str, bool], verdict: str, status: int
) -> None:
    text = f"""
        wrong = {wrong}
        for check in checks: tell(check, "failed" if check in wrong else "ok", wrong.get(check, False))
    """
    assert made(tmp_path, text)[:2] == (status, verdict)


def test_it_stands_alone_and_its_own_process_is_started_by_a_hidden_option(
    keybench: CommandLine, tmp_path: Path
) -> None:
    assert keybench("--self-test", "history").status == 2
    assert keybench("--self-test-checks", "--data-dir", str(tmp_path)).status == 0
    assert keybench.composed.asked == [("checks", tmp_path)]
    usage = keybench("--help").out
    assert "--self-test " in usage
    assert "--self-test-checks" not in usage


def test_without_a_folder_for_temporary_files_it_says_so(
    keybench: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    ended = keybench("--self-test")
    assert ended.status == 1
    assert "No temporary folder can be made: No such file" in ended.err
