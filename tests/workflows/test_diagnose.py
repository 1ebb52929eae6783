"""A diagnosis: side by side, within its limits whatever hangs, and no claim about what wasn't seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.clock import turns
from fakes.slow import Slow
from fakes.world import MADE_UP, Bench, build_world
from keybench.core.devices.state import DeviceState
from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Result, Sign, Silence, saw
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.diagnosis.rules import result_of, rules_out
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    AnswerUnreadable,
    Forbidden,
    JournalBusy,
    JournalError,
    JournalUnwritable,
    KeystoreLocked,
    NotSent,
    PracticeUnavailable,
    Refused,
)
from keybench.core.input_errors import CardDataRefused, NotFound, ValueMisplaced
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.ports import PortalUser, entry_of
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.workflows.console import Console
from keybench.workflows.diagnosis.checks import Question
from keybench.workflows.diagnosis.diagnose import Diagnose
from keybench.workflows.diagnosis.running import ALL_S, CHECK_S
from sweeps import examples

NETWORK = (Check.NAME, Check.CONNECT, Check.PROXY, Check.TLS, Check.CLOCK, Check.GATEWAY)


@pytest.fixture
async def question(bench: Bench) -> AsyncIterator[Question]:
    environment = await bench.add()
    key = await bench.add_key(environment)
    yield Question(environment, key, "D-1")
    assert bench.gateway.posts == []  # no diagnosis ever starts a sale


def seen(diagnosis: Diagnosis, check: Check) -> set[Sign]:
    finding = diagnosis.finding(check)
    return {one.seen for one in finding.observations} if finding else set()


def silent(diagnosis: Diagnosis, check: Check) -> tuple[Silence | None, Check | None]:
    finding = diagnosis.finding(check)
    assert finding
    assert finding.observations == ()
    return finding.silence, finding.waits_for


def started(work: Coroutine[Any, Any, Diagnosis]) -> asyncio.Task[Diagnosis]:
    return asyncio.get_running_loop().create_task(work)


class Failing:
    """Implements a port of which every call fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        async def failing(*_given: Any, **_more: Any) -> None:
            raise self._error

        return failing


def with_journal(bench: Bench, error: JournalError) -> Diagnose:
    return Console(replace(build_world(bench), journal=cast("Any", Failing(error)))).diagnose


async def refuse(bench: Bench) -> None:
    bench.probing.sees[Check.CALL] = (saw(Sign.CALL_UNAUTHORISED, status=401, message="no"),)
    bench.probing.sees[Check.FORMS] = (saw(Sign.OTHER_FORMS_REFUSED),)


async def test_where_all_is_well_it_is_nobodys_trouble(bench: Bench) -> None:
    environment = await bench.practice_environment()
    key = await bench.add_key(environment)
    bench.gateway.to_device_state = [replace(bench.gateway.to_device_state[0], is_busy=False)]  # type: ignore[type-var]
    told: list[CheckFinding] = []
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key, "D-1"), told.append))
    assert diagnosis.conclusion.trouble is Trouble.NONE
    assert {one.check: result_of(one) for one in diagnosis.findings if result_of(one) is not Result.FINE} == {
        Check.FORMS: Result.COULD_NOT_TELL,
        Check.HISTORY: Result.COULD_NOT_TELL,
    }
    assert silent(diagnosis, Check.FORMS) == (Silence.NEEDLESS, None)
    assert tuple(one.check for one in diagnosis.findings) == bench.console.diagnose.checks(
        Question(environment, key, "D-1")
    )
    assert sorted(told, key=lambda one: list(Check).index(one.check)) == list(diagnosis.findings)
    assert (diagnosis.host, diagnosis.key_name, diagnosis.device) == ("127.0.0.1", "Till", "D-1")
    assert bench.gateway.posts == []


async def test_a_refusal_is_about_the_key(bench: Bench, question: Question) -> None:
    await refuse(bench)
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert diagnosis.conclusion.trouble is Trouble.OURS
    assert seen(diagnosis, Check.FORMS) == {Sign.OTHER_FORMS_REFUSED}
    assert silent(diagnosis, Check.DEVICE) == (Silence.WAITS, Check.CALL)


async def test_checks_are_told_as_they_end(bench: Bench, question: Question) -> None:
    bench.probing.held = {Check.TLS}
    told: list[Check] = []
    running = started(bench.console.diagnose.run(question, lambda one: told.append(one.check)))
    await turns(60)
    assert {Check.NAME, Check.CALL, Check.DEVICE, Check.HISTORY} <= set(told)
    assert Check.TLS not in told
    bench.probing.let_go()
    await running
    assert told[-1] is Check.TLS


