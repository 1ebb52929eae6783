"""The History page on fakes: found as one types, read page by page, and in its place while sales go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from contracts.journal_samples import NOW, a_key, a_point, a_sale
from fakes.waiting import until
from keybench.core.errors import JournalBusy, JournalError
from keybench.core.events import DevicesChanged
from keybench.core.ports import Device
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.ui.history import page as words
from keybench.ui.kit.tables.model import TONE_ROLE
from keybench.ui.kit.theme import tokens
from keybench.ui.shared.reading import UNREADABLE
from keybench.ui.shared.session import Place
from keybench.workflows.sales.history import PAGE

from .history_support import Past, Stage, ended, keep, some
from .test_sale_exchanges import POST, poll

# --- what is listed ---------------------------------------------------------------------------------------


async def test_an_empty_journal_says_what_to_do_first(past: Past) -> None:
    stage = await past()
    assert stage.page.table.empty_text == words.NO_SALE
    await stage.says("0 sales")


async def test_sales_come_newest_first_with_their_devices_names(past: Past) -> None:
    first, second = some(2)
    stage = await past([first, replace(second, device="D-7")])
    assert stage.references == ["KB-0001", "KB-0000"]
    assert stage.column("device") == ["Terrace bar", "D-1"]
    await stage.says("2 sales")


async def test_a_device_whose_name_comes_to_be_known_is_listed_and_found_by_it(past: Past) -> None:
    first, second = some(2)
    stage = await past([first, replace(second, device="D-7")])
    journal, events = stage.bench.journal, stage.bench.console.world.events
    place = stage.page.session.environment
    assert place
    known = [Device("D-1", "Front desk", "connected"), Device("D-7", "Terrace bar", "connected")]
    await journal.remember_devices(place.id, known)
    events.publish(DevicesChanged(place.id))
    await until(lambda: stage.column("device") == ["Terrace bar", "Front desk"])
    stage.page.filters.text.setText("front")
    await stage.shows("KB-0000")


async def test_unknown_ones_stand_out_and_those_under_way_say_so(past: Past) -> None:
    first, second = some(2)
    stage = await past([ended(first, Outcome.UNKNOWN), second])
    model = stage.page.model
    assert stage.column("outcome") == ["… in progress", "? Unknown"]
    assert [model.index(row, model.column("outcome")).data(TONE_ROLE) for row in (0, 1)] == [
        "accent",
        "unknown",
    ]


@pytest.mark.usefixtures("light_theme")
@pytest.mark.parametrize(
    ("width", "left_out"), [(934, {"took", "transaction"}), (1040, {"transaction"}), (1184, set[str]())]
)
async def test_names_are_whole_and_nothing_scrolls_sideways(
    past: Past, width: int, left_out: set[str]
) -> None:
    sales = [replace(sale, key_name="branch 126 till") for sale in some(40)]
    stage = await past([ended(sale, Outcome.APPROVED) for sale in sales])
    page, table, model = stage.page, stage.page.table, stage.page.model
    page.resize(width, 660)
    await until(lambda: table.horizontalScrollBar().maximum() == 0)
    names = {column.id for column in model.columns if table.isColumnHidden(model.column(column.id))}
    assert names == left_out
    for name in ("time", "environment", "device", "key"):
        needed = table.sizeHintForIndex(model.index(0, model.column(name))).width()
        assert table.columnWidth(model.column(name)) >= needed, name


async def test_more_is_read_when_it_is_scrolled_to(past: Past) -> None:
    stage = await past(some(2 * PAGE + 50))
    page = stage.page
    assert page.model.rowCount() == PAGE
    await stage.says("250 sales")
    for rows in (2 * PAGE, 2 * PAGE + 50):
        page.table.scrollToBottom()
        await until(lambda rows=rows: page.model.rowCount() == rows)
    assert stage.references == [f"KB-{number:04}" for number in reversed(range(2 * PAGE + 50))]
    assert not page.model.canFetchMore(QModelIndex())
    await stage.says("250 sales")


# --- looking for something --------------------------------------------------------------------------------


async def test_typing_finds_by_keyboard_alone(past: Past, qtbot: QtBot) -> None:
    first, second, third = some(3)
    stage = await past([replace(first, device="D-7"), replace(second, key_name="Kiosk"), third])
    stage.page.filters.text.setFocus()
    qtbot.keyClicks(stage.page.filters.text, "terrace")
    await stage.shows("KB-0000")
    stage.page.filters.text.clear()
    qtbot.keyClicks(stage.page.filters.text, "kiosk")
    await stage.shows("KB-0001")
    stage.page.filters.text.clear()
    qtbot.keyClicks(stage.page.filters.text, "0002")
    await stage.shows("KB-0002")


async def test_what_is_typed_quickly_is_looked_for_once(past: Past, qtbot: QtBot) -> None:
    stage = await past(some(2))
    asked: list[SaleFilter] = []
    stage.page.filters.changed.connect(lambda: asked.append(stage.page.wanted()))
    qtbot.keyClicks(stage.page.filters.text, "0001")
    await stage.shows("KB-0001")
    assert [one.text for one in asked] == ["0001"]


async def test_what_is_still_being_typed_has_no_say_in_the_next_page(
    past: Past,
) -> None:
    stage = await past(some(PAGE + 5))
    page = stage.page
    page.filters.text.setText("nothing like it")
    page.model.fetchMore(QModelIndex())
    await until(lambda: not stage.session.supervisor.running)
    page.filters.text.clear()
    page.filters.apply()
    await stage.says(f"{PAGE + 5} sales")
    page.table.scrollToBottom()
    await until(lambda: page.model.rowCount() == PAGE + 5)


async def test_nothing_found_says_what_else_to_try(past: Past) -> None:
    stage = await past(some(2))
    stage.page.filters.text.setText("nothing like it")
    await stage.shows()
    assert stage.page.table.empty_text == words.NO_MATCH
    stage.page.filters.clear()
    await stage.shows("KB-0001", "KB-0000")


async def test_outcomes_are_chosen_by_keyboard(past: Past, qtbot: QtBot) -> None:
    sales = [ended(sale, outcome) for sale, outcome in zip(some(len(Outcome)), Outcome, strict=True)]
    stage = await past([*sales, a_sale("KB-0009", minutes=9)])
    box = stage.page.filters.outcome
    box.setFocus()
    for reference in [f"KB-{number:04}" for number in range(len(Outcome))] + ["KB-0009"]:
        qtbot.keyClick(box, Qt.Key.Key_Down)
        await stage.shows(reference)


def choose_days(stage: Stage, since: str, until: str) -> None:
    filters = stage.page.filters
    filters.dates.setCurrentIndex(filters.dates.findData("other"))
    filters.since.show_day(date.fromisoformat(since))
    filters.until.show_day(date.fromisoformat(until))


async def test_days_narrow_it_down_and_name_the_exported_file(past: Past) -> None:
    stage = await past(
        [a_sale("KB-1"), a_sale("KB-2", minutes=2 * 24 * 60), a_sale("KB-3", minutes=9 * 24 * 60)]
    )
    assert stage.page._named() == "sales"
    choose_days(stage, "2026-03-02", "2026-03-31")
    await stage.shows("KB-3", "KB-2")
    choose_days(stage, "2026-03-02", "2026-03-04")
    await stage.shows("KB-2")
    await stage.says("1 of 3 sales")
    assert stage.page._named() == "sales 2026-03-02 2026-03-04"
    choose_days(stage, "2026-03-04", "2026-03-04")
    assert stage.page._named() == "sales 2026-03-04"


async def test_all_environments_or_one(past: Past) -> None:
    sandbox_sale = a_sale("KB-S", environment_id="sandbox", minutes=5)
    stage = await past(some(1))
    sandbox = await stage.bench.add()
    await keep(stage.bench, replace(sandbox_sale, environment_id=sandbox.id))
    page = stage.page
    page.refresh()
    await stage.shows("KB-S", "KB-0000")
    assert stage.column("environment") == ["Sandbox", "practice"]
    cell = page.model.index(0, page.model.column("environment"))
    assert not cell.data(Qt.ItemDataRole.DecorationRole).isNull()
    assert cell.data(Qt.ItemDataRole.ForegroundRole).name() == tokens().test
    offered = [page.where.itemText(number) for number in range(page.where.count())]
    assert offered == ["All environments", "practice", "Sandbox"]
    page.where.choose("practice")
    await stage.shows("KB-0000")
    await stage.says("1 of 2 sales")
    stage.session.choose_environment(sandbox)
    assert stage.references == ["KB-0000"], "what is searched is chosen here"
    page.where.choose(sandbox.id)
    await stage.shows("KB-S")
    await stage.bench.journal.remove_environment(sandbox.id)
    page.refresh()
    await stage.shows("KB-S", "KB-0000")
    assert stage.column("environment") == ["Sandbox", "practice"], "it keeps its name"
    assert page.model.index(0, page.model.column("environment")).data(Qt.ItemDataRole.DecorationRole).isNull()


@pytest.mark.parametrize(
    ("preset", "found"),
    [
        ("any", ["KB-0", "KB-1", "KB-6", "KB-40"]),
        ("today", ["KB-0"]),
        ("yesterday", ["KB-1"]),
        ("week", ["KB-0", "KB-1", "KB-6"]),
    ],
)
async def test_usual_days_are_chosen_by_name(past: Past, preset: str, found: list[str]) -> None:
    stage = await past()
    now = stage.bench.clock.now()
    for days in (0, 1, 6, 40):
        at = now - timedelta(days=days)
        await keep(stage.bench, replace(a_sale(f"KB-{days}"), noted_at=at))
    filters = stage.page.filters
    filters.dates.setCurrentIndex(filters.dates.findData("other"))
    assert filters.since.isVisible()
    filters.dates.setCurrentIndex(filters.dates.findData(preset))
    stage.page.refresh()
    await stage.shows(*found)
    assert not filters.since.isVisible()


async def test_today_is_another_day_after_midnight(past: Past) -> None:
    stage = await past()
    now = stage.bench.clock.now()
    page, filters = stage.page, stage.page.filters
    sales = [replace(a_sale(f"KB-{day}"), noted_at=now + timedelta(days=day)) for day in range(3)]
    await keep(stage.bench, sales[0])
    filters.dates.setCurrentIndex(filters.dates.findData("today"))
    await stage.shows("KB-0")
    stage.bench.clock.move(24 * 60 * 60)
    await keep(stage.bench, sales[1])
    await stage.happens(sales[1])
    await stage.shows("KB-1")
    assert page._named() == f"sales {(now + timedelta(days=1)).astimezone().date()}"
    page.hide()
    stage.bench.clock.move(24 * 60 * 60)
    page.show()
    await stage.shows()


async def test_the_month_begins_on_its_first_day(past: Past) -> None:
    stage = await past()
    filters = stage.page.filters
    filters.dates.setCurrentIndex(filters.dates.findData("month"))
    today = stage.bench.clock.now().astimezone().date()
    assert (filters.since.day(), filters.until.day()) == (today.replace(day=1), today)


async def test_card_data_is_taken_out_of_the_search(past: Past, qtbot: QtBot) -> None:
    stage = await past(some(1))
    field = stage.page.filters.text
    asked: list[SaleFilter] = []
    stage.page.filters.changed.connect(lambda: asked.append(stage.page.wanted()))
    qtbot.keyClicks(field, "4111 1111 1111 1111")
    assert "1111" not in field.text()
    assert not field.isUndoAvailable()
    await until(lambda: "Card data never goes into Keybench" in stage.page.status.text())
    assert "Card data" in field.accessibleDescription()
    assert not any("1111 1111" in one.text for one in asked)
    qtbot.keyClicks(field, "0000")
    await stage.says("1 of 1 sale")
    assert field.accessibleDescription() == ""


async def test_a_journal_that_cannot_be_read_says_so(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = await past(some(1))

    async def broken(_wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        raise JournalBusy("/data")

    monkeypatch.setattr(stage.bench.journal, "find_sales", broken)
    stage.page.filters.text.setText("0000")
    await until(lambda: stage.failures)
    assert isinstance(stage.failures[0], JournalError)
    assert stage.page.status.text() == UNREADABLE


# --- the chosen sale --------------------------------------------------------------------------------------


async def test_the_chosen_sale_shows_its_card_and_enter_goes_to_it(past: Past, qtbot: QtBot) -> None:
    first, second = some(2)
    stage = await past([ended(first, Outcome.DECLINED), second])
    page = stage.page
    page.table.setFocus()
    page.table.select_row(0)
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    await until(lambda: page.card.pill.accessibleDescription().startswith("Declined"))
    assert page.card.details.text_of("Reference") == "KB-0000"
    assert not page.card.again.isVisible()


async def with_exchanges(stage: Stage, reference: str) -> None:
    """Choose a sale that has exchanges."""
    for number in range(3):
        await stage.bench.journal.advance_sale(
            reference, lambda sale: sale, exchanges=[poll(number) if number else POST]
        )
    stage.page.selection.select(reference)
    await until(lambda: len(stage.page.card.exchanges.exchanges) == 3)


async def test_a_chosen_sale_shows_its_timeline_and_its_exchanges(past: Past, qtbot: QtBot) -> None:
    stage = await past([ended(some(1)[0], Outcome.APPROVED)])
    key = replace(a_key(), id=a_sale().key_id)
    await stage.bench.journal.add_key(key)
    stage.page.refresh()
    await stage.is_read()
    page, card = stage.page, stage.page.card
    page.resize(1200, 900)
    await with_exchanges(stage, "KB-0000")
    assert card.pill.accessibleDescription().startswith("Approved")
    assert card.where.text() == f"on D-1 · {a_sale().key_name} · {key.fingerprint} · gateway.example"
    assert card.exchanges.isVisible()
    assert not card.details.isVisible()
    card.tabs.choose("outcome")
    assert card.details.isVisible()
    assert card.timeline.isVisible()
    assert not card.exchanges.isVisible()
    page.activateWindow()
    await until(page.isActiveWindow)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Exchanges"
    qtbot.keyClick(focused, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is card.exchanges.search.field
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is page.filters.text


async def test_a_gap_of_the_network_is_told_and_pictured(past: Past) -> None:
    (sale,) = some(1)
    stage = await past([])
    accepted = sale.accept("R-1", sale.noted_at)
    over = accepted.finish(Verdict(Outcome.APPROVED), sale.noted_at + timedelta(seconds=30))
    journal = stage.bench.journal
    await journal.note_sale(sale, a_point(sale))
    points = [
        (0.1, Mark.ACCEPTED, "pending", 0.1),
        (4.0, Mark.STATUS, "inFlight", 0.1),
        (23.0, Mark.TROUBLE, "timeout", 15.0),
        (30.0, Mark.OUTCOME, "approved", 0.1),
    ]
    events = [
        SaleEvent(sale.reference, sale.noted_at + timedelta(seconds=at_s), mark, detail, took_s)
        for at_s, mark, detail, took_s in points
    ]
    await journal.advance_sale(sale.reference, lambda _stored: over, events)
    stage.page.refresh()
    await stage.shows(sale.reference)
    card = stage.page.card
    await until(card.went_on.text)
    assert card.went_on.text() == (
        "The network had a gap. For 26.0 s, nothing was known of the sale: one poll got no answer. "
        "The gateway gave no answer in time. Accepted after 100 ms, outcome seen after 30.0 s, "
        "at most 26.1 s late, longest time between two answers 26.0 s."
    )
    assert "4.00 s to 30.0 s: no answer 26.0 s" in card.timeline.accessibleDescription()
    card.tabs.choose("outcome")
    assert card.went_on.isVisible()


async def test_what_was_not_recorded_says_so(past: Past) -> None:
    stage = await past([ended(some(1)[0], Outcome.NOT_SENT)])
    stage.page.table.select_row(0)
    await until(lambda: "not recorded" in stage.page.card.where.text())
    assert "fingerprint not recorded · host not recorded" in stage.page.card.where.text()
    stage.page.card.to_ticket.trigger()
    text = QApplication.clipboard().text()
    assert "Transaction: not recorded" in text
    assert text.endswith("Requests\nnot recorded\n")


async def test_what_was_not_read_yet_is_not_called_unrecorded(past: Past) -> None:
    stage = await past([ended(sale, Outcome.APPROVED) for sale in some(2)])
    page, card = stage.page, stage.page.card
    await stage.bench.journal.advance_sale("KB-0000", lambda sale: sale, exchanges=[POST])
    QApplication.clipboard().clear()
    page.table.select_row(1)
    assert page.selection.reference == "KB-0000"
    assert card.where.text() == f"on D-1 · {a_sale().key_name}"
    card.to_ticket.trigger()
    assert not QApplication.clipboard().text()
    await until(card.to_ticket.isEnabled)
    card.to_ticket.trigger()
    assert "POST /api/v5/" in QApplication.clipboard().text()


async def test_a_sale_is_copied_for_the_ticket(past: Past) -> None:
    sale = a_sale("KB-0000").finish(
        Verdict(Outcome.APPROVED, transaction_id="88056281118", authorisation="OK77"), NOW
    )
    stage = await past([sale])
    await with_exchanges(stage, "KB-0000")
    stage.page.card.to_ticket.trigger()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[:2] == ["Sale: KB-0000", "Outcome: Approved"]
    assert {"Amount: 10.00 USD", "Transaction: 88056281118", "Authorisation: OK77"} <= set(lines)
    assert "Environment: ● PRACTICE · practice" in lines
    assert lines[-3].endswith("POST /api/v5/devices/till-1/payment-requests/sale  200, 41 ms")


async def test_a_sale_is_shown_on_the_bench_of_its_environment(past: Past) -> None:
    stage = await past(some(1))
    sandbox = await stage.bench.add()
    await keep(stage.bench, a_sale("KB-S", environment_id=sandbox.id, minutes=5))
    stage.page.refresh()
    await stage.shows("KB-S", "KB-0000")
    wanted: list[Place] = []
    stage.session.requested.connect(wanted.append)
    stage.page.table.select_row(0)
    stage.page.card.to_bench.trigger()
    assert wanted == [Place("bench", sandbox, "KB-S")]


async def test_a_chosen_sale_that_was_filtered_away_is_chosen_again_when_it_is_listed(past: Past) -> None:
    stage = await past(some(2))
    page = stage.page
    page.table.select_row(1)
    page.filters.text.setText("0001")
    await stage.shows("KB-0001")
    assert page.table.selected_number == 0
    assert page.card.details.text_of("Reference") == "KB-0001", "the card is of a sale that is listed"
    page.filters.text.setText("none like it")
    await stage.shows()
    assert page.card.details.text_of("Reference") == "KB-0001", "the card stays while none is listed"
    page.filters.clear()
    await stage.shows("KB-0001", "KB-0000")
    assert page.table.selected_number == 1


async def test_an_unknown_sale_can_be_looked_up_from_here(past: Past) -> None:
    stage = await past([ended(some(1)[0], Outcome.UNKNOWN)])
    stage.page.table.select_row(0)
    assert not stage.page.card.look_up.isHidden()
    stage.page.card.look_up.click()
    assert not stage.page.card.look_up.isEnabled()
    await until(stage.page.card.look_up.isEnabled)


async def test_a_sale_of_a_removed_environment_is_still_explained(past: Past) -> None:
    stage = await past()
    gone = ended(a_sale("KB-G", environment_id="gone"), Outcome.APPROVED)
    await keep(stage.bench, gone)
    stage.page.refresh()
    await stage.shows("KB-G")
    assert stage.column("environment") == ["removed"]
    stage.page.table.select_row(0)
    await until(lambda: "If its environment was live" in stage.page.card.title.text())
    assert not stage.page.card.to_bench.isEnabled()
    assert stage.page.card.to_bench.toolTip() == "Its environment was removed."


# --- while sales go on ------------------------------------------------------------------------------------


async def test_a_sale_that_goes_on_changes_its_row_and_no_other(past: Past) -> None:
    sales = some(3)
    stage = await past(sales)
    changed: list[int] = []
    stage.page.model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    await stage.happens(ended(sales[1], Outcome.APPROVED))
    assert changed == [1]
    assert stage.column("outcome") == ["… in progress", "✓ Approved", "… in progress"]


async def test_a_new_sale_comes_in_on_top_and_nothing_jumps(past: Past) -> None:
    stage = await past(some(60))
    table = stage.page.table
    bar = table.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    top = table.indexAt(table.viewport().rect().topLeft()).row()
    before = (stage.references[top], table.visualRect(stage.page.model.index(top, 0)).top())
    await stage.happens(a_sale("KB-NEW", minutes=100))
    assert stage.references[0] == "KB-NEW"
    top += 1
    assert (stage.references[top], table.visualRect(stage.page.model.index(top, 0)).top()) == before
    await stage.says("61 sales")


async def test_a_new_sale_that_is_not_looked_for_stays_out(past: Past) -> None:
    stage = await past(some(1))
    stage.page.where.choose("practice")
    await stage.is_read()
    await stage.happens(a_sale("KB-ELSE", environment_id="elsewhere", minutes=9))
    stage.page.filters.text.setText("0000")
    await stage.is_read()
    await stage.happens(a_sale("KB-NEW", minutes=9))
    assert stage.references == ["KB-0000"]


async def test_a_sale_behind_all_that_are_read_stays_out(past: Past) -> None:
    stage = await past(some(PAGE + 10))
    await stage.happens(a_sale("KB-OLD", minutes=-1))
    assert "KB-OLD" not in stage.references
    await stage.happens(a_sale("KB-BETWEEN", minutes=PAGE - 0.5))
    at = stage.references.index("KB-BETWEEN")
    assert stage.references[at - 1 : at + 2] == [f"KB-{PAGE:04}", "KB-BETWEEN", f"KB-{PAGE - 1:04}"]
    assert len(stage.references) == PAGE, "the oldest goes for it, and is read again"
    stage.page.table.scrollToBottom()
    await until(lambda: not stage.page.model.has_more)
    await stage.happens(a_sale("KB-OLD", minutes=-1))
    assert stage.references[-1] == "KB-OLD"
