"""When a sale is asked for again: one calm line that nothing makes room for and nobody is told of twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import DONE, PENDING
from keybench.core.devices.distribution import evenly
from keybench.core.devices.habit import UNTAUGHT, Basis, Habit
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.sales.poll_plan import Pause, Why
from keybench.core.sales.sale import Mark, Outcome, SaleEvent, Verdict
from keybench.ui.shared.sales.outcome_card import NextPoll, PollPlans
from keybench.words.sales.polls import learnt_from, next_poll, poll_reason, usual_time, usually

from .sale_support import Selling, until_quiet

AT_8_S = Habit(seen=evenly([(7.75, 8.25, 1.0)]), basis=Basis.DEVICE, outcomes=20)


@pytest.mark.parametrize(
    ("left_s", "words"),
    [
        (1.2, "Next check in 2 s"),
        (0.3, "Next check in 1 s"),
        (-0.9, "Next check in 1 s"),
        (90.0, "Next check in 2 min"),
        (-3.0, "Waiting for the answer"),
    ],
)
def test_the_line_says_when(left_s: float, words: str) -> None:
    assert next_poll(left_s) == words


def test_every_reason_has_a_sentence_of_its_own() -> None:
    habits = [replace(AT_8_S, basis=basis) for basis in Basis]
    sentences = {poll_reason(why, habit) for why in Why for habit in habits}
    by_habit = {Why.EARLY, Why.LIKELY, Why.LATE, Why.STATE}
    assert len(sentences) == len(Why) + len(by_habit) * (len(Basis) - 1)
    assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize(
    ("least_s", "most_s", "words"),
    [
        (8.2, 20.4, "8 to 20 s"),
        (1.96, 3.6, "2.0 to 3.6 s"),
        (3.0, 3.04, "about 3 s"),
        (12.3, 12.4, "about 12 s"),
        (70.0, 200.0, "1 to 3 min"),
        (20.0, 200.0, "up to 3 min"),
        (175.0, 185.0, "about 3 min"),
    ],
)
def test_the_usual_time_is_told_as_precisely_as_it_matters(least_s: float, most_s: float, words: str) -> None:
    whole = (most_s - least_s) / 0.8
    seen = evenly([(least_s - whole / 10, most_s + whole / 10, 1.0)])
    assert usual_time(Habit(seen=seen, basis=Basis.DEVICE)) == words


def test_the_line_says_what_is_usual_and_when_it_no_longer_is(qtbot: QtBot) -> None:
    line = NextPoll()
    qtbot.addWidget(line)
    planned = PollPlanned("KB-1", Pause(2.0, Why.LIKELY), AT_8_S)
    line.show_plan((2.0, planned), elapsed_s=7.8)
    assert line.text() == "Next check in 2 s · Usually 7.8 to 8.2 s on this device"
    assert line.toolTip() == (
        "Most sales on this device end about now. Learnt from the last 20 sales on this device."
    )
    line.show_plan((2.0, planned), elapsed_s=9.0)
    assert line.text() == "Next check in 2 s · Usually 7.8 to 8.2 s on this device; now unusual"
    elsewhere = replace(AT_8_S, basis=Basis.ENVIRONMENT)
    assert usually(elsewhere) == "Usually 7.8 to 8.2 s in this environment"
    assert usually(elsewhere, 30.0) == "Usually 7.8 to 8.2 s in this environment; now unusual"
    assert usually(UNTAUGHT, 300.0) == learnt_from(UNTAUGHT) == ""


async def test_the_card_says_when_it_asks_again_in_the_room_it_has(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING, PENDING, PENDING, DONE]
    card = stage.panel.card
    await stage.send()
    await stage.pass_time(0.0)
    await until_quiet(stage.panel)
    card._tick()
    height, words, reasons = card.height(), [], []
    assert card.next_poll.isVisible()
    for _ in range(4):
        words.append(card.next_poll.text())
        reasons.append(card.next_poll.accessibleDescription())
        assert (card.next_poll.height(), card.height()) == (card.next_poll.sizeHint().height(), height)
        await stage.pass_time(1.0)
        await until_quiet(stage.panel)
        card._tick()
    assert poll_reason(Why.FIRST, UNTAUGHT) in reasons[0]
    assert poll_reason(Why.LIKELY, UNTAUGHT) in reasons[-1]
    assert all(line.startswith("Next check in ") for line in words)
    await stage.outcome_is("Approved")
    assert not card.next_poll.isVisible()


async def test_the_state_is_told_briefly_where_there_is_no_room_beside_the_amount(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send()
    await until_quiet(stage.panel)
    card = stage.panel.card
    for width, words in ((900, "Waiting for the customer · "), (380, "Waiting · ")):
        card.setFixedWidth(width)
        await stage.pass_time(0.0)
        card._tick()
        assert card.pill.text().startswith(words)
        assert card.pill.width() >= card.pill.sizeHint().width()
        assert card.figure.width() >= card.figure.sizeHint().width()
    assert stage.outcome.startswith("Waiting for the customer")


async def test_screen_readers_find_the_reason_and_are_told_no_seconds(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send()
    await until_quiet(stage.panel)
    line, spoken = stage.panel.card.next_poll, stage.outcome
    planned = PollPlanned("KB-1", Pause(4.0, Why.LATE))
    for left_s in (4.0, 3.0, 2.0):
        line.show_plan((left_s, planned))
        assert line.accessibleName() == "Next check"
        assert line.accessibleDescription() == line.toolTip() == poll_reason(Why.LATE, UNTAUGHT)
    assert stage.outcome == spoken


async def test_plans_are_kept_while_a_sale_is_under_way(selling: Selling) -> None:
    stage = await selling()
    await stage.send()
    sale = replace((await stage.sales())[0], reference="KB-PLANNED")
    events, clock = stage.bench.events, stage.bench.clock
    plans = PollPlans(stage.session, stage.session)
    assert plans.of(sale.reference) is None
    events.publish(PollPlanned(sale.reference, Pause(3.0, Why.LATE)))
    await clock.advance(1.0)
    assert plans.of(sale.reference) == (2.0, PollPlanned(sale.reference, Pause(3.0, Why.LATE)))
    await clock.advance(200.0)
    assert plans.of(sale.reference) is None  # nobody follows it any more
    events.publish(PollPlanned(sale.reference, Pause(3.0, Why.LATE)))
    ended = sale.finish(Verdict(Outcome.APPROVED), clock.now())
    events.publish(SaleChanged(ended, SaleEvent(sale.reference, clock.now(), Mark.OUTCOME)))
    assert plans.of(sale.reference) is None
    stage.session.end()
    events.publish(PollPlanned(sale.reference, Pause(3.0, Why.LATE)))
    assert plans.of(sale.reference) is None
