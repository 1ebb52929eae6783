"""The sale's state machine: what can become of a sale, and what never can."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakes.clock import START
from keybench.core.money import Money
from keybench.core.sales.sale import IllegalTransition, Outcome, Sale, SaleMode, SaleStage, Verdict

LATER = START + timedelta(seconds=7)
GATEWAY = "https://gateway.example"
SETTLED = [outcome for outcome in Outcome if outcome.is_settled]


def a_sale(stage: SaleStage = SaleStage.NOTED, outcome: Outcome | None = None) -> Sale:
    money = Money(Decimal("10.00"), "USD")
    noted = Sale("KB-1", "e", "k", "Till", "D-1", money, SaleMode.ASYNCHRONOUS, SaleStage.NOTED, START)
    match stage:
        case SaleStage.NOTED:
            return noted
        case SaleStage.ACCEPTED:
            return noted.accept("PR-1", START)
        case SaleStage.FINISHED:
            return noted.accept("PR-1", START).finish(Verdict(outcome or Outcome.APPROVED), LATER)


def test_only_unknown_is_not_settled() -> None:
    assert [outcome for outcome in Outcome if not outcome.is_settled] == [Outcome.UNKNOWN]


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("stage", [SaleStage.NOTED, SaleStage.ACCEPTED])
def test_a_sale_under_way_can_end_in_every_way(stage: SaleStage, outcome: Outcome) -> None:
    ended = replace(a_sale(stage), owner="me").finish(Verdict(outcome), LATER)
    assert (ended.stage, ended.outcome, ended.finished_at) == (SaleStage.FINISHED, outcome, LATER)
    assert ended.elapsed_s == 7.0
    assert not ended.owner


@pytest.mark.parametrize("outcome", SETTLED)
def test_a_settled_outcome_never_changes(outcome: Outcome) -> None:
    settled = a_sale(SaleStage.FINISHED, outcome)
    assert settled.finish(Verdict(outcome, message="again"), LATER) is settled
    for other in set(Outcome) - {outcome}:
        with pytest.raises(IllegalTransition):
            settled.finish(Verdict(other), LATER)


@pytest.mark.parametrize("outcome", SETTLED)
def test_a_settled_sale_is_not_accepted_again(outcome: Outcome) -> None:
    with pytest.raises(IllegalTransition):
        a_sale(SaleStage.FINISHED, outcome).accept("PR-1", LATER)


def test_an_unknown_sale_can_turn_out_to_be_accepted() -> None:
    found = a_sale(SaleStage.FINISHED, Outcome.UNKNOWN).accept("PR-1", LATER)
    assert (found.stage, found.verdict, found.finished_at) == (SaleStage.ACCEPTED, None, None)
    assert found.accepted_at == START
    assert found.elapsed_s is None


@pytest.mark.parametrize("outcome", Outcome)
def test_an_unknown_sale_can_turn_out_in_every_way(outcome: Outcome) -> None:
    assert a_sale(SaleStage.FINISHED, Outcome.UNKNOWN).finish(Verdict(outcome), LATER).outcome is outcome


def test_a_sale_keeps_the_identifier_it_was_accepted_under() -> None:
    with pytest.raises(IllegalTransition):
        a_sale(SaleStage.ACCEPTED).accept("PR-2", LATER)
    assert a_sale(SaleStage.ACCEPTED).accept("PR-1", LATER).accepted_at == START


@pytest.mark.parametrize(
    "sale",
    [a_sale(SaleStage.ACCEPTED), *(a_sale(SaleStage.FINISHED, outcome) for outcome in Outcome)],
    ids=lambda sale: f"{sale.stage}-{sale.outcome}",
)
def test_only_an_intent_is_ever_sent(sale: Sale) -> None:
    assert a_sale().send(GATEWAY) == replace(a_sale(), sent_to=GATEWAY)
    with pytest.raises(IllegalTransition):
        sale.send(GATEWAY)


class SaleHistories(RuleBasedStateMachine):
    """Any moves in any order: what is settled stays, and what is refused changes nothing."""

    @initialize()
    def note(self) -> None:
        self.sale = a_sale()
        self.settled: Sale | None = None

    @rule(request_id=st.sampled_from(["PR-1", "PR-2"]), minutes=st.integers(0, 9))
    def accept(self, request_id: str, minutes: int) -> None:
        self._move(lambda: self.sale.accept(request_id, START + timedelta(minutes=minutes)))

    @rule(outcome=st.sampled_from(list(Outcome)), minutes=st.integers(0, 9))
    def finish(self, outcome: Outcome, minutes: int) -> None:
        self._move(lambda: self.sale.finish(Verdict(outcome), START + timedelta(minutes=minutes)))

    @rule()
    def send(self) -> None:
        self._move(lambda: self.sale.send(GATEWAY))

    @precondition(lambda self: self.settled is None)
    @rule()
    def poll(self) -> None:
        self.sale = self.sale.polled()

    @invariant()
    def the_stage_and_the_facts_agree(self) -> None:
        sale = self.sale
        assert (
            (sale.stage is SaleStage.FINISHED) == (sale.verdict is not None) == (sale.finished_at is not None)
        )
        assert sale.stage is not SaleStage.ACCEPTED or (sale.request_id and sale.accepted_at)
        assert sale.stage is not SaleStage.NOTED or not sale.request_id

    @invariant()
    def what_is_settled_stays(self) -> None:
        if self.settled is None and self.sale.is_settled:
            self.settled = self.sale
        assert self.settled is None or self.settled == self.sale

    def _move(self, move: object) -> None:
        try:
            self.sale = move()  # type: ignore[operator]  # a method of the sale's
        except IllegalTransition:
            return


TestSaleHistories = SaleHistories.TestCase
