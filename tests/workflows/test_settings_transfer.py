"""Environments and devices go to another computer by a file, which adds and never changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from fakes.world import MADE_UP, Bench
from keybench.core.input_errors import InputInvalid, SettingsFileInvalid, ValueMisplaced
from keybench.core.ports import Device
from keybench.workflows.administration import Administration
from keybench.workflows.environments.transfer import Imported, SettingsTransfer

KIOSK = 'The "kiosk" \\ north'
PORTAL = "https://portal.example.com/keys?tab=2"


def transfer_of(bench: Bench) -> SettingsTransfer:
    return Administration(bench.console).transfer


async def imported(bench: Bench, folder: Path, text: str) -> Imported:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return await transfer_of(bench).take_in(path)


def shop(*devices: str, **changes: str) -> str:
    entry = {
        "name": "Shop",
        "kind": "live",
        "base_url": "https://shop.example.com",
        "contract": "v5",
    } | changes
    lines = [f'{name} = "{text}"' for name, text in entry.items()]
    inner = [f'[[environments.devices]]\nidentifier = "{device}"' for device in devices]
    return "\n".join(["[[environments]]", *lines, *inner, ""])


async def test_a_file_takes_environments_and_devices_to_another_computer(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    one, other = bench, Bench()
    await other.journal.open()
    environment = await one.add("Shop")
    await one.console.environments.edit(environment, limit="50.00", portal_url=PORTAL)
    await one.journal.remember_devices(environment.id, [Device("d1", KIOSK, "connected")])
    key = await one.add_key(environment, "till")
    await transfer_of(one).export(path)
    text = path.read_text(encoding="utf-8")
    assert key.fingerprint not in text
    assert "till" not in text
    assert [entry["name"] for entry in tomllib.loads(text)["environments"]] == ["Shop"]
    told = await transfer_of(other).take_in(path)
    assert told == Imported(("Shop",), (), 1, ())
    came = await other.console.environments.named("shop")
    assert (came.kind, came.base_url) == (environment.kind, environment.base_url)
    assert (str(came.amount_limit), came.portal_url) == ("50.00", PORTAL)
    assert await other.journal.devices(came.id) == [Device("d1", KIOSK)]
    assert await transfer_of(other).take_in(path) == Imported((), ("Shop",), 0, ())


async def test_what_is_here_is_kept_and_what_is_new_is_added(bench: Bench, tmp_path: Path) -> None:
    await imported(bench, tmp_path, shop("d1"))
    here = await bench.console.environments.named("Shop")
    here = await bench.console.environments.edit(here, limit="20.00")
    await bench.journal.remember_devices(here.id, [Device("d1", "Kiosk", "connected")])
    told = await imported(bench, tmp_path, shop("d1", "d2", name=" SHOP ", limit="99.00"))
    assert told == Imported((), ("Shop",), 1, ())
    assert await bench.console.environments.named("Shop") == here
    assert {one.id: one.nickname for one in await bench.journal.devices(here.id)} == {"d1": "Kiosk", "d2": ""}


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "ftp://shop.example.com"},
        {"contract": "none"},
        {"kind": "practice"},
        {"name": "4111 1111 1111 1111"},
        {"limit": "much"},
        {"proxy": "http://anna@proxy.example:3128"},
    ],
)
async def test_what_cannot_be_used_stays_out_and_the_rest_comes(
    bench: Bench, tmp_path: Path, wrong: dict[str, str]
) -> None:
    told = await imported(bench, tmp_path, shop("d9", **wrong) + shop("d1", name="Other"))
    assert (told.added, told.devices, len(told.left_out)) == (("Other",), 1, 1)
    assert not bench.keystore.entries


async def test_devices_never_go_to_another_gateway_of_the_same_name(bench: Bench, tmp_path: Path) -> None:
    await imported(bench, tmp_path, shop("d1"))
    for changes in ({"kind": "test"}, {"base_url": "https://other.example.com"}):
        told = await imported(bench, tmp_path, shop("d2", **changes))
        ((_name, error),) = told.left_out
        assert isinstance(error, InputInvalid)
        assert error.reason == SettingsFileInvalid.DIFFERS
    here = await bench.console.environments.named("Shop")
    assert [one.id for one in await bench.journal.devices(here.id)] == ["d1"]


@pytest.mark.parametrize(
    "text",
    ["", "environments = 1", "[[environments]]\nname = 1", shop(password="x"), "\ud7ff{", "a" * 1_000_001],
)
async def test_what_is_no_such_file_is_refused_whole(bench: Bench, tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsFileInvalid):
        await imported(bench, tmp_path, text)
    assert len(await bench.console.environments.all()) == 1


@pytest.mark.parametrize("place", ["name", "portal_url", "device"])
async def test_a_file_with_a_value_of_a_key_adds_nothing(bench: Bench, tmp_path: Path, place: str) -> None:
    await bench.add_key(await bench.practice_environment(), "Held")
    text = shop(MADE_UP) if place == "device" else shop(**{place: f"https://x.example/{MADE_UP}"})
    with pytest.raises(ValueMisplaced):
        await imported(bench, tmp_path, shop(name="Other") + text)
    assert len(await bench.console.environments.all()) == 1
