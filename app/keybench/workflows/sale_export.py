"""Writes sales to a file for spreadsheets (CSV) or programs (JSON), whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from keybench.core.errors import FileNotSaved
from keybench.core.history import state_of
from keybench.core.sale import Sale
from keybench.runtime.saving import WholeFile

Record = dict[str, Any]

COLUMNS: Final = (
    "noted",
    "environment",
    "device",
    "amount",
    "currency",
    "key",
    "state",
    "reason",
    "message",
    "elapsed_s",
    "reference",
    "request_id",
    "transaction",
    "authorisation",
    "mode",
    "polls",
    "status",
)
# What spreadsheets take for the beginning of a formula, https://owasp.org/www-community/attacks/CSV_Injection.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width ones count too


def record_of(sale: Sale, environment: str) -> Record:
    """Return a sale as it is exported.

    Args:
        sale: Which.
        environment: The name of its environment, or ``removed``.
    """
    verdict = sale.verdict
    return {
        "noted": sale.noted_at.isoformat(),
        "environment": environment,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "key": sale.key_name,
        "state": str(state_of(sale)),
        "reason": verdict.reason if verdict else "",
        "message": verdict.message if verdict else "",
        "elapsed_s": None if sale.elapsed_s is None else round(sale.elapsed_s, 3),
        "reference": sale.reference,
        "request_id": sale.request_id,
        "transaction": verdict.transaction_id if verdict else "",
        "authorisation": verdict.authorisation if verdict else "",
        "mode": sale.mode.value,
        "polls": sale.polls,
        "status": verdict.status if verdict else None,
    }


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

    def begin(self) -> str:
        return _csv_lines([COLUMNS])

    def add(self, records: Sequence[Record]) -> str:
        return _csv_lines([safe_cell(record[name]) for name in COLUMNS] for record in records)

    def end(self) -> str:
        return ""  # the last line ends like the others


class _Json:
    """One array with an object a line."""

    def __init__(self) -> None:
        self._between = "\n"

    def begin(self) -> str:
        return "["

    def add(self, records: Sequence[Record]) -> str:
        lines = []
        for record in records:
            lines.append(f"{self._between}{json.dumps(record, ensure_ascii=False)}")
            self._between = ",\n"
        return "".join(lines)

    def end(self) -> str:
        return "\n]\n"


def _csv_lines(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


_FORMATS: Final[dict[str, Callable[[], _Format]]] = {".csv": _Csv, ".json": _Json}


class SaleFile:
    """A file of sales being written; every call blocks, so it belongs on a thread of its own.

    Args:
        path: Where the whole file goes; its ending says the format.

    Raises:
        FileNotSaved: The ending is none of ``.csv`` and ``.json``.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() not in _FORMATS:
            raise FileNotSaved(str(path), FileNotSaved.FORMAT)
        self._format = _FORMATS[path.suffix.lower()]()
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
