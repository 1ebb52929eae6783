"""The commands that ask again: what is found out, what stays unknown, and their statuses."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fakes.scripted_gateway import APPROVED, DONE, PENDING
from fakes.world import FakeOwners
from keybench.core.errors import (
    AnswerLost,
    GatewayError,
    GatewayFailed,
    JournalBusy,
    KeyRefused,
    KeystoreLocked,
    NotSent,
    PracticeUnavailable,
)
from keybench.core.ports import Caller, SaleOrder, StatusReading
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, Sale, Verdict

from .conftest import CommandLine

DECLINED = Verdict(Outcome.DECLINED, status=200)
NOTHING_WAITS = "No sale and no key is waiting to be resumed.\n"


def leave_unknown(
    keybench: CommandLine, count: int = 1, *, with_request: bool = False, environment: str = "practice"
) -> list[str]:
    """Sell, so that nobody can tell what became of it, and return the references."""
    gateway = keybench.bench.gateway

    async def sell() -> list[str]:
        sold = []
        where = await keybench.bench.console.environments.named(environment)
        for _ in range(count):
            noted = await keybench.bench.console.sell.note(await keybench.bench.draft(environment=where))
            sold.append(await keybench.bench.console.sell.carry_out(noted))
        assert {sale.outcome for sale in sold} == {Outcome.UNKNOWN}
        assert {bool(sale.request_id) for sale in sold} == {with_request}
        return [sale.reference for sale in sold]

    posts, polls = gateway.to_post, gateway.to_poll
    if with_request:
        gateway.to_poll = [GatewayFailed("failed", status=500)]
    else:
        gateway.to_post = [AnswerLost("timeout")]
    references: list[str] = keybench.do(sell())
    gateway.to_post, gateway.to_poll = posts, polls
    gateway.polls.clear()
    gateway.posts.clear()
    return references


def leave_unfinished(keybench: CommandLine, *, sent: bool, alive: bool = False) -> str:
    """Note a sale in a program that then ends, unless it is alive."""
    bench = keybench.bench

    async def note() -> Sale:
        noted = await bench.console.sell.note(await bench.draft())
        if sent:
            await bench.console.log.sent(noted, "https://gateway.example")
        return noted

    noted: Sale = keybench.do(note())
    assert isinstance(bench.owners, FakeOwners)
    bench.owners.running.clear()
    if alive:
        bench.owners.running.add(bench.owners.me)
    bench.owners.me = "program-2"
    bench.owners.running.add("program-2")
    return noted.reference


# --- look-up -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verdict", "status"), [(APPROVED, 0), (DECLINED, 10)])
def test_what_the_gateway_knows_is_told_as_a_sale_tells_it(
    with_key: CommandLine, verdict: Verdict, status: int
) -> None:
    (reference,) = leave_unknown(with_key)
    with_key.bench.gateway.to_look_up = [StatusReading("interactionComplete", verdict, "PR-9")]
    ended = with_key("look-up", reference, "--json")
    last = ended.records[-1]
    assert (ended.status, last["state"], last["request_id"]) == (status, verdict.outcome.value, "PR-9")
    assert (last["reference"], last["device"], last["amount"]) == (reference, "D-1", "10.00")
    assert "looked_up" not in last
    assert with_key.bench.gateway.look_ups == [reference]
    assert not with_key.bench.gateway.posts


def test_for_people_it_is_in_plain_words(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    with_key.bench.gateway.to_look_up = [StatusReading("pending", None, "PR-9")]
    with_key.bench.gateway.to_poll = [PENDING, DONE]
    ended = with_key("look-up", reference.lower().removeprefix("kb-"))
    assert ended.status == 0
    assert ended.out.startswith("Approved: 10.00 USD on D-1\n10.00 USD was approved")
    assert "accepted" in ended.err


def test_a_sale_with_a_request_is_asked_for_by_it(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key, with_request=True)
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (0, "approved")
    assert len(with_key.bench.gateway.polls) == 1
    assert not with_key.bench.gateway.look_ups


def test_a_sale_that_has_an_outcome_is_told_and_not_asked_for(with_key: CommandLine) -> None:
    sale = ["sale", "--environment", "practice", "--key", "till", "--device", "D-1", "--amount", "10.00"]
    reference = with_key(*sale, "--json").records[-1]["reference"]
    polls = len(with_key.bench.gateway.polls)
    with_key.bench.keystore.failure = KeystoreLocked()
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (0, "approved")
    assert "wasn't asked" in ended.records[-1]["looked_up"]
    assert "wasn't asked" in ended.err
    assert len(with_key.bench.gateway.polls) == polls
    assert not with_key.bench.gateway.look_ups


def test_what_the_gateway_does_not_know_yet_is_unknown(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (30, "unknown")
    assert "knows nothing of it yet" in ended.records[-1]["looked_up"]
    assert ended.records[0]["detail"] == Reason.NOT_FOUND_YET


def test_it_waits_until_it_is_sure_that_a_sale_was_never_received(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    ended = with_key("look-up", reference, "--wait", "--json")
    assert (ended.status, ended.records[-1]["state"]) == (21, "not_sent")
    assert "never received" in ended.records[-1]["meaning"]
    assert "in six minutes" in ended.err
    assert with_key.bench.gateway.look_ups == [reference] * 2
    assert not with_key.bench.gateway.posts


@pytest.mark.parametrize(
    ("error", "says", "status"),
    [
        (NotSent("not offered"), "can't find a sale by its reference", 30),
        (NotSent("connection refused"), "couldn't be asked. Nothing is listening", 30),
        (PracticeUnavailable("no port is free"), "couldn't be asked. The practice gateway", 30),
        (AnswerLost("timeout"), "in vain. The gateway gave no answer in time", 30),
        (KeyRefused("unauthorised", status=401), "in vain. The gateway refused the key (401)", 30),
    ],
)
def test_a_look_up_in_vain_says_why_and_leaves_it_unknown(
    with_key: CommandLine, error: GatewayError, says: str, status: int
) -> None:
    (reference,) = leave_unknown(with_key)
    with_key.bench.gateway.to_look_up = [error]
    ended = with_key("look-up", reference, "--json")
    last = ended.records[-1]
    assert (ended.status, last["state"], last["error"]) == (status, "unknown", type(error).__name__)
    assert says in last["looked_up"]
    assert says in ended.err
    assert "may have gone through" in last["meaning"]
    assert "Nothing reached" not in ended.out + ended.err


def test_a_forgotten_key_cannot_ask(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    with_key.do(_forget(with_key))
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (30, "unknown")
    assert "“Till” was forgotten" in ended.records[-1]["looked_up"]


async def _forget(keybench: CommandLine) -> None:
    for key in await keybench.bench.journal.keys("practice"):
        await keybench.bench.journal.remove_key(key.id)


@pytest.mark.parametrize("reference", ["KB-0000-0000-0000", "", "PR-1"])
def test_a_reference_that_is_not_there_ends_with_2_and_asks_for_none(
    with_key: CommandLine, reference: str
) -> None:
    (known,) = leave_unknown(with_key)
    ended = with_key("look-up", known, reference, "--json")
    assert (ended.status, ended.records[-1]["exit_status"]) == (2, 2)
    assert f"no sale named “{reference}”" in ended.err
    assert not with_key.bench.gateway.look_ups


def test_several_are_asked_for_and_the_worst_decides(with_key: CommandLine) -> None:
    references = leave_unknown(with_key, 3)
    with_key.bench.gateway.to_look_up = [
        StatusReading("interactionComplete", APPROVED, "PR-9"),
        AnswerLost("timeout"),
        StatusReading("interactionComplete", DECLINED, "PR-8"),
    ]
    ended = with_key("look-up", *references, "--json")
    states = [record["state"] for record in ended.records if "state" in record]
    assert (ended.status, sorted(states)) == (30, ["approved", "declined", "unknown"])
    assert references[0] in with_key("look-up", *references).err


@pytest.mark.parametrize(("sent", "status", "state"), [(True, 30, "unknown"), (False, 21, "not_sent")])
def test_an_unfinished_sale_of_an_ended_program_is_taken_up(
    with_key: CommandLine, *, sent: bool, status: int, state: str
) -> None:
    reference = leave_unfinished(with_key, sent=sent)
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (status, state)
    assert with_key.bench.gateway.look_ups == ([reference] if sent else [])
    assert not with_key.bench.gateway.posts


def test_a_sale_that_another_program_follows_is_left_to_it(with_key: CommandLine) -> None:
    reference = leave_unfinished(with_key, sent=True, alive=True)
    ended = with_key("look-up", reference, "--json")
    assert (ended.status, ended.records[-1]["state"]) == (30, "under_way")
    assert "Another Keybench" in ended.records[-1]["looked_up"]
    assert not with_key.bench.gateway.look_ups


def test_a_keystore_or_a_journal_that_fails_is_told_as_such(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    with_key.bench.keystore.failure = KeystoreLocked()
    assert with_key("look-up", reference).status == 40
    with_key.bench.keystore.failure = None
    with_key.bench.journal.failure = JournalBusy()
    assert with_key("look-up", reference).status == 1


# --- resume --------------------------------------------------------------------------------------


def test_resume_asks_again_for_every_unknown_sale(with_key: CommandLine) -> None:
    references = [*leave_unknown(with_key, 3, with_request=True), *leave_unknown(with_key, 2)]
    with_key.bench.gateway.to_look_up = [DONE, None]
    ended = with_key("resume", "--json")
    told = {one["reference"]: one["state"] for one in ended.records}
    assert told == dict.fromkeys(references[:4], "approved") | {references[4]: "unknown"}
    assert ended.status == 30
    assert f"One sale stays unknown: {references[4]}." in ended.err
    assert "look it up again in six minutes" in ended.err
    assert len(with_key.bench.gateway.look_ups) == 2
    assert not with_key.bench.gateway.posts
    with_key.bench.gateway.to_look_up = [DONE]
    assert (with_key("resume").status, with_key("resume").err) == (0, NOTHING_WAITS)


def test_resume_names_what_cannot_be_asked_about(with_key: CommandLine) -> None:
    """A contract without a look-up, an environment that is gone, a sale of last year: none is passed over."""
    bench = with_key.bench
    add = ("environment", "add", "--kind", "test", "--base-url", "https://gateway.example")
    with_key(*add, "Shop", "--contract", "v5")
    with_key(*add, "Gone")
    for name in ("Shop", "Gone"):
        with_key.do(_add_key(with_key, name))
    many = leave_unknown(with_key, 23, environment="Shop")
    bench.clock.move(timedelta(days=400).total_seconds())
    (gone,) = leave_unknown(with_key, environment="Gone")
    with_key("environment", "remove", "Gone", "--anyway")
    (asked,) = leave_unknown(with_key, with_request=True)

    ended = with_key("resume", "--json")
    states = {one["reference"]: one["state"] for one in ended.records}
    assert states == dict.fromkeys([*many, gone], "unknown") | {asked: "approved"}
    assert ended.status == 30
    assert "24 sales stay unknown" in ended.err
    assert all(reference in ended.err for reference in [*many, gone])
    assert "gateway's portal" in ended.err
    assert not bench.gateway.look_ups
    since = bench.clock.now().date().isoformat()
    assert [one["reference"] for one in with_key("resume", "--since", since, "--json").records] == [gone]


def test_a_gateway_that_cannot_be_reached_stops_no_other(with_key: CommandLine) -> None:
    with_key("environment", "add", "Shop", "--kind", "test", "--base-url", "https://gateway.example")
    with_key.do(_add_key(with_key, "Shop"))
    unreached = leave_unknown(with_key, 8, with_request=True, environment="Shop")
    reached = leave_unknown(with_key, 2, with_request=True)
    gateway, asked = with_key.bench.gateway, []

    async def status(caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        asked.append(caller.environment.name)
        if caller.environment.name == "Shop":
            raise NotSent("connection refused")
        return DONE

    gateway.sale_status = status  # type: ignore[method-assign]  # a gateway of two addresses
    ended = with_key("resume", "--json")
    states = {one["reference"]: one["state"] for one in ended.records}
    assert ended.status == 30
    assert states == dict.fromkeys(reached, "approved") | dict.fromkeys(unreached, "unknown")
    assert asked.count("Shop") < len(unreached)


async def _add_key(keybench: CommandLine, environment: str) -> None:
    await keybench.bench.add_key(await keybench.bench.console.environments.named(environment))


def test_what_went_on_is_told_in_words_and_in_stable_ones(with_key: CommandLine) -> None:
    (reference,) = leave_unknown(with_key)
    (found,) = with_key("look-up", reference, "--json").records[-1]["forensics"]
    assert found["finding"] == "answer_lost"
    assert found["because"].startswith("The sale was sent")
    with_key.bench.gateway.to_look_up = [StatusReading("interactionComplete", APPROVED, "PR-9")]
    assert "Accepted after" not in with_key("look-up", reference).out
    told = with_key("look-up", reference, "--json").records[-1]
    assert (told["forensics"], told["times"]["outcome_s"]) == ([], None)
