"""What a diagnosis knows without asking anybody: from the journal, and from a failure itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.records import DELETED
from fakes.scripted_gateway import DONE
from fakes.world import MADE_UP, Bench, build_world
from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, Observation, Sign
from keybench.core.diagnosis.conclusion import Conclusion
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyRefused,
    KeystoreLocked,
    NotSent,
    Refused,
)
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState, SecurityKey
from keybench.core.ports import Accepted, Activity, StatusReading
from keybench.core.reasons import Reason
from keybench.core.rotations.rotation import KeyFacts
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.diagnosis.checks import Question

OTHER = MADE_UP[::-1]


async def history(bench: Bench, environment: Environment, key: SecurityKey) -> dict[Sign, Observation]:
    stored = await bench.console.calling.key(environment.id, key.id)
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, stored)))
    findings = [diagnosis.finding(check) for check in (Check.HISTORY, Check.RATE)]
    return {one.seen: one for finding in findings if finding for one in finding.observations}


async def set_state(bench: Bench, key: SecurityKey, state: KeyState, ago: timedelta) -> None:
    at = bench.clock.now() - ago
    await bench.journal.update_key(key.id, lambda stored: stored.tested(state, 200, at))


async def give_value(bench: Bench, environment: Environment, key: SecurityKey, value: str = OTHER) -> None:
    await Administration(bench.console).inventory.give_value(environment, key, value)


async def sell(
    bench: Bench, environment: Environment, answer: Accepted | Verdict | GatewayError | None = None
) -> Sale:
    if answer is not None:
        bench.gateway.to_post = [answer]
    noted = await bench.console.sell.note(await bench.draft(environment=environment))
    return await bench.carry(bench.console.sell.carry_out(noted))


async def test_a_new_key_has_never_worked(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    assert set(await history(bench, environment, key)) == {Sign.KEY_NEVER_WORKED, Sign.RATE_NOT_MET}


async def test_a_key_that_the_gateway_made_is_its_own_until_it_is_given_another_value(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    await bench.journal.update_key(key.id, lambda stored: replace(stored, gateway_id="g-1"))
    known = await history(bench, environment, key)
    assert known[Sign.KEY_MADE_HERE].facts["at"] == key.created_at
    assert Sign.KEY_NEVER_WORKED not in known
    await give_value(bench, environment, key)
    assert Sign.KEY_NEVER_WORKED in await history(bench, environment, key)


@pytest.mark.parametrize("way", ["test", "sale"])
async def test_a_key_that_worked_is_known_to(bench: Bench, way: str) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    await bench.clock.advance(60)
    at = bench.clock.now()
    if way == "test":
        await bench.console.keys.test(environment, key)
    else:
        assert (await sell(bench, environment)).outcome is Outcome.APPROVED
    # A refusal since doesn't make that undone.
    await set_state(bench, key, KeyState.REFUSED, timedelta(0))
    known = await history(bench, environment, key)
    assert known[Sign.KEY_WORKED].facts["at"] == at


async def test_a_value_that_was_given_anew_hasnt_worked_yet(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    await bench.console.keys.test(environment, key)
    await sell(bench, environment)
    await bench.clock.advance(60)
    await give_value(bench, environment, key)
    assert Sign.KEY_NEVER_WORKED in await history(bench, environment, key)
    await give_value(bench, environment, key, MADE_UP)
    assert Sign.KEY_WORKED in await history(bench, environment, key)


async def test_a_key_isnt_told_to_have_worked_by_one_that_had_its_name(bench: Bench) -> None:
    environment = await bench.add()
    before = await bench.add_key(environment)
    await bench.console.keys.test(environment, before)
    await bench.console.keys.rename(before, "Old till")
    draft = KeyDraft(before.name, "mira", "Sale", KeyKind.PRIVATE)
    key = (await bench.console.add_key.keep(environment, draft, OTHER)).key
    assert Sign.KEY_NEVER_WORKED in await history(bench, environment, key)
    assert Sign.KEY_WORKED in await history(bench, environment, before)


async def test_what_changed_since_it_worked_is_told(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    await bench.console.keys.test(environment, key)
    await bench.clock.advance(60)
    line = Activity(bench.clock.now(), "environment edited", environment.id, environment.name, "whatever")
    await bench.journal.record_activity(line)
    known = await history(bench, environment, key)
    assert known[Sign.ENVIRONMENT_CHANGED].facts["at"] == line.at
    assert Sign.KEY_WORKED not in known
    await bench.clock.advance(60)
    await bench.console.keys.test(environment, key)
    assert Sign.ENVIRONMENT_CHANGED not in await history(bench, environment, key)


async def test_a_rotation_that_deleted_it_replaced_the_key(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    line = Activity(bench.clock.now(), "rotation started", environment.id, key.name, "")
    rotation = replace(DELETED, environment_id=environment.id, old=KeyFacts.of(key))
    await bench.journal.start_rotation(rotation, line)
    known = await history(bench, environment, key)
    assert known[Sign.KEY_REPLACED].facts["at"] == DELETED.deletion.deleted_at  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("state", "ago_h", "expected"),
    [
        (KeyState.WORKING, 0.5, {Sign.OTHERS_WORK}),
        (KeyState.WORKING, 30, set()),
        (KeyState.FORBIDDEN, 5, {Sign.OTHERS_REFUSED}),
        (KeyState.REFUSED, 30, set()),
    ],
)
async def test_how_other_keys_stand_is_told_while_it_is_news(
    bench: Bench, state: KeyState, ago_h: float, expected: set[Sign]
) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    other = replace(key, id="k2", name="Other", username="ann", fingerprint="acorn-acorn-acorn-acorn")
    await bench.journal.add_key(other)
    await set_state(bench, other, state, timedelta(hours=ago_h))
    told = {Sign.OTHERS_WORK, Sign.OTHERS_REFUSED}
    assert set(await history(bench, environment, key)) & told == expected


async def test_the_same_value_in_another_environment_is_told(bench: Bench) -> None:
    sandbox = await bench.add()
    live = await bench.console.environments.add("Live", EnvironmentKind.LIVE, "https://live.example")
    key = await bench.add_key(sandbox)
    known = await history(bench, sandbox, key)
    assert Sign.SAME_VALUE_ELSEWHERE not in known
    await bench.add_key(live)
    known = await history(bench, sandbox, key)
    assert known[Sign.SAME_VALUE_ELSEWHERE].facts["environment"] == "Live"


@pytest.mark.parametrize("way", ["sale", "test", "limit", "poll"])
async def test_a_rate_limit_that_was_met_lately_is_told(bench: Bench, way: str) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    too_often = Forbidden(Reason.RATE_LIMIT, status=403)
    if way == "sale":
        await sell(bench, environment, too_often)
    elif way == "test":
        bench.gateway.to_probe = [too_often]
        with pytest.raises(Forbidden):
            await bench.console.keys.test(environment, key)
    elif way == "poll":
        bench.gateway.to_poll = [too_often, DONE]
        await sell(bench, environment, Accepted("PR-1"))
        # Another program reads of it in the journal.
        bench.console = Console(build_world(bench))
    else:
        (await bench.console.calling.limit(environment)).answered(too_often)
    assert Sign.RATE_MET in await history(bench, environment, key)
    await bench.clock.advance(4000)
    assert Sign.RATE_NOT_MET in await history(bench, environment, key)


# --- at the failure itself -------------------------------------------------------------------------------


def first(conclusion: Conclusion) -> Cause:
    return conclusion.suspects[0].cause


def weakening(conclusion: Conclusion, cause: Cause) -> set[Sign]:
    judged = next(one for one in conclusion.causes if one.cause is cause)
    return {one.seen for one in judged.against}


@pytest.mark.parametrize(
    ("answer", "outcome", "cause"),
    [
        (KeyRefused(Reason.UNAUTHORISED, status=401, message="x"), Outcome.REFUSED, None),
        (Refused(Reason.DEVICE_OFFLINE, status=409), Outcome.REFUSED, Cause.DEVICE_OFFLINE),
        (Refused(Reason.DEVICE_BUSY, status=409), Outcome.REFUSED, Cause.DEVICE_BUSY),
        (Refused(Reason.NOT_FOUND, status=404), Outcome.REFUSED, Cause.DEVICE_UNKNOWN),
        (Forbidden(Reason.RATE_LIMIT, status=403), Outcome.REFUSED, Cause.RATE_LIMIT),
        (NotSent(Reason.NAME_NOT_FOUND), Outcome.NOT_SENT, Cause.NAME_RESOLUTION),
        (NotSent(Reason.TLS_WRONG_HOST), Outcome.NOT_SENT, Cause.TLS_WRONG_HOST),
        (NotSent(Reason.PROXY_PASSWORD_REFUSED), Outcome.NOT_SENT, Cause.PROXY),
        (AnswerLost(Reason.TIMEOUT), Outcome.UNKNOWN, Cause.NO_ANSWER),
        (GatewayFailed(Reason.FAILED, status=503), Outcome.UNKNOWN, Cause.GATEWAY_FAILING),
        (Verdict(Outcome.DECLINED, message="DECLINED"), Outcome.DECLINED, Cause.DECLINED_BY_ISSUER),
        (Verdict(Outcome.CANCELLED, reason="at the terminal"), Outcome.CANCELLED, Cause.CUSTOMER_LEFT),
        (Verdict(Outcome.EXPIRED), Outcome.EXPIRED, Cause.CUSTOMER_SLOW),
    ],
)
async def test_a_failure_has_its_causes_at_once_and_asks_nobody(
    bench: Bench, answer: Verdict | GatewayError, outcome: Outcome, cause: Cause | None
) -> None:
    environment = await bench.add()
    sale = await sell(bench, environment, answer)
    assert sale.outcome is outcome
    posts, polls, reads = len(bench.gateway.posts), len(bench.gateway.polls), len(bench.keystore.calls)
    conclusion = await bench.console.diagnose.at_failure(sale)
    assert conclusion.suspects
    if cause is not None:
        assert first(conclusion) is cause
    else:
        assert conclusion.trouble is Trouble.OURS
    assert (len(bench.gateway.posts), len(bench.gateway.polls)) == (posts, polls)
    assert len(bench.keystore.calls) == reads
    assert bench.probing.asked == []
    assert MADE_UP not in repr(conclusion)


async def test_a_sale_that_wasnt_sent_for_want_of_the_value_is_the_keystores(bench: Bench) -> None:
    environment = await bench.add()
    await bench.add_key(environment)
    noted = await bench.console.sell.note(await bench.draft(environment=environment))
    bench.keystore.failure = KeystoreLocked("locked")
    sale = await bench.carry(bench.console.sell.carry_out(noted))
    assert first(await bench.console.diagnose.at_failure(sale)) is Cause.KEYSTORE


async def test_an_approved_sale_has_no_cause(bench: Bench) -> None:
    sale = await sell(bench, await bench.add())
    assert sale.outcome is Outcome.APPROVED
    assert (await bench.console.diagnose.at_failure(sale)).suspects == ()


async def test_a_refusal_that_the_key_has_survived_is_told_as_past(bench: Bench) -> None:
    environment = await bench.add()
    sale = await sell(bench, environment, KeyRefused(Reason.UNAUTHORISED, status=401))
    await bench.clock.advance(60)
    key = (await bench.journal.keys(environment.id))[0]
    await bench.console.keys.test(environment, key)
    conclusion = await bench.console.diagnose.at_failure(sale)
    assert Sign.KEY_WORKED_SINCE in weakening(conclusion, Cause.KEY_INVALID)
    # Refused again: what worked in between doesn't clear it any more.
    await bench.clock.advance(60)
    await set_state(bench, key, KeyState.REFUSED, timedelta(0))
    conclusion = await bench.console.diagnose.at_failure(sale)
    assert Sign.KEY_WORKED_SINCE not in weakening(conclusion, Cause.KEY_INVALID)
    assert Cause.KEY_EXPIRED_OR_DELETED in {one.cause for one in conclusion.suspects}


async def test_a_diagnosis_now_doesnt_clear_a_refusal_now(bench: Bench) -> None:
    """What a key did after a failed sale rules nothing out where it is refused now."""
    environment = await bench.add()
    sale = await sell(bench, environment, GatewayFailed(Reason.FAILED, status=503))
    await bench.clock.advance(60)
    key = (await bench.journal.keys(environment.id))[0]
    await bench.console.keys.test(environment, key)
    bench.probing.sees[Check.CALL] = (Observation(Sign.CALL_UNAUTHORISED),)
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key, sale=sale)))
    assert Cause.KEY_EXPIRED_OR_DELETED not in {one.cause for one in diagnosis.conclusion.ruled_out}


async def test_a_key_tests_failure_has_causes_too(bench: Bench) -> None:
    environment = await bench.add()
    key = await bench.add_key(environment)
    error = NotSent(Reason.CONNECTION_REFUSED)
    assert first(await bench.console.diagnose.at_error(error, environment, key)) is Cause.CONNECTION_REFUSED


async def test_an_expired_sale_is_told_by_what_the_device_did(bench: Bench) -> None:
    environment = await bench.add()
    bench.gateway.to_poll = [
        *[StatusReading("pending")] * 3,
        *[StatusReading("inFlight")] * 3,
        StatusReading("cancelledByTimeout", Verdict(Outcome.EXPIRED)),
    ]
    sale = await sell(bench, environment)
    conclusion = await bench.console.diagnose.at_failure(sale)
    assert conclusion.trouble is Trouble.CUSTOMER


@pytest.mark.parametrize("outcome", [Outcome.DECLINED, Outcome.EXPIRED, Outcome.CANCELLED])
async def test_a_sale_that_the_gateway_took_shows_that_its_key_was_accepted(
    bench: Bench, outcome: Outcome
) -> None:
    environment = await bench.add()
    bench.gateway.to_poll = [StatusReading("pending"), StatusReading("end", Verdict(outcome))]
    sale = await sell(bench, environment)
    suspected = {one.cause for one in (await bench.console.diagnose.at_failure(sale)).suspects}
    innocent = {Cause.KEY_INVALID, Cause.KEY_EXPIRED_OR_DELETED, Cause.USER_DISABLED, Cause.BASE_URL}
    assert suspected
    assert not suspected & innocent


async def test_one_that_was_refused_while_it_was_followed_doesnt(bench: Bench) -> None:
    environment = await bench.add()
    bench.gateway.to_poll = [StatusReading("pending"), KeyRefused(Reason.UNAUTHORISED, status=401)]
    sale = await sell(bench, environment)
    assert sale.outcome is Outcome.UNKNOWN
    conclusion = await bench.console.diagnose.at_failure(sale)
    assert first(conclusion) is Cause.KEY_EXPIRED_OR_DELETED
