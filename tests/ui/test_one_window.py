"""One window a data folder: the second start asks the first, and takes over when that one is gone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from fakes.waiting import Until
from keybench import __version__
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.worker import run_in_thread
from keybench.ui.shell import one_window
from keybench.ui.shell.one_window import OneWindow, WindowSilent, socket_name


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def held(folder: DataFolder) -> Iterator[FileLock]:
    """The lock of another program, which listens to nobody."""
    folder.root.mkdir(parents=True)
    lock = FileLock(folder.window_lock)
    with lock:
        yield lock


async def test_the_first_to_claim_it_has_it(folder: DataFolder) -> None:
    first = OneWindow(folder)
    assert await first.claim()
    first.listen()
    first.close()
    first.close()
    again = OneWindow(folder)
    assert await again.claim()
    again.close()


async def test_a_program_that_gives_no_answer_is_not_waited_for_for_ever(
    folder: DataFolder, held: FileLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_window, "_PATIENCE_S", 0.2)
    with pytest.raises(WindowSilent):
        await OneWindow(folder).claim()


async def test_the_window_is_taken_over_when_the_other_program_ends_meanwhile(
    folder: DataFolder, held: FileLock, until: Until
) -> None:
    waiting = OneWindow(folder)
    held.release()
    assert await waiting.claim()
    waiting.close()


async def test_a_folder_that_cannot_be_used_is_the_windows_to_explain(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("This is no folder.")
    window = OneWindow(DataFolder(tmp_path / "data"))
    assert await window.claim()
    window.listen()
    window.close()


async def test_a_long_path_and_a_socket_left_by_a_killed_program_are_no_obstacle(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / ("long " * 30))
    first = OneWindow(folder)
    _leave_behind(first)
    assert await first.claim()
    first.listen()
    assert first._server.isListening()
    first.close()


def _leave_behind(window: OneWindow) -> None:
    """Put a file where its socket will be."""
    Path(window._name).write_text("left behind")


# --- other versions, other places ----------------------------------------------------------------


def say(name: str, words: str) -> str:
    """Say something to a window as another start does, and return what it answers."""
    with socket.socket(socket.AF_UNIX) as start:
        start.connect(name)
        start.sendall(words.encode())
        return start.recv(100).decode()


@pytest.mark.parametrize(
    ("words", "answer", "met"),
    [
        ("token\n9.9.9\n", f"shown {__version__}", ["9.9.9"]),
        (f"token\n{__version__}\n", f"shown {__version__}", []),
        ("token\n", "shown", []),
    ],
)
async def test_a_start_of_another_version_is_told_and_meant(
    folder: DataFolder, words: str, answer: str, met: list[str]
) -> None:
    window, versions, tokens = OneWindow(folder), list[str](), list[str]()
    window.show = lambda token: not tokens.append(token)  # type: ignore[func-returns-value]  # it is None
    window.met = versions.append
    assert await window.claim()
    window.listen()
    assert await run_in_thread("another start", lambda: say(window._name, words)) == answer
    assert (tokens, versions) == (["token"], met)
    window.close()


#: A window's program that answers one start with its argument, and prints what it was told.
ANSWERS = """
import socket, sys
with socket.socket(socket.AF_UNIX) as window:
    window.bind(sys.argv[1])
    window.listen()
    print("listening", flush=True)
    start, _ = window.accept()
    print(start.recv(100).decode().splitlines()[-1], flush=True)
    start.sendall(sys.argv[2].encode())
"""


@contextmanager
def a_window(name: str, answer: str) -> Iterator[subprocess.Popen[str]]:
    """Run that program: here, a start that waits for its answer would hold the interpreter.

    A killed program of an earlier run may have left its socket: folders of tests come by the same name again.
    """
    Path(name).unlink(missing_ok=True)
    arguments = [sys.executable, "-S", "-c", ANSWERS, name, answer]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as window:
        yield window
    Path(name).unlink()


@pytest.mark.parametrize(("answer", "other"), [("shown 9.9.9", "9.9.9"), ("shown", "")])
async def test_the_version_of_the_window_that_was_shown_is_known(
    folder: DataFolder, held: FileLock, answer: str, other: str
) -> None:
    start = OneWindow(folder)
    with a_window(start._name, answer) as window:
        assert window.stdout
        assert window.stdout.readline() == "listening\n"
        assert not await start.claim()
        assert window.stdout.readline().strip() == __version__
    assert start.other == other


def test_the_socket_is_where_the_environment_has_no_part_in_it_and_its_path_is_short(
    folder: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = socket_name(folder.root)
    deep = tmp_path / ("long " * 30)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    assert socket_name(folder.root) == before
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert len(os.fsencode(socket_name(folder.root))) <= 103
