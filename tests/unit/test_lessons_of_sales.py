"""What a sale that is over teaches: what was seen of it while it was followed, and nothing else."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from keybench.core.habit import Lesson, lesson_of
from keybench.core.money import Money
from keybench.core.reasons import Reason
from keybench.core.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict

ACCEPTED = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)


def sale_that(outcome: Outcome, reason: str = "") -> Sale:
    money, mode, stage = Money(Decimal("10.00"), "USD"), SaleMode.ASYNCHRONOUS, SaleStage.FINISHED
    return Sale(
        *("KB-1", "e", "k", "Till", "D-1", money, mode, stage, ACCEPTED),
        accepted_at=ACCEPTED,
        verdict=Verdict(outcome, reason),
        polls=2,
    )


def at(seconds: float, mark: Mark, detail: str = "") -> SaleEvent:
    return SaleEvent("KB-1", ACCEPTED + timedelta(seconds=seconds), mark, detail)


BEGINNING = [at(0, Mark.ACCEPTED, "created"), at(3, Mark.STATUS, "created")]
GIVEN_UP = [*BEGINNING, at(329, Mark.STATUS, "inFlight"), at(330, Mark.OUTCOME, Outcome.UNKNOWN)]


@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.DECLINED, Outcome.EXPIRED])
def test_an_outcome_came_between_two_polls(outcome: Outcome) -> None:
    taught = lesson_of(sale_that(outcome), [*BEGINNING, at(5, Mark.OUTCOME, outcome)])
    assert taught == Lesson("KB-1", "D-1", 3.0, 5.0, (), outcome)


def test_one_that_was_given_up_never_ended_while_it_was_followed() -> None:
    taught = lesson_of(sale_that(Outcome.UNKNOWN, Reason.DEADLINE), GIVEN_UP)
    assert taught
    assert (taught.after_s, taught.until_s, taught.outcome) == (329.0, math.inf, None)


def test_what_a_person_looks_up_hours_later_doesnt_change_that() -> None:
    found = [at(9000, Mark.LOOKED_UP, "done"), at(9000, Mark.OUTCOME, Outcome.APPROVED)]
    taught = lesson_of(sale_that(Outcome.APPROVED), [*GIVEN_UP, *found])
    assert taught
    assert (taught.after_s, taught.until_s, taught.outcome) == (329.0, math.inf, None)


def test_one_that_is_followed_again_ends_between_two_polls_as_any_other() -> None:
    again = [at(400, Mark.LOOKED_UP, "inFlight"), at(401, Mark.STATUS, "inFlight")]
    taught = lesson_of(
        sale_that(Outcome.APPROVED), [*GIVEN_UP, *again, at(404, Mark.OUTCOME, Outcome.APPROVED)]
    )
    assert taught
    assert (taught.after_s, taught.until_s) == (401.0, 404.0)


def test_a_timeline_without_the_outcome_teaches_nothing() -> None:
    """The journal hasn't taken it yet; it would be a lie that the outcome never came."""
    assert lesson_of(sale_that(Outcome.APPROVED), BEGINNING) is None
    assert lesson_of(sale_that(Outcome.APPROVED), GIVEN_UP) is None
    assert lesson_of(sale_that(Outcome.UNKNOWN), BEGINNING) is None
