"""What a person types into a sale's fields is what is sold on and with, whatever the window then does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import DONE
from fakes.waiting import until
from keybench.core.events import DevicesChanged, KeysChanged
from keybench.core.ports import Device
from keybench.core.sales.sale import Sale
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.theme import Scheme, theme
from keybench.ui.shared.sales.fields import line_of

from .sale_support import TILLS, Stage, make_stage


def larger(_stage: Stage) -> None:
    theme().choose_text_size(theme().next_text_size(1))


def presentation(_stage: Stage) -> None:
    theme().present(presenting=True)


def dark(_stage: Stage) -> None:
    theme().choose(Scheme.DARK)


def lists_read_again(stage: Stage) -> None:
    here = stage.session.environment.id
    stage.bench.console.events.publish(DevicesChanged(here))
    stage.bench.console.events.publish(KeysChanged(here))


STILL_TYPING: Final = "still typing"
DISTURBANCES: Final = (larger, presentation, dark, lists_read_again)


def retype(qtbot: QtBot, box: QComboBox, text: str) -> None:
    """Type over what stands in an editable combo box, by keyboard."""
    line = line_of(box)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


async def is_read(stage: Stage) -> None:
    form = stage.panel.form
    await until(lambda: not form._device_reading._reading and not form._key_reading._reading)


async def sold(stage: Stage) -> Sale:
    stage.bench.gateway.to_poll = [DONE]
    stage.panel.send()
    await until(lambda: stage.bench.gateway.posts)
    await stage.outcome_is("Approved")
    (sale,) = await stage.sales()
    return sale


@pytest.mark.thin(7)
@pytest.mark.parametrize("where", [STILL_TYPING, "gone on"])
@pytest.mark.parametrize("disturb", DISTURBANCES)
@pytest.mark.parametrize(("typed", "meant"), [("D-2", "D-2"), ("till 2", "D-2"), ("x-7", "x-7")])
async def test_a_typed_device_is_the_one_sold_on(
    qtbot: QtBot,
    supervisor: Supervisor,
    disturb: Callable[[Stage], None],
    typed: str,
    meant: str,
    where: str,
) -> None:
    stage = await make_stage(qtbot.addWidget, supervisor)
    form = stage.panel.form
    assert form.device.currentText() == "Till 1 · D-1"
    retype(qtbot, form.device, typed)
    if where != STILL_TYPING:
        form.amount.setFocus()
    disturb(stage)
    await is_read(stage)
    assert form.device.currentText() == typed
    assert (await sold(stage)).device == meant


@pytest.mark.thin(5)
@pytest.mark.parametrize("where", [STILL_TYPING, "gone on"])
@pytest.mark.parametrize("disturb", DISTURBANCES)
async def test_a_typed_key_and_currency_stay_as_they_are(
    qtbot: QtBot, supervisor: Supervisor, disturb: Callable[[Stage], None], where: str
) -> None:
    stage = await make_stage(qtbot.addWidget, supervisor)
    form = stage.panel.form
    retype(qtbot, form.key, "no such")
    retype(qtbot, form.currency, "SE")
    if where != STILL_TYPING:
        form.amount.setFocus()
    disturb(stage)
    await is_read(stage)
    assert (form.key.currentText(), form.currency.currentText()) == ("no such", "SE")
    stage.panel.send()
    assert form.message.text()
    assert not await stage.sales(), "neither names anything, so nothing is sent"


async def test_no_sign_of_the_device_before_stands_at_a_typed_one(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    stage = await make_stage(qtbot.addWidget, supervisor)
    retype(qtbot, stage.panel.form.device, "x-7")
    assert stage.panel.form.device.currentIndex() < 0


async def test_a_nickname_of_two_devices_means_none_of_them(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await make_stage(qtbot.addWidget, supervisor)
    form = stage.panel.form
    retype(qtbot, form.device, "Till 2")
    form.show_devices([*TILLS, Device("D-9", "till 2", "connected")])
    form.submit()
    assert form.message.text() == "Several devices have this nickname: D-2, D-9. Choose one."
    assert form.device.device_id == ""
    assert not await stage.sales()
    retype(qtbot, form.device, "D-9")
    assert not form.message.text()
    assert (await sold(stage)).device == "D-9"
