"""What went on while a sale was under way is told from its timeline, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.journal_samples import NOW, a_sale
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import ContractFacts
from keybench.core.reasons import Reason
from keybench.core.sales.forensics import Account, WaitCause, account_of
from keybench.core.sales.sale import RESUMED, Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.words.sales.forensics import because, record, sentences, times, times_sentence

TOLD = ContractFacts("", begun={"pending": False, "inFlight": True})

Point = tuple[float, Mark] | tuple[float, Mark, str] | tuple[float, Mark, str, float]


def timeline(*points: Point) -> list[SaleEvent]:
    """Return a timeline; a poll took a tenth of a second unless it says otherwise."""
    begin: list[Point] = [(0.0, Mark.NOTED), (0.01, Mark.SENT, "async")]
    events = []
    for at_s, mark, *rest in [*begin, *points]:
        took_s = 0.1 if mark in {Mark.STATUS, Mark.TROUBLE, Mark.OUTCOME, Mark.ACCEPTED} else None
        if len(rest) > 1:
            took_s = float(rest[1]) if float(rest[1]) >= 0 else None
        events.append(
            SaleEvent("KB-1", NOW + timedelta(seconds=at_s), mark, str(rest[0]) if rest else "", took_s)
        )
    return events


def polled(*words: str, every_s: float = 4.0, since_s: float = 0.1) -> list[Point]:
    """Return the acceptance and a poll for each word; the first word is the acceptance's."""
    first, *others = words
    points: list[Point] = [(since_s, Mark.ACCEPTED, first)]
    return points + [(since_s + every_s * (at + 1), Mark.STATUS, word) for at, word in enumerate(others)]


def sale(
    outcome: Outcome | None, seconds: float = 10.0, reason: str = "", lasted_s: float | None = None
) -> Sale:
    noted = a_sale()
    if outcome is None:
        return noted
    ended = NOW + timedelta(seconds=seconds)
    return replace(noted, verdict=Verdict(outcome, reason), finished_at=ended, lasted_s=lasted_s)


def told(of: Sale, points: Sequence[Point], facts: ContractFacts | None = None) -> Account:
    return account_of(of, timeline(*points), (), facts)


def findings(account: Account) -> list[WaitCause]:
    return [found.finding for found in account.findings]


def approved(*points: Point, at_s: float, took_s: float = 0.1) -> list[Point]:
    return [*points, (at_s, Mark.OUTCOME, "approved", took_s)]


def exchange(status: int, failure: str) -> Exchange:
    return Exchange(NOW, "POST", "https://gateway.example/", (), "", status, (), "", failure, Timings(0.1))


# --- as usual ---------------------------------------------------------------------------------------------


def test_a_usual_sale_has_its_times_and_nothing_to_find() -> None:
    account = told(
        sale(Outcome.APPROVED, 6.5),
        approved(*polled("pending", "pending", "inFlight", every_s=2.0), at_s=6.5),
        TOLD,
    )
    assert (findings(account), account.gaps, sentences(account)) == ([], (), [])
    assert times(account) == {
        "accepted_s": 0.1, "device_s": 4.1, "outcome_s": 6.5, "longest_gap_s": 2.4, "late_s": 2.5,
    }  # fmt: skip
    assert times_sentence(account) == (
        "Accepted after 100 ms, device began within 4.10 s, outcome seen after 6.50 s, at most 2.50 s late, "
        "longest time between two answers 2.40 s."
    )


def test_where_the_contract_tells_nothing_of_the_device_nobody_guesses() -> None:
    account = told(sale(Outcome.APPROVED, 6.5), approved(*polled("a", "b"), at_s=6.5))
    assert account.device_s is None
    assert "device" not in times_sentence(account)


# --- the answer to the sale -------------------------------------------------------------------------------


def test_a_sale_whose_answer_never_came_was_lost() -> None:
    account = told(sale(Outcome.UNKNOWN, 15, "timeout"), [(15.0, Mark.OUTCOME, "unknown")])
    assert findings(account) == [WaitCause.ANSWER_LOST]
    assert because(account.findings[0]).startswith("The sale was sent, and in 15.0 s no whole answer came.")
    assert times_sentence(account) == ""


@pytest.mark.parametrize(("status", "failure"), [(500, "failed"), (202, ""), (0, "name not found")])
def test_an_answer_that_came_or_a_request_that_never_went_isnt_lost(status: int, failure: str) -> None:
    account = account_of(
        sale(Outcome.UNKNOWN, 1, "not json"),
        timeline((1.0, Mark.OUTCOME, "unknown")),
        [exchange(status, failure)],
    )
    assert findings(account) == []


