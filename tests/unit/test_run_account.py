"""A run's books: whose turn it is, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from fakes.clock import START
from keybench.core.csv_lists import DeviceRow
from keybench.core.errors import JournalBusy
from keybench.core.input_errors import NotFound
from keybench.core.money import Money
from keybench.core.run_account import RowState, RunAccount, Turns
from keybench.core.sale import Outcome, Sale, SaleMode, SaleStage, Verdict

TEN = Money(Decimal("10.00"), "USD")


def account(rows: int) -> RunAccount:
    return RunAccount([DeviceRow(line, f"till-{line}", TEN) for line in range(1, rows + 1)])


def sale(outcome: Outcome | None = None) -> Sale:
    noted = Sale(
        "KB-1", "practice", "k", "Till", "till-1", TEN, SaleMode.ASYNCHRONOUS, SaleStage.NOTED, START
    )
    return replace(noted, verdict=Verdict(outcome)) if outcome else noted


# --- turns ----------------------------------------------------------------------------------------


def test_rows_are_taken_in_order_and_none_of_a_busy_device() -> None:
    turns = Turns(["a", "a", "b", "a", "c"])
    assert [turns.take() for _ in range(4)] == [0, 2, 4, None]
    turns.give_back(0)
    assert [turns.take(), turns.take()] == [1, None]
    turns.give_back(4)
    turns.give_back(2)
    assert turns.take() is None
    turns.give_back(1)
    assert turns.take() == 3


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 6), st.randoms(use_true_random=False))
def test_every_row_has_its_turn_once_and_never_beside_its_devices_other_rows(
    devices: list[str], lanes: int, chance: object
) -> None:
    turns, taken, busy = Turns(devices), list[int](), list[int]()
    while True:
        while len(busy) < lanes and (index := turns.take()) is not None:
            assert devices[index] not in {devices[other] for other in busy}
            assert not any(devices[i] == devices[index] and i > index for i in taken)
            busy.append(index)
            taken.append(index)
        if not busy:
            break
        turns.give_back(busy.pop(chance.randrange(len(busy))))  # type: ignore[attr-defined] # hypothesis names no type
    assert sorted(taken) == list(range(len(devices)))


# --- counting -------------------------------------------------------------------------------------


def test_outcomes_and_what_is_under_way_are_counted() -> None:
    books = account(6)
    for index in range(4):
        books.begin(index)
        books.noted(index, sale())
    books.end(0, sale(Outcome.APPROVED))
    books.end(1, sale(Outcome.DECLINED))
    books.fail(2, JournalBusy())
    books.begin(4)
    books.fail(4, NotFound("key", "Till"))
    assert (books.done, books.under_way, books.total) == (4, 1, 6)
    assert books.leave() == [5]
    assert (books.done, books.left) == (5, 1)
    counted = {outcome: books.count(outcome) for outcome in Outcome if books.count(outcome)}
    assert counted == {
        Outcome.APPROVED: 1,
        Outcome.DECLINED: 1,
        Outcome.UNKNOWN: 1,
        Outcome.NOT_SENT: 1,
    }
    assert [result.outcome for result in books.results] == [
        *(Outcome.APPROVED, Outcome.DECLINED, Outcome.UNKNOWN, None, Outcome.NOT_SENT, Outcome.NOT_SENT)
    ]
    assert books.results[5].state is RowState.LEFT


def test_time_left_follows_from_what_was_done() -> None:
    books = account(8)
    assert books.time_left_s(3.0) is None
    books.begin(0)
    books.end(0, sale(Outcome.APPROVED))
    books.begin(1)
    books.end(1, sale(Outcome.APPROVED))
    assert books.time_left_s(4.0) == 12.0
    for index in range(2, 8):
        books.begin(index)
        books.end(index, sale(Outcome.APPROVED))
    assert books.time_left_s(16.0) == 0.0