@pytest.mark.parametrize("check", [*NETWORK, Check.CALL, Check.FORMS])
async def test_a_check_that_hangs_is_given_up_after_three_seconds(
    bench: Bench, question: Question, check: Check
) -> None:
    if check is Check.FORMS:
        await refuse(bench)
    bench.probing.held = {check}
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert silent(diagnosis, check)[0] is Silence.TIME
    assert bench.probing.stopped == [check]
    assert diagnosis.took_s == pytest.approx(CHECK_S)
    waiting = {Check.GATEWAY: Check.CALL, Check.CALL: Check.DEVICE}
    if check in waiting:
        assert silent(diagnosis, waiting[check]) == (Silence.WAITS, check)


async def test_with_everything_hanging_it_ends_in_time_and_claims_nothing(bench: Bench) -> None:
    environment = await bench.practice_environment()
    key = await bench.add_key(environment)
    keystore, journal, practice = Slow(bench.keystore), Slow(bench.journal), Slow(bench.practice)
    keystore.hold("read")
    journal.hold("environments")
    practice.hold("ensure")
    bench.probing.held = set(Check)
    world = replace(build_world(bench), keystore=keystore.port, journal=journal.port, practice=practice.port)
    diagnose = Console(world).diagnose
    before = asyncio.all_tasks()
    diagnosis = await bench.carry(diagnose.run(Question(environment, key, "D-1")))
    assert diagnosis.took_s <= ALL_S
    assert asyncio.all_tasks() == before
    assert silent(diagnosis, Check.CALL)[0] is Silence.WAITS
    assert seen(diagnosis, Check.KEYSTORE) == {Sign.KEYSTORE_SILENT}
    assert diagnosis.conclusion.trouble is not Trouble.NONE


async def test_a_keystore_that_hangs_keeps_nothing_else_from_being_told(
    bench: Bench, question: Question
) -> None:
    keystore = Slow(bench.keystore)
    keystore.hold("read")
    diagnose = Console(replace(build_world(bench), keystore=keystore.port)).diagnose
    diagnosis = await bench.carry(diagnose.run(question))
    assert diagnosis.took_s <= CHECK_S
    assert seen(diagnosis, Check.GATEWAY) == {Sign.GATEWAY_ASKS_FOR_KEY}
    for check in (Check.VALUE, Check.CALL, Check.FORMS, Check.DEVICE):
        assert silent(diagnosis, check) == (Silence.WAITS, Check.KEYSTORE)
    assert diagnosis.conclusion.suspects[0].cause is Cause.KEYSTORE
    assert not any(
        one.cause in rules_out(f) for f in diagnosis.findings for one in diagnosis.conclusion.suspects
    )


async def test_it_can_be_stopped_and_concludes_from_what_is_known(bench: Bench, question: Question) -> None:
    bench.probing.held = {Check.GATEWAY, Check.TLS}
    stop, before = asyncio.Event(), asyncio.all_tasks()
    running = started(bench.console.diagnose.run(question, stop=stop))
    await turns(60)
    stop.set()
    diagnosis = await running
    assert diagnosis.took_s == 0
    assert silent(diagnosis, Check.TLS) == (Silence.STOPPED, None)
    assert silent(diagnosis, Check.CALL) == (Silence.STOPPED, None)
    assert seen(diagnosis, Check.NAME) == {Sign.NAME_FOUND}
    assert set(bench.probing.stopped) == {Check.GATEWAY, Check.TLS}
    assert asyncio.all_tasks() == before


async def test_cancelling_leaves_nothing_running(bench: Bench, question: Question) -> None:
    bench.probing.held = {Check.GATEWAY, Check.TLS}
    before = asyncio.all_tasks()
    running = started(bench.console.diagnose.run(question))
    await turns(60)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert running.cancelled()
    assert set(bench.probing.stopped) == {Check.GATEWAY, Check.TLS}
    await turns()
    assert asyncio.all_tasks() == before


LOOKS = (*NETWORK, Check.CALL, Check.FORMS)


