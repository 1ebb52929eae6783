"""The device routes: list, one with its status, register, rename, remove."""

import re
import uuid
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice.amounts import moment
from keybench.practice.body import Refusal, choice, read_object, required_text, switch
from keybench.practice.gateway import admit, device_of, devices_of, gateway_of
from keybench.practice.keys import Permission
from keybench.practice.state import PracticeDevice

# The vendor's codes for simulated devices: T00001 works, T00002 fails. The others are the practice gateway's
# own, so that there may be several. Identifiers of simulated devices end in twelve zeros.
_CODE: Final = re.compile(r"T\d{5}", re.ASCII)
_EXPIRED_CODE: Final = "T00002"
_SIMULATED_ENDING: Final = "-000000000000"


async def _list(request: Request) -> Response:
    admit(request, Permission.READ)
    return JSONResponse({"devices": [_view(request, item) for item in devices_of(request)]})


async def _one(request: Request) -> Response:
    admit(request, Permission.READ)
    device = device_of(request, request.path_params["device_id"])
    shown = _view(request, device)
    if choice(request.query_params, "include_status", ("true", "false"), "false") == "true":
        is_on = device.connected
        level, ssid, signal = (device.battery, "practice", device.signal) if is_on else (None, None, None)
        shown["battery"] = {"level": level, "charging": is_on}
        shown["wifi"] = {"connected": is_on, "ssid": ssid, "signal": signal}
    return JSONResponse(shown)


async def _register(request: Request) -> Response:
    admit(request, Permission.MANAGE_DEVICES)
    fields = await read_object(request, {"registration_code", "nickname", "default"})
    code = required_text(fields, "registration_code", 50)
    nickname = required_text(fields, "nickname", 100)
    switch(fields.get("default", False), "default")
    if not _CODE.fullmatch(code) or code == _EXPIRED_CODE:
        raise Refusal(400, "E_REGISTRATION_CODE", "The registration code is invalid or has expired")
    gateway = gateway_of(request)
    now = gateway.clock()
    serial_number = f"SIM-{code}"
    if code == gateway.state.facts.unpaired_code:
        gateway.state.facts.open_another_box()
    if any(device.serial_number == serial_number for device in gateway.state.fleet.every()):
        raise Refusal(400, "E_REGISTRATION_CODE", "The registration code has been used already")
    device_id = str(uuid.uuid4())[:-13] + _SIMULATED_ENDING
    device = PracticeDevice(device_id, nickname, "Practice", "Simulator", serial_number, True, now, now)
    gateway.state.fleet.add(device)
    return JSONResponse(_view(request, device), status_code=201)


async def _rename(request: Request) -> Response:
    """Give a device another nickname; the practice gateway's own call, none is documented."""
    admit(request, Permission.MANAGE_DEVICES)
    device = device_of(request, request.path_params["device_id"])
    fields = await read_object(request, {"nickname"})
    fleet = gateway_of(request).state.fleet
    fleet.change(device.id, nickname=required_text(fields, "nickname", 100))
    return JSONResponse(_view(request, device_of(request, device.id)))


async def _remove(request: Request) -> Response:
    admit(request, Permission.MANAGE_DEVICES)
    device = device_of(request, request.path_params["device_id"])
    gateway_of(request).state.fleet.remove(device.id)
    return Response(status_code=204)


def _view(request: Request, device: PracticeDevice) -> dict[str, Any]:
    gateway = gateway_of(request)
    last_sale = gateway.state.ledger.last_on(device.id)
    holder = gateway.state.ledger.holder(device.id, gateway.clock())
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
        "busy": holder is not None or gateway.faults.devices.get(device.id) == "busy",
        "busyRequestId": None if holder is None else holder.id,
    }


ROUTES: Final = (
    Route("/api/v5/devices", _list),
    Route("/api/v5/devices", _register, methods=["POST"]),
    Route("/api/v5/devices/{device_id}", _one),
    Route("/api/v5/devices/{device_id}", _rename, methods=["PATCH"]),
    Route("/api/v5/devices/{device_id}", _remove, methods=["DELETE"]),
)
