"""The calls that keep the memory closed, on each system; Windows' and macOS' against fakes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from keybench.runtime import sealing

_PR_SET_DUMPABLE, _PR_GET_DUMPABLE = 4, 3
_PTRACE_ATTACH = 16
_NOBODY = 65534


class Library:
    """Remembers what a system's library was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., int]:
        return lambda *given: self.asked.append((name, *given)) or 0


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: library)
    monkeypatch.setattr(ctypes, "WinDLL", lambda _name: library, raising=False)
    return library


def test_on_linux_the_process_is_not_dumpable(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    sealing.close_memory()
    assert library.asked == [("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)]


def test_on_macos_no_debugger_attaches(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    sealing.close_memory()
    assert library.asked == [("ptrace", 31, 0, None, 0)]


def test_on_windows_reports_go_without_the_heap(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    sealing.leave_no_core()
    sealing.close_memory()
    assert library.asked == [("SetErrorMode", 3), ("WerSetFlags", 1)]


@pytest.mark.parametrize("closed", [False, True])
def test_a_program_of_the_same_user_can_t_look_in(closed: bool) -> None:  # noqa: FBT001 - pytest gives it by name
    """Both are another user's than root's, who may always look; the open one shows that looking works."""
    libc = ctypes.CDLL(None, use_errno=True)
    ready, told = os.pipe()
    process = os.fork()
    if process == 0:
        _become_nobody(libc)
        if closed:
            sealing.close_memory()
        os.write(told, b"x")
        signal.pause()
    assert os.read(ready, 1) == b"x"
    looker = os.fork()
    if looker == 0:
        _become_nobody(libc)
        os._exit(0 if libc.ptrace(_PTRACE_ATTACH, process, None, None) == 0 else 1)
    _, status = os.waitpid(looker, 0)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(ready)
    os.close(told)
    assert os.waitstatus_to_exitcode(status) == (1 if closed else 0)


def _become_nobody(libc: ctypes.CDLL) -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # as a program that was started by this user is
