"""Sending again and taking a sale's exchanges out, on fakes."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from fakes.scripted_gateway import PARTLY_APPROVED, PENDING
from fakes.world import Bench
from keybench.core.errors import AnswerLost, FileNotSaved, JournalBusy
from keybench.core.input_errors import NotChecked, NotFound
from keybench.core.money import Money
from keybench.core.ports import Accepted, StatusReading
from keybench.core.sales.sale import Mark, Outcome, Sale, is_checked


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


async def sold(bench: Bench) -> Sale:
    sale = await bench.console.sell.note(await bench.draft("12.50"))
    return await bench.carry(bench.console.sell.carry_out(sale))


async def unknown(bench: Bench) -> Sale:
    bench.gateway.to_post = [AnswerLost("timeout")]
    sale = await sold(bench)
    assert sale.outcome is Outcome.UNKNOWN
    return sale


async def test_a_settled_sale_is_drafted_again_with_its_fields(bench: Bench) -> None:
    sale = await sold(bench)
    draft = await bench.console.sell.draft_again(sale.reference, confirmed=True)
    assert (draft.amount, draft.device, draft.key_id) == ("12.50", sale.device, sale.key_id)
    assert draft.confirmed
    again = await bench.console.sell.note(draft)
    assert again.reference != sale.reference


async def test_after_a_partial_approval_only_the_rest_is_drafted(bench: Bench) -> None:
    bench.gateway.to_poll = [StatusReading("interactionComplete", PARTLY_APPROVED)]
    sale = await sold(bench)
    assert (sale.approved, sale.rest) == (Money(Decimal("7.50"), "USD"), Money(Decimal("5.00"), "USD"))
    assert (await bench.console.sell.draft_again(sale.reference)).amount == "5.00"


async def test_an_unknown_sale_is_drafted_again_only_after_a_check(bench: Bench) -> None:
    sale = await unknown(bench)
    again = bench.console.sell
    with pytest.raises(NotChecked):
        await again.draft_again(sale.reference)
    checked = await again.note_not_made(sale.reference)
    assert checked.outcome is Outcome.UNKNOWN
    events = await bench.console.timeline(sale.reference)
    assert events[-1].mark is Mark.CHECKED
    (activity, *_) = await bench.journal.activities(1)
    assert (activity.action, activity.subject) == ("sale checked", sale.reference)
    assert (await again.draft_again(sale.reference)).amount == "12.50"
    assert len(bench.gateway.posts) == 1


async def test_a_check_counts_until_the_sale_is_seen_again(bench: Bench) -> None:
    sale = await unknown(bench)
    again = bench.console.sell
    await again.note_not_made(sale.reference)
    await bench.journal.advance_sale(sale.reference, lambda stored: stored.accept("PR-1", bench.clock.now()))
    with pytest.raises(NotChecked):
        await again.draft_again(sale.reference)
    bench.gateway.to_poll = [PENDING]
    stored = await bench.console.sale(sale.reference)
    ended = await bench.carry(bench.console.follow.to_the_end(stored))
    assert ended.outcome is Outcome.UNKNOWN
    assert not is_checked(ended, await bench.console.timeline(sale.reference))


async def test_a_settled_sale_gets_no_check(bench: Bench) -> None:
    sale = await sold(bench)
    before = await bench.console.timeline(sale.reference)
    assert await bench.console.sell.note_not_made(sale.reference) == sale
    assert await bench.console.timeline(sale.reference) == before


async def test_a_sale_under_way_is_not_sent_again(bench: Bench) -> None:
    sale = await bench.console.sell.note(await bench.draft())
    with pytest.raises(NotChecked):
        await bench.console.sell.draft_again(sale.reference)
    with pytest.raises(NotFound):
        await bench.console.sell.draft_again("KB-0000-0000")


async def test_a_check_that_cant_be_noted_doesnt_count(bench: Bench) -> None:
    sale = await unknown(bench)
    bench.journal.failure = JournalBusy("held")
    with pytest.raises(JournalBusy):
        await bench.console.sell.note_not_made(sale.reference)
    bench.journal.failure = None
    with pytest.raises(NotChecked):
        await bench.console.sell.draft_again(sale.reference)


# --- the archive --------------------------------------------------------------------------------------


async def test_the_archive_names_its_environment(bench: Bench, tmp_path: Path) -> None:
    sale = await sold(bench)
    path = tmp_path / "sale.har"
    await bench.console.history.save_har(sale.reference, path)
    log = json.loads(path.read_text("utf-8"))["log"]
    assert log["comment"].startswith("\u25cf PRACTICE \u00b7 practice")
    assert sale.reference in log["comment"]
    assert [entry["request"]["method"] for entry in log["entries"]] == ["POST", "GET"]
    assert names_in(tmp_path) == ["sale.har"]


async def test_a_full_disk_leaves_what_was_there(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale = await sold(bench)
    path = tmp_path / "sale.har"
    path.write_text("older")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileNotSaved, match="No space left"):
        await bench.console.history.save_har(sale.reference, path)
    assert path.read_text() == "older"
    assert names_in(tmp_path) == ["sale.har"]


async def test_a_removed_environment_is_said_to_be(bench: Bench) -> None:
    where = await bench.add()
    sale = await bench.console.sell.note(await bench.draft(environment=where))
    await bench.journal.advance_sale(sale.reference, lambda stored: stored.accept("PR-1", bench.clock.now()))
    await bench.journal.remove_environment(where.id)
    assert "removed" in json.loads(await bench.console.history.har(sale.reference))["log"]["comment"]
    assert Accepted("PR-1").request_id == (await bench.console.sale(sale.reference)).request_id
