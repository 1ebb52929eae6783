"""Environments: added, found and removed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from contracts.register_samples import STARTED, a_rotation, abandoned
from fakes.world import Bench
from keybench.core.environment import EnvironmentKind
from keybench.core.errors import (
    AmountInvalid,
    BaseUrlInvalid,
    EnvironmentBuiltIn,
    KeystoreLocked,
    NameInvalid,
    NameTaken,
    NotFound,
    RotationUnderWay,
    SalesUnderWay,
)
from keybench.core.events import ActivityRecorded, EnvironmentsChanged
from keybench.core.rotation import KeyFacts


async def test_practice_is_there_from_the_start(bench: Bench) -> None:
    assert [one.name for one in await bench.console.environments.all()] == ["practice"]


@pytest.mark.parametrize("kind", [EnvironmentKind.TEST, EnvironmentKind.LIVE])
async def test_an_environment_is_added_and_found_in_any_case(bench: Bench, kind: EnvironmentKind) -> None:
    heard: list[EnvironmentsChanged] = []
    bench.events.subscribe(EnvironmentsChanged, heard.append)
    added = await bench.console.environments.add(" Shop ", kind, "https://gateway.example/", "v5")
    assert (added.name, added.kind, added.base_url) == ("Shop", kind, "https://gateway.example")
    assert await bench.console.environments.named("sHOP ") == added
    assert len(heard) == 1
    assert (await bench.journal.activities(1))[0].action == "environment added"


@pytest.mark.parametrize(
    ("name", "url", "contract", "error"),
    [
        ("", "https://gateway.example", "v5", NameInvalid),
        ("x" * 300, "https://gateway.example", "v5", NameInvalid),
        ("Practice", "https://gateway.example", "v5", NameTaken),
        ("sandbox", "https://gateway.example", "v5", NameTaken),
        ("Shop", "gateway.example", "v5", BaseUrlInvalid),
        ("Shop", "http://gateway.example", "v5", BaseUrlInvalid),
        ("Shop", "https://user@gateway.example", "v5", BaseUrlInvalid),
        ("Shop", "https://gateway.example", "v6", NotFound),
    ],
)
async def test_what_cannot_be_used_adds_nothing(
    bench: Bench, name: str, url: str, contract: str, error: type[Exception]
) -> None:
    await bench.add("Sandbox")
    with pytest.raises(error):
        await bench.console.environments.add(name, EnvironmentKind.TEST, url, contract)
    assert [one.name for one in await bench.console.environments.all()] == ["practice", "Sandbox"]


async def test_one_that_is_not_there_is_told_by_its_name(bench: Bench) -> None:
    with pytest.raises(NotFound) as caught:
        await bench.console.environments.named("Shop")
    assert (caught.value.what, caught.value.name) == ("environment", "Shop")


async def test_a_removed_one_takes_its_keys_and_values_and_leaves_its_sales(bench: Bench) -> None:
    where = await bench.add()
    sale = await bench.console.sell.note(await bench.draft(environment=where))
    await bench.carry(bench.console.sell.carry_out(sale))
    await bench.console.environments.remove(where)
    assert [one.name for one in await bench.console.environments.all()] == ["practice"]
    assert not bench.keystore.entries
    assert [one.reference for one in await bench.console.recent_sales(None, 10)] == [sale.reference]


async def test_one_with_sales_under_way_stays_whole(bench: Bench) -> None:
    where = await bench.add()
    await bench.console.sell.note(await bench.draft(environment=where))
    with pytest.raises(SalesUnderWay) as caught:
        await bench.console.environments.remove(where)
    assert (caught.value.name, caught.value.count) == ("Sandbox", 1)
    assert len(bench.keystore.entries) == len(await bench.journal.keys(where.id)) == 1


async def test_one_with_a_rotation_under_way_stays_whole(bench: Bench) -> None:
    where = await bench.add()
    key = await bench.add_key(where)
    rotation = replace(a_rotation(environment_id=where.id), old=KeyFacts.of(key))
    await bench.journal.start_rotation(rotation, STARTED)

    with pytest.raises(RotationUnderWay) as caught:
        await bench.console.environments.remove(where)
    assert caught.value.name == key.name
    assert bench.holds_value_of(key)

    ended = await bench.journal.advance_rotation(rotation.id, abandoned)
    await bench.console.environments.remove(where)
    assert await bench.journal.rotation(rotation.id) == ended


async def test_practice_stays_and_so_do_its_keys(bench: Bench) -> None:
    where = await bench.practice_environment()
    key = await bench.add_key(where)
    with pytest.raises(EnvironmentBuiltIn):
        await bench.console.environments.remove(where)
    assert bench.holds_value_of(key)
    assert list(await bench.journal.keys(where.id)) == [key]


async def test_a_value_that_cannot_be_erased_keeps_its_environment(bench: Bench) -> None:
    where = await bench.add()
    await bench.add_key(where)
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await bench.console.environments.remove(where)
    assert where in await bench.console.environments.all()
    assert await bench.journal.keys(where.id)


@pytest.mark.parametrize(
    ("entered", "limit"), [("", None), ("50", Decimal("50.00")), ("0.99", Decimal("0.99"))]
)
async def test_an_environment_has_an_amount_limit_or_none(
    bench: Bench, entered: str, limit: Decimal | None
) -> None:
    environments = bench.console.environments
    url = "https://gateway.example"
    added = await environments.add("Shop", EnvironmentKind.LIVE, url, limit=entered)
    assert added.amount_limit == limit
    changed = await environments.set_limit(added, "7.50")
    assert (await environments.named("Shop")).amount_limit == changed.amount_limit == Decimal("7.50")
    assert (await bench.journal.activities(1))[0].result == "7.50"


async def test_each_line_of_the_activity_is_announced(bench: Bench) -> None:
    heard: list[ActivityRecorded] = []
    bench.events.subscribe(ActivityRecorded, heard.append)
    where = await bench.add()
    where = await bench.console.environments.set_limit(where, "7.50")
    await bench.console.environments.remove(where)
    noted = await bench.journal.activities(10)
    assert [one.action for one in noted] == ["environment removed", "amount limit set", "environment added"]
    assert {(one.environment_id, one.subject) for one in noted} == {(where.id, where.name)}
    assert len(heard) == len(noted)


@pytest.mark.parametrize("entered", ["abc", "-1", "0", "1.005", "1e3", "٣"])
async def test_a_limit_that_is_no_figure_changes_nothing(bench: Bench, entered: str) -> None:
    added = await bench.add()
    with pytest.raises(AmountInvalid):
        await bench.console.environments.set_limit(added, entered)
    assert await bench.console.environments.named("Sandbox") == added


async def test_an_environment_whose_contract_is_gone_offers_nothing_and_opens(bench: Bench) -> None:
    where = replace(await bench.add(), contract="gone")
    facts = bench.console.environments.facts(where)
    assert (facts.name, facts.modes, facts.can_create_keys, facts.can_cancel) == ("gone", (), False, False)
