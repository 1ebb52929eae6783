"""Reads lists of devices from files and saves a run's results; every call blocks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from keybench.core.csv_lists import MOST_BYTES, DeviceList, read_device_list
from keybench.core.environment import Environment
from keybench.core.input_errors import DeviceListInvalid
from keybench.core.run_account import RowResult
from keybench.runtime.saving import UTF_8_MARKED, save_here
from keybench.ui.devices.tables import result_note
from keybench.workflows.record_file import safe_cell

_COLUMNS: Final = (
    *("row", "environment", "kind", "device", "amount", "currency", "state", "elapsed_s"),
    *("reference", "request_id", "transaction", "message", "note"),
)


def read_list(path: Path, amount: str, currency: str) -> DeviceList:
    """Read a list of devices.

    Args:
        path: The CSV file.
        amount: For rows without one; empty for none.
        currency: For rows without one.

    Raises:
        DeviceListInvalid, CardDataRefused: It can't be used.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        raise DeviceListInvalid(DeviceListInvalid.UNREADABLE) from None
    return read_device_list(data, amount=amount, currency=currency)


def results_text(results: Iterable[RowResult], environment: Environment) -> str:
    """Return results as CSV (RFC 4180) with column names; no cell is one that a spreadsheet would run."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for result in results:
        writer.writerow([safe_cell(value) for value in _values(result, environment)])
    return out.getvalue()


def save_results(path: Path, text: str) -> None:
    """Put `text` in a file for spreadsheets, whole or not at all, over one of the same name.

    Raises:
        FileNotSaved: It can't be written; what was in its place is as before.
    """
    save_here(path, text, UTF_8_MARKED)


def _values(result: RowResult, environment: Environment) -> list[object]:
    row, sale = result.row, result.sale
    verdict = sale.verdict if sale else None
    return [
        row.line,
        environment.name,
        environment.kind.value,
        row.device,
        row.money.figure,
        row.money.currency,
        result.outcome.value if result.outcome else result.state.value,
        round(sale.elapsed_s, 3) if sale and sale.elapsed_s is not None else "",
        sale.reference if sale else "",
        sale.request_id if sale else "",
        verdict.transaction_id if verdict else "",
        verdict.message if verdict else "",
        result_note(result) if result.error else "",
    ]
