"""Writes records to a file for spreadsheets (CSV) or programs (JSON), whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from keybench.core.errors import FileNotSaved
from keybench.runtime.saving import WholeFile
from keybench.runtime.worker import DaemonWorker

Record = Mapping[str, Any]
#: Given how many records are done and how many there are; 0 if they weren't counted.
Progress = Callable[[int, int], None]

# What spreadsheets take for the beginning of a formula, https://owasp.org/www-community/attacks/CSV_Injection.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width ones count too


def safe_cell(value: object) -> object:
    """Return a CSV cell's value; text that a spreadsheet would run as a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


class _Format(Protocol):
    """How records become text."""

    def begin(self) -> str:
        """Return what stands before the first record."""

    def add(self, records: Sequence[Record]) -> str:
        """Return records as text."""

    def end(self) -> str:
        """Return what stands behind the last."""


class _Csv:
    """RFC 4180, with a line of column names."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def begin(self) -> str:
        return _csv_lines([self._columns])

    def add(self, records: Sequence[Record]) -> str:
        return _csv_lines([safe_cell(record[name]) for name in self._columns] for record in records)

    def end(self) -> str:
        return ""  # the last line ends like the others


class _Json:
    """One array with an object a line."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self._between = "\n"

    def begin(self) -> str:
        return "["

    def add(self, records: Sequence[Record]) -> str:
        lines = []
        for record in records:
            named = {name: record[name] for name in self._columns}
            lines.append(f"{self._between}{json.dumps(named, ensure_ascii=False)}")
            self._between = ",\n"
        return "".join(lines)

    def end(self) -> str:
        return "\n]\n"


def _csv_lines(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


_FORMATS: Final[dict[str, Callable[[Sequence[str]], _Format]]] = {".csv": _Csv, ".json": _Json}


class RecordFile:
    """A file of records being written; every call blocks, so it belongs on a thread of its own.

    Args:
        path: Where the whole file goes; its ending says the format.
        columns: What of each record is written, in this order.

    Raises:
        FileNotSaved: The ending is none of ``.csv`` and ``.json``.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        if path.suffix.lower() not in _FORMATS:
            raise FileNotSaved(str(path), FileNotSaved.FORMAT)
        self._format = _FORMATS[path.suffix.lower()](columns)
        self._file = WholeFile(path)
        self._has_begun = False

    def add(self, records: Sequence[Record]) -> None:
        """Write more records to the draft beside the file.

        Raises:
            FileNotSaved: It can't be written.
        """
        self._begin()
        self._file.write(self._format.add(records))

    def finish(self) -> None:
        """Put the file in its place, over one of the same name.

        Raises:
            FileNotSaved: It can't be written; what was in its place is as before.
        """
        self._begin()
        self._file.write(self._format.end())
        self._file.finish()

    def give_up(self) -> None:
        """Take the draft away; safe after `finish`, and to call twice."""
        self._file.give_up()

    def _begin(self) -> None:
        if not self._has_begun:
            self._file.write(self._format.begin())
            self._has_begun = True


async def write_records(path: Path, columns: Sequence[str], pages: AsyncIterator[Sequence[Record]]) -> int:
    """Write records to a file as they come, off the loop, and return how many.

    The file appears when it is whole; cancelling this leaves none, and an older one as it was.

    Args:
        path: Ends in ``.csv`` or ``.json``.
        columns: What of each record is written, in this order.
        pages: The records, some at a time.

    Raises:
        FileNotSaved: The file can't be written.
    """
    file = RecordFile(path, columns)
    worker = DaemonWorker("keybench export")
    written = 0
    try:
        async for page in pages:
            await worker.run(partial(file.add, page))
            written += len(page)
        await worker.run(file.finish)
    except BaseException:
        await worker.run(file.give_up)
        raise
    finally:
        worker.stop()
    return written
