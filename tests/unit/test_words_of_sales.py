"""Every way a sale can end has words, and they are true to the money."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from fakes.clock import START
from fakes.scripted_gateway import PARTLY_APPROVED
from keybench.core import errors as e
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.money import Money
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict
from keybench.words.devices.states import sold_lately
from keybench.words.formats import (
    ago,
    clock_time,
    clock_time_exact,
    day,
    day_and_time,
    day_and_time_in,
    duration,
    roughly,
)
from keybench.words.keys.states import hint_sentence, key_state, kind_words, last_tested
from keybench.words.reasons import reason_sentence
from keybench.words.sales.card import meaning, spoken, waiting_words
from keybench.words.sales.outcomes import (
    busy_words,
    event_words,
    explain_sale,
    outcome_headline,
    outcome_shape,
    outcome_word,
    tone_of_outcome,
)
from keybench.words.sales.ticket import SaleRecord, ticket_text
from keybench.workflows.sales.sell import verdict_of

APP = Path(__file__).resolve().parents[2] / "app" / "keybench"
KEYSTORE_REASONS = [
    "KeystoreMissing",
    "KeystoreGone",
    "KeystoreLocked",
    "KeystoreDenied",
    "KeystoreSilent",
    "KeystoreFailed",
    "ValueLost",
    "ValueDiffers",
    "key forgotten",
]
#: The reasons that Keybench itself gives, beside the keystore's.
NOT_SENT_HERE = ["not noted", "ended before it was sent", "never received"]
UNKNOWN_HERE = ["ended before the answer", "identifier given twice", "deadline"]
VERDICTS = [
    *(
        Verdict(outcome)
        for outcome in (Outcome.APPROVED, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED)
    ),
    PARTLY_APPROVED,
    *(Verdict(Outcome.REFUSED, "refused", "Its words", status) for status in (400, 401, 403, 404, 409, 429)),
    Verdict(Outcome.REFUSED, "device busy"),
    *(Verdict(Outcome.NOT_SENT, reason) for reason in [*KEYSTORE_REASONS, *NOT_SENT_HERE, "tls", "new"]),
    *(Verdict(Outcome.UNKNOWN, reason) for reason in [*KEYSTORE_REASONS, *UNKNOWN_HERE, "timeout", "new"]),
    Verdict(Outcome.UNKNOWN, "refused while following", status=401),
    *(Verdict(Outcome.UNKNOWN, "failed", status=status) for status in (200, 302, 408, 500, 504)),
]


def a_sale(verdict: Verdict | None) -> Sale:
    stage = SaleStage.FINISHED if verdict else SaleStage.ACCEPTED
    money = Money(Decimal("10.00"), "USD")
    return Sale("KB-1", "e", "k", "Till", "D-1", money, SaleMode.ASYNCHRONOUS, stage, START, verdict=verdict)


@pytest.mark.parametrize("verdict", [None, *VERDICTS], ids=str)
def test_every_end_has_a_sentence(verdict: Verdict | None) -> None:
    explanation = explain_sale(a_sale(verdict), EnvironmentKind.LIVE)
    text = f"{explanation.title} {explanation.text}"
    assert re.fullmatch(r"[A-Z0-9].*\.", explanation.title)
    assert not re.search(r"\{|\}|None|  |!|please|sorry|Keystore[A-Z]|ValueLost", text)
    assert len(text) < 400


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_every_end_answers_the_question_of_the_money(verdict: Verdict) -> None:
    money = explain_sale(a_sale(verdict), EnvironmentKind.LIVE).money
    match verdict.outcome:
        case Outcome.APPROVED:
            assert "was taken" in money
        case Outcome.PARTLY_APPROVED:
            assert money == "Only that part was taken."
        case Outcome.UNKNOWN:
            assert "nobody can tell" in money
        case _:
            assert money.startswith("Nothing")


@pytest.mark.parametrize("part", ["7.5", "7.50"])
def test_a_partial_approval_says_how_much_wherever_the_amount_stands(part: str) -> None:
    sale = a_sale(replace(PARTLY_APPROVED, approved_amount=Decimal(part)))
    words = "7.50 of 10.00 USD was approved: the rest was not."
    assert explain_sale(sale, EnvironmentKind.TEST).title == words
    assert meaning(sale, (), EnvironmentKind.LIVE) == (
        words,
        "Only that part was taken. Ask for another way to pay the rest.",
    )
    assert spoken(sale, (), "Till 1") == "Partly approved · 7.50 of 10.00 USD on Till 1"
    assert "Amount: 7.50 of 10.00 USD" in ticket_text(SaleRecord(sale, (), (), "Till 1", None, ""))
    assert sold_lately([sale], START).endswith("7.50 of 10.00 USD, ◐ Partly approved.")


@pytest.mark.parametrize("verdict", [v for v in VERDICTS if v.outcome is Outcome.UNKNOWN], ids=str)
def test_an_unknown_sale_is_looked_up_and_never_just_sent_again(verdict: Verdict) -> None:
    explanation = explain_sale(a_sale(verdict), EnvironmentKind.LIVE)
    assert "Look it up" in explanation.next
    assert "again" not in explanation.next.replace("before anything is sent again", "")


def test_while_the_gateway_is_silent_nobody_is_told_to_wait_for_the_customer() -> None:
    sale = a_sale(None)
    accepted, silent = (SaleEvent(sale.reference, START, mark) for mark in (Mark.ACCEPTED, Mark.TROUBLE))
    answered = [accepted, silent, accepted]
    for events in ([accepted], answered):
        assert waiting_words(sale, events) == "Waiting for the customer"
        assert meaning(sale, events, EnvironmentKind.LIVE)[0] == "Wait for the customer at the device."
    assert waiting_words(sale, [accepted, silent]) == "The gateway isn't answering; still trying"
    said = meaning(sale, [accepted, silent], EnvironmentKind.LIVE)
    assert said == ("The sale may go on at the device all the same.", "")


def test_who_keeps_devices_busy_is_named_and_many_are_counted() -> None:
    one = busy_words([a_sale(None)], START)
    assert one.startswith("10.00 USD on D-1, begun just now, has no outcome yet.")
    assert "probably" in one
    assert "more" not in one
    assert "4 more have none either." in busy_words([a_sale(None)] * 7, START)


@pytest.mark.parametrize("outcome", [Outcome.NOT_SENT, Outcome.UNKNOWN])
@pytest.mark.parametrize("reason", KEYSTORE_REASONS)
def test_a_keys_trouble_is_not_blamed_on_the_gateway(outcome: Outcome, reason: str) -> None:
    assert "gateway" not in explain_sale(a_sale(Verdict(outcome, reason)), EnvironmentKind.LIVE).title


def test_every_keystore_error_is_among_them() -> None:
    kinds = {kind.reason for kind in e.KeystoreError.__subclasses__()} - {Reason.VALUE_TOO_LONG}
    assert kinds <= set(KEYSTORE_REASONS)


def test_a_gateway_that_gave_up_waiting_is_not_called_unreadable() -> None:
    sale = a_sale(verdict_of(e.GatewayFailed("gateway timeout", status=408)))
    assert explain_sale(sale, EnvironmentKind.LIVE).title == "The gateway itself failed (408)."


def test_what_kept_a_sale_from_being_sent_is_told_in_its_own_words() -> None:
    sale = a_sale(verdict_of(e.PracticeUnavailable("ended", message="Port 4001 is taken.")))
    assert explain_sale(sale, EnvironmentKind.LIVE).title == "The practice gateway can't be started."
    assert explain_sale(sale, EnvironmentKind.LIVE).next == "Port 4001 is taken."


def test_every_reason_the_wire_gives_has_a_sentence() -> None:
    files = [APP / "gateway" / name for name in ("failures.py", "connections.py", "proxies.py", "network.py")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files)
    reasons = {Reason[name] for name in re.findall(r"Reason\.([A-Z_]+)", source)}
    assert reasons > {Reason.CONNECTION_REFUSED, Reason.PROXY_PASSWORD_REFUSED}
    assert not [reason for reason in reasons if f"({reason})" in reason_sentence(reason)]


@pytest.mark.parametrize("outcome", Outcome)
def test_an_outcome_is_a_word_a_shape_and_a_tone(outcome: Outcome) -> None:
    assert outcome_headline(a_sale(Verdict(outcome))) == outcome_word(outcome)
    assert len(outcome_shape(outcome)) == 1
    assert tone_of_outcome(outcome) in {"good", "bad", "warning", "unknown"}


def test_a_refusals_headline_has_its_status() -> None:
    assert outcome_headline(a_sale(Verdict(Outcome.REFUSED, status=401))) == "Refused · 401"
    assert outcome_headline(a_sale(Verdict(Outcome.REFUSED, "device busy", status=200))) == "Refused"
    assert outcome_headline(a_sale(None)) == "Under way"


@pytest.mark.parametrize("mark", Mark)
@pytest.mark.parametrize("detail", ["", "approved"])
def test_every_point_of_a_timeline_has_a_label(mark: Mark, detail: str) -> None:
    if mark is not Mark.OUTCOME or detail:
        assert event_words(SaleEvent("KB-1", START, mark, detail))


@pytest.mark.parametrize("state", KeyState)
def test_every_state_of_a_key_has_words_and_a_tone(state: KeyState) -> None:
    key = SecurityKey("k", "e", "Till", "mira", "Sale", KeyKind.PRIVATE, "", "f", START, "", state, 401)
    words = key_state(key)
    assert words.text
    assert words.tone in {"good", "warning", "bad", "dim"}
    assert last_tested(key, START) == "never"


def test_every_hint_and_kind_has_words() -> None:
    from keybench.core.keys import key as security_key  # noqa: PLC0415 - to walk its hints

    hints = [value for name, value in vars(security_key).items() if name.startswith("HINT_")]
    assert len(hints) == 6
    assert all(hint_sentence(hint) for hint in hints)
    assert not hint_sentence("")
    assert kind_words(KeyKind.PRIVATE) != kind_words(KeyKind.PUBLIC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_400, "yesterday"),
        (41 * 86_400, "41 days ago"),
    ],
)
def test_how_long_ago(seconds: int, words: str) -> None:
    assert ago(START, START + timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 ms"),
        (0.0412, "41 ms"),
        (6.42, "6.42 s"),
        (12, "12.0 s"),
        (303, "5 min 3 s"),
        (300, "5 min"),
        (3700, "1 h 1 min"),
    ],
)
def test_how_long(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "1 s"), (2.5, "3 s"), (59.9, "60 s"), (61, "2 min"), (3599, "60 min"), (3700, "2 h")],
)
def test_how_long_it_may_still_take(seconds: float, words: str) -> None:
    assert roughly(seconds) == words


def test_a_moment_is_shown_in_local_time() -> None:
    moment = datetime(2026, 3, 3, 14, 2, 11, 204_000, tzinfo=UTC)
    local = moment.astimezone()
    assert clock_time(moment) == f"{local:%H:%M:%S}"
    assert clock_time_exact(moment).endswith(".204")
    assert day(moment) == f"{local.day} {local:%B} 2026"
    assert day_and_time(moment) == f"{local.day} {local:%b} 2026, {local:%H:%M}"
    assert day_and_time_in(2026, moment) == f"{local.day} {local:%b}, {local:%H:%M:%S}"
    assert day_and_time_in(2027, moment) == day_and_time(moment)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (EnvironmentKind.PRACTICE, "no money moved"),
        (EnvironmentKind.TEST, "no money moved"),
        (EnvironmentKind.LIVE, "was taken"),
        (None, "If its environment was live"),
    ],
)
def test_an_approval_moved_money_only_in_live(kind: EnvironmentKind | None, says: str) -> None:
    assert says in explain_sale(a_sale(Verdict(Outcome.APPROVED)), kind).money


@pytest.mark.parametrize(
    ("reason", "status", "said"),
    [
        (Reason.DEVICE_OFFLINE, 409, "The device isn't connected."),
        (Reason.DEVICE_BUSY, 409, "The device is busy"),
        (Reason.RATE_LIMIT, 403, "limiting how often it may be called"),
        (Reason.RATE_LIMIT, 429, "limiting how often it may be called"),
        ("forbidden", 403, "The gateway doesn't allow this sale."),
        ("not found", 404, "doesn't know this device"),
    ],
)
def test_a_refused_sale_is_told_by_what_it_means(reason: str, status: int, said: str) -> None:
    explanation = explain_sale(a_sale(Verdict(Outcome.REFUSED, reason, "", status)), EnvironmentKind.LIVE)
    assert said in explanation.title
    assert "key" not in explanation.title
    assert explanation.money == "Nothing was sold and no money moved."
    assert "gateway's words" not in explanation.next
    assert ("permission" in explanation.next) is (reason == "forbidden")
    said_often = re.search("(how|too) often", f"{explanation.title} {explanation.next}")
    assert bool(said_often) is (status in {403, 429})


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [  # as an earlier Keybench kept it, and as it is kept now
        (Outcome.REFUSED, Reason.CONFLICT),
        (Outcome.UNKNOWN, Reason.CONFLICT),
        (Outcome.UNKNOWN, Reason.REPEATED),
    ],
)
def test_a_conflict_never_says_that_nothing_was_sold(outcome: Outcome, reason: Reason) -> None:
    told = explain_sale(a_sale(Verdict(outcome, reason, "", 409)), EnvironmentKind.LIVE)
    assert "Nothing" not in told.money
    assert "before" in told.next
    assert "409" not in told.title


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "refused the key"), (403, "allow"), (404, "no such payment request"), (409, "409")],
)
def test_what_was_refused_while_following_blames_the_key_for_a_401_alone(status: int, said: str) -> None:
    verdict = Verdict(Outcome.UNKNOWN, "refused while following", status=status)
    explanation = explain_sale(a_sale(verdict), EnvironmentKind.LIVE)
    assert said in explanation.title
    assert ("the key" in explanation.title) is (status == 401)
    assert "nobody can tell" in explanation.money


@pytest.mark.parametrize(
    "verdict",
    [
        *(Verdict(Outcome.NOT_SENT, reason) for reason in [*KEYSTORE_REASONS, *NOT_SENT_HERE]),
        *(Verdict(Outcome.UNKNOWN, reason) for reason in [*KEYSTORE_REASONS, *UNKNOWN_HERE]),
        *(Verdict(Outcome.UNKNOWN, "refused while following", status=one) for one in (400, 401, 403, 404)),
    ],
    ids=str,
)
def test_a_reason_of_our_own_never_blames_the_way_to_the_gateway(verdict: Verdict) -> None:
    title = explain_sale(a_sale(verdict), EnvironmentKind.LIVE).title
    assert not title.startswith("The gateway can't be reached")
