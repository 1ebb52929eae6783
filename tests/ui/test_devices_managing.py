"""Devices on the Devices page: their state with its age, registering, renaming and deregistering them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from fakes.clock import START
from fakes.waiting import until
from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import AnswerLost, Forbidden, NotSent, Refused
from keybench.core.keys.key import KeyKind
from keybench.core.ports import Device

from .devices_support import FLEET, Fleet, Stage
from .questions import asked, press, question

TILL = DeviceState(
    "D-1",
    START,
    nickname="Till 1",
    is_connected=True,
    connection="connected",
    battery_percent=87,
    network="shop",
)


def part(kind: type[Any], name: str) -> Any:
    return next(one for one in question().findChildren(kind) if one.accessibleName() == name)


def said() -> str:
    shown = question()
    texts = [shown.accessibleDescription()]
    for one in shown.findChildren(QWidget):
        text = getattr(one, "text", None)
        texts.append(str(text()) if callable(text) else "")
    return "\n".join(texts)


def button(stage: Stage, text: str) -> QPushButton:
    return next(one for one in stage.page.findChildren(QPushButton) if one.text() == text and one.isVisible())


def cell(stage: Stage, row: int, column: str) -> str:
    model = stage.page.model
    numbers = {one.id: number for number, one in enumerate(model.columns)}
    return str(model.index(row, numbers[column]).data())


# --- the state ------------------------------------------------------------------------------------


async def test_the_list_shows_states_with_their_age(fleet: Fleet) -> None:
    stage = await fleet()
    stage.page.refresh_button.click()
    await until(lambda: cell(stage, 0, "connection") == "● connected, just now")
    assert cell(stage, 3, "connection") == "○ not connected, just now"
    await stage.bench.clock.advance(180)
    stage.page.renew()
    assert cell(stage, 0, "connection") == "● connected, 3 min"


async def test_a_state_of_the_last_start_is_shown_with_its_age(fleet: Fleet) -> None:
    stage = await fleet()
    old = replace(TILL, read_at=START - timedelta(hours=2))
    await stage.bench.journal.keep_device_states(stage.session.environment.id, [old])
    stage.page._states.reload()
    await until(lambda: cell(stage, 0, "connection") == "● connected, 2 h")


async def test_a_check_shows_what_the_gateway_says_now(fleet: Fleet) -> None:
    stage = await fleet()
    stage.choose(0)
    card = stage.page.card
    assert card.connection.text() == "Its state isn't known yet."
    stage.bench.gateway.to_device_state = [TILL]
    button(stage, "Check it now").click()
    await until(lambda: card.connection.text() == "● Connected · just now")
    assert card.details.text() == "Battery 87 % · Network “shop”"
    stage.bench.gateway.to_device_state = [Refused("not found", status=404), NotSent("timeout")]
    button(stage, "Check it now").click()
    await until(lambda: card.connection.text().startswith("The gateway doesn't know this device."))
    assert card.connection.text().endswith("● Connected · just now")
    button(stage, "Check it now").click()
    await until(lambda: "couldn't be asked for" in card.connection.text())


async def test_a_check_is_made_while_the_journal_still_writes_the_one_before(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await fleet()
    stage.choose(0)
    card, written = stage.page.card, asyncio.Event()
    monkeypatch.setattr(stage.bench.journal, "keep_device_states", lambda *_state: written.wait())
    stage.bench.gateway.to_device_state = [TILL, replace(TILL, is_connected=False, connection="disconnected")]
    for said in ("● Connected · just now", "○ Not connected · just now"):
        button(stage, "Check it now").click()
        await until(lambda said=said: card.connection.text().startswith(said))
    written.set()


async def test_a_busy_device_names_the_sale_of_ours_that_holds_it(fleet: Fleet) -> None:
    stage = await fleet()
    console = stage.bench.console
    noted = await console.sell.note(await stage.bench.draft())
    stage.choose(0)
    card = stage.page.card
    await until(lambda: "Last 24 hours: 1 under way. Newest:" in card.lately.text())
    stage.bench.gateway.to_device_state = [replace(TILL, is_busy=True, busy_with="PR-1")]
    button(stage, "Check it now").click()
    await until(lambda: "isn't from this Keybench" in card.connection.text())
    sale = await stage.bench.carry(console.sell.carry_out(noted))
    assert sale.request_id == "PR-1"
    button(stage, "Check it now").click()
    await until(lambda: f"busy with your sale {sale.reference} (key “Till”" in card.connection.text())
    await until(lambda: "Last 24 hours: 1 ✓ Approved. Newest:" in card.lately.text())
    stage.bench.gateway.to_device_state = [replace(TILL, is_busy=True)]
    button(stage, "Check it now").click()
    await until(lambda: "doesn't say with whose request" in card.connection.text())


async def test_a_sale_that_ends_frees_the_device(fleet: Fleet) -> None:
    stage = await fleet()
    console = stage.bench.console
    stage.choose(0)
    held = replace(TILL, is_busy=True, busy_with="PR-1")
    await stage.bench.journal.keep_device_states(stage.session.environment.id, [held])
    stage.page._states.reload()
    await until(lambda: cell(stage, 0, "connection") == "● busy, just now")
    noted = await console.sell.note(await stage.bench.draft())
    await stage.bench.carry(console.sell.carry_out(noted))
    await until(lambda: cell(stage, 0, "connection") == "● connected, just now")


# --- registering ----------------------------------------------------------------------------------


async def test_a_device_is_registered_by_its_code(fleet: Fleet) -> None:
    stage = await fleet()
    button(stage, "Register…").click()
    await asked()
    assert "Codes to try" in said()
    part(QLineEdit, "Registration code").setText("T00001")
    part(QLineEdit, "Nickname").setText("Fair")
    stage.bench.gateway.device_list = (*FLEET, Device("D-9", "Fair", "connected"))
    await press("Register")
    await until(lambda: "is registered" in stage.page.status.text())
    assert stage.bench.gateway.device_calls == [("register", "T00001", "Fair")]
    await until(lambda: [one.id for one in stage.page.chosen()] == ["D-9"])
    assert question() is None


async def test_a_refused_code_is_told_at_its_field_and_another_key_can_be_chosen(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.bench.add_key(stage.session.environment, "Manager")
    await until(lambda: len(stage.page.order.key.keys) == 2)
    used = Refused("bad request", status=400, message="The code has been used")
    barred = Forbidden("forbidden", status=403, message="The user may not manage devices")
    lost = AnswerLost("connection closed")
    stage.bench.gateway.to_register = [used, barred, lost, TILL]
    button(stage, "Register…").click()
    await press("Register")
    assert "Enter the code that the device shows." in said()
    part(QLineEdit, "Registration code").setText("4111 1111 1111 1111")
    assert part(QLineEdit, "Registration code").text() == ""
    part(QLineEdit, "Registration code").setText("T00001")
    part(QLineEdit, "Nickname").setText("Fair")
    await press("Register")
    await until(lambda: question() and "The code has been used" in said())
    part(QLineEdit, "Registration code").setText("T00003")
    await press("Register")
    await until(lambda: question() and "Choose a key whose user may manage devices." in said())
    part(QComboBox, "Key").setCurrentText("Manager")
    await press("Register")
    await until(lambda: question() and "It may have been done" in said())
    await press("Register")
    await until(lambda: "is registered" in stage.page.status.text())
    assert stage.page._manager.key in stage.page.order.key.keys
    assert stage.page._manager.key
    assert stage.page._manager.key.name == "Manager"


# --- renaming and deregistering -------------------------------------------------------------------


async def test_a_device_is_renamed(fleet: Fleet) -> None:
    stage = await fleet()
    stage.choose(0)
    button(stage, "Rename…").click()
    await asked()
    assert part(QLineEdit, "Nickname").text() == "Till 1"
    part(QLineEdit, "Nickname").setText("Fair")
    await press("Rename")
    await until(lambda: stage.page.status.text() == "D-1 is called Fair now.")
    await until(lambda: "Fair" in {line.device.nickname for line in stage.page.model.items})
    assert stage.bench.gateway.device_calls == [("rename", "D-1", "Fair")]


async def test_a_device_is_deregistered_after_a_question(fleet: Fleet) -> None:
    stage = await fleet()
    stage.choose(0)
    button(stage, "Deregister…").click()
    await asked()
    assert "This can't be undone" in said()
    QTest.keyClick(question(), Qt.Key.Key_Escape)
    await until(lambda: question() is None)
    assert not stage.bench.gateway.device_calls
    await until(lambda: not stage.session.supervisor.is_running("devices page manages"))
    button(stage, "Deregister…").click()
    await press("Deregister")
    await until(lambda: stage.page.status.text() == "Till 1 is deregistered.")
    await until(lambda: "D-1" not in {line.device.id for line in stage.page.model.items})
    assert stage.bench.gateway.device_calls == [("deregister", "D-1", "")]


async def test_in_live_the_question_says_so(fleet: Fleet) -> None:
    stage = await fleet(kind=EnvironmentKind.LIVE)
    stage.choose(0)
    button(stage, "Deregister…").click()
    await asked()
    assert "Environment: Main shop (▲ LIVE)" in said()
    confirming = next(
        one for one in question().findChildren(QPushButton) if one.text() == "Deregister the LIVE device"
    )
    assert not confirming.isDefault()
    assert confirming.property("tone") == "danger"
    await press("Deregister the LIVE device")
    await until(lambda: stage.bench.gateway.device_calls == [("deregister", "D-1", "")])


async def test_a_sale_under_way_keeps_its_device(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.bench.console.sell.note(await stage.bench.draft())
    stage.choose(0)
    button(stage, "Deregister…").click()
    await press("Deregister")
    await until(lambda: question() and "still under way" in said())
    assert not stage.bench.gateway.device_calls
    await press("Cancel")
    await until(lambda: question() is None)


async def test_what_a_gateway_cannot_do_is_not_offered_and_says_why(fleet: Fleet) -> None:
    stage = await fleet(kind=EnvironmentKind.TEST)
    stage.choose(0)
    rename = button(stage, "Rename…")
    assert not rename.isEnabled()
    assert "has no call for it" in rename.accessibleDescription()
    assert button(stage, "Deregister…").isEnabled()
    stage.choose(1)  # two of them
    assert not button(stage, "Deregister…").isEnabled()
    assert button(stage, "Register…").isEnabled()


async def test_without_a_private_key_nothing_is_managed(fleet: Fleet) -> None:
    stage = await fleet(with_key=False)
    await stage.bench.add_key(stage.session.environment, "Web", KeyKind.PUBLIC)
    stage.choose(0)
    for text in ("Register…", "Check it now", "Rename…", "Deregister…"):
        assert not button(stage, text).isEnabled()
