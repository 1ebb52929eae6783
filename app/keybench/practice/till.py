"""Taking a sale: which device, which script it plays, and what a refused one leaves behind (nothing)."""

import uuid
from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from keybench.practice import amounts
from keybench.practice.amounts import Delivery
from keybench.practice.auth import rate_limited
from keybench.practice.edge import NoAnswer, note_of
from keybench.practice.envelope import Refusal, not_found
from keybench.practice.fleet import Device
from keybench.practice.gateway import Gateway
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import SecurityKey
from keybench.practice.saleorder import Order

_LOOK_EVERY: Final = 0.05


def device_of(gateway: Gateway, device_id: str) -> Device:
    """Return a device of the account.

    Raises:
        Refusal: 404 if there is none with this identifier.
    """
    device = gateway.state.fleet.find(device_id)
    if device is None:
        raise not_found("Device not found", "E_DEVICE_NOT_FOUND")
    return device


def take(
    request: Request, gateway: Gateway, key: SecurityKey, device_id: str, order: Order
) -> PaymentRequest:
    """Start a sale on a device and return it as it was kept.

    Raises:
        Refusal: 404 for an unknown device, 409 for one that isn't connected, and what the amount asks for.
    """
    note_of(request).order_id = order.order_id
    device = device_of(gateway, device_id)
    script = amounts.script_for(order.cents)
    if not device.connected or script.delivery is Delivery.OFFLINE:
        raise Refusal(409, "E_DEVICE_NOT_CONNECTED", "The device is not connected; nothing was sold")
    if script.delivery is Delivery.RATE_LIMITED:
        raise rate_limited()
    if script.delivery is Delivery.FAILED:
        raise Refusal(500, "E_INTERNAL", "Internal error")
    now = gateway.clock()
    taken = PaymentRequest(
        id=str(uuid.uuid4()),
        device_id=device.id,
        order_id=order.order_id,
        cents=order.cents,
        currency=order.currency,
        processor_id=order.processor_id,
        script=script,
        speed=gateway.speed,
        created=now,
        key_id=key.id,
    )
    taken = _overruled(gateway, taken, order)
    gateway.state.ledger.add(taken)
    return taken


def _overruled(gateway: Gateway, taken: PaymentRequest, order: Order) -> PaymentRequest:
    """Return the sale with the script it really plays: a device does one thing at a time, duplicates fail."""
    ledger = gateway.state.ledger
    if ledger.busy(taken.device_id, taken.created):
        return replace(taken, script=amounts.BUSY)
    if order.dup_seconds and ledger.repeats(taken, order.dup_seconds):
        return replace(taken, script=amounts.DUPLICATE)
    return taken


async def ended(request: Request, gateway: Gateway, taken: PaymentRequest) -> PaymentRequest | None:
    """Return a sale when it has ended, or None if the caller hung up, which leaves it to the device."""
    current = taken
    while not current.progress(gateway.clock()).final:
        if await request.is_disconnected():
            return None
        await gateway.pause(_LOOK_EVERY)
        current = gateway.state.ledger.find(taken.device_id, taken.id) or taken
    return current


def delivered(taken: PaymentRequest, answer: Response) -> Response:
    """Return the answer to the call that started a sale, spoilt if that is what its amount is for."""
    if taken.script.delivery is Delivery.LOST:
        return NoAnswer()
    if taken.script.delivery is Delivery.UNREADABLE:
        half = bytes(answer.body)[:20]
        return Response(half, answer.status_code, media_type=answer.media_type)
    return answer
