"""Environments: added, found and removed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from contracts.register_samples import STARTED, a_rotation, abandoned
from fakes.world import Bench
from keybench.core.environments.addresses import proxy_entry
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeystoreLocked
from keybench.core.events import ActivityRecorded, EnvironmentsChanged
from keybench.core.input_errors import (
    AmountInvalid,
    BaseUrlInvalid,
    EnvironmentBuiltIn,
    NameInvalid,
    NameTaken,
    NotFound,
    ProxyInvalid,
    RotationUnderWay,
    SalesUnderWay,
)
from keybench.core.rotations.rotation import KeyFacts
from keybench.core.secret import Secret


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
    changed = await environments.edit(added, limit="7.50")
    assert (await environments.named("Shop")).amount_limit == changed.amount_limit == Decimal("7.50")
    assert (await bench.journal.activities(1))[0].result == "7.50"


async def test_each_line_of_the_activity_is_announced(bench: Bench) -> None:
    heard: list[ActivityRecorded] = []
    bench.events.subscribe(ActivityRecorded, heard.append)
    where = await bench.add()
    where = await bench.console.environments.edit(where, limit="7.50")
    await bench.console.environments.remove(where)
    noted = await bench.journal.activities(10)
    assert [one.action for one in noted] == ["environment removed", "amount limit set", "environment added"]
    assert {(one.environment_id, one.subject) for one in noted} == {(where.id, where.name)}
    assert len(heard) == len(noted)


@pytest.mark.parametrize("entered", ["abc", "-1", "0", "1.005", "1e3", "٣"])
async def test_a_limit_that_is_no_figure_changes_nothing(bench: Bench, entered: str) -> None:
    added = await bench.add()
    with pytest.raises(AmountInvalid):
        await bench.console.environments.edit(added, limit=entered)
    assert await bench.console.environments.named("Sandbox") == added


async def test_an_environment_whose_contract_is_gone_offers_nothing_and_opens(bench: Bench) -> None:
    where = replace(await bench.add(), contract="gone")
    facts = bench.console.environments.facts(where)
    assert (facts.name, facts.modes, facts.can_create_keys, facts.can_cancel) == ("gone", (), False, False)


PROXY = "http://anna@proxy.example:3128"
WORD = "made-up word"


async def password_is(bench: Bench, environment_id: str, word: str = WORD) -> bool:
    return (await bench.keystore.read(proxy_entry(environment_id))).matches(Secret(word))


async def test_an_environment_goes_through_the_systems_proxy_until_it_is_told_otherwise(bench: Bench) -> None:
    environments = bench.console.environments
    where = await bench.add()
    assert where.proxy == "system"
    for entered, kept in (
        ("none", "none"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("", "system"),
    ):
        where = await environments.edit(where, proxy=entered)
        assert (await environments.named(where.name)).proxy == where.proxy == kept
    assert not bench.keystore.calls
    assert (await bench.journal.activities(1))[0].action == "proxy set"


async def test_a_proxys_password_is_in_the_keystore_alone(bench: Bench) -> None:
    environments = bench.console.environments
    where = await environments.add(
        "Shop", EnvironmentKind.TEST, "https://gateway.example", proxy=PROXY, proxy_password=WORD
    )
    assert where.proxy == PROXY
    assert await password_is(bench, where.id)
    kept = f"{await environments.all()} {await bench.journal.activities(9)}"
    assert WORD not in kept
    where = await environments.edit(where, proxy=PROXY)
    assert await password_is(bench, where.id), "it stays where only the same address is entered"
    where = await environments.edit(where, proxy=PROXY, proxy_password="another word")
    assert await password_is(bench, where.id, "another word")


@pytest.mark.parametrize("how", ["none", "system", "another proxy", "removed"])
async def test_a_password_that_is_not_needed_any_more_is_erased(bench: Bench, how: str) -> None:
    environments = bench.console.environments
    where = await environments.edit(await bench.add(), proxy=PROXY, proxy_password=WORD)
    if how == "removed":
        await environments.remove(where)
    else:
        await environments.edit(where, proxy="proxy.example:1" if how == "another proxy" else how)
    assert not bench.keystore.entries


@pytest.mark.parametrize(
    ("proxy", "password", "reason"),
    [
        ("http://anna:word@proxy.example:3128", "", ProxyInvalid.PASSWORD),
        ("socks5://proxy.example:1080", "", ProxyInvalid.KIND),
        ("proxy.example", "", ProxyInvalid.MALFORMED),
        (PROXY, "", ProxyInvalid.NO_PASSWORD),
        ("http://proxy.example:3128", WORD, ProxyInvalid.NO_USER),
        ("none", WORD, ProxyInvalid.NO_USER),
    ],
)
async def test_a_proxy_that_cannot_be_used_changes_nothing(
    bench: Bench, proxy: str, password: str, reason: str
) -> None:
    environments = bench.console.environments
    where = await environments.edit(
        await bench.add(), proxy="http://bea@proxy.example:3128", proxy_password=WORD
    )
    for call in (
        environments.edit(where, proxy=proxy, proxy_password=password),
        environments.add(
            "New", EnvironmentKind.TEST, "https://x.example", proxy=proxy, proxy_password=password
        ),
    ):
        with pytest.raises(ProxyInvalid) as raised:
            await call
        assert raised.value.reason == reason
    assert await environments.all() == [*(await environments.all())[:1], where]
    assert await password_is(bench, where.id), "another proxy's user never gets this password"


async def test_a_keystore_that_keeps_no_password_changes_nothing(bench: Bench) -> None:
    environments = bench.console.environments
    where = await bench.add()
    bench.keystore.failure = KeystoreLocked()
    with pytest.raises(KeystoreLocked):
        await environments.edit(where, proxy=PROXY, proxy_password=WORD)
    with pytest.raises(KeystoreLocked):
        await environments.add(
            "New", EnvironmentKind.TEST, "https://x.example", proxy=PROXY, proxy_password=WORD
        )
    assert [one.name for one in await environments.all()] == ["practice", "Sandbox"]
    assert (await environments.named("Sandbox")).proxy == "system"


async def test_a_password_of_an_environment_that_is_gone_is_not_left_behind(bench: Bench) -> None:
    where = await bench.add()
    await bench.console.environments.remove(where)
    with pytest.raises(NotFound):
        await bench.console.environments.edit(where, proxy=PROXY, proxy_password=WORD)
    assert not bench.keystore.entries
