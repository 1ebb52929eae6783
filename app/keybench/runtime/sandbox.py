"""What a Flatpak's sandbox makes of files: most folders go with it, and others have other paths."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from keybench.runtime.file_system import MOUNTS, mount_of
from keybench.runtime.system import this_system

#: Below it in the runtime folder Flatpak keeps what a program's sandboxes share while one of them runs, such
#: as their /tmp.
_SHARED: Final = ".flatpak"
#: The file system through which the desktop hands over single files.
_HANDED_OVER: Final = "fuse.portal"


def is_kept(path: Path) -> bool:
    """Tell whether what is written under a path is there when the program has ended.

    Where that can't be told it is taken to be so.
    """
    if not this_system().in_flatpak:
        return True
    try:
        return is_kept_by(Path(os.path.realpath(path)), MOUNTS.read_bytes())
    except (OSError, ValueError):
        return True


def is_kept_by(path: Path, mounts: bytes) -> bool:
    """Tell the same of a Flatpak by what it is made of.

    Args:
        path: An absolute path without links.
        mounts: What Linux tells of the sandbox's mounts, as in ``/proc/self/mountinfo``.
    """
    mount = mount_of(path, mounts)
    # What is mounted nowhere else is in the sandbox's own memory.
    return mount is not None and mount.point != Path("/") and _SHARED not in mount.root.parts


def shown_path(path: Path) -> str:
    """Return a file's path as people know it: its name where a Flatpak was handed it under another path."""
    if this_system().in_flatpak:
        with suppress(OSError, ValueError):
            mount = mount_of(Path(os.path.realpath(path)), MOUNTS.read_bytes())
            if mount is not None and mount.kind == _HANDED_OVER:
                return path.name
    return str(path)
