"""Room for what becomes of the sales under way: a file next to the journal, given up when the disk is full.

All programs on one journal share it. It is made larger and smaller inside transactions that hold the
journal's write lock, so these take turns; whoever meets a full disk gives up as much as one sale needs, and
what is left is for the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

#: What one sale's answers, its outcome and their exchanges take, in bytes: some 110 KiB were seen.
EACH: Final = 128 * 1024
#: The least there is while a sale is under way: one whose answers are as large as they may be took 362 KiB.
LEAST: Final = 4 * EACH


class Reserve:
    """The file, which is there while sales are under way."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(f"{journal.name}.reserve")

    def grow(self, sales: int) -> None:
        """Have as much as so many sales under way need.

        Raises:
            OSError: There isn't so much room; it is as large as it was then.
        """
        if not sales:
            return
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            before, wanted = os.fstat(descriptor).st_size, _size(sales)
            if before < wanted:
                _allocate(descriptor, before, wanted)
        finally:
            os.close(descriptor)

    def shrink(self, sales: int) -> None:
        """Have no more than so many sales under way need, and no file for none.

        Raises:
            OSError: It can't be changed.
        """
        if not sales:
            self._path.unlink(missing_ok=True)
        elif self._held() > _size(sales):
            os.truncate(self._path, _size(sales))

    def give_up(self) -> Iterator[None]:
        """Make room for one sale, then all the room there is: at each step it may be tried again.

        Raises:
            OSError: It can't be changed.
        """
        for left in (self._held() - EACH, 0):
            if self._held():
                os.truncate(self._path, max(left, 0))
                yield

    def _held(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0


def _size(sales: int) -> int:
    return max(LEAST, sales * EACH)


def _allocate(descriptor: int, before: int, wanted: int) -> None:
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, before, wanted - before)
        else:
            os.lseek(descriptor, before, os.SEEK_SET)
            _write(descriptor, os.urandom(wanted - before))  # zeros take no room on a disk that compresses
    except OSError:
        os.ftruncate(descriptor, before)
        raise


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