def test_a_lost_answer_is_told_though_a_look_up_found_the_outcome() -> None:
    events = timeline(
        (15.0, Mark.OUTCOME, "unknown"), (100.0, Mark.ACCEPTED, "interactionComplete"),
        (100.1, Mark.OUTCOME, "approved", -1),
    )  # fmt: skip
    account = account_of(sale(Outcome.APPROVED, 100), events, [exchange(0, "timeout")])
    assert findings(account) == [WaitCause.ANSWER_LOST]
    assert (account.outcome_s, account.late_s) == (None, None)


# --- the device and the customer --------------------------------------------------------------------------


def test_a_device_never_woke_where_a_status_tells_so() -> None:
    points = polled("pending", *["pending"] * 74)
    account = told(sale(Outcome.EXPIRED, 300), [*points, (300.0, Mark.OUTCOME, "expired")], TOLD)
    assert findings(account) == [WaitCause.NEVER_WOKE]
    assert "“pending” for 4 min 56 s" in because(account.findings[0])


def test_what_a_sale_began_with_says_nothing_of_what_came_later() -> None:
    for seconds in (2.0, 60.0):
        account = told(
            sale(Outcome.EXPIRED, seconds),
            [*polled("pending"), (seconds, Mark.OUTCOME, "expired")],
            TOLD,
        )
        assert WaitCause.NEVER_WOKE not in findings(account)


def test_where_no_status_tells_nobody_knows_who_didnt_come() -> None:
    points = polled("pending", *["pending"] * 74)
    over: Point = (300.0, Mark.OUTCOME, "expired")
    assert findings(told(sale(Outcome.EXPIRED, 300), [*points, over])) == []


def test_a_device_that_may_have_begun_unseen_isnt_called_asleep() -> None:
    points = polled("pending", *["pending"] * 20)
    troubles: list[Point] = [(90.0 + 18 * at, Mark.TROUBLE, "timeout", 15.0) for at in range(11)]
    account = told(sale(Outcome.EXPIRED, 300), [*points, *troubles, (300.0, Mark.OUTCOME, "expired")], TOLD)
    assert findings(account) == [WaitCause.NETWORK_GAP]


def test_a_customer_left_where_the_device_had_begun() -> None:
    points = polled("pending", "inFlight", *["inFlight"] * 73)
    account = told(sale(Outcome.EXPIRED, 300), [*points, (300.0, Mark.OUTCOME, "expired")], TOLD)
    assert findings(account) == [WaitCause.CUSTOMER_LEFT]


# --- gaps -------------------------------------------------------------------------------------------------


def test_polls_without_an_answer_are_a_network_gap() -> None:
    points: list[Point] = [
        *polled("pending", "inFlight"),
        (21.0, Mark.TROUBLE, "timeout", 15.0),
        (40.0, Mark.TROUBLE, "timeout", 15.0),
    ]  # fmt: skip
    account = told(sale(Outcome.APPROVED, 44), approved(*points, at_s=44.2), TOLD)
    assert findings(account) == [WaitCause.NETWORK_GAP]
    (gap,) = account.gaps
    assert (gap.polls, gap.reason, gap.begin_s, gap.end_s) == (2, "timeout", 4.1, 44.2)
    assert because(gap) == (
        "For 40.1 s, nothing was known of the sale: 2 polls got no answer. "
        "The gateway gave no answer in time."
    )


def test_an_answer_that_took_forty_seconds_is_a_gap_of_the_network() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=46.0, took_s=40.0)
    account = told(sale(Outcome.APPROVED, 46), points, TOLD)
    assert findings(account) == [WaitCause.NETWORK_GAP]
    assert because(account.findings[0]).endswith("one poll waited for its answer.")


def test_an_answer_that_the_gateway_holds_is_no_gap() -> None:
    points = approved(*polled("pending"), at_s=46.0, took_s=45.5)
    account = told(sale(Outcome.APPROVED, 46), points, replace(TOLD, held_s=60.0))
    assert (findings(account), account.gaps, account.late_s) == ([], (), 0.0)


def test_a_gap_that_hasnt_ended_is_told_while_the_sale_goes_on() -> None:
    points: list[Point] = [*polled("pending", "pending"), (8.0, Mark.TROUBLE, "connection refused")]
    for waited_s, found in ((12.0, []), (30.0, [WaitCause.NETWORK_GAP])):
        now = NOW + timedelta(seconds=waited_s)
        assert findings(account_of(sale(None), timeline(*points), (), TOLD, now)) == found


