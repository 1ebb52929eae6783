"""What was sold with and on stands in the form after a restart, but never a compromised key of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from contracts.register_samples import a_rotation, start
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.events import KeysChanged
from keybench.core.keys.key import SecurityKey
from keybench.core.rotations.rotation import KeyFacts
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.page import BenchPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.sales.actions import ALL_THE_SAME, COMPROMISED_KEY, NOTE_TASK
from keybench.ui.shared.session import Session

from . import devices_support
from .questions import asked
from .sale_support import TILLS, make_stage


class Runs:
    """Windows one after the other on one journal and one file of preferences."""

    def __init__(self, qtbot: QtBot, supervisor: Supervisor, folder: Path, bench: Bench) -> None:
        self.bench = bench
        self._qtbot, self._supervisor, self._file = qtbot, supervisor, folder / "window.ini"
        self._shown: tuple[BenchPage, Preferences] | None = None

    async def restart(self, where: Environment) -> BenchPage:
        if self._shown:
            before, preferences = self._shown
            preferences.save()
            before.close()
        preferences = Preferences(self._file)
        page = BenchPage(Session(self.bench.console, self._supervisor, where, preferences=preferences))
        self._shown = page, preferences
        self._qtbot.addWidget(page)
        page.resize(1300, 800)
        page.show()
        await until(lambda: page.keys.keys and page.sale.form.key.keys and not page.sale._loading)
        await until(lambda: page.sale.form.device.count() == len(TILLS))
        return page


@pytest.fixture
async def runs(qtbot: QtBot, supervisor: Supervisor, tmp_path: Path) -> Runs:
    bench = Bench()
    await bench.journal.open()
    bench.gateway.device_list = TILLS
    return Runs(qtbot, supervisor, tmp_path, bench)


async def take_as_compromised(bench: Bench, key: SecurityKey) -> None:
    rotation = a_rotation(f"R-{key.id}", environment_id=key.environment_id)
    await start(bench.journal, replace(rotation, old=KeyFacts.of(key), compromised=True))
    bench.console.events.publish(KeysChanged(key.environment_id))


async def test_key_and_device_are_remembered_for_each_environment(runs: Runs) -> None:
    here, shop = await runs.bench.practice_environment(), await runs.bench.add("Shop", EnvironmentKind.TEST)
    keys: dict[str, SecurityKey] = {}
    for where in (here, shop):
        await runs.bench.journal.remember_devices(where.id, TILLS)
        for name in ("a till", "b till", "c till"):
            keys[where.id, name] = await runs.bench.add_key(where, name)
    page = await runs.restart(here)
    page.keys.choose(keys[here.id, "b till"].id)
    page.sale.form.device.choose("D-2")
    page = await runs.restart(shop)
    assert page.sale.form.device.device_id == "D-1"
    page.sale.form.key.choose(keys[shop.id, "c till"])
    page.sale.form.device.setEditText("x-7")
    page.sale.form.submit()
    for where, key, device in ((here, "b till", "D-2"), (shop, "c till", "x-7")):
        page = await runs.restart(where)
        form = page.sale.form
        assert form.key.key
        assert form.key.key.id == keys[where.id, key].id
        assert page.keys.key == form.key.key, "list and form agree"
        assert form.device.device_id == device


async def test_live_remembers_no_device(runs: Runs) -> None:
    live = await runs.bench.add("Main shop", EnvironmentKind.LIVE)
    await runs.bench.journal.remember_devices(live.id, TILLS)
    await runs.bench.add_key(live, "till")
    page = await runs.restart(live)
    page.sale.form.device.choose("D-2")
    page.sale.form.submit()
    assert not (await runs.restart(live)).sale.form.device.device_id


async def test_a_compromised_key_is_chosen_by_a_person_alone(runs: Runs) -> None:
    here = await runs.bench.practice_environment()
    await runs.bench.journal.remember_devices(here.id, TILLS)
    leaked = await runs.bench.add_key(here, "a leaked one")
    sound = await runs.bench.add_key(here, "b till", value="MadeUpForAnotherTill0123456789ab")
    page = await runs.restart(here)
    page.sale.form.key.choose(leaked)
    await take_as_compromised(runs.bench, leaked)
    page = await runs.restart(here)
    assert page.sale.form.key.key == sound
    page.keys.choose(sound.id)
    page.keys.choose(leaked.id)
    assert page.sale.form.key.key == sound, "it was only looked at"
    await take_as_compromised(runs.bench, sound)
    page = await runs.restart(here)
    assert page.sale.form.key.key is None
    page.sale.form.submit()
    assert "Choose one from the list" in page.sale.form.message.text()


async def test_selling_with_a_compromised_key_asks_first(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await make_stage(qtbot.addWidget, supervisor)
    here = stage.session.environment
    leaked = await stage.bench.add_key(here, "leaked")
    await take_as_compromised(stage.bench, leaked)
    await until(lambda: stage.panel.form.key.findText("leaked · compromised") >= 0)
    stage.panel.form.key.choose(leaked)
    stage.panel.send()
    dialog = await asked()
    assert dialog.windowTitle() == COMPROMISED_KEY
    assert "“leaked” is marked as compromised." in dialog.accessibleDescription()
    dialog.reject()
    await until(lambda: not supervisor.is_running(NOTE_TASK))
    assert not await stage.sales()
    stage.panel.send()
    dialog = await asked()
    assert dialog.confirm_button.text() == ALL_THE_SAME
    dialog.accept()
    await stage.outcome_is("Approved")


async def test_a_run_with_a_compromised_key_asks_first(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await devices_support.make_stage(qtbot, supervisor)
    await stage.order_for(0, 1)
    (key,) = stage.page.order.key.keys
    await take_as_compromised(stage.bench, key)
    await until(lambda: stage.page.order.key.currentText() == "Till · compromised")
    stage.page.order.start.click()
    dialog = await asked()
    assert dialog.windowTitle() == COMPROMISED_KEY
    dialog.reject()
    await until(lambda: not supervisor.running)
    assert not stage.bench.gateway.posts
