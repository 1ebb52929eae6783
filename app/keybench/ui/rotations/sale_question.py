"""Asks for the test sale with the new key: on which device, how much; in live it says that money moves."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import InputInvalid
from keybench.core.money import parse_money
from keybench.ui.rotations.asking import FormQuestion, answered
from keybench.ui.sale.device_box import DeviceBox
from keybench.ui.sale.sale_actions import may_send
from keybench.ui.session import Session
from keybench.ui.widgets.field import Field
from keybench.words.fields import field_sentence
from keybench.words.rotation_texts import SALE_LIVE, SALE_TEXT


@dataclass(frozen=True, slots=True)
class SaleWish:
    """What is to be sold, as entered and checked."""

    device: str
    amount: str
    currency: str


async def ask_sale(parent: QWidget, session: Session, environment: Environment) -> SaleWish | None:
    """Ask for a test sale in an environment with a rotation's replacement; None if that was left."""
    live = environment.is_live
    question = FormQuestion(
        parent,
        title="Test sale with the new key",
        text=f"{SALE_LIVE} {SALE_TEXT}" if live else SALE_TEXT,
        confirm="Send LIVE sale" if live else "Send sale",
        tone="danger" if live else "primary",
        by_enter=False,
    )
    device, amount, currency = DeviceBox(), QLineEdit("1.00"), QLineEdit("USD")
    fields = [Field("Device", device), Field("Amount", amount), Field("Currency", currency)]
    for field in fields:
        question.add(field)

    def is_right() -> bool:
        if not device.device_id:
            fields[0].show_message("Choose a device, or enter its identifier.")
            return False
        try:
            parse_money(amount.text(), currency.text())
        except InputInvalid as error:
            fields[1].show_message(field_sentence(error))
            return False
        return True

    question.check = is_right
    device.show_devices(await session.console.keys.devices(environment), choose=True)
    if not await answered(question):
        return None
    wish = SaleWish(device.device_id, amount.text(), currency.text())
    return wish if await may_send(session, parent, environment, [wish.device]) else None
