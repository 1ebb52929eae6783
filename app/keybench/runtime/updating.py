"""A packed program whose file is replaced while it runs, as an update does: it goes on as it was started."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

#: The program's file on Linux, also once another one has its name.
_RUNNING: Final = Path("/proc/self/exe")


#: Which file a program was at a moment: its device, its number there, and when it was changed.
ProgramFile = tuple[int, int, int]


def program_file() -> ProgramFile | None:
    """Return which file has the packed program's name now; None if there is none, or this isn't packed."""
    if not getattr(sys, "frozen", False):
        return None
    try:
        found = Path(sys.executable).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def keep_modules() -> None:
    """Import what is imported later from the program that was started, also once it is replaced.

    A packed program's modules are in its file, which is opened by its name for each of them. In an update's
    file they are others, at other places. Linux keeps the file that runs; Windows and macOS lock it or don't
    write into it.
    """
    if not getattr(sys, "frozen", False):
        return
    with suppress(OSError, ImportError, AttributeError):  # then it imports as before
        archive = importlib.import_module("pyimod02_importers").pyz_archive
        if os.path.samefile(archive._filename, _RUNNING):  # noqa: SLF001, PTH121 - PyInstaller's only way; its text
            archive._filename = os.fspath(_RUNNING)  # noqa: SLF001 - as above
