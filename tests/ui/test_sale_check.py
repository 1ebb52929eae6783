"""The check before a sale: how the chosen device is, quietly; it neither bars nor delays Send."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.devices.state import DeviceState
from keybench.core.errors import AnswerLost, GatewayError, KeystoreLocked, NotSent, Refused
from keybench.core.ports import Caller
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.sale_form import DeviceCheck

from .sale_support import TILLS, Stage, make_stage

NOW = START + timedelta(hours=1)
AWAY = DeviceState("D-1", NOW, is_connected=False, connection="disconnected")


@pytest.fixture
async def stage(qtbot: QtBot, supervisor: Supervisor) -> Stage:
    stage = await make_stage(qtbot.addWidget, supervisor)
    await until(lambda: line(stage).text() == "● Connected · just now")  # as the list of devices tells
    await stage.bench.clock.advance(3600)
    return stage


def line(stage: Stage) -> DeviceCheck:
    return stage.panel.form.check


async def test_a_device_that_is_chosen_is_asked_for(stage: Stage) -> None:
    device = TILLS[1].id
    stage.bench.gateway.to_device_state = [replace(AWAY, device_id=device)]
    stage.panel.form.device.choose(device)
    await until(lambda: line(stage).text() == "○ Not connected · just now")
    assert line(stage).property("tone") == "warning"
    assert stage.bench.gateway.device_states_asked == [device]
    assert stage.panel.form.send.isEnabled()
    line(stage).ask_if_due()
    assert stage.bench.gateway.device_states_asked == [device]  # it is fresh
    await stage.bench.clock.advance(61)
    line(stage).show_state()
    assert line(stage).text() == "○ Not connected · 1 min ago"
    line(stage).ask_if_due()
    await until(lambda: len(stage.bench.gateway.device_states_asked) == 2)


async def test_who_holds_it_is_said(stage: Stage) -> None:
    busy = replace(AWAY, device_id="D-2", is_connected=True, is_busy=True, busy_with="PR-77")
    stage.bench.gateway.to_device_state = [busy]
    stage.panel.form.device.choose("D-2")
    expected = "● Connected, busy with a request that isn't from this Keybench · just now"
    await until(lambda: line(stage).text() == expected)
    assert stage.panel.form.send.isEnabled()


async def test_a_device_that_our_unknown_sale_may_hold_is_told_as_ours(stage: Stage) -> None:
    stage.bench.gateway.to_post = [AnswerLost("read timeout")]
    await stage.send(device="D-2")
    await stage.outcome_is("Unknown")
    await stage.pass_time(120)
    busy = replace(AWAY, device_id="D-2", is_connected=True, is_busy=True, busy_with="PR-77")
    stage.bench.gateway.to_device_state = [busy]
    line(stage).ask_if_due()
    reference = stage.panel.selection.reference
    said = f"busy; the outcome of your sale {reference} on it isn't known: look it up first"
    await until(lambda: said in line(stage).text())


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Refused("not found", status=404), "The gateway doesn't know this device."),
        (NotSent("timeout"), "The device couldn't be asked for. The gateway gave no answer in time."),
    ],
)
async def test_what_was_known_before_stays_with_its_age(
    stage: Stage, failure: GatewayError, said: str
) -> None:
    old = replace(AWAY, device_id="D-2", read_at=NOW - timedelta(minutes=50))
    await stage.bench.journal.keep_device_states(stage.session.environment.id, [old])
    stage.panel.form.check.states.reload()
    stage.bench.gateway.to_device_state = [failure]
    stage.panel.form.device.choose("D-2")
    await until(lambda: line(stage).text() == f"{said} Before: ○ Not connected · 50 min ago")
    line(stage).ask_if_due()
    assert stage.bench.gateway.device_states_asked == ["D-2"]  # not again at once
    assert stage.panel.form.send.isEnabled()


async def test_a_check_that_hangs_delays_no_sale(stage: Stage) -> None:
    asked = asyncio.Event()

    async def hang(_caller: Caller, _device: str) -> DeviceState:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    stage.bench.gateway.device_state = hang  # type: ignore[method-assign]
    stage.panel.form.device.choose("D-2")
    await asked.wait()
    assert line(stage).text() == "○ Not connected · 1 h ago · asking again…"
    await stage.send(device="D-2")
    await stage.outcome_is("Approved")
    assert [order.device for order in stage.bench.gateway.posts] == ["D-2"]


async def test_what_is_being_typed_is_not_asked_for_until_the_field_is_left(stage: Stage) -> None:
    editor = stage.panel.form.device.editor
    for text in ("X", "X-1", "X-17"):
        editor.setText(text)
        line(stage).ask_if_due()
    assert line(stage).text() == ""
    assert not stage.bench.gateway.device_states_asked
    editor.editingFinished.emit()
    await until(lambda: stage.bench.gateway.device_states_asked == ["X-17"])


async def test_nothing_is_asked_with_card_data_or_while_the_keystore_asks_the_person(stage: Stage) -> None:
    editor = stage.panel.form.device.editor
    editor.setText("4111 1111 1111 1111")
    editor.editingFinished.emit()
    line(stage).ask_if_due()
    stage.bench.keystore.failure = KeystoreLocked()
    await stage.bench.console.look_at_keystore()
    stage.panel.form.device.choose("D-2")
    line(stage).ask_if_due()
    assert not stage.bench.gateway.device_states_asked


async def test_the_line_keeps_its_place(stage: Stage) -> None:
    height = stage.panel.form.sizeHint().height()
    stage.panel.form.device.choose("")
    assert line(stage).text() == ""
    assert line(stage).isVisible()
    assert stage.panel.form.sizeHint().height() == height
