"""What a failure shows by itself: every reason, outcome and status, without a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from fakes.scripted_gateway import PARTLY_APPROVED
from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, CheckFinding, Sign
from keybench.core.diagnosis.conclusion import conclude
from keybench.core.diagnosis.failure import observations_of_error, observations_of_sale, seen_by_reason
from keybench.core.diagnosis.rules import rules_out
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayFailed,
    JournalBusy,
    KeyRefused,
    KeystoreLocked,
    NotSent,
    Refused,
    ValueDiffers,
    ValueLost,
)
from keybench.core.exchange import Exchange, Timings
from keybench.core.input_errors import KeybenchError
from keybench.core.money import Money
from keybench.core.reasons import Reason
from keybench.core.sales.sale import (
    Mark,
    Outcome,
    Sale,
    SaleEvent,
    SaleMode,
    SaleStage,
    Verdict,
    contradictory,
)
from keybench.words.diagnosis.signs import observation_text

AT = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)
#: Reasons of which nothing can be said: Keybench ended or was told to, it is too early, or a class says no.
SAY_NOTHING = {
    *(Reason.TOO_BUSY, Reason.CANCELLED, Reason.NOT_OFFERED, Reason.PRACTICE_STOPPING),
    *(Reason.ENDED_BEFORE_SENT, Reason.ENDED_BEFORE_ANSWER, Reason.NOT_FOUND_YET),
    *(Reason.CLASS_CODE, Reason.CLASS_WORD, Reason.CLASS_FULL, Reason.CLASS_TOO_MANY),
    *(Reason.CLASS_TICKET, Reason.CLASS_NO_LESSON),
}


def ended(verdict: Verdict, amount: str = "10.00", device: str = "till-1") -> Sale:
    return Sale(
        reference="KB-1",
        environment_id="e1",
        key_id="k1",
        key_name="Till",
        device=device,
        money=Money(Decimal(amount), "USD"),
        mode=SaleMode.ASYNCHRONOUS,
        stage=SaleStage.FINISHED,
        noted_at=AT,
        accepted_at=AT,
        finished_at=AT + timedelta(seconds=60),
        verdict=verdict,
    )


def seen(verdict: Verdict, **more: object) -> list[Sign]:
    return [one.seen for one in observations_of_sale(ended(verdict), **more)]  # type: ignore[arg-type]


def test_every_reason_is_known_to_show_something_or_nothing() -> None:
    assert {reason for reason in Reason if seen_by_reason(reason) is None} == SAY_NOTHING


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.NOT_SENT, Outcome.UNKNOWN])
def test_every_failure_that_shows_something_has_a_cause(outcome: Outcome) -> None:
    for reason in sorted(set(Reason) - SAY_NOTHING):
        observed = observations_of_sale(ended(Verdict(outcome, reason=reason)))
        finding = CheckFinding(Check.FAILURE, observed)
        assert conclude([finding]).suspects, reason
        # What is seen at a failure is past, so little may be ruled out by it.
        assert set(rules_out(finding)) <= {Cause.KEYSTORE, Cause.VALUE_CHANGED, Cause.TLS_EXPIRED}, reason


def test_an_approved_sale_and_one_under_way_have_none() -> None:
    approved = observations_of_sale(ended(Verdict(Outcome.APPROVED)))
    assert conclude([CheckFinding(Check.FAILURE, approved)]).suspects == ()
    (partly,) = observations_of_sale(ended(PARTLY_APPROVED))
    assert conclude([CheckFinding(Check.FAILURE, (partly,))]).suspects == ()
    assert observation_text(partly) == "The sale was approved, but only 7.50 USD of it: the rest was not."
    assert observations_of_sale(replace(ended(Verdict(Outcome.APPROVED)), verdict=None)) == ()


@pytest.mark.parametrize(
    ("kind", "amount", "device", "expected"),
    [
        (EnvironmentKind.TEST, "10.00", "till-1", [Sign.SALE_DECLINED]),
        (EnvironmentKind.TEST, "20.00", "till-1", [Sign.SALE_TEST_AMOUNT]),
        (EnvironmentKind.TEST, "0.75", "till-1", [Sign.SALE_TEST_AMOUNT]),
        (EnvironmentKind.LIVE, "10.00", "till-1", [Sign.SALE_DECLINED]),
        (EnvironmentKind.LIVE, "0.75", "till-1", [Sign.SALE_DECLINED, Sign.SALE_TEST_MODE]),
        (EnvironmentKind.LIVE, "10.00", "5b0e1c2a-7f5d-4f3e-9a58-000000000000", [Sign.SALE_TEST_MODE]),
        (None, "0.75", "till-1", [Sign.SALE_DECLINED]),
    ],
)
def test_a_decline_is_the_issuers_unless_tests_decline_so(
    kind: EnvironmentKind | None, amount: str, device: str, expected: list[Sign]
) -> None:
    sale = ended(Verdict(Outcome.DECLINED, message="DECLINED"), amount, device)
    observed = observations_of_sale(sale, kind=kind, declined_amounts={"20.00"})
    assert [one.seen for one in observed] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), Sign.SALE_EXPIRED),
        (((55, "pending"),), Sign.SALE_EXPIRED_UNTOUCHED),
        (((2, "pending"),), Sign.SALE_EXPIRED),  # nobody looked later
        (((2, "pending"), (55, "inFlight")), Sign.SALE_EXPIRED_WAITING),
        (((55, "PRESENT_CARD"),), Sign.SALE_EXPIRED_WAITING),
        (((2, "alpha"), (55, "beta")), Sign.SALE_EXPIRED_WAITING),
        (((55, "alpha"),), Sign.SALE_EXPIRED),  # a word nobody knows
    ],
)
def test_how_far_a_device_came_is_told_by_its_words(
    words: tuple[tuple[int, str], ...], expected: Sign
) -> None:
    events = [SaleEvent("KB-1", AT + timedelta(seconds=after), Mark.STATUS, word) for after, word in words]
    assert seen(Verdict(Outcome.EXPIRED), events=events) == [expected]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict(Outcome.CANCELLED, reason="at the terminal"), Sign.SALE_CANCELLED),
        (Verdict(Outcome.CANCELLED, reason="by the API"), Sign.SALE_CANCELLED_HERE),
        (Verdict(Outcome.REFUSED, reason="device busy"), Sign.SALE_DEVICE_BUSY),
        (Verdict(Outcome.REFUSED, reason="duplicate"), Sign.SALE_DUPLICATE),
        (Verdict(Outcome.REFUSED, reason="rate limit", status=403), Sign.RATE_LIMIT),
        (Verdict(Outcome.REFUSED, reason=Reason.REFUSED, status=401), Sign.CALL_UNAUTHORISED),
        (Verdict(Outcome.REFUSED, reason="a word of its own", status=403), Sign.CALL_FORBIDDEN),
        (Verdict(Outcome.UNKNOWN, reason=Reason.FAILED, status=503), Sign.FAILING),
        (Verdict(Outcome.UNKNOWN, reason=Reason.REFUSED_WHILE_FOLLOWING, status=401), Sign.CALL_UNAUTHORISED),
        (Verdict(Outcome.UNKNOWN, reason=contradictory("flag approved")), Sign.SALE_CONTRADICTORY),
        (Verdict(Outcome.UNKNOWN, reason=Reason.TIMEOUT), Sign.SILENT),
        (Verdict(Outcome.NOT_SENT, reason=Reason.TIMEOUT), Sign.CONNECT_SILENT),
        (Verdict(Outcome.NOT_SENT, reason=Reason.CONNECTION_CLOSED), Sign.CONNECT_LOST),
        (Verdict(Outcome.NOT_SENT, reason=Reason.NEVER_RECEIVED), Sign.LOST),
    ],
)
def test_what_an_outcome_shows(verdict: Verdict, expected: Sign) -> None:
    assert seen(verdict)[0] is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyRefused(Reason.UNAUTHORISED, status=401), Sign.CALL_UNAUTHORISED),
        (Forbidden(Reason.FORBIDDEN, status=403), Sign.CALL_FORBIDDEN),
        (Forbidden(Reason.FORBIDDEN, status=403, retry_after_s=2.0), Sign.RATE_LIMIT),
        (Refused(Reason.NOT_FOUND, status=404), Sign.CALL_NO_PATH),
        (GatewayFailed(Reason.FAILED, status=500), Sign.FAILING),
        (AnswerLost(Reason.TIMEOUT), Sign.SILENT),
        (AnswerUnreadable(Reason.NOT_JSON, status=200), Sign.STRANGE),
        (NotSent(Reason.NAME_NOT_FOUND), Sign.NAME_NOT_FOUND),
        (KeystoreLocked("locked"), Sign.KEYSTORE_SHUT),
        (ValueLost("gone"), Sign.VALUE_MISSING),
        (ValueDiffers("Till", "a-b-c-d", "e-f-g-h"), Sign.VALUE_OTHER),
        (JournalBusy("busy"), Sign.JOURNAL_FAILED),
    ],
)
def test_what_the_error_of_a_key_test_shows(error: KeybenchError, expected: Sign) -> None:
    assert observations_of_error(error)[0].seen is expected


def test_a_page_in_the_answers_place_is_told_from_an_odd_answer() -> None:
    html = (("Content-Type", "text/html; charset=utf-8"),)
    page = Exchange(AT, "POST", "https://x.example", (), "", 200, html, "<p>Sign in</p>", "", Timings(0.1))
    verdict = Verdict(Outcome.UNKNOWN, reason=Reason.NOT_JSON, status=200)
    assert seen(verdict, exchanges=[page]) == [Sign.PAGE]
    assert seen(verdict) == [Sign.SALE_NOT_UNDERSTOOD]


def test_what_kept_the_last_poll_from_finding_out_is_seen_beside_an_outcome_that_never_came() -> None:
    sale = ended(Verdict(Outcome.UNKNOWN, reason=Reason.DEADLINE))
    reason = Reason.CONNECTION_RESET
    lost = SaleEvent("KB-1", AT + timedelta(seconds=50), Mark.TROUBLE, f"502 {reason}", reason=reason)
    told = [SaleEvent("KB-1", AT + timedelta(seconds=55), Mark.STATUS, "pending")]
    assert [one.seen for one in observations_of_sale(sale, [lost])] == [Sign.SALE_NO_OUTCOME, Sign.LOST]
    assert [one.seen for one in observations_of_sale(sale, [lost, *told])] == [Sign.SALE_NO_OUTCOME]