@pytest.mark.parametrize("trouble", ["503 failed", "429 rate limit", "401 unauthorised"])
def test_a_gateway_that_answers_without_a_status_isnt_the_network(trouble: str) -> None:
    points: list[Point] = [*polled("pending"), (6.0, Mark.TROUBLE, trouble), (8.5, Mark.TROUBLE, trouble)]
    account = told(sale(Outcome.APPROVED, 23), approved(*points, at_s=23.0), TOLD)
    assert findings(account) == [WaitCause.GATEWAY_GAP]
    shown = f"2 polls got no status, the last {trouble[:3]}."
    assert shown in because(account.findings[0])


def test_polling_was_late_where_nobody_asked_for_longer_than_planned() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=60.0)
    account = told(sale(Outcome.APPROVED, 60), points, TOLD)
    assert findings(account) == [WaitCause.POLLING_LATE]
    assert because(account.findings[0]).startswith("For 55.9 s, Keybench didn't ask")
    assert account.late_s == pytest.approx(56.0)


def test_a_pause_within_the_plan_is_no_gap_and_the_gateways_own_time_tells_how_late_we_asked() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=13.0)
    assert told(sale(Outcome.APPROVED, 13), points, TOLD).late_s == pytest.approx(9.0)
    account = told(sale(Outcome.APPROVED, 13, lasted_s=5.0), points, TOLD)
    assert (findings(account), account.late_s) == ([], pytest.approx(7.9))


def test_a_program_that_wasnt_running_is_told_as_that() -> None:
    points: list[Point] = [*polled("pending", "inFlight"), (600.0, Mark.LOOKED_UP, RESUMED)]
    account = told(sale(Outcome.APPROVED, 601), approved(*points, at_s=601.0), TOLD)
    assert findings(account) == [WaitCause.KEYBENCH_CLOSED]


def test_a_locked_keystore_is_why_nobody_asked() -> None:
    points: list[Point] = [*polled("pending")]
    points += [(5.0 + 9 * at, Mark.TROUBLE, Reason.KEYSTORE_LOCKED.value, 0.0) for at in range(4)]
    account = told(sale(Outcome.APPROVED, 40), approved(*points, at_s=40.0), TOLD)
    assert findings(account) == [WaitCause.POLLING_LATE]


def test_what_was_given_up_and_looked_up_later_isnt_called_a_gap() -> None:
    points: list[Point] = [
        *polled("pending", *["pending"] * 81), (330.0, Mark.OUTCOME, "unknown", -1),
        (9000.0, Mark.ACCEPTED, "inFlight"), (9001.0, Mark.STATUS, "inFlight"),
        (9003.0, Mark.OUTCOME, "approved"),
    ]  # fmt: skip
    account = told(sale(Outcome.APPROVED, 9003), points)
    assert account.gaps == ()


# --- all of it --------------------------------------------------------------------------------------------


def test_an_outcome_without_a_timeline_tells_nothing() -> None:
    assert account_of(sale(Outcome.APPROVED), []) == Account()


def test_a_program_is_told_the_same_in_stable_words() -> None:
    account = told(sale(Outcome.UNKNOWN, 15, "timeout"), [(15.0, Mark.OUTCOME, "unknown")])
    (found,) = record(account)
    assert (found["finding"], bool(found["because"])) == ("answer_lost", True)


marks = st.sampled_from(
    [Mark.STATUS, Mark.TROUBLE, Mark.LOOKED_UP, Mark.CANCEL_ASKED, Mark.ACCEPTED, Mark.CHECKED]
)
details = st.sampled_from(
    ["pending", "inFlight", "timeout", "503 failed", "429 rate limit", RESUMED, "", "403 x"]
)
wild = st.lists(
    st.tuples(st.floats(-50, 900), marks, details, st.one_of(st.just(-1.0), st.floats(0, 60))), max_size=25
)


@given(wild, st.sampled_from(Outcome), st.sampled_from([None, TOLD, replace(TOLD, held_s=60.0)]))
def test_whatever_was_recorded_is_accounted_for(
    points: list[tuple[float, Mark, str, float]], outcome: Outcome, facts: ContractFacts | None
) -> None:
    events = timeline(*points, (950.0, Mark.OUTCOME, outcome.value))
    account = account_of(sale(outcome, 950), events, (), facts)
    assert all(gap.begin_s <= gap.end_s for gap in account.gaps)
    assert all(one is None or one >= 0 for one in times(account).values())
    assert all(because(found) and found.seconds >= 0 for found in account.findings)
    assert len(findings(account)) == len(set(findings(account)))
