"""A practice device's face in its card: what it shows, what is pressed there, its plug and its figures."""

from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtWidgets import QLineEdit, QPushButton

from fakes.waiting import until
from keybench.core.ports import Device
from keybench.ui.devices.face import DeviceFacePanel
from keybench.ui.devices.managing import DeviceManager
from keybench.ui.devices.page import DevicesPage

from .practice_support import Practising
from .questions import asked


async def shown(practising: Practising, device: str = "till-1") -> DevicesPage:
    """Return the page with a device chosen, once its face is there."""
    session = practising.session
    known = (Device(device, "Till 1", "connected"), Device("typed in", "Elsewhere", "connected"))
    await session.console.devices.listed(session.environment)
    await session.console.world.journal.remember_devices(session.environment.id, known)
    page = DevicesPage(session)
    practising.show(page)
    await until(lambda: page.table.select(device))
    await until(page.card.face.isVisible)
    return page


async def told(practising: Practising, device: str = "till-1") -> dict[str, Any]:
    """Return what the gateway tells of a device."""
    listed = (await practising.ask("GET", "devices"))["devices"]
    return next(one for one in listed if one["id"] == device)


async def held(practising: Practising, face: DeviceFacePanel) -> None:
    """Have an application sell on the device, which waits for a person."""
    await practising.ask("PATCH", "devices/till-1", {"by_hand": True, "slow": 100})
    await practising.application("front-desk till", await practising.make_key("till"))
    await until(lambda: face.watch.refresh() or face.words.text() == "INSERT CARD")


async def test_a_person_approves_a_sale_at_the_device(practising: Practising) -> None:
    page = await shown(practising)
    face = page.card.face
    assert (face.words.text(), face.presses["approve"].isEnabled()) == ("IDLE", False)
    await held(practising, face)
    assert face.amount.text() == "10.00 USD"
    assert face.holder.text().startswith("Held by front-desk till, ")
    assert face.by_hand.isChecked()
    assert face.display.accessibleName() == "Till 1: insert card, 10.00 USD"
    face.presses["approve"].click()
    # Nothing here tells that it sold, and each look takes the gateway's time; it would time out otherwise.
    while not (sold := (await practising.ask("GET", "applications"))["applications"][0])["sold"]:  # noqa: ASYNC110 - see above
        await asyncio.sleep(0.1)
    assert sold["failed"] == 0


async def test_plug_and_figures_are_the_devices(practising: Practising) -> None:
    page = await shown(practising)
    face = page.card.face
    assert (face.plug.text(), face.battery.currentText()) == ("Pull the plug", "87 %")
    face.plug.click()
    face.battery.setCurrentIndex(face.battery.findData(4))
    face.battery.activated.emit(face.battery.currentIndex())
    face.by_hand.click()
    await until(lambda: face.words.text() == "OFFLINE" and face.plug.text() == "Plug it in")
    await until(lambda: face.watch.refresh() or face.battery.currentText() == "4 %")
    now = await told(practising)
    assert (now["connected"], now["battery"], now["by_hand"]) == (False, 4, True)
    page.table.select("typed in")
    assert face.isHidden(), "the gateway has no such device"


async def test_the_device_in_the_box_is_registered_by_the_code_it_shows(practising: Practising) -> None:
    code = (await practising.ask("GET", "devices"))["unpaired"]["code"]
    page = await shown(practising)
    manager = DeviceManager(practising.session, page)
    practising.session.run("register", manager.register(lambda _state: None))
    dialog = await asked()
    field = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == "Registration code")
    assert field.accessibleDescription() == f"The device in the box shows {code}."
    next(one for one in dialog.findChildren(QPushButton) if one.text() == "Use it").click()
    assert field.text() == code
    dialog.reject()
