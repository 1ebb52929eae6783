"""Taking over a list of keys: what it would bring, what it can't, and what is there afterwards."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from fakes.world import Bench
from keybench.core.errors import JournalUnwritable
from keybench.core.events import KeysChanged
from keybench.core.input_errors import CardDataRefused, KeyListInvalid, NameInvalid
from keybench.core.keys.key import KeyState
from keybench.workflows.keys.importing import ImportPlan, KeyImport
from keybench.workflows.keys.inventory import Inventory

LIST = """\
name,username,permission,kind,environment,owner,created
Till 1,mira,Sale,private,,Jo,2020-02-03
Till 2,mira,Sale,private,SHOP,,
till 1,mira,Sale,private,practice,,
Web,,Sale,public,,,
Kiosk,mira,Sale,public,nowhere,,
Known,mira,Sale,private,,,
Later,mira,Sale,private,,,2999-01-01
"""


@pytest.fixture
async def bench(bench: Bench) -> Bench:
    await bench.add("Shop")
    await bench.add_key(await bench.practice_environment(), "known")
    return bench


async def plan_of(bench: Bench, folder: Path, text: str = LIST) -> ImportPlan:
    path = folder / "keys.csv"
    path.write_text(text, encoding="utf-8")
    return await KeyImport(bench.console.world).read(path, await bench.practice_environment())


async def test_a_plan_says_what_comes_and_what_cant(bench: Bench, tmp_path: Path) -> None:
    plan = await plan_of(bench, tmp_path)
    assert plan.source == "keys.csv"
    assert [(one.line, one.environment.name, one.key.name, one.key.owner) for one in plan.rows] == [
        (2, "practice", "Till 1", "Jo"),
        (3, "Shop", "Till 2", ""),
        (8, "practice", "Later", ""),
    ]
    assert [(one.line, type(one.error).__name__) for one in plan.wrong] == [
        (4, "NameTaken"),
        (5, "NameInvalid"),
        (6, "NotFound"),
        (7, "NameTaken"),
    ]
    created = [one.key.created_at for one in plan.rows]
    now = bench.clock.now()
    assert now - created[0] > timedelta(days=365)
    assert created[1:] == [now, now]
    assert {one.key.known_since for one in plan.rows} == {now}
    assert {one.key.state for one in plan.rows} == {KeyState.NO_VALUE}


async def test_a_plan_is_carried_out_without_its_wrong_rows(bench: Bench, tmp_path: Path) -> None:
    plan = await plan_of(bench, tmp_path)
    changed: list[str] = []
    told: list[tuple[int, int]] = []
    bench.events.subscribe(KeysChanged, lambda event: changed.append(event.environment_id))
    inventory = Inventory(bench.console)
    keys = KeyImport(bench.console.world)
    assert await keys.take_over(plan, "ana", lambda *so_far: told.append(so_far)) == 3
    names = {row.key.name for row in await inventory.rows()}
    assert names == {"known", "Till 1", "Till 2", "Later"}
    assert len(changed) == 2
    assert told == [(1, 3), (2, 3), (3, 3)]
    lines = await bench.journal.activities(3)
    assert {(line.action, line.result, line.who) for line in lines} == {
        ("key imported", "from keys.csv", "ana")
    }


async def test_who_imports_them_is_a_name(bench: Bench, tmp_path: Path) -> None:
    """It stands in the activity for ever, and the window remembers it."""
    plan = await plan_of(bench, tmp_path)
    before = len(await bench.journal.all_keys())
    for by, error in (("4111 1111 1111 1111", CardDataRefused), ("M" * 101, NameInvalid)):
        with pytest.raises(error):
            await KeyImport(bench.console.world).take_over(plan, by)
    assert len(await bench.journal.all_keys()) == before


async def test_what_was_added_before_a_failure_stays_and_is_told(bench: Bench, tmp_path: Path) -> None:
    plan = await plan_of(bench, tmp_path)
    changed: list[str] = []
    bench.events.subscribe(KeysChanged, lambda event: changed.append(event.environment_id))

    def fail(_done: int, _total: int) -> None:
        bench.journal.failure = JournalUnwritable("journal", "disk full")

    inventory = Inventory(bench.console)
    with pytest.raises(JournalUnwritable):
        await KeyImport(bench.console.world).take_over(plan, "", fail)
    assert {row.key.name for row in await inventory.rows()} == {"known", "Till 1"}
    assert len(changed) == 1


async def test_lists_that_hold_what_they_must_not(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(KeyListInvalid):
        await plan_of(bench, tmp_path, "name,value\nTill,\n")
    with pytest.raises(CardDataRefused):
        await plan_of(bench, tmp_path, "name,cvv\nTill,\n")
    with pytest.raises(KeyListInvalid) as refused:
        await KeyImport(bench.console.world).read(tmp_path / "none.csv", await bench.practice_environment())
    assert refused.value.reason == KeyListInvalid.UNREADABLE
