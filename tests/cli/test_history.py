"""The command that looks through past sales."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from keybench.core.sales.history import UNDER_WAY
from keybench.core.sales.sale import Outcome

from .conftest import CommandLine

SALE = ["sale", "--environment", "practice", "--key", "Till", "--amount"]


@pytest.fixture
def with_sales(with_key: CommandLine) -> CommandLine:
    for amount, device in (("1.00", "D-1"), ("2.00", "till-2"), ("3.00", "D-1")):
        with_key(*SALE, amount, "--device", device)
    return with_key


@pytest.mark.parametrize(
    ("options", "amounts"),
    [
        ([], ["3.00", "2.00", "1.00"]),
        (["--find", "TILL-2"], ["2.00"]),
        (["--find", "d-1"], ["3.00", "1.00"]),
        (["--find", "d-1", "--limit", "1"], ["3.00"]),
        (["--find", "nothing"], []),
        (["--outcome", "approved"], ["3.00", "2.00", "1.00"]),
        (["--outcome", "unknown"], []),
        (["--since", "1999-12-31", "--until", "9999-12-31"], ["3.00", "2.00", "1.00"]),
        (["--since", "9999-12-31"], []),
        (["--until", "0001-01-01"], []),
    ],
)
def test_sales_are_found(with_sales: CommandLine, options: list[str], amounts: list[str]) -> None:
    listed = with_sales("history", "--json", *options)
    assert (listed.status, [one["amount"] for one in listed.records]) == (0, amounts)


def test_the_sales_found_are_written_to_a_file(with_sales: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "sales.json"
    ended = with_sales("history", "--find", "d-1", "--out", str(path), "--json")
    assert ended.records == [{"file": str(path), "sales": 2}]
    assert ended.err == ""
    assert [one["amount"] for one in json.loads(path.read_text("utf-8"))] == ["3.00", "1.00"]
    assert with_sales("history", "--limit", "1", "--out", str(path)).out == f"Wrote 1 sale to {path}.\n"
    refused = with_sales("history", "--out", str(tmp_path / "sales.txt"))
    assert (refused.status, refused.out, ".csv or .json" in refused.err) == (1, "", True)


@pytest.mark.parametrize(
    "options", [["--since", "yesterday"], ["--until", "2026-13-01"], ["--outcome", "paid"], ["--limit", "0"]]
)
def test_what_is_no_day_or_outcome_is_wrong_use(keybench: CommandLine, options: list[str]) -> None:
    ended = keybench("history", *options)
    assert (ended.status, ended.out) == (2, "")


def test_every_state_can_be_chosen(keybench: CommandLine) -> None:
    for state in (*Outcome, UNDER_WAY):
        assert keybench("history", "--outcome", state).status == 0