@pytest.mark.logs
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    hanging=st.sets(st.sampled_from(LOOKS)),
    crashing=st.sets(st.sampled_from(LOOKS)),
    empty=st.sets(st.sampled_from(LOOKS)),
    refused=st.sampled_from(["", "refused"]),
)
def test_what_did_not_run_to_its_end_is_no_evidence(
    hanging: set[Check], crashing: set[Check], empty: set[Check], refused: str
) -> None:
    async def run() -> Diagnosis:
        bench = Bench()
        await bench.journal.open()
        environment = await bench.add()
        key = await bench.add_key(environment)
        if refused:
            await refuse(bench)
        bench.probing.sees |= dict.fromkeys(empty, ())
        bench.probing.raises |= dict.fromkeys(crashing, RuntimeError("a fault of the program"))
        bench.probing.held = set(hanging)
        diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key, "D-1")))
        assert bench.gateway.posts == []
        await bench.journal.close()
        return diagnosis

    diagnosis = asyncio.run(run())
    assert diagnosis.took_s <= ALL_S
    for check in hanging | crashing | empty:
        finding = diagnosis.finding(check)
        assert finding
        assert (result_of(finding), rules_out(finding)) == (Result.COULD_NOT_TELL, ())
    told: list[Observation] = [o for f in diagnosis.findings for o in f.observations]
    for one in diagnosis.conclusion.ruled_out:
        assert any(observation in told for observation in one.against)
    if Check.CALL in hanging | crashing | empty:
        assert diagnosis.conclusion.trouble is not Trouble.NONE


# --- what is on this computer ----------------------------------------------------------------------------


async def test_a_journal_that_cant_be_written_is_seen_and_leaves_the_key_at_home(
    bench: Bench, question: Question
) -> None:
    diagnose = with_journal(bench, JournalUnwritable("journal.sqlite", "disk full"))
    diagnosis = await bench.carry(diagnose.run(question))
    assert seen(diagnosis, Check.JOURNAL) == {Sign.JOURNAL_FAILED}
    assert diagnosis.conclusion.suspects[0].cause is Cause.JOURNAL
    # The environment couldn't be read, and the key must not go where it was.
    assert silent(diagnosis, Check.CALL) == (Silence.WAITS, Check.JOURNAL)
    assert silent(diagnosis, Check.HISTORY) == (Silence.WAITS, Check.JOURNAL)
    assert Check.CALL not in bench.probing.asked
    assert seen(diagnosis, Check.GATEWAY) == {Sign.GATEWAY_ASKS_FOR_KEY}


async def test_the_keystore_is_locked(bench: Bench, question: Question) -> None:
    bench.keystore.failure = KeystoreLocked("locked")
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert seen(diagnosis, Check.KEYSTORE) == {Sign.KEYSTORE_SHUT}
    assert diagnosis.conclusion.suspects[0].cause is Cause.KEYSTORE
    assert {one.check for one in diagnosis.conclusion.explained} >= {Check.VALUE, Check.CALL}


async def test_another_value_is_neither_sent_nor_judged(bench: Bench, question: Question) -> None:
    assert question.key
    bench.keystore.change(entry_of(question.key), Secret("AnotherMadeUpValue00000000000000"))
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert seen(diagnosis, Check.KEYSTORE) == {Sign.VALUE_OTHER}
    assert silent(diagnosis, Check.VALUE) == (Silence.WAITS, Check.KEYSTORE)
    assert Check.CALL not in bench.probing.asked


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (MADE_UP, KeyKind.PRIVATE, {Sign.FORM_USUAL}),
        ("Bearer " + MADE_UP, KeyKind.PRIVATE, {Sign.FORM_SCHEME_WORD}),
        (MADE_UP[:8] + " " + MADE_UP[8:], KeyKind.PRIVATE, {Sign.FORM_STRAY}),
        ("abc123-def456-ghi789-jkl012", KeyKind.PRIVATE, {Sign.FORM_PUBLIC}),
        ("abc123-def456-ghi789-jkl012", KeyKind.PUBLIC, {Sign.FORM_USUAL, Sign.KIND_PUBLIC}),
        (MADE_UP, KeyKind.PUBLIC, {Sign.FORM_PRIVATE, Sign.KIND_PUBLIC}),
        ("v4_secret_abcdefghijkl", KeyKind.PRIVATE, {Sign.FORM_PARTNER}),
        ("quite-another-form", KeyKind.PRIVATE, {Sign.FORM_UNUSUAL}),
    ],
)
async def test_the_form_of_the_value_is_judged(
    bench: Bench, value: str, kind: KeyKind, expected: set[Sign]
) -> None:
    environment = await bench.add()
    key = (await bench.console.add_key.keep(environment, KeyDraft("K", "mira", "API", kind), value)).key
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key)))
    assert seen(diagnosis, Check.VALUE) == expected
    assert value not in repr(diagnosis)


