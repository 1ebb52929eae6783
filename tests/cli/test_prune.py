"""The command that deletes what is older than a day: it counts first, and deletes when it is told to."""

from __future__ import annotations

from contracts.journal_samples import NOW
from contracts.retention_contract import sold
from keybench.core.sales.sale import Outcome

from .conftest import CommandLine

LATER = "2026-03-05"


def filled(keybench: CommandLine) -> CommandLine:
    keybench.do(sold(keybench.bench.journal, "KB-1", 0, Outcome.APPROVED))
    keybench.do(sold(keybench.bench.journal, "KB-2", 1, Outcome.UNKNOWN))
    return keybench


def test_it_counts_and_deletes_nothing_without_a_yes(keybench: CommandLine) -> None:
    ended = filled(keybench)("prune", "--before", LATER, "--json")
    assert ended.status == 2
    assert ended.records == [
        {"before": LATER, "deleted": False, "sales": 1, "sales_with_exchanges": 1, "kept_unsettled": 1}
    ]
    assert "Nothing was deleted. With --yes it is" in ended.err
    told = keybench("prune", "--before", LATER).out
    assert told.startswith(f"1 sale from before {LATER}, with its timeline and exchanges. 1 sale stays whole")
    assert len(keybench("history", "--json").records) == 2


def test_exchanges_go_alone(keybench: CommandLine) -> None:
    ended = filled(keybench)("prune", "--before", LATER, "--exchanges-only", "--yes")
    assert ended.status == 0
    assert "The exchanges of 1 sale from before" in ended.out
    assert len(keybench("history", "--json").records) == 2
    assert [one["action"] for one in keybench("activity", "--json").records] == ["older exchanges deleted"]


def test_sales_go_but_those_that_are_not_settled(keybench: CommandLine) -> None:
    ended = filled(keybench)("prune", "--before", LATER, "--yes", "--json")
    assert (ended.status, ended.records[0]["deleted"]) == (0, True)
    assert [one["reference"] for one in keybench("history", "--json").records] == ["KB-2"]
    assert keybench("prune", "--before", f"{NOW:%Y-%m-%d}", "--yes", "--json").records[0]["sales"] == 0


def test_a_day_is_needed(keybench: CommandLine) -> None:
    assert keybench("prune", "--yes").status == 2
    assert keybench("prune", "--before", "yesterday", "--yes").status == 2
