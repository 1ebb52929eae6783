"""Which files outlive the program: in a Flatpak most folders are its sandbox's own and go when it ends."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from keybench.runtime.system import this_system

_MOUNTS: Final = Path("/proc/self/mountinfo")
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")
#: Below it in the runtime folder Flatpak keeps what a program's sandboxes share while one of them runs, such
#: as their /tmp.
_SHARED: Final = ".flatpak"


def is_kept(path: Path) -> bool:
    """Tell whether what is written under a path is there when the program has ended.

    Where that can't be told it is taken to be so.
    """
    if not this_system().in_flatpak:
        return True
    try:
        return is_kept_by(Path(os.path.realpath(path)), _MOUNTS.read_bytes())
    except (OSError, ValueError):
        return True


def is_kept_by(path: Path, mounts: bytes) -> bool:
    """Tell the same of a Flatpak by what it is made of.

    Args:
        path: An absolute path without links.
        mounts: What Linux tells of the sandbox's mounts, as in ``/proc/self/mountinfo``: proc(5).
    """
    point, root = Path("/"), Path("/")
    for line in mounts.splitlines():
        fields = line.split()
        found = _path(fields[4])
        # Of two at one place the later one covers the other.
        if path.is_relative_to(found) and found.is_relative_to(point):
            point, root = found, _path(fields[3])
    # What is mounted nowhere else is in the sandbox's own memory.
    return point != Path("/") and _SHARED not in root.parts


def _path(escaped: bytes) -> Path:
    return Path(os.fsdecode(_ESCAPED.sub(lambda code: bytes([int(code[1], 8)]), escaped)))
