"""The inventory: what it shows without the keystore, and what it does to keys."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.journal_samples import an_exchange
from fakes.journal import put_key
from fakes.world import MADE_UP, Bench
from keybench.core.csv_lists import read_key_list
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import JournalUnwritable, KeystoreLocked
from keybench.core.events import ActivityRecorded, KeysChanged
from keybench.core.input_errors import CardDataRefused, KeyValueInvalid, NameInvalid, NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import entry_of
from keybench.workflows.keys.inventory import COLUMNS, Inventory

OTHER = "AnotherMadeUp0123456789abcdefghi"


@pytest.fixture
def inventory(bench: Bench) -> Inventory:
    return Inventory(bench.console)


async def described(bench: Bench, name: str = "Imported") -> SecurityKey:
    """Return a key of which only the description is here."""
    key = replace(
        await bench.add_key(await bench.practice_environment(), name),
        fingerprint="",
        state=KeyState.NO_VALUE,
    )
    await bench.keystore.erase(entry_of(key))
    await put_key(bench.journal, key)
    return key


# --- the rows -------------------------------------------------------------------------------------


async def test_rows_show_every_environment_without_one_keystore_call(
    bench: Bench, inventory: Inventory
) -> None:
    shop = await bench.add("Shop", EnvironmentKind.LIVE)
    till = await bench.add_key(await bench.practice_environment(), "Till")
    web = await bench.add_key(shop, "Web")
    for number in (1, 2):
        await bench.journal.add_application(Application(f"a{number}", shop.id, web.id, f"App {number}"))
    bench.keystore.calls.clear()
    rows = await inventory.rows()
    assert [(row.environment.name, row.key.name, len(row.applications)) for row in rows] == [
        ("practice", "Till", 0),
        ("Shop", "Web", 2),
    ]
    assert bench.keystore.calls == []
    assert not rows[0].rotating
    assert rows[0].age_days(till.created_at + timedelta(days=3, hours=4)) == 3
    assert rows[0].age_days(till.created_at - timedelta(days=1)) == 0


# --- export ---------------------------------------------------------------------------------------


async def test_an_export_has_no_value_and_no_formula_and_can_be_read_again(
    bench: Bench, inventory: Inventory, tmp_path: Path
) -> None:
    await bench.add_key(await bench.practice_environment(), "=Till")
    await bench.add_key(await bench.practice_environment(), "Web")
    path = tmp_path / "keys.csv"
    written = await inventory.export(path, await inventory.rows())
    text = path.read_text("utf-8")
    is_leaked = MADE_UP in text
    assert (written, is_leaked) == (2, False)
    rows = list(csv.DictReader(text.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert [row["name"] for row in rows] == ["'=Till", "Web"]
    assert [row.name for row in read_key_list(path.read_bytes()).rows] == ["=Till", "Web"]


async def test_an_export_as_json(bench: Bench, inventory: Inventory, tmp_path: Path) -> None:
    await bench.add_key(await bench.practice_environment(), "=Till")
    path = tmp_path / "keys.json"
    await inventory.export(path, await inventory.rows())
    (record,) = json.loads(path.read_text("utf-8"))
    assert (record["name"], record["environment_kind"], record["state"]) == ("=Till", "practice", "kept")


# --- giving a value -------------------------------------------------------------------------------


async def test_a_key_without_a_value_is_given_one(bench: Bench, inventory: Inventory) -> None:
    key = await described(bench)
    seen: list[object] = []
    bench.events.subscribe(KeysChanged, seen.append)
    bench.events.subscribe(ActivityRecorded, seen.append)
    added = await inventory.give_value(await bench.practice_environment(), key, f" {MADE_UP}\n")
    (row,) = await inventory.rows()
    assert row.key == added.key
    assert (row.key.state, bool(row.key.fingerprint)) == (KeyState.KEPT, True)
    assert bench.holds_value_of(key)
    assert seen == [ActivityRecorded(), KeysChanged(key.environment_id)]
    (line, *_) = await bench.journal.activities(1)
    assert (line.action, line.subject, line.result) == ("value given", "Imported", added.key.fingerprint)
    tested = await bench.console.keys.test(row.environment, row.key)
    assert tested.state is KeyState.WORKING
    await bench.journal.keep_key_exchanges(tested.id, (an_exchange(),))
    await inventory.give_value(row.environment, tested, OTHER)
    assert not await bench.console.keys.last_test(tested), "it was answered for another value"


@pytest.mark.parametrize("pasted", ["", "two\nlines", "4111 1111 1111 1111"])
async def test_what_cant_be_a_value_changes_nothing(bench: Bench, inventory: Inventory, pasted: str) -> None:
    key = await described(bench)
    with pytest.raises((KeyValueInvalid, CardDataRefused)):
        await inventory.give_value(await bench.practice_environment(), key, pasted)
    assert not bench.holds_value_of(key)
    assert [row.key for row in await inventory.rows()] == [key]


async def test_a_value_that_cant_be_noted_is_taken_back(bench: Bench, inventory: Inventory) -> None:
    empty = await described(bench)
    kept = await bench.add_key(await bench.practice_environment(), "Till")
    before = await bench.keystore.read(entry_of(kept))
    bench.journal.failure = JournalUnwritable("journal", "disk full")
    for key in (empty, kept):
        with pytest.raises(JournalUnwritable):
            await inventory.give_value(await bench.practice_environment(), key, OTHER)
    assert not bench.holds_value_of(empty)
    is_as_before = (await bench.keystore.read(entry_of(kept))).matches(before)
    assert is_as_before


async def test_a_locked_keystore_gets_no_value(bench: Bench, inventory: Inventory) -> None:
    key = await described(bench)
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await inventory.give_value(await bench.practice_environment(), key, MADE_UP)
    assert [row.key for row in await inventory.rows()] == [key]


# --- editing --------------------------------------------------------------------------------------


async def test_owner_and_purpose_are_edited_on_what_is_known_by_now(
    bench: Bench, inventory: Inventory
) -> None:
    where = await bench.practice_environment()
    key = await bench.add_key(where)
    tested = await bench.console.keys.test(where, key)
    edited = await inventory.edit(key, " Jo ", "front desk")
    assert edited == replace(tested, owner="Jo", purpose="front desk")
    assert [row.key for row in await inventory.rows()] == [edited]
    (line, *_) = await bench.journal.activities(1)
    assert (line.action, line.result) == ("key edited", "owner and purpose")
    await inventory.edit(key, "Jo", "front desk")
    assert [one.action for one in await bench.journal.activities(9)].count("key edited") == 1


async def test_texts_that_cant_be_used_and_keys_that_are_gone(bench: Bench, inventory: Inventory) -> None:
    key = await bench.add_key(await bench.practice_environment())
    with pytest.raises(NameInvalid):
        await inventory.edit(key, "a\nb", "")
    with pytest.raises(CardDataRefused):
        await inventory.edit(key, "", "card 4111 1111 1111 1111")
    with pytest.raises(NotFound):
        await inventory.edit(replace(key, id="gone"), "", "")
