"""The suite itself: in the background, too, it can stop programs, and what hangs ends with a stack."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_TESTS = Path(__file__).resolve().parent.parent
_STOPS = """
import signal, subprocess, sys

def test_stops_its_child():
    child = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child.stdout.readline()
    for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        assert signal.getsignal(one) is not signal.SIG_IGN
    child.send_signal(signal.SIGINT)
    assert child.wait()
    child.stdout.close()
"""
_HANGS = """
import subprocess, sys

def test_waits_for_its_child():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"]) as child:
        child.wait()
"""


def _run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a test by the suite's own settings, started as a shell starts what runs in the background."""
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    before = {
        one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
    }
    try:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "conftest", f"--rootdir={folder}", "-q", *options],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.fspath(_TESTS)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="no process inherits ignored signals there")
def test_a_program_that_a_test_starts_can_be_interrupted(tmp_path: Path) -> None:
    done = _run(tmp_path, _STOPS)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no process inherits ignored signals there")
def test_a_test_that_hangs_past_its_limit_ends_with_a_stack(tmp_path: Path) -> None:
    done = _run(tmp_path, _HANGS, "-o", "timeout=1")
    assert done.returncode == 1
    assert "in test_waits_for_its_child" in done.stderr
