"""Writes sales to a file for spreadsheets (CSV) or programs (JSON), whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

from keybench.core.errors import ExportFailed
from keybench.core.history import state_of
from keybench.core.sale import Sale

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

    def begin(self, file: TextIO) -> None:
        """Write what stands before the first record."""

    def add(self, file: TextIO, records: Sequence[Record]) -> None:
        """Write records."""

    def end(self, file: TextIO) -> None:
        """Write what stands behind the last."""


class _Csv:
    """RFC 4180, with a line of column names."""

    def begin(self, file: TextIO) -> None:
        csv.writer(file).writerow(COLUMNS)

    def add(self, file: TextIO, records: Sequence[Record]) -> None:
        csv.writer(file).writerows([safe_cell(record[name]) for name in COLUMNS] for record in records)

    def end(self, file: TextIO) -> None:
        """Write nothing: the last line ends like the others."""


class _Json:
    """One array with an object a line."""

    def __init__(self) -> None:
        self._is_first = True

    def begin(self, file: TextIO) -> None:
        file.write("[")

    def add(self, file: TextIO, records: Sequence[Record]) -> None:
        for record in records:
            file.write("\n" if self._is_first else ",\n")
            file.write(json.dumps(record, ensure_ascii=False))
            self._is_first = False

    def end(self, file: TextIO) -> None:
        file.write("\n]\n")


_FORMATS: Final[dict[str, Callable[[], _Format]]] = {".csv": _Csv, ".json": _Json}


class SaleFile:
    """A file being written; every call blocks, so it belongs on a thread of its own.

    Args:
        path: Where the whole file goes; its ending says the format.

    Raises:
        ExportFailed: The ending is none of ``.csv`` and ``.json``.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() not in _FORMATS:
            raise ExportFailed(str(path), ExportFailed.FORMAT)
        self._path = path
        self._draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._format = _FORMATS[path.suffix.lower()]()
        self._file: TextIO | None = None

    def add(self, records: Sequence[Record]) -> None:
        """Write more records to the draft beside the file.

        Raises:
            ExportFailed: It can't be written.
        """
        try:
            self._format.add(self._opened(), records)
        except OSError as error:
            raise self._failure(error) from None

    def finish(self) -> None:
        """Put the file in its place, over one of the same name.

        Raises:
            ExportFailed: It can't be written; what was in its place is as before.
        """
        try:
            file = self._opened()
            self._format.end(file)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            self._draft.replace(self._path)
        except OSError as error:
            raise self._failure(error) from None

    def give_up(self) -> None:
        """Take the draft away; safe after `finish`, and to call twice."""
        if self._file is None:
            return
        try:
            self._file.close()
            self._draft.unlink(missing_ok=True)
        except OSError:
            return  # the failure before this one is the one to tell

    def _opened(self) -> TextIO:
        if self._file is None:
            self._file = self._draft.open("w", encoding="utf-8", errors="replace", newline="")
            self._format.begin(self._file)
        return self._file

    def _failure(self, error: OSError) -> ExportFailed:
        return ExportFailed(str(self._path), error.strerror or type(error).__name__)