@pytest.mark.parametrize(
    ("base_url", "kind", "expected"),
    [
        ("https://gateway.example", EnvironmentKind.TEST, {Sign.URL_PLAIN}),
        ("https://gateway.example/api/v5/devices", EnvironmentKind.TEST, {Sign.URL_PATH_TWICE}),
        ("https://gateway.example/merchants/login.php", EnvironmentKind.TEST, {Sign.URL_PORTAL}),
        ("https://sandbox.gateway.example", EnvironmentKind.LIVE, {Sign.URL_OTHER_KIND}),
    ],
)
async def test_the_base_url_is_judged(
    bench: Bench, base_url: str, kind: EnvironmentKind, expected: set[Sign]
) -> None:
    environment = await bench.console.environments.add("Shop", kind, base_url)
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, None)))
    assert seen(diagnosis, Check.BASE_URL) == expected
    assert Check.CALL not in {one.check for one in diagnosis.findings}


async def test_a_contract_that_is_gone_is_seen(bench: Bench, question: Question) -> None:
    gone = replace(question.environment, contract="own")
    await bench.journal.update_environment(gone.id, lambda stored: replace(stored, contract="own"))
    bench.probing.raises[Check.GATEWAY] = NotSent(Reason.CONTRACT)
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert seen(diagnosis, Check.CONTRACT) == {Sign.CONTRACT_INVALID}
    assert silent(diagnosis, Check.GATEWAY) == (Silence.WAITS, Check.CONTRACT)
    assert silent(diagnosis, Check.CALL) == (Silence.WAITS, Check.CONTRACT)


async def test_a_practice_gateway_that_doesnt_come_up_is_the_gateways_trouble(bench: Bench) -> None:
    environment = await bench.practice_environment()
    key = await bench.add_key(environment)
    bench.practice.failure = PracticeUnavailable(Reason.PRACTICE_SILENT)
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key)))
    assert diagnosis.conclusion.trouble is Trouble.GATEWAY
    assert silent(diagnosis, Check.TLS) == (Silence.WAITS, Check.GATEWAY)
    assert bench.probing.asked == []


# --- the calls -------------------------------------------------------------------------------------------


async def test_what_saw_nothing_because_the_way_is_broken_waits_for_it(
    bench: Bench, question: Question
) -> None:
    bench.probing.sees |= {
        Check.NAME: (saw(Sign.NAME_NOT_FOUND, host="gateway.example"),),
        **dict.fromkeys((Check.CONNECT, Check.TLS, Check.CLOCK, Check.GATEWAY), ()),
    }
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    for check in (Check.CONNECT, Check.TLS, Check.CLOCK, Check.GATEWAY, Check.CALL, Check.DEVICE):
        assert silent(diagnosis, check) == (Silence.WAITS, Check.NAME)
    assert Check.CALL not in bench.probing.asked
    assert diagnosis.conclusion.trouble is Trouble.NETWORK


async def test_the_users_permissions_are_told_where_the_gateway_tells(bench: Bench) -> None:
    environment = await bench.practice_environment()
    key = await bench.add_key(environment)
    users = {
        (PortalUser("mira", "Mira", ("Sale",), enabled=True),): {Sign.USER_MAY_SELL},
        (PortalUser("mira", "Mira", ("Read",), enabled=True),): {Sign.USER_MAY_NOT_SELL},
        (PortalUser("MIRA", "Mira", ("Sale",), enabled=False),): {Sign.USER_DISABLED},
        (PortalUser("ann", "Ann", ("Sale",), enabled=True),): {Sign.USER_NOT_LISTED},
    }
    for listed, expected in users.items():
        bench.portal.listed = listed
        diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key)))
        assert seen(diagnosis, Check.PERMISSIONS) == expected
    bench.portal.failure = Forbidden(Reason.FORBIDDEN, status=403)
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(environment, key)))
    assert silent(diagnosis, Check.PERMISSIONS) == (Silence.NOT_TOLD, None)


async def test_permissions_are_not_told_elsewhere(bench: Bench, question: Question) -> None:
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert silent(diagnosis, Check.PERMISSIONS) == (Silence.NOT_TOLD, None)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"is_connected": True, "is_busy": False}, {Sign.DEVICE_READY}),
        ({"is_connected": True, "is_busy": None}, {Sign.DEVICE_CONNECTED}),
        ({"is_connected": None, "is_busy": None}, {Sign.DEVICE_KNOWN}),
        ({"is_connected": False, "is_busy": None}, {Sign.DEVICE_OFFLINE}),
        ({"is_connected": True, "is_busy": True, "busy_with": "PR-9"}, {Sign.DEVICE_BUSY}),
    ],
)
async def test_a_devices_state_is_told(
    bench: Bench, question: Question, state: dict[str, object], expected: set[Sign]
) -> None:
    bench.gateway.to_device_state = [DeviceState("D-1", bench.clock.now(), **state)]  # type: ignore[arg-type]
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert seen(diagnosis, Check.DEVICE) == expected


