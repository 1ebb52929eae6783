"""The ways to a diagnosis: from a failed sale, a failing key, an environment that is down, a device."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.journal import put_key
from fakes.waiting import until
from fakes.world import MADE_UP, Bench
from keybench.core.diagnosis.checks import Check, Sign
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeyRefused
from keybench.core.events import GatewayChanged
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.page import BenchPage
from keybench.ui.devices.page import DevicesPage
from keybench.ui.history.page import HistoryPage
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.keys.page import KeysPage
from keybench.ui.kit.dialog import Dialog
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.sales.exchanges import Exchanges
from keybench.ui.shared.sales.outcome_card import OutcomeCard
from keybench.ui.shared.session import Case, Request, Session
from keybench.ui.shell.window import MainWindow

from .diagnose_support import FakeDiagnose, exchange, found
from .inventory_support import press

WHY = "Find out why"


class Stage:
    """A window on fakes that goes to no diagnosis, but keeps what it would be of."""

    def __init__(self, bench: Bench, window: MainWindow, session: Session, fake: FakeDiagnose) -> None:
        self.bench, self.window, self.session, self.fake = bench, window, session, fake
        self.cases: list[Case] = []
        session.requested.disconnect(window._on_requested)
        session.requested.connect(self._on_requested)

    def _on_requested(self, request: Request) -> None:
        if isinstance(request, Case):
            self.cases.append(request)
        else:
            self.window._on_requested(request)

    async def sandbox(self) -> Environment:
        return await self.bench.console.environments.named("Sandbox")

    async def key(self) -> SecurityKey:
        return (await self.bench.journal.keys((await self.sandbox()).id))[0]

    async def failed(self, verdict: Verdict) -> Sale:
        """Have a sale come to an outcome and shown on the Bench."""
        draft = await self.bench.draft(environment=await self.sandbox())
        sale = await self.session.console.sell.note(draft)
        sale = await self.session.console.log.finished(sale, verdict)
        bench = self.window.page("bench")
        assert isinstance(bench, BenchPage)
        bench.sale.show_sale(sale.reference)
        await until(lambda: bench.sale.selection.sale == sale)
        return sale


@pytest.fixture
async def stage(qtbot: QtBot, supervisor: Supervisor) -> Stage:
    bench = Bench()
    await bench.journal.open()
    await bench.practice_environment()
    sandbox = await bench.add("Sandbox", EnvironmentKind.TEST)
    await bench.add_key(sandbox, "old kiosk")
    await bench.journal.remember_devices(sandbox.id, [Device("D-1", "Kiosk 3", "connected")])
    refused = found(Check.CALL, Sign.CALL_UNAUTHORISED, status=401, message="not found")
    known = found(Check.HISTORY, Sign.SAME_VALUE_ELSEWHERE, environment="Sandbox EU", fingerprint="a-b-c-d")
    fake = FakeDiagnose(at_once=(refused, known))
    vars(bench.console)["diagnose"] = fake  # where it is kept once it was asked for
    session = Session(bench.console, supervisor, sandbox)
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.attach(session)
    window.show()
    page = window.page("bench")
    assert isinstance(page, BenchPage)
    await until(lambda: page.keys.details._key is not None)
    return Stage(bench, window, session, fake)


def whys(parent: QWidget) -> list[QPushButton]:
    found = parent.findChildren(QPushButton)
    return [one for one in found if one.isVisible() and one.accessibleName() == WHY]


REFUSED = Verdict(Outcome.REFUSED, reason="key refused", message="not found", status=401)


# --- a sale ------------------------------------------------------------------------------------------


async def test_a_failed_sale_says_its_first_causes_and_leads_to_its_diagnosis(stage: Stage) -> None:
    sale = await stage.failed(REFUSED)
    bench = stage.window.page("bench")
    assert isinstance(bench, BenchPage)
    causes = bench.sale.card.causes
    await until(causes.text)
    assert causes.text().startswith("Likely: another environment; possible: ")
    assert len(causes.text().split(",")) == 2  # three causes
    assert "Its fingerprint a-b-c-d is also kept in Sandbox EU." in causes.accessibleDescription()
    press(bench.sale.card, WHY)
    (case,) = stage.cases
    assert case == Case(await stage.sandbox(), sale.key_id, "D-1", sale)


async def test_an_approved_sale_has_no_causes_and_no_way_there(stage: Stage) -> None:
    await stage.failed(Verdict(Outcome.APPROVED, authorisation="A-1"))
    bench = stage.window.page("bench")
    assert isinstance(bench, BenchPage)
    assert not bench.sale.card.causes.isVisible()
    assert whys(bench.sale.card) == []


def height_of(card: OutcomeCard) -> int:
    """Return what a card needs at its present width."""
    layout = card.layout()
    assert layout is not None
    layout.activate()
    return layout.totalHeightForWidth(card.width())


async def test_the_card_is_as_high_before_the_causes_come_as_after(stage: Stage) -> None:
    bench = stage.window.page("bench")
    assert isinstance(bench, BenchPage)
    at_once, stage.fake.at_once = stage.fake.at_once, ()
    await stage.failed(REFUSED)
    await until(bench.sale.card.causes.isVisible)
    await until(lambda: not stage.session.supervisor.running)
    before = height_of(bench.sale.card)
    stage.fake.at_once = at_once
    bench.sale.card.causes._about = None
    sale = bench.sale.selection.sale
    assert sale is not None
    bench.sale.card.causes.show_sale(sale)
    await until(bench.sale.card.causes.text)
    assert height_of(bench.sale.card) == before


async def test_history_leads_there_too(stage: Stage) -> None:
    sale = await stage.failed(REFUSED)
    stage.window.show_page("history")
    history = stage.window.page("history")
    assert isinstance(history, HistoryPage)
    await until(lambda: history.table.model().rowCount() == 1)
    history.table.select_row(0)
    await until(lambda: len(whys(history)) == 1)
    press(history, WHY)
    assert stage.cases[0].sale == sale


# --- a key -------------------------------------------------------------------------------------------


async def test_a_refused_test_says_the_causes_and_leads_to_the_diagnosis(stage: Stage) -> None:
    bench = stage.window.page("bench")
    assert isinstance(bench, BenchPage)
    details = bench.keys.details
    assert whys(details) == []
    stage.bench.gateway.to_probe = [KeyRefused("not found", status=401)]
    press(details, "Test key")
    await until(lambda: "Likely: another environment" in details.report.message.text())
    await until(lambda: len(whys(details)) == 1)
    press(details, WHY)
    assert stage.cases == [Case(await stage.sandbox(), (await stage.key()).id)]


async def test_the_last_test_is_shown_and_copied_without_the_value(stage: Stage) -> None:
    bench = stage.window.page("bench")
    assert isinstance(bench, BenchPage)
    key = replace(await stage.key(), state=KeyState.REFUSED, status=401, tested_at=stage.bench.clock.now())
    await put_key(stage.bench.journal, key)
    said = exchange("https://gateway.example/api/v5/devices", "••••••", 401, '{"message": "not found"}')
    await stage.bench.journal.keep_key_exchanges(key.id, [said])
    bench.keys.refresh()
    last_test = bench.keys.details.last_test_action
    await until(last_test.isEnabled)
    last_test.trigger()

    def shown() -> list[Dialog]:
        return [one for one in stage.window.findChildren(Dialog) if one.isVisible()]

    await until(shown)
    (dialog,) = shown()
    (views,) = dialog.findChildren(Exchanges)
    assert "not found" in views.text.toPlainText()
    dialog.confirm_button.click()
    await until(lambda: QGuiApplication.clipboard().text().startswith("Key: "))
    text = QGuiApplication.clipboard().text()
    assert "Environment: ◆ TEST · Sandbox" in text
    assert "Host: gateway.example" in text
    assert "GET /api/v5/devices  401" in text
    assert key.fingerprint in text
    assert MADE_UP not in text


async def test_a_failing_key_of_the_inventory_leads_there(stage: Stage) -> None:
    key = replace(await stage.key(), state=KeyState.REFUSED, status=401, tested_at=stage.bench.clock.now())
    await put_key(stage.bench.journal, key)
    stage.window.show_page("keys")
    keys = stage.window.page("keys")
    assert isinstance(keys, KeysPage)
    keys.show_view("inventory", (key,))
    inventory = keys._views.get("inventory")
    assert isinstance(inventory, InventoryView)
    await until(lambda: len(whys(inventory)) == 1)
    press(inventory, WHY)
    assert stage.cases == [Case(await stage.sandbox(), key.id)]


# --- an environment and a device ---------------------------------------------------------------------


async def test_an_environment_that_is_down_leads_there_from_the_band(stage: Stage) -> None:
    sandbox = await stage.sandbox()
    assert whys(stage.window.band) == []
    stage.session.console.events.publish(GatewayChanged(sandbox.id, False, "gateway.example"))
    press(stage.window.band, WHY)
    assert stage.cases == [Case(sandbox)]
    stage.session.console.events.publish(GatewayChanged(sandbox.id, True, "gateway.example"))
    assert whys(stage.window.band) == []


async def test_the_settings_lead_there_for_any_environment(stage: Stage) -> None:
    stage.window.show_page("settings")
    settings = stage.window.page("settings")
    assert isinstance(settings, SettingsPage)
    sandbox = await stage.sandbox()
    await until(lambda: settings.environments.table.select(sandbox.id))
    press(settings.environments, WHY)
    assert stage.cases == [Case(sandbox)]


@pytest.mark.parametrize("verdict", [None, REFUSED])
async def test_a_device_leads_there_with_its_last_sale_if_that_failed(
    stage: Stage, verdict: Verdict | None
) -> None:
    sale = await stage.failed(verdict) if verdict else None
    stage.window.show_page("devices")
    devices = stage.window.page("devices")
    assert isinstance(devices, DevicesPage)
    await until(lambda: devices.table.select("D-1"))
    await until(lambda: (line := devices.table.selected) is not None and line.sale == sale)
    press(devices, "Diagnose")
    assert stage.cases == [Case(await stage.sandbox(), (await stage.key()).id, "D-1", sale)]
