"""The Devices page tells when the outcomes of devices come, and which device needs a look."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage

from fakes.clock import MovedClock
from fakes.journal import MemoryJournal
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.errors import JournalError
from keybench.core.events import SaleChanged
from keybench.core.money import Money
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict
from keybench.ui.devices.device_card import DeviceCard, HabitChart
from keybench.ui.kit.theme import Theme, tokens
from keybench.words.devices.report import NO_CHART, NONE

from .devices_support import FLEET, Fleet, Stage

AS_USUAL = (5.2, 6.1, 5.6, 6.4, 5.9, 6.2, 5.4, 6.0)
#: Some of D-3's sales take far longer than the ones before.
SLOWER = (*AS_USUAL, *AS_USUAL, 15.2, 18.3, 16.6, 19.9, 17.1, 16.0)


async def sold(bench: Bench, device: str, times: Sequence[float]) -> list[Sale]:
    """Put sales into the journal that were polled each half second; infinity for one that never ended."""
    where = await bench.practice_environment()
    made = []
    for took_s in times:
        await bench.clock.advance(60.0)
        number = len(await bench.journal.sales(None, 10_000))
        noted = bench.clock.now()
        reference = f"KB-0000-0000-{number:04}"
        never = math.isinf(took_s)
        polled_s = [0.5 * step for step in range(1, 660) if 0.5 * step < took_s]
        outcome = Outcome.UNKNOWN if never else Outcome.APPROVED
        sale = Sale(
            reference,
            where.id,
            "k-1",
            "Till",
            device,
            Money(Decimal("10.00"), "USD"),
            SaleMode.ASYNCHRONOUS,
            SaleStage.FINISHED,
            noted,
            accepted_at=noted,
            finished_at=noted + timedelta(seconds=330 if never else took_s),
            request_id=f"R-{number}",
            verdict=Verdict(outcome, Reason.DEADLINE if never else ""),
            polls=len(polled_s) + 1,
        )
        events = [SaleEvent(reference, noted, Mark.ACCEPTED, "pending")]
        events += [
            SaleEvent(reference, noted + timedelta(seconds=at_s), Mark.STATUS, "pending") for at_s in polled_s
        ]
        if not never:
            events.append(SaleEvent(reference, noted + timedelta(seconds=took_s), Mark.OUTCOME, outcome))
        await bench.journal.note_sale(sale, events[0])
        await bench.journal.advance_sale(reference, lambda one: one, events[1:])
        made.append(sale)
        bench.events.publish(SaleChanged(sale, events[-1]))
    return made


async def neighbours(bench: Bench) -> None:
    """Let all devices but D-3 have a habit."""
    await bench.journal.open()
    for device in ("D-1", "D-2", "D-4", "D-5"):
        await sold(bench, device, AS_USUAL)


def cell(stage: Stage, device: str, column: str, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> str:
    model = stage.page.model
    return str(model.index(model.number(device), model.column(column)).data(role))


def shown_columns(stage: Stage) -> list[str]:
    return [column.id for column in stage.page.table.columns.visible]


async def test_a_device_that_became_slower_is_told_in_the_list_and_on_its_card(fleet: Fleet) -> None:
    bench = Bench()
    await neighbours(bench)
    await sold(bench, "D-3", SLOWER)
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-3", "habit") == "▲ Slower than it was")
    assert cell(stage, "D-3", "habit", Qt.ItemDataRole.ToolTipRole).startswith(
        "▲ Slower than it was\nIts last"
    )
    assert cell(stage, "D-1", "habit") == "✓ As usual"
    assert cell(stage, "D-1", "usual").endswith(" s")
    assert [cell(stage, "D-9", column) for column in ("habit", "usual")] == [NONE, NONE]
    card = stage.page.card
    assert card.remark.text() == "One device needs a look: Till 3."
    assert stage.page.table.select("D-3")
    assert (card.name.text(), card.identifier.text()) == ("Till 3", "D-3")
    assert card.state.text() == "▲ Slower than it was"
    assert card.remark.text().startswith("Its last 5 sales took 16 to 20 s; before, 5.1 to 6.1 s. Check")
    assert card.habit.text().startswith("Usually ")
    assert "on this device" in card.habit.text()
    assert "On the other devices, they take " in card.chart.accessibleDescription()
    stage.page.table.select("D-9")
    assert card.state.text() == card.remark.text() == ""
    assert "tells yet" in card.habit.text()
    assert card.chart.accessibleDescription() == NO_CHART


async def test_what_needs_a_look_comes_first_when_sorted_and_is_found_by_its_word(fleet: Fleet) -> None:
    bench = Bench()
    await neighbours(bench)
    await sold(bench, "D-3", SLOWER)
    await sold(bench, "D-5", (math.inf, math.inf))
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-5", "habit") == "◷ No outcome comes")
    page = stage.page
    page.table.horizontalHeader().setSortIndicator(page.model.column("habit"), Qt.SortOrder.AscendingOrder)
    assert [page.model.row(number).device.id for number in range(3)] == ["D-5", "D-3", "D-1"]
    assert page.card.remark.text() == "2 devices need a look: Till 5 and Till 3."
    page.search.setText("slower")
    assert page.model.rowCount() == 1
    page.search.clear()
    page.table.horizontalHeader().setSortIndicator(page.model.column("usual"), Qt.SortOrder.DescendingOrder)
    known = [line.half_s for line in page.model.rows if math.isfinite(line.half_s)]
    assert known == sorted(known, reverse=True)
    assert known


async def test_columns_come_with_the_first_habit_and_with_room(fleet: Fleet) -> None:
    stage = await fleet()
    assert shown_columns(stage) == ["nickname", "id", "connection", "outcome"]
    await sold(stage.bench, "D-1", AS_USUAL)
    await until(lambda: cell(stage, "D-1", "habit") == "✓ As usual")
    assert shown_columns(stage) == ["nickname", "id", "habit", "connection", "outcome"]
    assert cell(stage, "D-1", "last") in cell(stage, "D-1", "outcome", Qt.ItemDataRole.ToolTipRole)


async def test_sales_that_end_while_the_page_is_open_teach_it_and_nothing_moves(fleet: Fleet) -> None:
    bench = Bench()
    await neighbours(bench)
    await sold(bench, "D-3", AS_USUAL)
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-3", "habit") == "✓ As usual")
    stage.page.table.select("D-3")
    await until(lambda: not stage.session.supervisor.running)
    places = [one.geometry() for one in (stage.page.table, stage.page.card)]
    await sold(bench, "D-3", (math.inf, math.inf))
    await until(lambda: stage.page.card.state.text() == "◷ No outcome comes")
    assert "last 2 sales had no outcome" in stage.page.card.remark.text()
    await sold(bench, "D-3", (5.5,))
    await until(lambda: cell(stage, "D-3", "habit") == "✓ As usual")
    await until(lambda: stage.page.card.state.text() == "")
    assert [device.id for device in stage.page.chosen()] == ["D-3"]
    assert [one.geometry() for one in (stage.page.table, stage.page.card)] == places


async def test_a_sale_made_with_keybench_teaches_it(fleet: Fleet) -> None:
    bench = Bench()
    await bench.journal.open()
    await sold(bench, "D-1", AS_USUAL[:4])
    stage = await fleet(bench=bench)
    stage.page.table.select("D-1")
    await until(lambda: "One more sale will tell" in stage.page.card.habit.text())
    noted = await bench.console.sell.note(await bench.draft())
    await bench.carry(bench.console.sell.carry_out(noted))
    await until(lambda: cell(stage, "D-1", "habit") == "✓ As usual")


async def test_another_environments_habits_are_others(fleet: Fleet) -> None:
    bench = Bench()
    await neighbours(bench)
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-1", "habit") == "✓ As usual")
    other = await bench.add("Sandbox")
    await bench.journal.remember_devices(other.id, FLEET)
    stage.session.choose_environment(other)
    await until(lambda: stage.page.model.rowCount() == len(FLEET))
    await until(lambda: not stage.session.supervisor.running)
    assert cell(stage, "D-1", "habit") == NONE
    await sold(bench, "D-1", AS_USUAL)
    await until(lambda: not stage.session.supervisor.running)
    assert cell(stage, "D-1", "habit") == NONE


class UnreadableTimelines(MemoryJournal):
    """A journal whose file is damaged where the timelines are."""

    async def timelines(self, references: Collection[str]) -> Mapping[str, Sequence[SaleEvent]]:
        raise JournalError(f"can't read {len(references)} timelines")


async def test_where_timelines_cant_be_read_habits_are_unknown_and_the_list_is_as_ever(fleet: Fleet) -> None:
    clock = MovedClock()
    bench = Bench(clock=clock, journal_to_share=UnreadableTimelines(clock))
    await neighbours(bench)
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-1", "outcome") == "✓ Approved")
    await until(lambda: not stage.session.supervisor.running)
    await sold(bench, "D-1", AS_USUAL)
    await until(lambda: not stage.session.supervisor.running)
    assert cell(stage, "D-1", "habit") == NONE
    assert stage.notices == []


async def test_several_devices_are_sold_on_as_ever_and_the_card_shows_one(fleet: Fleet) -> None:
    bench = Bench()
    await neighbours(bench)
    stage = await fleet(bench=bench)
    await stage.order_for(0, 1, 2)
    assert stage.page.card.name.text() == "Till 1"
    assert stage.page.order.summary.text().startswith("3 sales on 3 devices")


async def test_an_empty_list_has_all_the_room_for_its_words(fleet: Fleet) -> None:
    stage = await fleet(devices=())
    assert not stage.page.card.isVisible()


def drawn(chart: HabitChart) -> QImage:
    return chart.grab().toImage()


def has(image: QImage, colour: str) -> bool:
    wanted = QColor(colour).rgb()
    return any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


async def test_the_chart_is_drawn_of_a_habit_and_else_says_why_not(fleet: Fleet, light_theme: Theme) -> None:
    bench = Bench()
    await neighbours(bench)
    stage = await fleet(bench=bench)
    await until(lambda: cell(stage, "D-1", "habit") == "✓ As usual")
    chart = stage.page.card.chart
    assert chart.accessibleName() == "Habit of the device"
    stage.page.table.select("D-1")
    assert has(drawn(chart), tokens().soft("accent"))
    assert has(drawn(chart), tokens().accent)
    stage.page.table.select("D-9")
    assert not has(drawn(chart), tokens().accent)


@pytest.mark.parametrize("text_size", ["9", "18"])
async def test_the_chart_stands_below_the_words_where_there_is_no_room_beside_them(
    fleet: Fleet, light_theme: Theme, text_size: str
) -> None:
    stage = await fleet()
    light_theme.choose_text_size(text_size)
    card: DeviceCard = stage.page.card
    stage.page.resize(QSize(900, 700))

    def is_below() -> bool:
        return card.chart.geometry().top() >= card.habit.parentWidget().geometry().bottom()

    await until(lambda: is_below() is (text_size == "18"))