async def test_an_unknown_device_and_one_that_isnt_told_of_differ(bench: Bench, question: Question) -> None:
    for error, expected in (
        (Refused(Reason.NOT_FOUND, status=404), {Sign.DEVICE_UNKNOWN}),
        (Refused(Reason.BAD_REQUEST, status=400), set()),
        (AnswerUnreadable(Reason.DEVICE_LISTED, status=404), set()),
        (NotSent(Reason.NOT_OFFERED), set()),
    ):
        bench.gateway.to_device_state = [error]
        diagnosis = await bench.carry(bench.console.diagnose.run(question))
        assert seen(diagnosis, Check.DEVICE) == expected
    assert silent(diagnosis, Check.DEVICE) == (Silence.NOT_OFFERED, None)


# --- other environments ----------------------------------------------------------------------------------


async def two_of_one_gateway(bench: Bench) -> tuple[Environment, Environment, Environment, SecurityKey]:
    add = bench.console.environments.add
    sandbox = await add("Sandbox", EnvironmentKind.TEST, "https://sandbox.pay.example")
    live = await add("Live", EnvironmentKind.LIVE, "https://secure.pay.example")
    stranger = await add("Stranger", EnvironmentKind.TEST, "https://sandbox.stranger.example")
    return sandbox, live, stranger, await bench.add_key(sandbox)


async def test_without_consent_the_key_goes_nowhere_else(bench: Bench) -> None:
    sandbox, live, _, key = await two_of_one_gateway(bench)
    await refuse(bench)
    question = Question(sandbox, key)
    assert await bench.console.diagnose.elsewhere(question) == [live]
    diagnosis = await bench.carry(bench.console.diagnose.run(question))
    assert silent(diagnosis, Check.ELSEWHERE) == (Silence.NOT_ASKED, None)
    assert diagnosis.conclusion.next_check is Check.ELSEWHERE
    assert {one.url.split("/")[2] for one in diagnosis.exchanges} == {"sandbox.pay.example"}


async def test_with_consent_it_goes_to_environments_of_the_same_gateway_alone(bench: Bench) -> None:
    sandbox, live, stranger, key = await two_of_one_gateway(bench)
    await refuse(bench)
    bench.probing.sees[Check.CALL] = (saw(Sign.CALL_ACCEPTED, status=200),)
    asked = Question(sandbox, key, elsewhere=(live, stranger))
    diagnosis = await bench.carry(bench.console.diagnose.run(asked))
    assert seen(diagnosis, Check.ELSEWHERE) == {Sign.ELSEWHERE_ACCEPTED}
    assert diagnosis.conclusion.suspects[0].cause is Cause.KEY_WRONG_ENVIRONMENT
    hosts = {one.url.split("/")[2] for one in diagnosis.exchanges}
    assert hosts == {"sandbox.pay.example", "secure.pay.example"}


async def test_the_key_follows_no_environment_that_was_moved_away(bench: Bench) -> None:
    sandbox, live, _, key = await two_of_one_gateway(bench)
    await bench.journal.update_environment(
        live.id, lambda stored: replace(stored, base_url="https://elsewhere.example")
    )
    diagnosis = await bench.carry(bench.console.diagnose.run(Question(sandbox, key, elsewhere=(live,))))
    assert diagnosis.finding(Check.ELSEWHERE) is None
    assert {one.url.split("/")[2] for one in diagnosis.exchanges} == {"sandbox.pay.example"}


# --- what can't be asked ---------------------------------------------------------------------------------


async def test_a_key_or_environment_that_is_gone_is_said(bench: Bench, question: Question) -> None:
    assert question.key
    await bench.journal.remove_key(question.key.id)
    with pytest.raises(NotFound):
        await bench.carry(bench.console.diagnose.run(question))


async def test_no_value_and_no_card_goes_in_as_a_device(bench: Bench, question: Question) -> None:
    with pytest.raises(ValueMisplaced):
        await bench.carry(bench.console.diagnose.run(replace(question, device=MADE_UP)))
    with pytest.raises(CardDataRefused):
        await bench.carry(bench.console.diagnose.run(replace(question, device="4111 1111 1111 1111")))
    assert bench.probing.asked == []


async def test_an_unreadable_journal_keeps_a_device_that_may_be_a_value_at_home(
    bench: Bench, question: Question
) -> None:
    diagnose = with_journal(bench, JournalBusy("busy"))
    diagnosis = await bench.carry(diagnose.run(replace(question, device=MADE_UP)))
    assert silent(diagnosis, Check.DEVICE)[0] is Silence.WAITS
    assert bench.gateway.device_states_asked == []
