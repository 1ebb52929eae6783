"""No form of the program that has values leaves a core file, whatever the limits are."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window

_PATTERN = Path("/proc/sys/kernel/core_pattern")


def crash(process: int) -> None:
    """Let a process crash."""
    os.kill(process, signal.SIGSEGV)


def cores(folder: Path) -> list[str]:
    """Return the core files that are there."""
    return [path.name for path in folder.iterdir() if path.name.startswith("core")]


def started(command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """Start a program in a folder and wait until it has said something."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline()
    return process


def buried(process: subprocess.Popen[str]) -> int:
    """Wait for a process's end and return its status."""
    process.communicate(timeout=60)
    return process.returncode


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run in, where a program that isn't closed leaves its core file if this system has such."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    _soft, most = resource.getrlimit(resource.RLIMIT_CORE)
    assert most != 0
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    plain = started([sys.executable, "-c", "print('x', flush=True); input()"], folder)
    crash(plain.pid)
    assert buried(plain) == -signal.SIGSEGV
    assert bool(cores(folder)) is not _PATTERN.read_text().startswith(("|", "/"))
    for name in cores(folder):
        (folder / name).unlink()
    return folder


def test_the_practice_gateway_leaves_none(keybench: Keybench, place: Path) -> None:
    process = started(keybench.arguments("practice", "--until-stdin-closes"), place)
    crash(process.pid)
    assert buried(process) == -signal.SIGSEGV
    assert cores(place) == []


def test_a_command_with_a_value_leaves_none(till: Keybench, place: Path) -> None:
    arguments = ("--environment", "practice", "--key", "till", "--device", "till-1", "--amount", "90.00")
    process = started(till.arguments("sale", *arguments), place)
    crash(process.pid)
    assert buried(process) == -signal.SIGSEGV
    assert cores(place) == []


@pytest.mark.sweep
def test_the_window_leaves_none(till: Keybench, place: Path) -> None:
    with open_window(till.folder) as window:
        window.wait_until_ready()
        window.until(lambda: window.rows("Security keys"), "the keys")
        crash(window.process.pid)
        assert window.process.wait(60) == -signal.SIGSEGV
    assert cores(place) == []


_ASKED = """
import asyncio, ctypes, sys
from keybench import launch
from keybench.runtime.data_folder import DataFolder
from pathlib import Path
PR_GET_DUMPABLE = 3
async def opened():
    async with launch.open_console(DataFolder(Path(sys.argv[1]))):
        pass
before = ctypes.CDLL(None).prctl(PR_GET_DUMPABLE)
asyncio.run(opened())
print(before, ctypes.CDLL(None).prctl(PR_GET_DUMPABLE))
"""


def test_the_memory_is_closed_before_anything_is_opened(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _ASKED, str(tmp_path / "data")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1 0\n"
