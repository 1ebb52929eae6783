"""Figures across sales: the right ones, of whom, and none of too few."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from contracts.journal_samples import a_sale
from keybench.core.sales.figures import ENOUGH_SHARES, ENOUGH_TIMES, By, figures_by
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.words.sales import charts as words
from keybench.workflows.sales.figures import Charted, export


def ended(
    seconds: float, outcome: Outcome = Outcome.APPROVED, *, device: str = "D-1", minutes: float = 0
) -> Sale:
    noted = replace(a_sale(minutes=minutes), device=device)
    return replace(noted, verdict=Verdict(outcome), finished_at=noted.noted_at + timedelta(seconds=seconds))


def test_times_are_told_as_median_and_middle_half() -> None:
    (one,) = figures_by([ended(seconds) for seconds in (2, 4, 6, 8, 100)], By.DEVICE)
    assert (one.sales, one.timed, one.median_s, one.middle_s) == (5, 5, 6, (4, 8))
    assert (words.median(one), words.middle(one)) == ("6.00 s", "4.00 s to 8.00 s")


def test_of_too_few_sales_no_figure_is_told() -> None:
    (one,) = figures_by([ended(3)] * (ENOUGH_TIMES - 1), By.DEVICE)
    assert (one.median_s, one.middle_s, one.share) == (None, None, None)
    assert (words.median(one), words.share(one)) == ("too few sales", "too few sales")
    (one,) = figures_by([ended(3)] * (ENOUGH_SHARES - 1), By.DEVICE)
    assert (one.median_s, one.share) == (3, None)
    assert (
        words.spoken("Till 1", one)
        == "Till 1: 9 sales; median time 3.00 s, middle half 3.00 s to 3.00 s; 0 failed."
    )


def test_failures_are_what_came_to_nothing_without_anybodys_will() -> None:
    sales = [ended(3, outcome) for outcome in Outcome for _ in range(2)]
    (one,) = figures_by(sales, By.DEVICE)
    assert (one.sales, one.failed) == (16, 8)
    assert one.outcomes == dict.fromkeys(Outcome, 2)
    assert words.share(one) == "50%"
    assert one.timed == 10


def test_what_was_looked_up_later_and_what_goes_on_has_no_time() -> None:
    under_way = a_sale()
    (one,) = figures_by([*[ended(3)] * 5, ended(86_400), under_way], By.DEVICE)
    assert (one.sales, one.timed, one.median_s) == (6, 5, 3)
    assert figures_by([under_way], By.DEVICE) == []


def test_hours_are_a_persons_own_and_all_there() -> None:
    found = figures_by([ended(3), ended(3, minutes=60)], By.HOUR, timezone(timedelta(hours=9)))
    assert [one.group.name for one in found] == [f"{hour:02}" for hour in range(24)]
    assert {one.group.name: one.sales for one in found if one.sales} == {"21": 1, "22": 1}
    assert words.spoken(words.hour("03"), found[3]) == "03:00: no sale."


def test_a_key_has_its_newest_name_and_devices_of_two_environments_are_two() -> None:
    newest, older = ended(3), replace(ended(3), key_name="Old name")
    assert [one.group.name for one in figures_by([newest, older], By.KEY)] == ["Till 3"]
    other = replace(ended(3), environment_id="other")
    assert len(figures_by([newest, other], By.DEVICE)) == 2


def test_most_sales_come_first() -> None:
    sales = [ended(3, device="A"), *[ended(3, device="B")] * 3]
    assert [one.group.name for one in figures_by(sales, By.DEVICE)] == ["B", "A"]


@pytest.mark.parametrize(("count", "told"), [(27, "7%"), (2700, "7.4%")])
def test_a_share_is_no_more_precise_than_its_sales(count: int, told: str) -> None:
    failed = [ended(3, Outcome.REFUSED)] * (count * 2 // 27)
    (one,) = figures_by([*failed, *[ended(3)] * (count - len(failed))], By.DEVICE)
    assert words.share(one) == told


async def test_figures_go_to_a_table_with_what_they_are_of(tmp_path: Path) -> None:
    figures = figures_by([ended(seconds) for seconds in range(2, 14)], By.DEVICE)
    path = tmp_path / "charts.csv"
    assert await export(Charted(By.DEVICE, figures, 12, is_all=True), path, lambda _group: "practice") == 1
    with path.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["by"], row["name"], row["environment"], row["sales"]) == ("device", "D-1", "practice", "12")
    assert (row["median_s"], row["failed_share"], row["approved"]) == ("7.5", "0.0", "12")
