"""The self-test's bookkeeping, with processes that crash, hang and print what they like."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from keybench.cli.output import Output
from keybench.cli.self_test import SelfTest
from keybench.core.self_test import Check, Checked, Result, Verdict, read_line, verdict_of
from keybench.words.self_test import line, verdict_line

from .conftest import CommandLine

#: Tells each check that it is given as ok, and is found out by each test in its own way.
PROGRAM = """
import json, os, sys
checks = [name for name in sys.argv[1].split(",") if name]
def tell(check, result="ok"):
    record = {"check": check, "result": result, "took_s": 0.1, "message": "seen", "no_keystore": False}
    print(json.dumps(record), flush=True)
"""


def program(text: str) -> Callable[[Sequence[Check], Path], Sequence[str]]:
    """Return what starts a program in place of the checking process."""
    source = PROGRAM + textwrap.dedent(text)

    def command(checks: Sequence[Check], _folder: Path) -> Sequence[str]:
        return [sys.executable, "-I", "-S", "-c", source, ",".join(checks)]

    return command


def made(
    folder: Path, text: str, *, all_s: float = 60.0, stopped: bool = False
) -> tuple[int, dict[str, str], str]:
    """Run a self-test whose checks such programs make; return status, results by check, and messages."""
    told, messages = io.StringIO(), io.StringIO()
    output = Output(as_json=True, results=told, messages=messages)

    async def run() -> int:
        test = SelfTest(folder, output, command=program(text), all_s=all_s)
        if stopped:
            asyncio.get_running_loop().call_later(0.1, test.stop)
        return await test.run()

    status = asyncio.run(run())
    records = [json.loads(one) for one in told.getvalue().splitlines()]
    assert records[-1]["exit_status"] == status
    return status, {one["check"]: one["result"] for one in records[:-1]}, messages.getvalue()


def test_each_check_is_told_once_whatever_else_is_printed(tmp_path: Path) -> None:
    status, results, messages = made(
        tmp_path,
        """
        if checks:
            print("a library's own words")
            print("x" * 200_000)
            print(json.dumps({"say": "It asks you."}))
            tell("charts", "failed")  # not its turn
            for check in checks: tell(check)
        """,
    )
    assert (status, set(results.values()), list(results)) == (0, {"ok"}, [one.value for one in Check])
    assert messages == "It asks you.\n"


def test_a_crash_costs_the_check_that_it_came_in(tmp_path: Path) -> None:
    status, results, _ = made(
        tmp_path,
        """
        for check in checks:
            if check == "journal": os.abort()
            tell(check)
        """,
    )
    assert status == 1
    assert {name for name, result in results.items() if result != "ok"} == {"journal"}
    assert results["journal"] == "failed"


def test_what_hangs_is_ended_and_what_there_is_no_time_for_never_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.cli.self_test._ENDING_S", 0.2)
    status, results, messages = made(tmp_path, "import threading; threading.Event().wait()", all_s=0.5)
    assert (status, set(results.values())) == (1, {"could_not_tell"})
    assert len(results) == len(Check)
    assert "may be left in the keystore" in messages, "its clean-up hung, too"


def test_one_that_is_stopped_tells_no_check_that_was_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, results, _ = made(tmp_path, "import sys; sys.stdin.read() if checks else None", stopped=True)
    assert (status, results) == (1, {})


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [
        ({}, Verdict.OK),
        ({Check.KEYSTORE: True}, Verdict.NO_KEYSTORE),
        ({Check.KEYSTORE: True, Check.SALE: True}, Verdict.NO_KEYSTORE),
        ({Check.KEYSTORE: True, Check.SALE: False}, Verdict.FAILED),
        ({Check.KEYSTORE: False}, Verdict.FAILED),
    ],
)
@pytest.mark.parametrize("result", [Result.FAILED, Result.COULD_NOT_TELL])
def test_the_verdict_is_that_of_the_worst(wrong: dict[Check, bool], verdict: Verdict, result: Result) -> None:
    checks = [
        Checked(one, result if one in wrong else Result.OK, 0.1, "seen", no_keystore=wrong.get(one, False))
        for one in Check
    ]
    assert verdict_of(checks) is verdict
    assert verdict_of(checks[1:]) is Verdict.STOPPED
    assert [read_line(json.dumps(one.record()).encode()) for one in checks] == checks
    assert all("\n" not in line(one) for one in checks)
    assert verdict_line(checks, "1.2.3", 4.0).startswith("Keybench 1.2.3: ")


@pytest.mark.parametrize(
    "told", [b"", b"[]", b"1", b"{}", b'{"check": "window"}', b'{"check": [], "say": ""}']
)
def test_a_line_that_is_none_of_ours_says_nothing(told: bytes) -> None:
    assert read_line(told) is None


def test_it_stands_alone_and_its_own_process_is_started_by_a_hidden_option(keybench: CommandLine) -> None:
    assert keybench("--self-test", "history").status == 2
    assert keybench("--self-test-checks", "window,sale").status == 0
    assert keybench.composed.asked == [("checks", [Check.WINDOW, Check.SALE])]
    assert keybench("--self-test-checks", "nothing").status == 2
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
