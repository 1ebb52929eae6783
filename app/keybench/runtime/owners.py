"""Which Keybench programs run on a data folder: a lock file each, which the system frees when one dies."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

_SUFFIX: Final = ".lock"
#: Another program that starts now may be looking at our new file, for a moment.
_PATIENCE_S: Final = 2.0


class FileOwners:
    """This program's mark among those that share a data folder; implements `core.ports.Owners`.

    Args:
        folder: Where the lock files are; made if it isn't there.

    Raises:
        OSError: The folder can't be written.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._me = uuid.uuid4().hex
        self._lock = FileLock(folder / f"{self._me}{_SUFFIX}")
        self._lock.acquire(timeout=_PATIENCE_S)
        self._sweep()

    @property
    def me(self) -> str:
        """This program's name for as long as it runs."""
        return self._me

    def is_running(self, owner: str) -> bool:
        """Tell whether `owner` still holds its lock."""
        if owner == self._me:
            return True
        path = self._folder / f"{owner}{_SUFFIX}"
        if not owner or not path.exists():
            return False
        probe = FileLock(path)
        try:
            probe.acquire(blocking=False)
        except Timeout:
            return True
        probe.release()
        return False

    def close(self) -> None:
        """Give the mark up; safe to call twice."""
        self._lock.release()
        (self._folder / f"{self._me}{_SUFFIX}").unlink(missing_ok=True)

    def _sweep(self) -> None:
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if path.stem != self._me:
                _remove_if_dead(path)


def _remove_if_dead(path: Path) -> None:
    # Removed while it is held, so that a program which is just starting can't lock a file that goes away.
    probe = FileLock(path)
    with suppress(Timeout), probe.acquire(blocking=False), suppress(PermissionError):
        path.unlink(missing_ok=True)
