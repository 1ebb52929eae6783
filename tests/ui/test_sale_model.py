"""The table of recent sales changes row by row: nothing is built anew because one sale moved on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from fakes.clock import START
from keybench.core.exchange import Exchange, Timings
from keybench.core.money import Money
from keybench.core.sales.sale import Outcome, Sale, SaleMode, SaleStage, Verdict
from keybench.ui.kit.tables.model import TONE_ROLE
from keybench.ui.shared.sales.exchange_text import answer_word, request_line
from keybench.ui.shared.sales.table import LIMIT, RecentSales, SaleRow


def sale(number: int, *, at_s: float | None = None, outcome: Outcome | None = None, status: int = 0) -> Sale:
    noted = START + timedelta(seconds=number if at_s is None else at_s)
    under_way = Sale(
        f"KB-{number:04d}", "practice", "k", "till", "D-1", Money(Decimal("10.00"), "USD"),
        SaleMode.ASYNCHRONOUS, SaleStage.NOTED, noted,
    )  # fmt: skip
    if outcome is None:
        return under_way
    return under_way.finish(Verdict(outcome, status=status), noted + timedelta(seconds=6.42))


def shown(table: RecentSales, column: str) -> list[str]:
    model = table.model()
    return [str(model.index(row, model.column(column)).data()) for row in range(model.rowCount())]


def references(table: RecentSales) -> list[str]:
    return [row.reference for row in table.model().rows]


@pytest.fixture
def recent(qtbot: QtBot) -> RecentSales:
    table = RecentSales()
    qtbot.addWidget(table)
    return table


def test_a_row_says_all_in_words(recent: RecentSales) -> None:
    recent.read([sale(1, outcome=Outcome.REFUSED, status=401), sale(2)])
    assert shown(recent, "outcome") == ["… in progress", "✕ Refused · 401"]
    assert shown(recent, "took") == ["\N{EN DASH}", "6.42 s"]
    assert shown(recent, "amount") == ["10.00 USD", "10.00 USD"]
    model = recent.model()
    assert [model.index(row, model.column("outcome")).data(TONE_ROLE) for row in range(2)] == [
        "accent",
        "bad",
    ]
    assert model.index(0, model.column("amount")).data(TONE_ROLE) is None


def test_devices_are_shown_by_nickname_where_there_is_one(recent: RecentSales) -> None:
    recent.read([sale(1)])
    assert shown(recent, "device") == ["D-1"]
    recent.name_devices({"D-1": "Till 1"})
    assert shown(recent, "device") == ["Till 1"]
    recent.take_in([sale(2)])
    assert shown(recent, "device") == ["Till 1", "Till 1"]


def test_a_sale_that_moves_on_changes_its_row_alone(recent: RecentSales, qtbot: QtBot) -> None:
    model = recent.model()
    recent.read([sale(number) for number in range(20)])
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
    ):
        recent.take_in([sale(7, outcome=Outcome.APPROVED), sale(8)])
    assert changed == [(12, 12)]


def test_a_poll_is_taken_in(recent: RecentSales) -> None:
    recent.read([sale(1)])
    recent.take_in([sale(1).polled()])
    assert recent.model().row(0).sale.polls == 1


def test_new_sales_and_outcomes_in_one_bunch_land_in_their_rows(recent: RecentSales) -> None:
    recent.read([sale(1)])
    changed: list[tuple[int, int]] = []
    recent.model().dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    recent.take_in([sale(1, outcome=Outcome.APPROVED), sale(2)])
    assert changed == [(1, 1)]
    assert shown(recent, "outcome") == ["… in progress", "✓ Approved"]


def test_a_new_sale_comes_on_top_and_the_oldest_goes(recent: RecentSales) -> None:
    recent.read([sale(number) for number in range(LIMIT)])
    recent.mark("KB-0007")
    recent.take_in([sale(LIMIT)])
    assert recent.model().rowCount() == LIMIT
    assert references(recent)[0] == f"KB-{LIMIT:04d}"
    assert recent.model().item("KB-0000") is None
    assert recent.selected == SaleRow(sale(7))


@given(st.lists(st.tuples(st.integers(0, 70), st.integers(0, 500)), max_size=120))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_however_sales_come_they_stand_newest_first_and_once(
    recent: RecentSales, moves: list[tuple[int, int]]
) -> None:
    recent.read([])
    first_seen: dict[int, Sale] = {}
    for number, at_s in moves:
        known = first_seen.setdefault(number, sale(number, at_s=at_s))
        recent.take_in([replace(known, polls=known.polls + 1)])
    times = [row.at for row in recent.model().rows]
    assert times == sorted(times, reverse=True)
    assert len(set(references(recent))) == len(times) <= LIMIT


def exchange(status: int = 200, body: str = '{"id":"r-1","status":"pending"}', failure: str = "") -> Exchange:
    return Exchange(
        at=START,
        method="POST",
        url="https://gateway.example/api/v5/devices/till-1/payment-requests/sale",
        request_headers=(("Authorization", "••••••"),),
        request_body='{"amount":"10.00"}',
        status=status,
        response_headers=(("Content-Type", "application/json"),),
        response_body=body,
        failure=failure,
        timings=Timings(0.041, connect_s=0.003, wait_s=0.036, read_s=0.002),
    )


def test_an_exchange_in_a_line() -> None:
    assert request_line(exchange()) == "POST /api/v5/devices/till-1/payment-requests/sale"
    assert answer_word(exchange()) == "200 pending"
    assert answer_word(exchange(401, '{"message":"no"}')) == "✕ 401 Unauthorized"
    assert answer_word(exchange(299, "not json")) == "299"
    assert answer_word(exchange(0, "", "connect timeout")) == "✕ no answer: connect timeout"
    broken = answer_word(exchange(200, "{", "connection reset"))
    assert broken == "✕ 200, broken off: connection reset"
