"""Keeps the process's memory to itself: no core dump, and no other program of the same user looks into it.

Linux: no core file whatever the limits and the pattern say, and no ptrace but by the system's administrator.
macOS: no core file, and no debugger attaches. Windows: a crash's report goes without the heap and without a
dialog that offers to debug; a program of the same user can still open the process, which no call of ours
prevents.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # linux/prctl.h
_PT_DENY_ATTACH: Final = 31  # sys/ptrace.h
# errhandlingapi.h and werapi.h
_SEM_FAILCRITICALERRORS: Final = 0x0001
_SEM_NOGPFAULTERRORBOX: Final = 0x0002
_WER_FAULT_REPORTING_FLAG_NOHEAP: Final = 0x0001


def leave_no_core() -> None:
    """Have a crash leave no picture of the memory; for the first line of every form of the program."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetErrorMode(_SEM_FAILCRITICALERRORS | _SEM_NOGPFAULTERRORBOX)
        kernel.WerSetFlags(_WER_FAULT_REPORTING_FLAG_NOHEAP)
    else:
        import resource  # noqa: PLC0415 - not on Windows

        with suppress(OSError, ValueError):  # somebody has set it lower
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def close_memory() -> None:
    """Close the memory to other programs; for the moment before the first value comes into it.

    Not sooner: the desktop's portal looks at who calls it first, can't at such a process, and turns it away.
    Qt asks it for the colours while the window is made, and it remembers whom it knows.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    elif sys.platform == "darwin":
        ctypes.CDLL(None).ptrace(_PT_DENY_ATTACH, 0, None, 0)
