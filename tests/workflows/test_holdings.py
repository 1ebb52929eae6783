"""What desks of a team tell one another of the values they hold, and what is erased where a key is gone."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.person import ANN
from fakes.rotating import Rotating
from fakes.team import FRONT, STOCK, hold, in_a_team, say_from_stock, two_desks
from fakes.world import MADE_UP, Bench
from keybench.core.errors import KeystoreLocked, ValueLost
from keybench.core.events import KeysChanged
from keybench.core.input_errors import RotationBarred, SalesUnderWay
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import RunningProgram, entry_of
from keybench.core.secret import Secret
from keybench.core.team.desk import Holding
from keybench.words.rotations.record import record_paper
from keybench.workflows.keys.inventory import Inventory
from keybench.workflows.team.holdings import SECRET_ENTRY, Holdings


def holdings_of(bench: Bench) -> Holdings:
    """Return the use cases of a desk in a team."""
    found = bench.console.calling.holdings
    assert found
    return found


async def held(bench: Bench, key: SecurityKey) -> list[str]:
    """Return the desks that hold a key, as one of them sees it."""
    team = await bench.console.look_at_team()
    return [desk.name for desk in team.holders(key.id, key.fingerprint)]


async def told(bench: Bench) -> dict[str, Holding]:
    """Return what each desk has noted, by its id."""
    return {one.desk_id: one for one in await bench.journal.holdings()}


async def test_a_value_is_told_where_it_is_kept_given_and_found_missing() -> None:
    front, stock = await two_desks()
    key = await front.add_key(await front.add())
    assert await held(stock, key) == ["front office"]
    await hold(stock, key)
    assert await held(front, key) == ["front office", "stock room"]
    stock.keystore.lose(entry_of(key))
    environment = await stock.console.calling.environment(key.environment_id)
    with pytest.raises(ValueLost):
        async with stock.console.calling.connection(environment, key):
            pass
    assert await held(front, key) == ["front office"]
    lost = await stock.console.calling.key(key.environment_id, key.id)
    assert lost.state is KeyState.VALUE_LOST
    stock.keystore.change(entry_of(key), Secret(MADE_UP))
    async with stock.console.calling.connection(environment, lost):
        assert await held(front, key) == ["front office", "stock room"]


async def test_a_pass_tells_everything_with_proofs_and_asks_nobody() -> None:
    front, stock = await two_desks()
    key = await front.add_key(await front.add())
    stock.keystore.change(entry_of(key), Secret(MADE_UP))  # as a keyring that is synchronised has it
    for bench in (front, stock):
        bench.keystore.change(SECRET_ENTRY, Secret("the team's own"))
    changed: list[KeysChanged] = []
    stock.events.subscribe(KeysChanged, changed.append)
    stock.keystore.failure = KeystoreLocked("locked")
    assert not await holdings_of(stock).look_over()
    assert stock.keystore.calls == []
    stock.keystore.failure = None
    assert await holdings_of(stock).look_over()
    assert await holdings_of(front).look_over()
    assert changed == [KeysChanged(key.environment_id)]
    proofs = {one.proof for one in (await told(front)).values()}
    assert proofs == {Secret(MADE_UP).proof(Secret("the team's own"))}
    stock.keystore.change(entry_of(key), Secret(MADE_UP.replace("0", "1")))
    await holdings_of(stock).look_over()
    assert (await told(front))[STOCK.id].fingerprint != key.fingerprint
    assert not (await stock.console.calling.key(key.environment_id, key.id)).has_value


async def test_what_is_forgotten_at_one_desk_is_erased_at_the_other() -> None:
    front, stock = await two_desks()
    environment = await front.add()
    key = await front.add_key(environment)
    await hold(stock, key)
    await front.console.keys.forget(environment, key)
    stock.keystore.failure = KeystoreLocked("locked")
    await holdings_of(stock).erase_gone()
    assert stock.holds_value_of(key)
    stock.keystore.failure = None
    await holdings_of(stock).erase_gone()
    assert not stock.holds_value_of(key)
    assert not await front.journal.holdings()
    (line,) = await front.journal.activities(1)
    assert (line.action, line.subject, line.result) == ("value erased here", key.name, STOCK.name)


async def test_the_desk_goes_on_reporting_once_its_keystore_is_open() -> None:
    front, stock = await two_desks()
    key = await front.add_key(await front.add())
    stock.keystore.change(entry_of(key), Secret(MADE_UP))
    stock.keystore.failure = KeystoreLocked("locked")
    going = asyncio.get_running_loop().create_task(holdings_of(stock).keep_reported())
    await stock.clock.advance(120)
    assert await held(front, key) == ["front office"]
    stock.keystore.failure = None
    await stock.clock.advance(120)
    assert await held(front, key) == ["front office", "stock room"]
    assert sum(call == ("read", entry_of(key)) for call in stock.keystore.calls) == 1
    going.cancel()


async def test_a_single_desk_is_asked_and_told_nothing_more() -> None:
    bench = Bench()
    await bench.journal.open()
    environment = await bench.add()
    key = await bench.add_key(environment)
    assert bench.console.calling.holdings is None
    assert await held(bench, key) == []
    (row,) = await Inventory(bench.console).rows(environment)
    assert row.held_at == ()


async def test_a_key_that_other_desks_hold_is_deleted_with_a_reason_alone() -> None:
    r = await in_a_team(await Rotating.ready())
    rotation = await r.tested(await r.created(await r.begun()))
    with pytest.raises(RotationBarred) as raised:
        await r.rotations.delete(rotation.id, ANN)
    assert raised.value.reason == RotationBarred.HELD_ELSEWHERE
    deleted = await r.rotations.delete(rotation.id, ANN, "the stock room is closed")
    lines = await r.places.journal.activities(9)
    asked = next(one for one in lines if one.action == "deletion asked for")
    assert asked.result == "held at stock room"
    paper = record_paper(deleted, r.environment, r.places.clock.now())
    rows = [row for section in paper.sections for row in section.rows]
    assert ("Why before everything was ready", "the stock room is closed") in rows
    told = [row[1:3] for row in rows if len(row) > 2]
    assert ("Other desks hold the old key", "stock room") in told


async def test_a_key_that_no_other_desk_holds_any_more_is_deleted_as_ever() -> None:
    r = await in_a_team(await Rotating.ready())
    rotation = await r.tested(await r.created(await r.begun()))
    await say_from_stock(r, None)
    deleted = await r.deleted(rotation)
    assert deleted.deletion
    assert deleted.deletion.override == ""


async def test_the_value_of_an_old_key_is_erased_at_one_desk_unless_a_sale_there_needs_it() -> None:
    r = await in_a_team(await Rotating.ready())
    use = r.console.calling.holdings
    assert use
    with pytest.raises(RotationBarred):
        await use.erase_here(r.old)
    await r.begun()
    now = r.places.clock.now()
    for number, desk in enumerate((STOCK, FRONT)):
        program = RunningProgram(f"p{number}", "pc", 1, now, now, desk.id)
        await r.places.journal.keep_program(program)
    sale = await r.console.sell.note(r.sale_draft(r.old.id))
    assert sale
    with pytest.raises(SalesUnderWay):
        await use.erase_here(r.old)
    await r.places.journal.advance_sale(sale.reference, lambda stored: replace(stored, owner="p0"))
    await use.erase_here(r.old)
    assert not await r.has_value(r.old.id)
    assert [one.desk_id for one in await r.places.journal.holdings()] == [STOCK.id]
