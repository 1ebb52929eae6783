"""What went on while a sale was under way is told from evidence, and what the evidence can't tell isn't."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.journal_samples import NOW, a_sale
from keybench.core.exchange import Exchange, Timings
from keybench.core.forensic_record import GapKind, Known
from keybench.core.forensics import Account, Finding, Untold, account_of
from keybench.core.habit import UNTAUGHT, Lesson, begins_after, device_habit
from keybench.core.sale import RESUMED, Mark, Outcome, Sale, SaleEvent, SaleMode, Verdict
from keybench.words.forensics import because, record, sentences, usual_sentence

TOLD = Known(begun={"pending": False, "inFlight": True})
LEARNT = Known(begins_s=1.5)
QUICK = device_habit(
    [Lesson(f"KB-{one}", "D-1", 5.0 + one / 10, 6.0 + one / 10) for one in range(10)], UNTAUGHT
)

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


def told(of: Sale, points: Sequence[Point], known: Known | None = None) -> Account:
    return account_of(of, timeline(*points), (), known)


def findings(account: Account) -> list[Finding]:
    return [found.finding for found in account.findings]


def approved(*points: Point, at_s: float, took_s: float = 0.1) -> list[Point]:
    return [*points, (at_s, Mark.OUTCOME, "approved", took_s)]


# --- as usual ---------------------------------------------------------------------------------------------


def test_a_usual_sale_has_spans_polls_and_nothing_to_find() -> None:
    account = told(
        sale(Outcome.APPROVED, 6.5),
        approved(*polled("pending", "pending", "inFlight", every_s=2.0), at_s=6.5),
        TOLD,
    )
    assert (findings(account), account.untold, account.gaps, account.jumps) == ([], (), (), ())
    assert [span.word for span in account.spans] == ["pending", "inFlight"]
    assert account.lag_s == (0.0, pytest.approx(2.5))
    assert len(account.polls) == 3
    assert account.pauses == (pytest.approx(2.0), pytest.approx(2.4))
    assert usual_sentence(account) == (
        "Nothing unusual: 3 polls, all answered, and the outcome was seen at most 2.50 s late."
    )


def test_spans_meet_in_the_middle_between_the_polls_that_saw_them() -> None:
    account = told(
        sale(Outcome.APPROVED, 6.5),
        approved(*polled("pending", "pending", "inFlight", every_s=2.0), at_s=6.5),
    )
    pending, flying = account.spans[:2]
    assert (pending.word, pending.begin_s, pending.end_s) == (
        "pending",
        pytest.approx(0.1),
        pytest.approx(3.05),
    )
    assert (flying.word, flying.begin_s) == ("inFlight", pending.end_s)
    assert flying.end_s == pytest.approx((4.1 + 6.4) / 2)
    assert len(account.spans) == 2


# --- the answer to the sale -------------------------------------------------------------------------------


def test_a_sale_whose_answer_never_came_was_lost() -> None:
    account = told(sale(Outcome.UNKNOWN, 15, "timeout"), [(15.0, Mark.OUTCOME, "unknown")])
    assert findings(account) == [Finding.ANSWER_LOST]
    assert because(account.findings[0]).startswith("The sale was sent, and in 15.0 s no whole answer came.")


@pytest.mark.parametrize(("status", "failure"), [(500, "failed"), (202, ""), (0, "name not found")])
def test_an_answer_that_came_or_a_request_that_never_went_isnt_lost(status: int, failure: str) -> None:
    account = account_of(
        sale(Outcome.UNKNOWN, 1, "not json"),
        timeline((1.0, Mark.OUTCOME, "unknown")),
        [exchange(0.9, "POST", status, failure)],
    )
    assert findings(account) == []


def test_a_lost_answer_is_told_though_a_look_up_found_the_outcome() -> None:
    events = timeline(
        (15.0, Mark.OUTCOME, "unknown"), (100.0, Mark.ACCEPTED, "interactionComplete"),
        (100.1, Mark.OUTCOME, "approved", -1),
    )  # fmt: skip
    account = account_of(sale(Outcome.APPROVED, 100), events, [exchange(15.0, "POST", 0, "timeout", 14.9)])
    assert findings(account) == [Finding.ANSWER_LOST]
    assert account.untold == (Untold.WHEN_IT_ENDED,)
    assert account.lag_s is None


# --- the device -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [TOLD, LEARNT])
def test_a_device_never_woke_where_a_status_tells_so(known: Known) -> None:
    points = polled("pending", *["pending"] * 74)
    account = told(sale(Outcome.EXPIRED, 300), [*points, (300.0, Mark.OUTCOME, "expired")], known)
    assert findings(account) == [Finding.NEVER_WOKE]
    found = account.findings[0]
    assert (found.word, found.polls) == ("pending", 74)
    assert found.seconds == pytest.approx(296)
    assert "“pending” for 4 min 56 s" in because(found)


def test_what_a_sale_began_with_says_nothing_of_what_came_later() -> None:
    for seconds in (2.0, 60.0):
        account = told(
            sale(Outcome.EXPIRED, seconds),
            [*polled("pending"), (seconds, Mark.OUTCOME, "expired")],
            TOLD,
        )
        assert Finding.NEVER_WOKE not in findings(account)
        assert Untold.DEVICE_OR_CUSTOMER in account.untold


@pytest.mark.parametrize("known", [Known(), Known(begins_s=20.0), Known(begun={"inFlight": True})])
def test_where_no_status_tells_nobody_knows_who_didnt_come(known: Known) -> None:
    points = polled("pending", *["pending"] * 74)
    account = told(sale(Outcome.EXPIRED, 300), [*points, (300.0, Mark.OUTCOME, "expired")], known)
    assert (findings(account), account.untold) == ([], (Untold.DEVICE_OR_CUSTOMER,))


def test_a_device_that_may_have_begun_unseen_isnt_called_asleep() -> None:
    points = polled("pending", *["pending"] * 20)
    troubles: list[Point] = [(90.0 + 18 * at, Mark.TROUBLE, "timeout", 15.0) for at in range(11)]
    account = told(sale(Outcome.EXPIRED, 300), [*points, *troubles, (300.0, Mark.OUTCOME, "expired")], TOLD)
    assert findings(account) == [Finding.NETWORK_GAP]
    assert account.untold == (Untold.DEVICE_OR_CUSTOMER,)


def test_a_customer_left_where_the_device_had_begun() -> None:
    points = polled("pending", "inFlight", *["inFlight"] * 73)
    account = told(sale(Outcome.EXPIRED, 300), [*points, (300.0, Mark.OUTCOME, "expired")], TOLD)
    assert findings(account) == [Finding.CUSTOMER_LEFT]
    assert account.findings[0].polls == 74


def test_a_device_that_began_late_isnt_the_customers_fault() -> None:
    points = polled("pending", *["pending"] * 20, *["inFlight"] * 2)
    account = told(sale(Outcome.APPROVED, 93), approved(*points, at_s=93.0), TOLD)
    assert findings(account) == [Finding.WOKE_LATE]
    assert account.findings[0].seconds == pytest.approx(80)


def test_a_device_that_hasnt_begun_yet_is_told_while_the_sale_goes_on() -> None:
    assert findings(told(sale(None), polled("pending", *["pending"] * 10), TOLD)) == [Finding.WOKE_LATE]
    assert findings(told(sale(None), polled("pending", *["pending"] * 2), TOLD)) == []


# --- the customer -----------------------------------------------------------------------------------------


def test_a_customer_was_slow_beyond_what_is_usual_on_the_device() -> None:
    known = replace(TOLD, habit=QUICK)
    points = polled("pending", *["inFlight"] * 6)
    account = told(sale(Outcome.APPROVED, 25.5), approved(*points, at_s=25.5), known)
    assert findings(account) == [Finding.CUSTOMER_SLOW]
    assert because(account.findings[0]).startswith(
        "The device had begun, and after 23.9 s there was no outcome yet. Usually it takes"
    )


def test_the_gateways_own_time_makes_the_figure_exact() -> None:
    known = replace(TOLD, habit=QUICK)
    points = polled("pending", *["inFlight"] * 6)
    account = told(sale(Outcome.APPROVED, 25.5, lasted_s=25.0), approved(*points, at_s=25.5), known)
    assert account.findings[0].is_exact
    assert because(account.findings[0]).startswith("The device had begun, and the outcome took 25.0 s.")
    assert account.lag_s == (pytest.approx(0.4), pytest.approx(0.4))


def test_the_same_time_is_no_news_where_the_device_is_always_so() -> None:
    slow = device_habit([Lesson(f"KB-{at}", "D-1", 20.0 + at, 24.0 + at) for at in range(10)], UNTAUGHT)
    points = polled("pending", *["inFlight"] * 6)
    account = told(sale(Outcome.APPROVED, 25.5), approved(*points, at_s=25.5), replace(TOLD, habit=slow))
    assert findings(account) == []


def test_without_a_telling_status_nobody_knows_who_was_slow() -> None:
    points = polled("open", *["open"] * 25)
    account = told(sale(Outcome.APPROVED, 102), approved(*points, at_s=102.0))
    assert (findings(account), account.untold) == ([], (Untold.WHO_WAS_SLOW,))


def test_a_held_sale_tells_only_how_long_it_took() -> None:
    held = replace(sale(Outcome.APPROVED, 90), mode=SaleMode.SYNCHRONOUS)
    assert told(held, [(90.0, Mark.OUTCOME, "approved", 89.9)]).untold == (Untold.WHO_WAS_SLOW,)
    quick = replace(sale(Outcome.APPROVED, 9), mode=SaleMode.SYNCHRONOUS)
    assert told(quick, [(9.0, Mark.OUTCOME, "approved", 8.9)]).untold == ()


# --- the network ------------------------------------------------------------------------------------------


def test_polls_without_an_answer_are_a_network_gap_and_not_late_polling() -> None:
    points: list[Point] = [
        *polled("pending", "inFlight"),
        (21.0, Mark.TROUBLE, "timeout", 15.0),
        (40.0, Mark.TROUBLE, "timeout", 15.0),
    ]  # fmt: skip
    account = told(sale(Outcome.APPROVED, 44), approved(*points, at_s=44.2), TOLD)
    assert findings(account) == [Finding.NETWORK_GAP]
    (gap,) = account.gaps
    assert (gap.kind, gap.polls, gap.reason, gap.is_open) == (GapKind.NETWORK, 2, "timeout", False)
    assert gap.seconds == pytest.approx(44.2 - 6.0)
    assert because(account.findings[0]) == (
        "2 polls got no answer; for 38.2 s, nothing was known of the sale. "
        "The gateway gave no answer in time."
    )


def test_an_answer_that_took_forty_seconds_is_a_gap_of_the_network() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=46.0, took_s=40.0)
    account = told(sale(Outcome.APPROVED, 46), points, TOLD)
    assert findings(account) == [Finding.NETWORK_GAP]
    assert because(account.findings[0]) == "One poll waited 40.0 s for its answer."


def test_an_answer_that_the_gateway_holds_is_no_gap() -> None:
    points = approved(*polled("pending"), at_s=46.0, took_s=45.5)
    account = told(sale(Outcome.APPROVED, 46), points, replace(TOLD, held_s=60.0))
    assert (findings(account), account.gaps, account.lag_s) == ([], (), (0.0, 0.0))


def test_a_gap_that_never_ended_says_so() -> None:
    points: list[Point] = [*polled("pending", "pending")]
    points += [(8.0 + 18 * at, Mark.TROUBLE, "connection refused", 0.1) for at in range(17)]
    account = told(
        sale(Outcome.UNKNOWN, 330, "deadline"), [*points, (330.0, Mark.OUTCOME, "unknown", -1)], TOLD
    )
    assert findings(account) == [Finding.NETWORK_GAP]
    assert account.gaps[0].is_open
    assert "no later poll was answered" in because(account.findings[0])


def test_a_failing_gateway_isnt_the_network() -> None:
    points: list[Point] = [
        *polled("pending"),
        (6.0, Mark.TROUBLE, "503 failed"),
        (8.5, Mark.TROUBLE, "503 failed"),
    ]
    account = told(sale(Outcome.APPROVED, 13), approved(*points, at_s=13.0), TOLD)
    assert findings(account) == [Finding.GATEWAY_GAP]
    assert because(account.findings[0]).startswith("2 polls met a failing gateway (503); for 7.10 s")


# --- our own polls ----------------------------------------------------------------------------------------


def test_polling_was_late_where_the_outcome_waited_for_us() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=60.0)
    account = told(sale(Outcome.APPROVED, 60), points, TOLD)
    assert findings(account) == [Finding.POLLING_LATE]
    (gap,) = account.gaps
    assert (gap.kind, gap.begin_s, gap.end_s) == (GapKind.UNASKED, pytest.approx(4.1), pytest.approx(59.9))
    assert because(account.findings[0]).startswith("Seen up to 56.0 s late.")


def test_a_pause_within_the_plan_isnt_late_unless_the_gateway_says_so() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=13.0)
    assert findings(told(sale(Outcome.APPROVED, 13), points, TOLD)) == []
    account = told(sale(Outcome.APPROVED, 13, lasted_s=5.0), points, TOLD)
    assert findings(account) == [Finding.POLLING_LATE]
    assert because(account.findings[0]) == ("Seen 7.90 s late. The pause was as planned.")


def test_a_patience_that_the_gateway_asked_for_is_explained() -> None:
    points: list[Point] = [*polled("pending", "inFlight"), (8.0, Mark.TROUBLE, "429 rate limit")]
    events = timeline(*approved(*points, at_s=38.5))
    asked = exchange(8.0, "GET", 429, "", headers=(("Retry-After", "30"),))
    account = account_of(sale(Outcome.APPROVED, 38.5), events, [asked], TOLD)
    assert [gap.kind for gap in account.gaps] == [GapKind.RATE_LIMIT]
    assert findings(account) == [Finding.POLLING_LATE]
    assert because(account.findings[0]).endswith("The gateway limited how often it may be asked.")
    assert GapKind.UNASKED in {
        gap.kind for gap in account_of(sale(Outcome.APPROVED, 38.5), events, [], TOLD).gaps
    }


def test_a_program_that_wasnt_running_is_told_as_that() -> None:
    points: list[Point] = [*polled("pending", "inFlight"), (600.0, Mark.LOOKED_UP, RESUMED)]
    account = told(sale(Outcome.APPROVED, 601), approved(*points, at_s=601.0), TOLD)
    assert [gap.kind for gap in account.gaps] == [GapKind.STOPPED]
    assert findings(account) == [Finding.POLLING_LATE]
    assert because(account.findings[0]).endswith("Keybench was closed for 9 min 55 s.")


def test_a_locked_keystore_is_why_nobody_asked() -> None:
    points: list[Point] = [*polled("pending")]
    points += [(5.0 + 9 * at, Mark.TROUBLE, "KeystoreLocked", 0.0) for at in range(4)]
    account = told(sale(Outcome.APPROVED, 40), approved(*points, at_s=40.0), TOLD)
    assert findings(account) == [Finding.POLLING_LATE]
    assert account.gaps[0].kind is GapKind.KEYSTORE


def test_what_was_given_up_and_looked_up_later_isnt_called_a_gap() -> None:
    points: list[Point] = [
        *polled("pending", *["pending"] * 81), (330.0, Mark.OUTCOME, "unknown", -1),
        (9000.0, Mark.ACCEPTED, "inFlight"), (9001.0, Mark.STATUS, "inFlight"),
        (9003.0, Mark.OUTCOME, "approved"),
    ]  # fmt: skip
    account = told(sale(Outcome.APPROVED, 9003), points)
    assert account.gaps == ()


# --- clocks -----------------------------------------------------------------------------------------------


def exchange(
    ended_s: float, method: str = "GET", status: int = 200, failure: str = "", took_s: float = 0.1,
    headers: tuple[tuple[str, str], ...] = (),
) -> Exchange:  # fmt: skip
    began = NOW + timedelta(seconds=ended_s - took_s)
    return Exchange(
        began, method, "https://gateway.example/", (), "", status, headers, "", failure, Timings(took_s)
    )


def dated(ended_s: float, true_s: float) -> Exchange:
    date = format_datetime((NOW + timedelta(seconds=true_s)).replace(microsecond=0), usegmt=True)
    return exchange(ended_s, headers=(("date", date),))


def test_a_clock_that_was_set_forward_is_no_gap() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=3607.0)
    answers = [dated(0.1, 0.1), dated(4.1, 4.1), dated(3607.0, 7.0)]
    account = account_of(sale(Outcome.APPROVED, 3607), timeline(*points), answers, TOLD)
    assert (account.gaps, findings(account)) == ((), [])
    (jump,) = account.jumps
    assert jump.by_s == pytest.approx(3600, abs=1.5)
    assert account.seconds[-1] == pytest.approx(7, abs=1.5)
    assert sentences(account)[-1].startswith("This computer's clock was set forward by")


def test_without_the_gateways_clock_the_same_looks_like_nobody_asked() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=3607.0)
    assert [gap.kind for gap in told(sale(Outcome.APPROVED, 3607), points, TOLD).gaps] == [GapKind.UNASKED]


def test_a_clock_that_was_set_back_turns_no_order_round() -> None:
    points = approved(*polled("pending", "inFlight"), at_s=-1000.0)
    account = told(sale(Outcome.APPROVED, 0), points, TOLD)
    assert list(account.seconds) == sorted(account.seconds)
    assert account.jumps[0].by_s < -1000
    assert not account.jumps[0].is_measured


# --- what isn't recorded ----------------------------------------------------------------------------------


def test_an_outcome_without_a_timeline_tells_nothing() -> None:
    account = account_of(sale(Outcome.APPROVED), [])
    assert (findings(account), account.untold) == ([], (Untold.TIMELINE,))
    assert sentences(account) == ["What went on can't be told: no timeline was recorded."]
    assert usual_sentence(account) == ""


def test_a_program_is_told_the_same_in_stable_words() -> None:
    account = told(sale(Outcome.UNKNOWN, 15, "timeout"), [(15.0, Mark.OUTCOME, "unknown")])
    (found,) = record(account)
    assert (found["finding"], bool(found["because"])) == ("answer_lost", True)


def test_sales_show_how_soon_a_device_begins() -> None:
    def lesson(state_s: float | None, after_s: float = 8.0) -> Lesson:
        states = (("inFlight", state_s),) if state_s is not None else ()
        return Lesson("KB-1", "D-1", after_s, 9.0, states)

    assert begins_after([lesson(1.0 + at / 10) for at in range(6)]) == pytest.approx(1.5)
    assert begins_after([lesson(1.0)] * 4) is None
    assert begins_after([*[lesson(1.0)] * 6, *[lesson(None)] * 3]) is None
    assert begins_after([*[lesson(1.0)] * 6, *[lesson(None, after_s=1.0)] * 30]) == 1.0


marks = st.sampled_from(
    [Mark.STATUS, Mark.TROUBLE, Mark.LOOKED_UP, Mark.CANCEL_ASKED, Mark.ACCEPTED, Mark.CHECKED]
)
details = st.sampled_from(
    ["pending", "inFlight", "timeout", "503 failed", "429 rate limit", RESUMED, "", "403 x"]
)
wild = st.lists(
    st.tuples(st.floats(-50, 900), marks, details, st.one_of(st.just(-1.0), st.floats(0, 60))), max_size=25
)


@given(wild, st.sampled_from(Outcome), st.sampled_from([Known(), TOLD, LEARNT, replace(TOLD, held_s=60.0)]))
def test_whatever_was_recorded_is_accounted_for(
    points: list[tuple[float, Mark, str, float]], outcome: Outcome, known: Known
) -> None:
    events = timeline(*points, (950.0, Mark.OUTCOME, outcome.value))
    account = account_of(sale(outcome, 950), events, (), known)
    assert len(account.seconds) == len(events)
    assert list(account.seconds) == sorted(account.seconds)
    assert all(gap.seconds >= 0 for gap in account.gaps)
    assert all(span.begin_s <= span.end_s for span in account.spans)
    assert all(because(found) and found.seconds >= 0 for found in account.findings)
    assert len(findings(account)) == len(set(findings(account)))
