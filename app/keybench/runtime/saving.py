"""Saving a file whole or not at all: what was there before stays until the new one is safe on the disk."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from keybench.core.errors import FileNotSaved
from keybench.runtime.file_system import expect_file
from keybench.runtime.sandbox import is_kept
from keybench.runtime.worker import DaemonWorker, run_in_thread

UTF_8 = "utf-8"
#: With the mark by which spreadsheets know that it isn't the encoding of their country.
UTF_8_MARKED = "utf-8-sig"


async def save(path: Path, content: str | bytes, encoding: str = UTF_8) -> None:
    """Save `content` under `path`, off the loop, text in an encoding."""
    await run_in_thread("keybench saving", partial(save_here, path, content, encoding))


def save_here(path: Path, content: str | bytes, encoding: str = UTF_8) -> None:
    """Save `content` under `path`, text in an encoding; it blocks."""
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
    """

    def __init__(self, path: Path) -> None:
        with suppress(OSError):  # a name that can't be is reported where it is written
            path = Path(os.path.realpath(path)) if path.is_symlink() else path
        self._path = path
        # In the same folder, so that replacing the old one is one step on every system.
        self._draft = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:8]}.part")
        self._file: BinaryIO | None = None

    def write(self, content: str | bytes) -> None:
        """Write more to the draft, which the first piece makes; text as UTF-8."""
        with self._failing():
            self._opened().write(content.encode(UTF_8, "replace") if isinstance(content, str) else content)

    def finish(self) -> None:
        """Put the file where it goes."""
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
            if not is_kept(self._path):
                raise FileNotSaved(str(self._path), FileNotSaved.NOT_KEPT)
            with suppress(FileNotFoundError):
                expect_file(self._path)
            self._file = open(self._draft, "xb", opener=_privately)  # noqa: SIM115 - `finish` closes it
        return self._file

    def _take_rights(self, file: BinaryIO) -> None:
        """Give the draft the rights of the file that it replaces."""
        try:
            before = self._path.stat()
        except FileNotFoundError:
            return
        if sys.platform != "win32":
            with suppress(OSError):  # only the administrator may give a file away
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FileNotSaved(str(self._path), error.strerror or type(error).__name__) from None


Record = Mapping[str, Any]
#: Given how many records are done and how many there are; 0 if they weren't counted.
Progress = Callable[[int, int], None]

# What spreadsheets take for the beginning of a formula, https://owasp.org/www-community/attacks/CSV_Injection.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width ones count too


def safe_cell(value: object) -> object:
    """Return a CSV cell's value; text that a spreadsheet would run as a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


async def write_records(path: Path, columns: Sequence[str], pages: AsyncIterator[Sequence[Record]]) -> int:
    """Write records to a file as they come, off the loop, and return how many.

    The file appears when it is whole; cancelling this leaves none, and an older one as it was. `path` ends in
    ``.csv`` (RFC 4180, with column names) or ``.json`` (an array, one object a line).
    """
    match path.suffix.lower():
        case ".csv":
            head, line, between, end = _csv_line(columns), _csv_record, "", ""
        case ".json":
            head, line, between, end = "[", _json_record, ",", "\n]\n"
        case _:
            raise FileNotSaved(str(path), FileNotSaved.FORMAT)
    lead = head

    def add(page: Sequence[Record]) -> None:
        nonlocal lead
        if page:
            file.write(lead + between.join(line(columns, record) for record in page))
            lead = between

    file, worker, written = WholeFile(path), DaemonWorker("keybench export"), 0
    try:
        async for page in pages:
            await worker.run(partial(add, page))
            written += len(page)
        await worker.run(partial(file.write, end if written else head + end))
        await worker.run(file.finish)
    except BaseException:
        await worker.run(file.give_up)
        raise
    finally:
        worker.stop()
    return written


def _csv_record(columns: Sequence[str], record: Record) -> str:
    return _csv_line([safe_cell(record[name]) for name in columns])


def _csv_line(cells: Sequence[object]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _json_record(columns: Sequence[str], record: Record) -> str:
    return "\n" + json.dumps({name: record[name] for name in columns}, ensure_ascii=False)
