"""Exports are whole or not there, and can't run as formulas in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contracts.journal_samples import a_sale, note
from fakes.scripted_gateway import APPROVED, PARTLY_APPROVED
from fakes.world import Bench
from keybench.core.errors import FileNotSaved
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Outcome, Verdict
from keybench.runtime.saving import safe_cell
from keybench.workflows.sales.history import AT_A_TIME, COLUMNS


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return what was exported; newlines as they are in the file."""
    text = path.read_bytes().decode("utf-8")
    return (
        json.loads(text)
        if path.suffix.lower() == ".json"
        else list(csv.DictReader(io.StringIO(text, newline="")))
    )


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


@pytest.fixture
async def full() -> Bench:
    bench = Bench()
    await bench.journal.open()
    for number in range(2 * AT_A_TIME + 1):
        await note(bench.journal, a_sale(f"KB-{number:04}", minutes=number))
    return bench


async def test_all_wanted_sales_are_written_newest_first_in_pages(full: Bench, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = tmp_path / "sales.csv"
    total = 2 * AT_A_TIME + 1
    written = await full.console.history.export(
        SaleFilter(), path, progress=lambda done, of: seen.append((done, of))
    )
    assert written == total
    assert seen == [(AT_A_TIME, total), (2 * AT_A_TIME, total), (total, total)]
    rows = rows_of(path)
    assert [row["reference"] for row in rows] == [f"KB-{number:04}" for number in reversed(range(total))]
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["environment"], rows[0]["state"]) == ("practice", "under_way")


@pytest.mark.parametrize("ending", ["csv", "json", "JSON"])
async def test_a_sale_s_fields_are_written_as_they_are(full: Bench, tmp_path: Path, ending: str) -> None:
    sale = replace(a_sale("KB-X", minutes=9999), device="Café\n„Süd“, 😀", environment_id="gone")
    await note(full.journal, sale)
    verdict = Verdict(Outcome.DECLINED, "funds", "Nein, danke; \ud800", 200, transaction_id="8001")
    await full.journal.advance_sale(
        "KB-X", lambda stored: stored.finish(verdict, stored.noted_at + timedelta(seconds=6.4217))
    )
    path = tmp_path / f"sales.{ending}"
    await full.console.history.export(SaleFilter(), path, at_most=1)
    rows = rows_of(path)
    assert len(rows) == 1
    assert rows[0]["device"] == "Café\n„Süd“, 😀"
    assert rows[0]["message"] == "Nein, danke; \ufffd"
    assert (rows[0]["environment"], rows[0]["state"], rows[0]["amount"]) == ("removed", "declined", "10.00")
    assert str(rows[0]["elapsed_s"]) == "6.422"


@pytest.mark.parametrize("ending", ["csv", "json"])
async def test_how_much_was_approved_is_written(bench: Bench, tmp_path: Path, ending: str) -> None:
    for minutes, verdict in enumerate((PARTLY_APPROVED, APPROVED, Verdict(Outcome.DECLINED)), 9990):
        await note(bench.journal, a_sale(f"KB-{minutes}", minutes=minutes))
        await bench.journal.advance_sale(
            f"KB-{minutes}", lambda stored, said=verdict: stored.finish(said, stored.noted_at)
        )
    path = tmp_path / f"sales.{ending}"
    await bench.console.history.export(SaleFilter(), path, at_most=3)
    assert [(row["state"], row["amount"], row["approved_amount"] or "") for row in rows_of(path)] == [
        ("declined", "10.00", ""),
        ("approved", "10.00", "10.00"),
        ("partly_approved", "10.00", "7.50"),
    ]


@pytest.mark.parametrize("ending", ["csv", "json"])
async def test_nothing_found_is_an_empty_file_of_its_format(full: Bench, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"sales.{ending}"
    assert await full.console.history.export(SaleFilter("nothing"), path) == 0
    assert rows_of(path) == []
    if ending == "csv":
        assert path.read_bytes().decode("utf-8") == ",".join(COLUMNS) + "\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\N{FULLWIDTH EQUALS SIGN}1",
        "=cmd|' /C calc'!A0",
    ],
)
async def test_no_cell_begins_like_a_formula(bench: Bench, tmp_path: Path, text: str) -> None:
    await note(bench.journal, replace(a_sale("KB-X", minutes=9999), device=text))
    path = tmp_path / "sales.csv"
    await bench.console.history.export(SaleFilter(), path, at_most=1)
    (row,) = rows_of(path)
    assert row["device"] == f"'{text}"


def test_figures_and_plain_text_stay_as_they_are() -> None:
    assert [safe_cell(value) for value in (-1.5, None, "a=b", "", "10.00")] == [
        -1.5,
        None,
        "a=b",
        "",
        "10.00",
    ]


@pytest.mark.parametrize("name", ["sales.txt", "sales", "sales.csv.gz"])
async def test_a_name_that_says_no_format_writes_nothing(bench: Bench, tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotSaved, match=r"neither \.csv nor \.json"):
        await bench.console.history.export(SaleFilter(), tmp_path / name)
    assert names_in(tmp_path) == []
