"""Dialogs of a rotation with a use case behind them: a test sale with the new key, and a key that leaked."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.environment import Environment
from keybench.core.rotation import Rotation
from keybench.core.security_key import SecurityKey
from keybench.ui.rotations.desk import Desk
from keybench.ui.sale.fields import DeviceBox, amount_field, currency_field
from keybench.ui.sale.sale_actions import may_send
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import Dialog, confirm
from keybench.ui.widgets.form import Field, Form
from keybench.words.rotations import LEAKED_TEXT, SALE_LIVE, SALE_TEXT

_REASON: Final = "Compromised"


async def ask_sale(
    parent: QWidget, session: Session, environment: Environment
) -> tuple[str, str, str] | None:
    """Ask for a test sale in an environment with a rotation's replacement.

    Returns:
        Device, amount and currency as entered and checked; None if that was left.
    """
    live = environment.is_live
    box = DeviceBox()
    box.show_devices(await session.console.keys.devices(environment), choose=True)
    device = Field("Device", box, id="device", required="Choose a device, or enter its identifier.")
    currency = currency_field(QLineEdit("USD"))
    amount = amount_field(QLineEdit("1.00"), currency)
    dialog = Dialog(
        parent,
        title="Test sale with the new key",
        text=f"{SALE_LIVE} {SALE_TEXT}" if live else SALE_TEXT,
        confirm="Send LIVE sale" if live else "Send sale",
        tone="danger" if live else "primary",
        content=Form(device, amount, currency),
        by_enter=False,
    )
    if not await dialog.answer():
        return None
    wish = box.device_id, amount.text, currency.text
    return wish if await may_send(session, parent, environment, [box.device_id]) else None


async def ask_leaked(
    parent: QWidget, desk: Desk, environment: Environment, key: SecurityKey
) -> Rotation | None:
    """Ask whether a key is compromised, and begin its rotation as such or take the open one for that.

    Returns:
        The rotation, or None if the person left it.

    Raises:
        KeybenchError: It couldn't be begun.
    """
    agreed = await confirm(
        parent,
        title=f"Is “{key.name}” compromised?",
        text=LEAKED_TEXT,
        confirm="It is compromised",
        tone="danger",
    )
    if not agreed or not desk.signed():
        return None
    rotations = await desk.rotations.listed(environment.id)
    under_way = next((one for one in rotations if one.is_open and one.old.key_id == key.id), None)
    if under_way:
        return await desk.rotations.compromise(under_way.id, desk.person)
    names = [one.name for one in await desk.session.console.keys.listed(environment)]
    return await desk.rotations.start(
        environment,
        key,
        desk.rotations.proposed(key, names),
        reason=_REASON,
        by=desk.person,
        overlap_ends_at=desk.session.console.clock.now(),
        compromised=True,
    )
