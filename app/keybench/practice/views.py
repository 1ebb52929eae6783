"""How the service shows a sale: as a payment request, a transaction, an older status, or a form."""

import hashlib
from typing import Any, Final

from keybench.practice.amounts import (
    COMPLETE,
    ENDS,
    PENDING,
    PROCESSING_S,
    PaymentRequest,
    PracticeResult,
    moment,
    money,
)

_END_SHOWN_S: Final = 5.0


def _numbers(request: PaymentRequest) -> tuple[str, str]:
    """Return the transaction id and authorisation code; they follow from the request's id."""
    seed = int.from_bytes(hashlib.sha256(request.id.encode()).digest()[:8], "big")
    return str(10_000_000_000 + seed % 89_999_999_999), f"{seed // 7 % 1_000_000:06d}"


def _amounts(request: PaymentRequest, result: PracticeResult | None) -> dict[str, str]:
    """Return the amount: of a partial approval what was approved, and beside it what was asked for."""
    if result is None or result.cents is None:
        return {"amount": money(request.cents)}
    return {"amount": money(result.cents), "requested_amount": money(request.cents)}


def _order(request: PaymentRequest) -> dict[str, Any]:
    """Return what the caller told of the order, as it was told."""
    told = {"id": request.order_id, "order_description": request.order_description}
    given = {name: text for name, text in told.items() if text is not None}
    return {"order_details": given} if given else {}


def _transaction(request: PaymentRequest, result: PracticeResult) -> dict[str, Any]:
    transaction_id, auth_code = _numbers(request)
    return {
        "id": transaction_id,
        "auth_code": auth_code if result.success else "",
        "success": result.success,
        "response_code": result.code,
        "response_text": result.text,
    }


def payment_request(request: PaymentRequest, now: float) -> dict[str, Any]:
    """Return a payment request; it has a `transaction` once the device's part is complete."""
    progress = request.progress(now)
    shown: dict[str, Any] = {
        "object": "payment_request",
        "id": request.id,
        "device_id": request.device_id,
        "status": progress.status,
        **_amounts(request, progress.result),
        "currency": request.currency,
        "created_date": moment(request.created),
        **_order(request),
    }
    if progress.final:
        shown["completed_date"] = moment(request.ended)
    if progress.result is not None:
        shown["transaction"] = _transaction(request, progress.result)
    return shown


def _response(result: PracticeResult) -> str:
    """Return the public gateway's verdict digit: codes from 200 to 299 are declines, higher ones errors."""
    if result.success:
        return "1"
    return "2" if result.code.startswith("2") else "3"


def held_sale(request: PaymentRequest, now: float) -> dict[str, Any]:
    """Return a finished sale as a synchronous call answers it: `response` 1 approved, 2 declined, 3 error."""
    progress = request.progress(now)
    transaction_id, auth_code = _numbers(request)
    result = progress.result or PracticeResult(success=False, code="300", text=progress.status)
    shown: dict[str, Any] = {
        "object": "transaction",
        "id": transaction_id,
        "type": "sale",
        "status": progress.status,
        "request_id": request.id,
        "device_id": request.device_id,
        **_amounts(request, progress.result),
        "currency": request.currency,
        "auth_code": auth_code if result.success else "",
        "avs_response": "",
        "cvv_response": "",
        "response": _response(result),
        "response_text": result.text,
        "response_code": result.code,
        "processor_id": request.processor_id or "",
        "created_date": moment(request.created),
        **_order(request),
    }
    if progress.result is not None:
        shown["payment_details"] = {"card_number": "************1111", "card_type": "visa"}
    return shown


def async_status(request: PaymentRequest, now: float) -> dict[str, Any]:
    """Return a sale as the older status call shows it: other names, nothing of the device."""
    progress = request.progress(now)
    shown: dict[str, Any] = {"asyncStatusGuid": request.id, "asyncStatus": progress.status}
    if progress.result is not None:
        told = _transaction(request, progress.result)
        renamed = {"authCode": told.pop("auth_code"), "responsetext": told.pop("response_text")}
        shown["transaction"] = told | renamed
        if progress.result.cents is not None:
            shown["transaction"] |= _amounts(request, progress.result)
    return shown


def form_accepted(request: PaymentRequest) -> dict[str, str]:
    """Return the fields that say a sale was taken: its figure says approved, its code says not yet."""
    return {
        "response": "1",
        "responsetext": "Request Accepted",
        "orderid": request.order_id or "",
        "response_code": "101",
        "async_status_guid": request.id,
    }


def form_sale(request: PaymentRequest, now: float) -> dict[str, str]:
    """Return a finished sale's fields as form-encoded Classic answers them."""
    held = held_sale(request, now)
    partly = {"amount_authorized": held["amount"]} if "requested_amount" in held else {}
    return {
        "response": held["response"],
        "responsetext": held["response_text"],
        "authcode": held["auth_code"],
        "transactionid": held["id"],
        "orderid": request.order_id or "",
        "response_code": held["response_code"],
        **partly,
    }


def display(request: PaymentRequest | None, now: float) -> str:
    """Return what a device shows that was last at work on a sale: how far it is, or for 5 s how it ended."""
    if request is None:
        return "idle"
    progress = request.progress(now)
    if not progress.final:
        if progress.status == PENDING:
            return "amount"
        word = request.plays.steps[-1][1]
        at_the_end = (request.ends - now) * request.speed <= PROCESSING_S
        return "processing" if word == COMPLETE and at_the_end else "insert card"
    if now - request.ended >= _END_SHOWN_S:
        return "idle"
    if progress.result is not None:
        return "approved" if progress.result.success else "declined"
    word = ENDS[progress.status]
    return "idle" if word == "device busy" else word
