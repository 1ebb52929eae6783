"""Devices: their states with their age, registering, renaming and deregistering them, who holds one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from contracts.journal_samples import a_sale, note
from fakes.clock import START
from fakes.scripted_gateway import ACCEPTED, DONE
from fakes.world import MADE_UP, Bench, FakeOwners
from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    CardDataRefused,
    DeregistrationNotConfirmed,
    GatewayError,
    JournalUnwritable,
    NameInvalid,
    NotSent,
    Refused,
    SalesUnderWay,
    ValueMisplaced,
)
from keybench.core.events import DevicesChanged, DeviceStateRead
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Device
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, Sale, SaleStage, Verdict
from keybench.workflows.devices.managing import Holder

TILL = DeviceState("D-1", START, nickname="Till 1", is_connected=True, connection="connected")
BUSY = replace(TILL, is_busy=True, busy_with="PR-77")
GONE = Refused("not found", status=404, message="Device not found")


@pytest.fixture
async def where(bench: Bench) -> Environment:
    return await bench.practice_environment()


@pytest.fixture
async def key(bench: Bench, where: Environment) -> SecurityKey:
    return await bench.add_key(where)


async def accepted(bench: Bench, *, owner: str = "", reference: str = "KB-1") -> Sale:
    """Keep a sale on D-1 that the gateway took as PR-77."""
    sale = replace(a_sale(reference), device="D-1", key_name="Till", owner=owner)
    await note(bench.journal, sale)
    return await bench.journal.advance_sale(
        reference,
        lambda stored: replace(stored, stage=SaleStage.ACCEPTED, accepted_at=START, request_id="PR-77"),
    )


async def actions(bench: Bench) -> list[tuple[str, str, str]]:
    lines = await bench.journal.activities(20)
    return [(one.action, one.subject, one.result) for one in lines if one.action.startswith("device")]


# --- states --------------------------------------------------------------------------------------


async def test_the_list_tells_states_which_are_kept_with_their_time(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    heard: list[DevicesChanged] = []
    bench.events.subscribe(DevicesChanged, heard.append)
    found = await bench.console.devices.refresh(where, key)
    assert list(found) == [Device("D-1", "Till 1", "connected")]
    assert await bench.console.devices.states(where) == {"D-1": TILL}
    assert heard == [DevicesChanged(where.id)]
    bench.gateway.device_list = AnswerLost("timeout")
    with pytest.raises(AnswerLost):
        await bench.console.devices.refresh(where, key)
    assert await bench.console.devices.listed(where) == found


async def test_a_check_asks_keeps_and_tells(bench: Bench, where: Environment, key: SecurityKey) -> None:
    heard: list[DeviceStateRead] = []
    bench.events.subscribe(DeviceStateRead, heard.append)
    await bench.console.devices.refresh(where, key)
    later = replace(TILL, read_at=START + timedelta(minutes=5), is_connected=False, connection="disconnected")
    bench.gateway.to_device_state = [later]
    assert await bench.console.devices.check(where, key, " D-1 ") == later
    assert bench.gateway.device_states_asked == ["D-1"]
    assert heard == [DeviceStateRead(where.id, later)]
    assert await bench.console.devices.states(where) == {"D-1": later}
    assert list(await bench.console.devices.listed(where)) == [Device("D-1", "Till 1", "disconnected")]


async def test_a_check_that_fails_leaves_what_was_known(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    await bench.console.devices.refresh(where, key)
    for failure in (NotSent("timeout"), GONE):
        bench.gateway.to_device_state = [failure]
        with pytest.raises(type(failure)):
            await bench.console.devices.check(where, key, "D-1")
    assert await bench.console.devices.states(where) == {"D-1": TILL}


async def test_a_full_journal_takes_nothing_from_what_the_gateway_said(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    heard: list[DeviceStateRead] = []
    bench.events.subscribe(DeviceStateRead, heard.append)

    async def full(_environment_id: str, _states: object) -> None:
        raise JournalUnwritable("journal", "full")

    bench.journal.keep_device_states = full  # type: ignore[method-assign]
    with pytest.raises(JournalUnwritable):
        await bench.console.devices.check(where, key, "D-1")
    assert heard == [DeviceStateRead(where.id, TILL)]


@pytest.mark.parametrize(
    ("text", "error"),
    [("", NameInvalid), ("4111 1111 1111 1111", CardDataRefused), (MADE_UP, ValueMisplaced)],
)
async def test_nothing_is_asked_with_what_cannot_be_a_device(
    bench: Bench, where: Environment, key: SecurityKey, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await bench.console.devices.check(where, key, text)
    assert not bench.gateway.device_states_asked


# --- registering ---------------------------------------------------------------------------------


async def test_a_device_is_registered_with_a_code(bench: Bench, where: Environment, key: SecurityKey) -> None:
    state = await bench.console.devices.register(where, key, " T00001 ", " Fair ")
    assert state.device_id == "D-9"
    assert bench.gateway.device_calls == [("register", "T00001", "Fair")]
    assert list(await bench.console.devices.listed(where)) == [Device("D-9", "Fair", "connected")]
    assert (await bench.console.devices.states(where))["D-9"] == state
    assert await actions(bench) == [("device registered", "Fair", "D-9")]


@pytest.mark.parametrize(
    ("code", "nickname", "error"),
    [
        ("", "Fair", NameInvalid),
        ("T00001", " ", NameInvalid),
        ("x" * 51, "Fair", NameInvalid),
        ("T00001", "Fair\x00", NameInvalid),
        ("4111111111111111", "Fair", CardDataRefused),
        ("T00001", "4111111111111111", CardDataRefused),
        (MADE_UP, "Fair", ValueMisplaced),
        ("T00001", MADE_UP, ValueMisplaced),
    ],
)
async def test_what_cannot_be_a_code_or_a_nickname_is_not_sent(
    bench: Bench, where: Environment, key: SecurityKey, code: str, nickname: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await bench.console.devices.register(where, key, code, nickname)
    assert not bench.gateway.device_calls


async def test_a_refused_code_registers_nothing(bench: Bench, where: Environment, key: SecurityKey) -> None:
    bench.gateway.to_register = [Refused("bad request", status=400, message="used")]
    with pytest.raises(Refused):
        await bench.console.devices.register(where, key, "T00002", "Fair")
    assert list(await bench.console.devices.listed(where)) == []
    assert await actions(bench) == []


async def test_after_a_lost_answer_the_list_is_asked(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    bench.gateway.to_register = [AnswerLost("connection closed")]
    bench.gateway.device_list = (Device("D-1", "Till 1", "connected"), Device("D-9", "Fair", "connected"))
    with pytest.raises(AnswerLost):
        await bench.console.devices.register(where, key, "T00001", "Fair")
    assert {device.id for device in await bench.console.devices.listed(where)} == {"D-1", "D-9"}
    assert bench.gateway.device_calls == [("register", "T00001", "Fair")]  # once: a code works once
    bench.gateway.device_list = NotSent("timeout")
    with pytest.raises(AnswerLost):
        await bench.console.devices.register(where, key, "T00001", "Fair")


# --- renaming ------------------------------------------------------------------------------------


async def test_a_device_is_renamed(bench: Bench, where: Environment, key: SecurityKey) -> None:
    (device,) = await bench.console.devices.refresh(where, key)
    renamed = await bench.console.devices.rename(where, key, device, " Fair ")
    assert renamed == Device("D-1", "Fair", "connected")
    assert list(await bench.console.devices.listed(where)) == [renamed]
    assert await bench.console.devices.rename(where, key, renamed, "Fair") == renamed
    assert bench.gateway.device_calls == [("rename", "D-1", "Fair")]
    assert await actions(bench) == [("device renamed", "Till 1", "Fair")]
    bench.gateway.to_rename = [NotSent("not offered")]
    with pytest.raises(NotSent):
        await bench.console.devices.rename(where, key, renamed, "Other")
    with pytest.raises(CardDataRefused):
        await bench.console.devices.rename(where, key, renamed, "4111111111111111")
    assert list(await bench.console.devices.listed(where)) == [renamed]


# --- deregistering -------------------------------------------------------------------------------


async def test_a_device_is_deregistered(bench: Bench, where: Environment, key: SecurityKey) -> None:
    (device,) = await bench.console.devices.refresh(where, key)
    await bench.console.devices.deregister(where, key, device)
    assert bench.gateway.device_calls == [("deregister", "D-1", "")]
    assert list(await bench.console.devices.listed(where)) == []
    assert await bench.console.devices.states(where) == {}
    assert await actions(bench) == [("device deregistered", "Till 1", "D-1")]


async def test_in_live_a_person_confirms_it(bench: Bench) -> None:
    live = await bench.add("Shop", EnvironmentKind.LIVE)
    key = await bench.add_key(live)
    (device,) = await bench.console.devices.refresh(live, key)
    with pytest.raises(DeregistrationNotConfirmed):
        await bench.console.devices.deregister(live, key, device)
    assert not bench.gateway.device_calls
    await bench.console.devices.deregister(live, key, device, confirmed=True)
    assert bench.gateway.device_calls == [("deregister", "D-1", "")]


async def test_a_device_with_a_sale_under_way_stays(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    (device,) = await bench.console.devices.refresh(where, key)
    sale = await accepted(bench)
    with pytest.raises(SalesUnderWay):
        await bench.console.devices.deregister(where, key, device)
    assert not bench.gateway.device_calls
    await bench.journal.advance_sale(
        sale.reference, lambda stored: stored.finish(Verdict(Outcome.UNKNOWN), START)
    )
    bound = await bench.console.devices.bound(where, "D-1")
    assert (bound.under_way, bound.unknown) == (0, 1)
    await bench.console.devices.deregister(where, key, device)


@pytest.mark.parametrize("failure", [AnswerLost("connection closed"), GONE])
async def test_what_became_of_it_is_read_from_the_list(
    bench: Bench, where: Environment, key: SecurityKey, failure: GatewayError
) -> None:
    (device,) = await bench.console.devices.refresh(where, key)
    bench.gateway.to_deregister = [failure]
    for listed in ((Device("D-1", "Till 1", "connected"),), NotSent("timeout")):
        bench.gateway.device_list = listed
        with pytest.raises(type(failure)):
            await bench.console.devices.deregister(where, key, device)
        assert [one.id for one in await bench.console.devices.listed(where)] == ["D-1"]
    bench.gateway.device_list = ()
    await bench.console.devices.deregister(where, key, device)
    assert list(await bench.console.devices.listed(where)) == []


# --- who holds a busy one ------------------------------------------------------------------------


async def test_a_busy_device_is_held_by_a_sale_of_ours_or_by_nobody_we_know(
    bench: Bench, where: Environment, key: SecurityKey
) -> None:
    holder = bench.console.devices.holder
    assert await holder(where, BUSY) == Holder()
    assert await holder(where, replace(BUSY, busy_with="")) == Holder()
    assert await holder(where, replace(BUSY, is_busy=False, busy_with="")) is None
    assert await holder(where, TILL) is None
    mine = await accepted(bench, owner=bench.owners.me)
    assert await holder(where, BUSY) == Holder(mine)  # this program's, and no task of it is at it
    with bench.console.log.work(mine.reference):
        assert await holder(where, BUSY) == Holder(mine, is_here=True, is_followed=True)
    assert await holder(where, replace(BUSY, busy_with="PR-7")) == Holder()  # only begins so
    elsewhere = await bench.add()
    assert await holder(elsewhere, BUSY) == Holder()


@pytest.mark.parametrize("busy", [BUSY, replace(BUSY, busy_with="")])
async def test_a_busy_device_may_be_held_by_our_sale_whose_answer_was_lost(
    bench: Bench, where: Environment, busy: DeviceState
) -> None:
    """The gateway has it and names its request, which we never learnt."""
    holder = bench.console.devices.holder
    bench.gateway.to_post = [AnswerLost("read timeout"), Refused(Reason.DEVICE_BUSY, status=409)]
    sales = [await bench.console.sell.note(await bench.draft()) for _ in range(2)]
    assert await holder(where, busy) == Holder()  # not sent yet
    lost, _refused = [await bench.console.sell.carry_out(sale) for sale in sales]
    assert lost.outcome is Outcome.UNKNOWN
    assert await holder(where, busy) == Holder(lost)
    assert await holder(where, replace(busy, is_busy=False)) is None
    bench.gateway.to_post, bench.gateway.to_poll = [ACCEPTED], [DONE]
    later = await bench.console.sell.note(await bench.draft())
    await bench.carry(bench.console.sell.carry_out(later))
    assert await holder(where, busy) == Holder(), "a later sale got through, so it was free since"


async def test_a_sale_that_another_program_follows_is_told_so(bench: Bench, where: Environment) -> None:
    other = FakeOwners("program-2", bench.owners.running)
    theirs = await accepted(bench, owner=other.me)
    assert await bench.console.devices.holder(where, BUSY) == Holder(theirs, is_followed=True)
    bench.owners.running.discard(other.me)
    assert await bench.console.devices.holder(where, BUSY) == Holder(theirs)


async def test_where_the_gateway_does_not_tell_our_own_sale_under_way_does(
    bench: Bench, where: Environment
) -> None:
    sale = await accepted(bench)
    assert await bench.console.devices.holder(where, TILL) == Holder(sale)
    assert await bench.console.devices.holder(where, replace(TILL, device_id="D-2")) is None
    assert await bench.console.devices.holder(where, replace(TILL, is_busy=False)) is None
