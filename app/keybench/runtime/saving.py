"""Saving a file whole or not at all: what stood there before stays until the new one is safe on the disk."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from keybench.core.errors import FileNotSaved
from keybench.runtime.worker import run_in_thread

UTF_8 = "utf-8"
#: With the mark by which spreadsheets know that it isn't the encoding of their country.
UTF_8_MARKED = "utf-8-sig"


async def save(path: Path, content: str | bytes, encoding: str = UTF_8) -> None:
    """Save `content` under `path`, off the loop, text in an encoding.

    Raises:
        FileNotSaved: There is no right or no room to; what stood there before is untouched.
    """
    await run_in_thread("keybench saving", partial(save_here, path, content, encoding))


def save_here(path: Path, content: str | bytes, encoding: str = UTF_8) -> None:
    """Save `content` under `path`, text in an encoding; it blocks.

    Raises:
        FileNotSaved: As `save`.
    """
    file = WholeFile(path)
    try:
        file.write(content.encode(encoding, "replace") if isinstance(content, str) else content)
        file.finish()
    finally:
        file.give_up()


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class WholeFile:
    """A file that is written piece by piece next to where it goes; every call blocks.

    What can't be encoded is written as a question mark, and line ends as they are given. A new file is its
    owner's alone, for not everybody is to read what is exported; one that is there keeps its rights, and its
    owner where the system lets us. Where a link stands, the file that it leads to is written.

    Args:
        path: Where the whole file goes, over one of the same name.
    """

    def __init__(self, path: Path) -> None:
        with suppress(OSError):  # a name that can't be is reported where it is written
            path = Path(os.path.realpath(path)) if path.is_symlink() else path
        self._path = path
        # In the same folder, so that replacing the old one is one step on every system.
        self._draft = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:8]}.part")
        self._file: BinaryIO | None = None

    def write(self, content: str | bytes) -> None:
        """Write more to the draft, which the first piece makes; text as UTF-8.

        Raises:
            FileNotSaved: It can't be written.
        """
        with self._failing():
            self._opened().write(content.encode(UTF_8, "replace") if isinstance(content, str) else content)

    def finish(self) -> None:
        """Put the file where it goes.

        Raises:
            FileNotSaved: It can't be put there; what stood there before is untouched.
        """
        with self._failing():
            file = self._opened()
            self._take_rights(file)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            self._draft.replace(self._path)

    def give_up(self) -> None:
        """Take the draft away; nothing is done after `finish`, and calling it twice does no harm."""
        if self._file is not None:
            # The failure before this one is the one to report.
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = open(self._draft, "xb", opener=_privately)  # noqa: SIM115 - `finish` closes it
        return self._file

    def _take_rights(self, file: BinaryIO) -> None:
        """Give the draft the rights of the file that it replaces."""
        try:
            before = self._path.stat()
        except FileNotFoundError:
            return
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        if hasattr(os, "fchown"):
            with suppress(OSError):  # only the administrator may give a file away
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FileNotSaved(str(self._path), error.strerror or type(error).__name__) from None
