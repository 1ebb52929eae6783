"""The device routes: list, one with its status, register, remove."""

import uuid
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.body import Refusal, invalid, read_object, refuse_extras, required_text
from keybench.practice.gateway import Gateway, admit
from keybench.practice.people import Permission
from keybench.practice.sales import device_of
from keybench.practice.state import Device

# The vendor's codes for simulated devices: one registers, the other fails; identifiers end in twelve zeros.
WORKING_CODE: Final = "T00001"
_SIMULATED_ENDING: Final = "-000000000000"


class Devices:
    """The routes of the account's devices."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/v5/devices", self._list, methods=["GET"]),
            Route("/api/v5/devices", self._register, methods=["POST"]),
            Route("/api/v5/devices/{device_id}", self._one, methods=["GET"]),
            Route("/api/v5/devices/{device_id}", self._remove, methods=["DELETE"]),
        ]

    async def _list(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.READ)
        shown = [self._view(item, with_status=False) for item in self._gateway.state.fleet.every()]
        return JSONResponse({"devices": shown})

    async def _one(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.READ)
        device = device_of(self._gateway, request.path_params["device_id"])
        asked = request.query_params.get("include_status", "false")
        if asked not in {"true", "false"}:
            raise invalid("include_status must be true or false")
        return JSONResponse(self._view(device, with_status=asked == "true"))

    async def _register(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.MANAGE_DEVICES)
        fields = await read_object(request)
        refuse_extras(fields, {"registration_code", "nickname", "default"})
        code = required_text(fields, "registration_code", 50)
        nickname = required_text(fields, "nickname", 100)
        if not isinstance(fields.get("default", False), bool):
            raise invalid("default must be true or false")
        if code != WORKING_CODE:
            raise Refusal(400, "E_REGISTRATION_CODE", "The registration code is invalid or has expired")
        now = self._gateway.clock()
        device_id = str(uuid.uuid4())[:-13] + _SIMULATED_ENDING
        device = Device(device_id, nickname, "Practice", "Simulator", f"PRA-{device_id[:8]}", True, now, now)
        self._gateway.state.fleet.add(device)
        return JSONResponse(self._view(device, with_status=False), status_code=201)

    async def _remove(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.MANAGE_DEVICES)
        device = device_of(self._gateway, request.path_params["device_id"])
        self._gateway.state.fleet.remove(device.id)
        return Response(status_code=204)

    def _view(self, device: Device, *, with_status: bool) -> dict[str, object]:
        last_sale = self._gateway.state.ledger.last_on(device.id)
        return views.device(device, last_sale, self._gateway.clock(), with_status=with_status)
