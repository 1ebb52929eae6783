"""Settings go to another computer by a file: what it holds, what it would change, what it changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fakes.world import Bench
from keybench.core.errors import FileNotSaved
from keybench.core.input_errors import SettingsFileInvalid, ValueMisplaced
from keybench.core.ports import Device, entry_of
from keybench.workflows.administration import Administration
from keybench.workflows.settings_transfer import SettingsPlan, SettingsTransfer

from .two_journals import JOURNALS, opened_bench

WINDOW = {"appearance/scheme": "system", "appearance/text size": "system"}
PORTAL = "https://portal.example.com/keys?tab=2"
ALLOWED = {"appearance/scheme": ("system", "dark"), "appearance/text size": ("system", "12")}


@pytest.fixture(params=JOURNALS)
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened_bench(request.param, tmp_path) as bench:
        yield bench


def transfer_of(bench: Bench) -> SettingsTransfer:
    return Administration(bench.console).transfer


async def plan_of(bench: Bench, folder: Path, **sections: Any) -> SettingsPlan:
    path = folder / "settings.json"
    path.write_text(json.dumps({"keybench_settings": 1} | sections), encoding="utf-8")
    return await transfer_of(bench).read(path, WINDOW, ALLOWED)


def shop(**changes: str) -> dict[str, str]:
    entry = {"name": "Shop", "kind": "live", "base_url": "https://shop.example.com", "contract": "v5"}
    return entry | changes


async def test_a_file_takes_everything_but_values_to_another_computer(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    async with opened_bench("memory", tmp_path) as one:
        environment = await one.add("Shop")
        await one.console.environments.edit(environment, limit="50.00", portal_url=PORTAL)
        await one.journal.remember_devices(environment.id, [Device("d1", "Kiosk", "connected")])
        key = await one.add_key(environment, "till")
        await Administration(one.console).settings.save({"idle_days": "30"})
        await transfer_of(one).export(path, WINDOW | {"appearance/scheme": "dark"})
    text = path.read_text(encoding="utf-8")
    assert key.fingerprint not in text
    assert "till" not in text
    assert "practice" not in [entry["name"] for entry in json.loads(text)["environments"]]
    async with opened_bench("memory", tmp_path / "other") as other:
        plan = await transfer_of(other).read(path, WINDOW, ALLOWED)
        assert [(one.subject, one.name, one.before, one.after) for one in plan.changes] == [
            ("environment", "Shop", "", plan.changes[0].after),
            ("device", "d1", "", "Kiosk"),
            ("review", "idle_days", "60", "30"),
            ("window", "appearance/scheme", "system", "dark"),
        ]
        assert (plan.unusable, plan.unknown) == ((), ())
        assert [one.name for one in await other.console.environments.all()] == ["practice"]  # nothing yet
        assert await transfer_of(other).carry_out(plan) == {"appearance/scheme": "dark"}
        added = await other.console.environments.named("shop")
        assert (added.kind, str(added.amount_limit)) == (environment.kind, "50.00")
        assert added.portal_url == PORTAL
        assert await other.journal.devices(added.id) == [Device("d1", "Kiosk")]
        assert (await Administration(other.console).settings.read()).idle_days == 30
        again = await transfer_of(other).read(path, WINDOW | {"appearance/scheme": "dark"}, ALLOWED)
        assert again.changes == ()


async def test_what_is_here_changes_by_limit_proxy_portal_and_nickname_alone(
    bench: Bench, tmp_path: Path
) -> None:
    environment = await bench.add("Shop")
    await bench.journal.remember_devices(environment.id, [Device("d1", "Old", "connected")])
    same = shop(kind=environment.kind, base_url=environment.base_url, contract=environment.contract)
    plan = await plan_of(
        bench,
        tmp_path,
        environments=[same | {"amount_limit": "20.00", "proxy": "none", "portal_url": PORTAL}],
        devices=[{"environment": "shop", "identifier": "d1", "nickname": "New"}],
    )
    assert [(one.subject, one.before, one.after) for one in plan.changes] == [
        ("limit", "", "20.00"),
        ("proxy", "system", "none"),
        ("portal", "", PORTAL),
        ("nickname", "Old", "New"),
    ]
    await transfer_of(bench).carry_out(plan)
    changed = await bench.console.environments.named("Shop")
    assert (str(changed.amount_limit), changed.proxy, changed.portal_url) == ("20.00", "none", PORTAL)
    older = await plan_of(bench, tmp_path, environments=[same | {"amount_limit": "20.00", "proxy": "none"}])
    assert older.changes == (), "a file that tells no portal's address takes none away"
    assert await bench.journal.devices(environment.id) == [Device("d1", "New", "connected")]


async def test_an_environment_that_differs_stays_as_it_is(bench: Bench, tmp_path: Path) -> None:
    before = await bench.add("Shop")
    plan = await plan_of(bench, tmp_path, environments=[shop(base_url="https://elsewhere.example.com")])
    assert plan.changes == ()
    assert [one.error.reason for one in plan.unusable if isinstance(one.error, SettingsFileInvalid)] == [
        SettingsFileInvalid.DIFFERS
    ]
    assert await bench.console.environments.named("Shop") == before


async def test_what_cannot_be_used_is_told_and_the_rest_comes(bench: Bench, tmp_path: Path) -> None:
    plan = await plan_of(
        bench,
        tmp_path,
        environments=[
            shop(),
            shop(),
            shop(name="a", base_url="http://shop.example.com"),
            shop(name="b", kind="practice"),
            shop(name="c", proxy="http://jo@proxy.example.com:3128"),
            shop(name="d", amount_limit="much"),
            shop(name="e", contract="nobody's"),
        ],
        devices=[
            {"environment": "nowhere", "identifier": "d1", "nickname": "x"},
            {"environment": "Shop", "identifier": "", "nickname": "y"},
            {"environment": "Shop", "identifier": "d2"},
        ],
        review={"idle_days": "-1", "busy_times": "Blursday", "overlap_days": "9"},
        window={"appearance/scheme": "purple", "gone": "1", "appearance/text size": "12"},
    )
    assert [(one.subject, one.name) for one in plan.changes] == [
        ("environment", "Shop"),
        ("device", "d2"),
        ("review", "overlap_days"),
        ("window", "appearance/text size"),
    ]
    assert [one.name for one in plan.unusable] == [
        *("Shop", "a", "b", "c", "d", "e", "x", "y", "idle_days", "busy_times")
    ]
    assert plan.unknown == ("window.appearance/scheme", "window.gone")
    await transfer_of(bench).carry_out(plan)
    assert len(await bench.console.environments.all()) == 2


async def test_a_known_value_in_a_file_refuses_it(bench: Bench, tmp_path: Path) -> None:
    key = await bench.add_key(await bench.practice_environment(), "till")
    value = (await bench.keystore.read(entry_of(key))).reveal()
    with pytest.raises((ValueMisplaced, SettingsFileInvalid)):
        await plan_of(bench, tmp_path, review={"busy_times": value})


async def test_a_file_that_is_not_there_or_cannot_be_written_is_told(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(SettingsFileInvalid):
        await transfer_of(bench).read(tmp_path / "none.json", WINDOW, ALLOWED)
    with pytest.raises(FileNotSaved):
        await transfer_of(bench).export(tmp_path / "none" / "settings.json", WINDOW)
