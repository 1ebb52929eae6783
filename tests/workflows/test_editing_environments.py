"""Environments: edited, with what depends on where they are called; tried; what goes with one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from contracts.register_samples import STARTED, a_rotation, abandoned
from fakes.world import MADE_UP, Bench
from keybench.core.environments.addresses import proxy_entry
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, Correction, Slip
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, JournalUnwritable, KeystoreLocked
from keybench.core.events import EnvironmentsChanged, GatewayChanged
from keybench.core.input_errors import (
    BaseUrlInvalid,
    CardDataRefused,
    EnvironmentFixed,
    MoveNotConfirmed,
    NameInvalid,
    NameTaken,
    NotFound,
    PortalUrlInvalid,
    ProxyInvalid,
    RotationUnderWay,
    ValueMisplaced,
)
from keybench.core.keys.key import KeyState
from keybench.core.rotations.rotation import Deletion, KeyFacts
from keybench.core.secret import Secret
from keybench.words.environments.managing import move_sentences

URL = "https://gateway.example"
ELSEWHERE = "https://elsewhere.example"
PROXY = "http://anna@proxy.example:3128"
PORTAL = "https://portal.example/keys"


async def test_all_that_can_be_edited_is_kept_and_told_in_the_activity(bench: Bench) -> None:
    heard: list[EnvironmentsChanged] = []
    where = await bench.add("Shop")
    bench.events.subscribe(EnvironmentsChanged, heard.append)
    changed = await bench.console.environments.edit(
        *(where,),
        name=" Kiosk ",
        base_url=ELSEWHERE + "/",
        contract="practice",
        portal_url=PORTAL,
        limit="50",
        proxy="none",
    )
    assert changed == replace(
        where,
        name="Kiosk",
        base_url=ELSEWHERE,
        contract="practice",
        portal_url=PORTAL,
        amount_limit=Decimal("50.00"),
        proxy="none",
    )
    assert await bench.console.environments.named("kiosk") == changed
    assert len(heard) == 1
    told = [(line.action, line.subject, line.result) for line in await bench.journal.activities(3)]
    assert told == [
        ("proxy set", "Kiosk", "none"),
        ("amount limit set", "Kiosk", "50.00"),
        (
            "environment edited",
            "Kiosk",
            f"name: Shop → Kiosk; base URL: {URL} → {ELSEWHERE}; API version: v5 → practice; portal: none → {PORTAL}",  # noqa: E501 - as it is kept
        ),
    ]


async def test_what_is_not_given_stays_as_another_program_left_it(bench: Bench) -> None:
    environments = bench.console.environments
    seen = await bench.add("Shop")
    await environments.edit(seen, limit="7.50", portal_url=PORTAL)
    await environments.edit(seen, name="Kiosk")
    stored = await environments.named("Kiosk")
    assert stored == replace(seen, name="Kiosk", amount_limit=Decimal("7.50"), portal_url=PORTAL)


async def test_nothing_to_change_leaves_no_line(bench: Bench) -> None:
    where = await bench.add("Shop")
    assert await bench.console.environments.edit(where, name="Shop", base_url=URL, limit="") == where
    assert [line.action for line in await bench.journal.activities(9)] == ["environment added"]


@pytest.mark.parametrize(
    ("entered", "error"),
    [
        ({"name": ""}, NameInvalid),
        ({"name": "KIOSK"}, NameTaken),
        ({"name": "practice"}, NameTaken),
        ({"base_url": "gateway.example"}, BaseUrlInvalid),
        ({"base_url": "https://me:word@gateway.example"}, BaseUrlInvalid),
        ({"contract": "v6"}, NotFound),
        ({"portal_url": "portal.example"}, PortalUrlInvalid),
        ({"portal_url": "https://portal.example/4111111111111111"}, CardDataRefused),
        ({"proxy": PROXY}, ProxyInvalid),
        ({"name": f"Shop {MADE_UP}"}, ValueMisplaced),
        ({"portal_url": f"https://portal.example/?key={MADE_UP}"}, ValueMisplaced),
    ],
)
async def test_what_cannot_be_used_changes_nothing(
    bench: Bench, entered: dict[str, str], error: type[Exception]
) -> None:
    where = await bench.add("Shop")
    await bench.add("Kiosk")
    await bench.add_key(where)
    with pytest.raises(error):
        await bench.console.environments.edit(where, **entered, limit="1", confirmed=True)
    assert await bench.console.environments.named("Shop") == where


async def test_of_practice_only_the_limit_can_be_changed(bench: Bench) -> None:
    environments, practice = bench.console.environments, await bench.practice_environment()
    for entered in ({"name": "Mine"}, {"base_url": URL}, {"contract": "v5"}, {"portal_url": PORTAL}):
        with pytest.raises(EnvironmentFixed):
            await environments.edit(practice, **entered)  # type: ignore[arg-type]  # texts, each by its name
    with pytest.raises(ProxyInvalid):
        await environments.edit(practice, proxy="none")
    assert (await environments.edit(practice, limit="5")).amount_limit == Decimal("5.00")


async def test_what_a_test_showed_goes_with_the_host_that_showed_it(bench: Bench) -> None:
    where = await bench.add()
    key = await bench.add_key(where)
    await bench.console.keys.test(where, key)
    where = await bench.console.environments.edit(where, name="Shop", base_url=f"{URL}/v5")
    (tested,) = await bench.journal.keys(where.id)
    assert tested.state is KeyState.WORKING, "the same host shows the same"
    where = await bench.console.environments.edit(where, base_url=ELSEWHERE, confirmed=True)
    (moved,) = await bench.journal.keys(where.id)
    assert (moved.state, moved.tested_at, moved.fingerprint) == (KeyState.KEPT, None, key.fingerprint)


async def test_a_journal_that_fails_changes_nothing_and_keeps_no_password(bench: Bench) -> None:
    where = await bench.add()
    bench.journal.failure = JournalUnwritable("/data", "full")
    with pytest.raises(JournalUnwritable):
        await bench.console.environments.edit(where, proxy=PROXY, proxy_password="made-up word")
    bench.journal.failure = None
    assert not bench.keystore.entries
    assert await bench.console.environments.named("Sandbox") == where


@pytest.mark.parametrize(
    ("proxy", "password"),
    [("none", ""), ("http://bea@proxy.example:1", "another word"), (PROXY, "another word")],
    ids=["no user", "another user", "another password"],
)
async def test_a_journal_that_fails_leaves_the_password_that_was_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, proxy: str, password: str
) -> None:
    async def full(environment_id: str, _move: object) -> None:
        raise JournalUnwritable(environment_id, "full")

    where = await bench.console.environments.edit(
        await bench.add(), proxy=PROXY, proxy_password="made-up word"
    )
    monkeypatch.setattr(bench.journal, "update_environment", full)
    with pytest.raises(JournalUnwritable):
        await bench.console.environments.edit(where, proxy=proxy, proxy_password=password)
    assert await bench.console.environments.named("Sandbox") == where
    assert (await bench.keystore.read(proxy_entry(where.id))).matches(Secret("made-up word"))


async def test_a_proxys_password_stays_where_other_things_are_edited(bench: Bench) -> None:
    environments = bench.console.environments
    where = await environments.edit(await bench.add(), proxy=PROXY, proxy_password="made-up word")
    where = await environments.edit(where, name="Kiosk", base_url=ELSEWHERE, proxy=where.proxy)
    assert (await bench.keystore.read(proxy_entry(where.id))).matches(Secret("made-up word"))
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await environments.edit(where, name="Shop", proxy="none")
    assert await environments.named("Kiosk") == where


# --- where it is called ------------------------------------------------------------------------------


async def refused(bench: Bench, where: Environment, base_url: str = ELSEWHERE) -> MoveNotConfirmed:
    with pytest.raises(MoveNotConfirmed) as raised:
        await bench.console.environments.edit(where, base_url=base_url)
    assert await bench.console.world.stored(where) == where
    moved = await bench.console.environments.edit(where, base_url=base_url, confirmed=True)
    assert moved.base_url == base_url
    return raised.value


async def test_one_on_which_nothing_depends_moves_without_a_question(bench: Bench) -> None:
    where = await bench.add()
    assert (await bench.console.environments.edit(where, base_url=ELSEWHERE)).base_url == ELSEWHERE


async def test_a_live_one_asks_before_it_is_called_elsewhere_or_otherwise(bench: Bench) -> None:
    where = await bench.add("Shop", EnvironmentKind.LIVE)
    with pytest.raises(MoveNotConfirmed):
        await bench.console.environments.edit(where, contract="practice")
    error = await refused(bench, where, f"{URL}/path")
    assert (error.is_live, error.keys, error.now, error.then) == (
        True, 0, (URL, "v5"), (f"{URL}/path", "v5"),
    )  # fmt: skip


async def test_keys_values_ask_before_they_go_to_another_host(bench: Bench) -> None:
    where = await bench.add()
    await bench.add_key(where)
    moved = await bench.console.environments.edit(where, base_url=f"{URL}/path")
    assert moved.base_url == f"{URL}/path", "the same host"
    assert (await refused(bench, moved)).keys == 1


async def test_sales_and_rotations_that_need_the_gateway_ask(bench: Bench) -> None:
    where = await bench.add()
    bench.gateway.to_post = [AnswerLost("timeout")]
    unknown = await bench.console.sell.note(await bench.draft(environment=where))
    await bench.carry(bench.console.sell.carry_out(unknown))
    await bench.console.sell.note(await bench.draft(environment=where))
    (key,) = await bench.journal.keys(where.id)
    rotation = replace(a_rotation(environment_id=where.id), old=KeyFacts.of(key))
    await bench.journal.start_rotation(rotation, STARTED)
    error = await refused(bench, where, f"{URL}/path")
    assert (error.under_way, error.unknown, error.rotations) == (1, 1, (key.name,))
    assert "may still be valid at the old one" in move_sentences(error)[-1], "a 401 elsewhere proves nothing"
    affected = await bench.console.environments.affected(where)
    assert (affected.keys, affected.with_value, affected.unsettled) == ((key,), [key], ())
    await bench.journal.advance_rotation(rotation.id, abandoned)
    assert not (await bench.console.environments.affected(where)).rotations


async def test_no_other_host_is_asked_whether_a_deleted_key_is_refused(bench: Bench) -> None:
    where = await bench.add()
    key = await bench.add_key(where)
    rotation = replace(a_rotation(environment_id=where.id), old=KeyFacts.of(key))
    deleting = replace(rotation, deletion=Deletion(rotation.started_at, "Mira"))
    await bench.journal.start_rotation(deleting, STARTED)
    edit = partial(bench.console.environments.edit, where, confirmed=True)
    with pytest.raises(RotationUnderWay):
        await edit(base_url=ELSEWHERE)
    assert (await edit(base_url=f"{URL}/path")).base_url == f"{URL}/path", "the same host"
    seen = replace(deleting, deletion=replace(deleting.deletion, refused_at=rotation.started_at))
    await bench.journal.advance_rotation(rotation.id, lambda _stored: seen)
    assert (await edit(base_url=ELSEWHERE)).base_url == ELSEWHERE


async def test_a_key_goes_to_the_new_address_even_from_who_knows_the_old_one_only(bench: Bench) -> None:
    stale = await bench.add()
    key = await bench.add_key(stale)
    called: list[str] = []
    bench.events.subscribe(GatewayChanged, lambda event: called.append(event.address))
    await bench.console.environments.edit(stale, base_url=ELSEWHERE, confirmed=True)
    sale = await bench.console.sell.note(await bench.draft(environment=stale))
    await bench.carry(bench.console.sell.carry_out(sale))
    assert set(called) == {"elsewhere.example"}
    called.clear()

    async def probed(caller: object) -> int:
        called.append(caller.base_url)  # type: ignore[attr-defined]  # a Caller
        return 200

    bench.gateway.probe_key = probed  # type: ignore[method-assign]  # to see where it is called
    await bench.console.keys.test(stale, key)
    assert called == [ELSEWHERE]


# --- trying ------------------------------------------------------------------------------------------


async def test_an_address_is_tried_as_entered_and_nothing_is_kept(bench: Bench) -> None:
    trying = bench.console.environments
    tried = await trying.try_address(" https://gateway.example/ ", "v5", proxy="proxy.example:3128")
    assert tried.is_gateway
    assert bench.gateway.tries == [(URL, "http://proxy.example:3128")]
    assert [one.name for one in await bench.console.environments.all()] == ["practice"]
    assert not bench.keystore.entries
    assert not await bench.journal.activities(9)


@pytest.mark.parametrize(
    "url", ["gateway.example", "https://me:word@gateway.example", "http://gateway.example"]
)
async def test_what_is_no_base_url_is_not_called(bench: Bench, url: str) -> None:
    with pytest.raises(BaseUrlInvalid):
        await bench.console.environments.try_address(url, "v5")
    assert not bench.gateway.tries


async def test_a_proxys_kept_password_serves_a_try_for_the_same_proxy_only(bench: Bench) -> None:
    proxy = PROXY
    where = await bench.console.environments.edit(
        await bench.add(), proxy=proxy, proxy_password="made-up word"
    )
    await bench.console.environments.try_address(ELSEWHERE, "v5", proxy=proxy, kept=where)
    with pytest.raises(ProxyInvalid):
        await bench.console.environments.try_address(
            ELSEWHERE, "v5", proxy=proxy.replace("3128", "1"), kept=where
        )
    assert bench.gateway.tries == [(ELSEWHERE, proxy)]


async def test_a_doubled_path_is_recognised_where_no_gateway_answers(bench: Bench) -> None:
    bench.gateway.to_try = [ConnectionResult("", BaseUrlFound.NO_PATH, 0.1, 404)]
    tried = await bench.console.environments.try_address(f"{URL}/api/v5", "v5")
    assert tried.correction == Correction(URL, Slip.DOUBLED_PATH)
    other = await bench.add("Other")
    await bench.console.environments.edit(other, portal_url=f"{URL}/keys?tab=1")
    tried = await bench.console.environments.try_address(f"{URL}/keys", "v5")
    assert tried.correction == Correction(URL, Slip.PORTAL)


@pytest.mark.parametrize(
    ("found", "heard"),
    [
        (ConnectionResult("", BaseUrlFound.GATEWAY, 0.1, 401), [True]),
        (ConnectionResult("", BaseUrlFound.NOT_REACHED, 0.1, reason="name not found"), [False]),
        (ConnectionResult("", BaseUrlFound.PAGE, 0.1, 200), []),
    ],
)
async def test_a_try_of_an_environment_tells_whether_its_gateway_is_up(
    bench: Bench, found: ConnectionResult, heard: list[bool]
) -> None:
    where = await bench.add()
    events: list[GatewayChanged] = []
    bench.events.subscribe(GatewayChanged, events.append)
    bench.gateway.to_try = [found]
    await bench.console.environments.try_connection(where)
    assert [(one.up, one.address) for one in events] == [(up, "gateway.example") for up in heard]


async def test_a_try_can_be_stopped(bench: Bench) -> None:
    where = await bench.add()
    never = asyncio.Event()
    asked = asyncio.Event()

    async def hold() -> None:
        asked.set()
        await never.wait()

    bench.gateway.before_try = hold
    task = asyncio.get_running_loop().create_task(bench.console.environments.try_connection(where))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await bench.console.world.stored(where) == where
