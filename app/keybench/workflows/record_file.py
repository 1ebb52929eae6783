"""Writes records to a file for spreadsheets (CSV) or programs (JSON), whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

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


async def write_records(path: Path, columns: Sequence[str], pages: AsyncIterator[Sequence[Record]]) -> int:
    """Write records to a file as they come, off the loop, and return how many.

    The file appears when it is whole; cancelling this leaves none, and an older one as it was.

    Args:
        path: Ends in ``.csv`` (RFC 4180, with column names) or ``.json`` (an array, one object a line).
        columns: What of each record is written, in this order.
        pages: The records, some at a time.

    Raises:
        FileNotSaved: The file can't be written.
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
