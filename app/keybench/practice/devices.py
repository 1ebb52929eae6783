"""The device routes: list, one with its status, register, remove."""

import uuid
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice.amounts import moment
from keybench.practice.body import Refusal, choice, invalid, read_object, refuse_extras, required_text
from keybench.practice.gateway import admit, device_of, devices_of, gateway_of
from keybench.practice.keys import Permission
from keybench.practice.state import Device

# The vendor's codes for simulated devices: one registers, the other fails; identifiers end in twelve zeros.
WORKING_CODE: Final = "T00001"
_SIMULATED_ENDING: Final = "-000000000000"


async def _list(request: Request) -> Response:
    admit(request, Permission.READ)
    return JSONResponse({"devices": [_view(request, item) for item in devices_of(request)]})


async def _one(request: Request) -> Response:
    admit(request, Permission.READ)
    device = device_of(request, request.path_params["device_id"])
    shown = _view(request, device)
    if choice(request.query_params, "include_status", ("true", "false"), "false") == "true":
        shown["battery"] = {"level": 87 if device.connected else None, "charging": device.connected}
        shown["wifi"] = {
            "connected": device.connected,
            "ssid": "practice" if device.connected else None,
            "signal": -52 if device.connected else None,
        }
    return JSONResponse(shown)


async def _register(request: Request) -> Response:
    admit(request, Permission.MANAGE_DEVICES)
    fields = await read_object(request)
    refuse_extras(fields, {"registration_code", "nickname", "default"})
    code = required_text(fields, "registration_code", 50)
    nickname = required_text(fields, "nickname", 100)
    if not isinstance(fields.get("default", False), bool):
        raise invalid("default must be true or false")
    if code != WORKING_CODE:
        raise Refusal(400, "E_REGISTRATION_CODE", "The registration code is invalid or has expired")
    gateway = gateway_of(request)
    now = gateway.clock()
    device_id = str(uuid.uuid4())[:-13] + _SIMULATED_ENDING
    device = Device(device_id, nickname, "Practice", "Simulator", f"PRA-{device_id[:8]}", True, now, now)
    gateway.state.fleet.add(device)
    return JSONResponse(_view(request, device), status_code=201)


async def _remove(request: Request) -> Response:
    admit(request, Permission.MANAGE_DEVICES)
    device = device_of(request, request.path_params["device_id"])
    gateway_of(request).state.fleet.remove(device.id)
    return Response(status_code=204)


def _view(request: Request, device: Device) -> dict[str, Any]:
    gateway = gateway_of(request)
    last_sale = gateway.state.ledger.last_on(device.id)
    return {
        "deviceId": device.id,
        "deviceNickname": device.nickname,
        "make": device.make,
        "model": device.model,
        "serialNumber": device.serial_number,
        "connectionStatus": device.connection_status,
        "registrationStatus": "registered",
        "lastConnectedDate": moment(gateway.clock() if device.connected else device.last_connected),
        "lastTransactionDate": None if last_sale is None else moment(last_sale),
    }


ROUTES: Final = (
    Route("/api/v5/devices", _list),
    Route("/api/v5/devices", _register, methods=["POST"]),
    Route("/api/v5/devices/{device_id}", _one),
    Route("/api/v5/devices/{device_id}", _remove, methods=["DELETE"]),
)
