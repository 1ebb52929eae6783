"""The commands that sell and take up sales: their statuses and their JSON are a promise to scripts."""

from __future__ import annotations

import asyncio
import getpass
import io
import signal

import pytest

from fakes.clock import HurriedClock
from fakes.scripted_gateway import DONE, PARTLY_APPROVED, PENDING
from fakes.world import Bench
from keybench.core.errors import (
    AnswerLost,
    Forbidden,
    GatewayError,
    JournalUnwritable,
    KeyRefused,
    KeystoreLocked,
    NotSent,
    ValueLost,
)
from keybench.core.events import SaleChanged
from keybench.core.ports import SaleOrder, StatusReading, entry_of
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Verdict

from .conftest import CommandLine, Ended, shows_value

MORE = ("SIGHUP", "SIGQUIT", "SIGBREAK")
STOPS = [signal.SIGINT, signal.SIGTERM, *(getattr(signal, one) for one in MORE if hasattr(signal, one))]
SALE = ["sale", "--environment", "practice", "--key", "till", "--device", "D-1", "--amount", "10.00"]


def sell(keybench: CommandLine, *more: str) -> Ended:
    return keybench(*SALE, "--json", *more)


def test_the_last_line_of_an_approved_sale_says_all_that_is_promised(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_poll = [PENDING, DONE]
    ended = sell(with_key)
    assert ended.status == 0
    last = ended.records[-1]
    assert last["reference"].startswith("KB-")
    promised = ("state", "request_id", "device", "amount", "currency", "polls", "elapsed_s")
    assert [last[name] for name in promised] == ["approved", "PR-1", "D-1", "10.00", "USD", 2, 1.86]
    assert (last["transaction"], last["authorisation"]) == ("8000001", "A1B2C3")
    assert not shows_value(ended.out, ended.err)


def test_what_happens_is_told_as_it_happens(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_poll = [PENDING, PENDING, DONE]
    ended = sell(with_key)
    told = [record.get("event") for record in ended.records]
    assert told == [
        *("noted", "sent", "accepted"),
        *("poll_planned", "status", "poll_planned", "poll_planned", None),
    ]
    assert "state" not in ended.records[0]


def test_every_poll_is_told_with_its_reason_and_the_habit_behind_it(with_key: CommandLine) -> None:
    for _ in range(5):
        with_key.bench.gateway.to_poll = [PENDING, DONE]
        ended = sell(with_key)
    untaught = [record for record in ended.records if record.get("event") == "poll_planned"]
    assert [record["why"] for record in untaught] == ["first", "likely"]
    assert untaught[0]["reason"] == "A person needs a moment to present a card."
    of_habit = ("usual_s", "usual_of", "learnt_from")
    assert [untaught[0][name] for name in of_habit] == [None, "nothing", 0]
    last = ended.records[-1]
    assert (last["usual_of"], last["learnt_from"]) == ("device", 5)
    with_key.bench.gateway.to_poll = [PENDING, DONE]
    taught = sell(with_key).records[3]
    assert taught["event"] == "poll_planned"
    assert (taught["usual_of"], taught["learnt_from"], taught["usual_s"]) == ("device", 5, last["usual_s"])
    least_s, most_s = taught["usual_s"]
    assert 1.0 < least_s < most_s < 2.5
    assert "on this device" in taught["reason"]


def test_a_part_that_is_approved_has_a_status_and_says_how_much(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_poll = [StatusReading("ended", PARTLY_APPROVED)]
    ended = sell(with_key)
    last = ended.records[-1]
    assert (ended.status, last["state"]) == (12, "partly_approved")
    assert (last["amount"], last["approved_amount"]) == ("10.00", "7.50")
    assert last["meaning"].startswith("7.50 of 10.00 USD was approved: the rest was not. ")
    assert "causes" not in last
    told = with_key(*SALE)
    assert (told.status, told.out.splitlines()[0]) == (12, "Partly approved: 7.50 of 10.00 USD on D-1")
    looked_up = with_key("look-up", last["reference"], "--json")
    assert (looked_up.status, looked_up.records[-1]["approved_amount"]) == (12, "7.50")
    listed = with_key("history", "--outcome", "partly_approved", "--find", "7.50")
    assert listed.out.count("7.50 of 10.00 USD Till") == listed.out.count("Partly approved") == 2
    with_key.bench.gateway.to_poll = [DONE]
    assert sell(with_key).records[-1]["approved_amount"] == "10.00"


@pytest.mark.parametrize(
    ("answer", "status", "state", "cause"),
    [
        (Verdict(Outcome.DECLINED, message="DECLINED"), 10, "declined", "declined_by_issuer"),
        (Verdict(Outcome.CANCELLED, reason="at the terminal"), 11, "cancelled", "customer_left"),
        (Verdict(Outcome.EXPIRED), 11, "expired", "customer_slow"),
        (Verdict(Outcome.REFUSED, reason="device busy"), 20, "refused", "device_busy"),
        (KeyRefused("unauthorised", status=401, message="key not found"), 20, "refused", "key_invalid"),
        (Forbidden("forbidden", status=403, message="may not sell"), 20, "refused", "permission_missing"),
        (NotSent(Reason.CONNECTION_REFUSED), 21, "not_sent", "connection_refused"),
        (AnswerLost(Reason.TIMEOUT), 30, "unknown", "no_answer"),
    ],
)
def test_a_sale_that_came_to_nothing_has_its_status_its_meaning_and_its_first_causes(
    with_key: CommandLine, answer: Verdict | GatewayError, status: int, state: str, cause: str
) -> None:
    with_key.bench.gateway.to_post = [answer]
    ended = sell(with_key)
    last = ended.records[-1]
    assert (ended.status, last["state"]) == (status, state)
    assert (last["status"], last["message"]) == (answer.status, answer.message)
    assert last["meaning"]
    assert len(with_key.bench.gateway.posts) == 1
    causes = last["causes"]
    assert 1 <= len(causes) <= 3
    assert causes[0]["cause"] == cause
    assert set(causes[0]) == {"cause", "standing", "because", "remedy"}
    text = with_key(*SALE).out
    assert sum("→" in line for line in text.splitlines()) in range(1, len(causes) + 1)


def test_a_value_that_is_lost_is_not_sent(with_key: CommandLine) -> None:
    async def lose() -> None:
        key = (await with_key.bench.journal.keys("practice"))[0]
        await with_key.bench.keystore.erase(entry_of(key))

    with_key.do(lose())
    ended = sell(with_key)
    assert (ended.status, ended.records[-1]["state"]) == (21, "not_sent")
    assert type(ValueLost()).__name__ not in ended.records[-1]["meaning"]


@pytest.mark.parametrize(
    "more",
    [
        ["--amount", "abc"],
        ["--amount", "0"],
        ["--currency", "US"],
        ["--device", ""],
        ["--device", "4111111111111111"],
        ["--key", "nobody"],
        ["--environment", "nowhere"],
    ],
)
def test_wrong_input_ends_with_2_and_sends_nothing(with_key: CommandLine, more: list[str]) -> None:
    ended = sell(with_key, *more)
    last = ended.records[-1]
    assert (ended.status, last["state"], last["exit_status"]) == (2, "not_sent", 2)
    assert last["meaning"]
    assert ended.err.startswith("keybench: ")
    assert not with_key.bench.gateway.posts
    assert not with_key("history").out


def test_a_live_sale_needs_yes(keybench: CommandLine) -> None:
    keybench("environment", "add", "Shop", "--kind", "live", "--base-url", "https://gateway.example")
    keybench.do(_add_key(keybench))
    arguments = ["sale", "--environment", "Shop", "--key", "Till", "--device", "D-1", "--amount", "10.00"]
    assert keybench(*arguments).status == 2
    assert not keybench.bench.gateway.posts
    assert keybench(*arguments, "--yes").status == 0


async def _add_key(keybench: CommandLine) -> None:
    await keybench.bench.add_key(await keybench.bench.console.environments.named("Shop"))


def test_for_people_the_outcome_is_in_plain_words(with_key: CommandLine) -> None:
    ended = with_key(*SALE)
    assert ended.out.startswith("Approved: 10.00 USD on D-1\n10.00 USD was approved")
    assert "KB-" in ended.out
    assert "accepted" in ended.err
    assert not ended.out.startswith("{")


def test_a_terminal_that_lacks_a_sign_loses_no_line_of_json(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_post = [
        KeyRefused("unauthorised", status=401, message="Schlüssel: “unbekannt”")
    ]
    ended = sell(with_key)
    assert ended.out.isascii()
    assert ended.records[-1]["message"] == "Schlüssel: “unbekannt”"


# --- resume --------------------------------------------------------------------------------------


def leave(keybench: CommandLine, count: int = 1) -> None:
    """Note sales in a program that then ends."""

    async def note() -> None:
        for _ in range(count):
            await keybench.bench.console.sell.note(await keybench.bench.draft())

    keybench.do(note())
    keybench.bench.owners.running.clear()
    keybench.bench.owners.me = "program-2"
    keybench.bench.owners.running.add("program-2")


def test_nothing_to_take_up_is_no_failure(keybench: CommandLine) -> None:
    ended = keybench("resume", "--json")
    assert (ended.status, ended.out) == (0, "")
    assert ended.err


def test_every_unfinished_sale_is_taken_up_and_told_unless_a_window_follows_it(with_key: CommandLine) -> None:
    leave(with_key, 3)
    with_key.bench.owners.running.add("program-1")
    assert with_key("resume", "--json").out == ""
    with_key.bench.owners.running.discard("program-1")
    ended = with_key("resume", "--json")
    assert (ended.status, [one["state"] for one in ended.records]) == (0, ["not_sent"] * 3)
    assert not with_key.bench.gateway.posts
    assert with_key("resume").out == ""


def test_a_journal_that_fails_meanwhile_is_told_as_such(with_key: CommandLine) -> None:
    leave(with_key, 3)
    with_key.bench.journal.failure = JournalUnwritable("/data", "no space left")
    ended = with_key("resume")
    assert ended.status == 1
    assert "/data" in ended.err
    assert not with_key.composed.still_open


def fill_the_disk(bench: Bench) -> None:
    async def full_disk(_order: object) -> None:
        bench.journal.failure = JournalUnwritable("/data", "disk full")

    bench.gateway.before_post = full_disk


def test_an_outcome_the_journal_cannot_take_is_told_with_its_request_id(with_key: CommandLine) -> None:
    fill_the_disk(with_key.bench)
    ended = sell(with_key)
    assert (ended.status, ended.records[-1]["state"], ended.records[-1]["request_id"]) == (
        0,
        "approved",
        "PR-1",
    )
    reference = ended.records[-1]["reference"]
    assert f"{reference}, payment request PR-1: under way at the gateway. Don't send it again" in ended.err
    assert f"{reference}, payment request PR-1: approved. Don't send it again for that." in ended.err
    assert with_key.bench.clock.monotonic() >= 30, "a lock that passes costs nothing"


def test_a_journal_that_is_back_in_time_has_the_outcome(with_key: CommandLine) -> None:
    fill_the_disk(with_key.bench)

    def back() -> None:
        if with_key.bench.clock.monotonic() > 7:
            with_key.bench.journal.failure = None

    assert isinstance(with_key.bench.clock, HurriedClock)
    with_key.bench.clock.before_sleep = back
    ended = sell(with_key)
    assert (ended.status, ended.records[-1]["state"]) == (0, "approved")
    assert ended.err.rstrip().endswith("The journal has everything again.")
    (kept,) = with_key.do(with_key.bench.journal.sales(None, 9))
    assert (kept.outcome, kept.request_id) == (Outcome.APPROVED, "PR-1")


def test_a_sale_that_cannot_be_noted_as_sent_is_not_sent(with_key: CommandLine) -> None:
    def fail(change: SaleChanged) -> None:
        if change.event.mark is Mark.NOTED:
            with_key.bench.journal.failure = JournalUnwritable("/data", "disk full")

    with_key.bench.events.subscribe(SaleChanged, fail)
    ended = sell(with_key)
    assert (ended.status, ended.records[-1]["state"]) == (1, "not_sent")
    assert with_key.bench.gateway.posts == []
    assert "Don't send it again" not in ended.err


def test_a_sale_that_no_keystore_let_begin_has_its_cause_and_an_approved_one_none(
    with_key: CommandLine,
) -> None:
    assert "causes" not in sell(with_key).records[-1]
    assert "→" not in with_key(*SALE).out
    with_key.bench.keystore.failure = KeystoreLocked("locked")
    assert sell(with_key).records[-1]["causes"][0]["cause"] == "keystore"


@pytest.mark.parametrize("number", [one for one in STOPS if signal.getsignal(one) is not signal.SIG_IGN])
def test_a_signal_keeps_the_answer_that_is_just_coming(with_key: CommandLine, number: signal.Signals) -> None:
    async def interrupt(_order: SaleOrder) -> None:
        signal.raise_signal(number)
        await asyncio.sleep(0)  # the answer is still on its way when the command is stopped

    before = signal.getsignal(number)
    with_key.bench.gateway.before_post = interrupt
    ended = with_key(*SALE)
    assert (ended.status, "keybench resume" in ended.err) == (128 + number, True)
    (kept,) = with_key.do(with_key.bench.journal.sales(None, 10))
    assert (kept.request_id, kept.verdict) == ("PR-1", None)
    assert signal.getsignal(number) == before
    assert not with_key.composed.still_open


def test_a_signal_while_a_value_is_asked_for_ends_the_asking(
    keybench: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("io.StringIO", Terminal)  # as which the command's standard input is made
    monkeypatch.setattr(getpass, "getpass", lambda _: signal.raise_signal(signal.SIGTERM))
    add = ("key", "add", "--environment", "Shop", "--name", "till", "--username", "mira")
    keybench("environment", "add", "Shop", "--kind", "test", "--base-url", "https://gateway.example")
    assert keybench(*add, "--permission", "API", "--kind", "private").status == 128 + signal.SIGTERM
    assert not keybench.composed.still_open


def test_a_signal_after_the_outcome_was_told_changes_no_status(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def settle(_within_s: float) -> None:
        signal.raise_signal(signal.SIGTERM)
        await asyncio.get_running_loop().create_future()  # the journal takes nothing

    monkeypatch.setattr(with_key.bench.console.log.pending, "settle", settle)
    ended = with_key(*SALE)
    assert (ended.status, "Stopped" in ended.err) == (0, False)
    assert not with_key.composed.still_open
