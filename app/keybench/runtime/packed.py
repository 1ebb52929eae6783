"""What a packed program needs to go on while its files are replaced or taken away, as by an upgrade."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

#: The file that this process runs, even where another one has its name by now.
_RUNNING: Final = Path("/proc/self/exe")


def hold_archive() -> None:
    """Import from the file that runs: PyInstaller's loader would read another one, or end the program.

    It looks the program up by its name at each import, and many come late. Windows lets nobody replace what
    runs.
    """
    archive = getattr(__spec__.loader, "_pyz_archive", None)
    if archive and _RUNNING.exists():
        archive._filename = os.fspath(_RUNNING)  # noqa: SLF001 - it offers no other way


def was_replaced() -> bool:
    """Tell whether a packed program isn't any more where it was started, or another one is."""
    if not getattr(sys, "frozen", False) or not _RUNNING.exists():
        return False
    try:
        return not _RUNNING.samefile(sys.executable)
    except FileNotFoundError:
        return True
