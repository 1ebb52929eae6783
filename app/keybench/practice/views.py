"""What the service tells about its things: payment requests, transactions, devices, keys, as JSON objects."""

import hashlib
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from keybench.practice import amounts
from keybench.practice.amounts import Result
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import SecurityKey
from keybench.practice.state import Device


def moment(seconds: float) -> str:
    """Return a moment as ISO 8601 in UTC with milliseconds; `seconds` are since 1970."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _numbers(request: PaymentRequest) -> tuple[str, str]:
    """Return the transaction id and authorisation code; they follow from the request's id."""
    seed = int.from_bytes(hashlib.sha256(request.id.encode()).digest()[:8], "big")
    return str(10_000_000_000 + seed % 89_999_999_999), f"{seed // 7 % 1_000_000:06d}"


def _transaction(request: PaymentRequest, result: Result) -> dict[str, Any]:
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
        "amount": amounts.money(request.cents),
        "currency": request.currency,
        "created_date": moment(request.created),
    }
    if request.order_id is not None:
        shown["order_details"] = {"id": request.order_id}
    if progress.result is not None:
        shown["transaction"] = _transaction(request, progress.result)
    return shown


def _response(result: Result) -> str:
    """Return the public gateway's verdict digit: codes from 200 to 299 are declines, higher ones errors."""
    if result.success:
        return "1"
    return "2" if result.code.startswith("2") else "3"


def held_sale(request: PaymentRequest, now: float) -> dict[str, Any]:
    """Return a finished sale as a synchronous call answers it: `response` 1 approved, 2 declined, 3 error."""
    progress = request.progress(now)
    transaction_id, auth_code = _numbers(request)
    result = progress.result or Result(success=False, code="300", text=progress.status)
    shown: dict[str, Any] = {
        "object": "transaction",
        "id": transaction_id,
        "type": "sale",
        "status": progress.status,
        "request_id": request.id,
        "device_id": request.device_id,
        "amount": amounts.money(request.cents),
        "currency": request.currency,
        "auth_code": auth_code if result.success else "",
        "avs_response": "",
        "cvv_response": "",
        "response": _response(result),
        "response_text": result.text,
        "response_code": result.code,
        "processor_id": request.processor_id or "",
        "created_date": moment(request.created),
    }
    if request.order_id is not None:
        shown["order_details"] = {"id": request.order_id}
    if progress.result is not None:
        shown["payment_details"] = {"card_number": "************1111", "card_type": "visa"}
    return shown


def async_status(request: PaymentRequest, now: float) -> dict[str, Any]:
    """Return a sale as the older status call shows it: other names, nothing of the device."""
    progress = request.progress(now)
    shown: dict[str, Any] = {"asyncStatusGuid": request.id, "asyncStatus": progress.status}
    if progress.result is not None:
        transaction_id, auth_code = _numbers(request)
        shown["transaction"] = {
            "id": transaction_id,
            "authCode": auth_code if progress.result.success else "",
            "success": progress.result.success,
            "response_code": progress.result.code,
            "responsetext": progress.result.text,
        }
    return shown


def form_accepted(request: PaymentRequest) -> dict[str, str]:
    """Return the fields that tell that a sale was taken: its figure says approved, its code says not yet."""
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
    return {
        "response": held["response"],
        "responsetext": held["response_text"],
        "authcode": held["auth_code"],
        "transactionid": held["id"],
        "orderid": request.order_id or "",
        "response_code": held["response_code"],
    }


def form(fields: dict[str, str]) -> str:
    """Return fields as a web form's text."""
    return urlencode(fields)


def device(item: Device, last_sale: float | None, now: float, *, with_status: bool = False) -> dict[str, Any]:
    """Return a device, with battery and Wi-Fi if `with_status`; `last_sale` is in seconds since 1970."""
    shown: dict[str, Any] = {
        "deviceId": item.id,
        "deviceNickname": item.nickname,
        "make": item.make,
        "model": item.model,
        "serialNumber": item.serial_number,
        "connectionStatus": "connected" if item.connected else "disconnected",
        "registrationStatus": "registered",
        "lastConnectedDate": moment(now if item.connected else item.last_connected),
        "lastTransactionDate": None if last_sale is None else moment(last_sale),
    }
    if with_status:
        shown["battery"] = {"level": 87 if item.connected else None, "charging": item.connected}
        shown["wifi"] = {
            "connected": item.connected,
            "ssid": "practice" if item.connected else None,
            "signal": -52 if item.connected else None,
        }
    return shown


def security_key(key: SecurityKey) -> dict[str, Any]:
    """Return a key as it is listed, which is without its value."""
    return {
        "id": key.id,
        "name": key.name,
        "username": key.username,
        "permission": key.permission,
        "kind": key.kind,
        "created": moment(key.created),
    }
