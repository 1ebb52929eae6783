"""The steps of the check: formatter, linter, types, import rules, tests; each with its outcome and time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import session
from messages import say

NAMES = ("format", "lint", "types", "imports", "tests")
_MOST_DESKTOPS = 8
_ELSEWHERE = "linux" if sys.platform == "win32" else "win32"
_COUNTED = ("tests", "failures", "errors", "skipped")


@dataclass(frozen=True)
class Result:
    """How a step ended.

    Attributes:
        passed: whether it found nothing wrong.
        closing: a plain last line of its own, where it has one.
    """

    passed: bool
    closing: str = ""


@dataclass(frozen=True)
class Bench:
    """Where the steps work.

    Attributes:
        root: the checkout's top folder.
        python: the interpreter of Keybench's own environment.
        more: what the person wants to add to the command line of pytest, or of the benchmarks.
        everything: whether the sweeps run as well, and the types are checked for another system.
    """

    root: Path
    python: Path
    more: Sequence[str] = ()
    everything: bool = False


def run(bench: Bench, names: Sequence[str]) -> bool:
    """Run the named steps in their order, all of them whatever fails; say how each ended."""
    failed, closing = [], ""
    for name in (each for each in NAMES if each in names):
        began = time.monotonic()
        result = STEPS[name](bench)
        say(summary_line(name, result, time.monotonic() - began))
        closing = result.closing or closing
        if not result.passed:
            failed.append(name)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    if closing:
        say(closing)
    return not failed


def benchmarks(bench: Bench) -> int:
    """Measure time, memory and processor in a session of their own, and return the measurements' status."""
    told = bench.root / "build" / "benchmarks.json"
    command = [os.fspath(bench.python), "-m", "benchmarks", "--json", os.fspath(told), *bench.more]
    with session.private_session() as desktop:
        return desktop.run(command, bench.root, PYTHONPATH=os.fspath(bench.root / "tests"))


def summary_line(name: str, result: Result, seconds: float) -> str:
    """Return the one line that tells how a step ended and how long it took."""
    return f"{name:<8} {'ok' if result.passed else 'FAILED':<7} {seconds:6.1f} s"


def closing_line(report: Path, status: int) -> str:
    """Count pytest's results from its JUnit report; say so where it ended without one."""
    try:
        suites = ET.parse(report).getroot().iter("testsuite")  # noqa: S314 - our own file, see above
        counts = [{name: int(suite.get(name, "0")) for name in _COUNTED} for suite in suites]
    except (OSError, ET.ParseError):
        return f"pytest ended with status {status} before it could count its results"
    total = {name: sum(count[name] for count in counts) for name in _COUNTED}
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    skipped = f", {total['skipped']} skipped" if total["skipped"] else ""
    return f"{passed} passed, {failed} failed{skipped}"


def _format(bench: Bench) -> Result:
    return _tool(bench, ["-m", "ruff", "format", "--check", "."])


def _lint(bench: Bench) -> Result:
    return _tool(bench, ["-m", "ruff", "check", "."])


def _types(bench: Bench) -> Result:
    # The set-up scripts find one another by their own folder, so they are looked at from there.
    scripts = sorted(os.fspath(path) for path in (bench.root / "packaging").glob("*.py"))
    mypy = ["-m", "mypy"]
    checks = [
        _tool(bench, mypy),
        _tool(bench, [*mypy, "--strict", *scripts], MYPYPATH="packaging"),
    ]
    if bench.everything:
        # What there is on POSIX alone, such as os.fchmod, isn't there on Windows, where few try it.
        elsewhere = ["--cache-dir", f".mypy_cache/{_ELSEWHERE}", "--platform", _ELSEWHERE]
        checks.append(_tool(bench, [*mypy, *elsewhere]))
    return Result(all(one.passed for one in checks))


def _imports(bench: Bench) -> Result:
    return _tool(bench, ["-c", "from importlinter.cli import lint_imports_command as check; check()"])


def _tests(bench: Bench) -> Result:
    with (
        tempfile.TemporaryDirectory(prefix="kb-report-") as folder,
        session.private_sessions(_desktops()) as desktops,
    ):
        report = Path(folder) / "report.xml"
        shared = [] if "no:xdist" in bench.more else shared_among(desktops)
        command = [os.fspath(bench.python), "-m", "pytest", f"--junit-xml={report}"]
        chosen = [] if bench.everything else ["-m", "not sweep"]
        # tests/sweeps.py reads the variable.
        status = desktops[0].run(
            [*command, *shared, *chosen, *bench.more], bench.root, KEYBENCH_ALL=str(int(bench.everything))
        )
        if status:
            say(f"pytest ended with status {status}")
        return Result(status == 0, closing_line(report, status))


def shared_among(desktops: Sequence[session.Session]) -> list[str]:
    """Return what has pytest-xdist run the tests beside one another, a process on each of the desktops.

    A process that has run out of tests takes half of what another one still has: the long ones needn't be
    known beforehand, and neighbours, which share fixtures, mostly stay together.
    """
    places = [
        "//".join(["popen", *(f"env:{name}={value}" for name, value in one.own.items())]) for one in desktops
    ]
    return [*(f"--tx={place}" for place in places), "--dist=worksteal"]


def _desktops() -> int:
    """Return how many desktops the tests are shared among: two more than processors, for many tests wait."""
    if sys.platform != "linux":
        return 1  # there is one keyring and one screen, the person's
    return min(len(os.sched_getaffinity(0)) + 2, _MOST_DESKTOPS)


def _tool(bench: Bench, arguments: Sequence[str], **variables: str) -> Result:
    """Run one of the tools; show what it says only when it finds something."""
    done = subprocess.run(
        [os.fspath(bench.python), *arguments],
        cwd=bench.root,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        say(done.stdout.rstrip())
    return Result(done.returncode == 0)


STEPS: dict[str, Callable[[Bench], Result]] = {
    "format": _format,
    "lint": _lint,
    "types": _types,
    "imports": _imports,
    "tests": _tests,
}
