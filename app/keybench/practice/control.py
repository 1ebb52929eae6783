"""The trainer's calls: what is broken, what time it is, which devices and applications there are.

All take and give JSON, and need the portal's header. Times are ISO 8601 in UTC with milliseconds, amounts
texts such as "10.00"; what is marked `?` may be left out. A wrong body is 400, what isn't there 404. The
portal's other calls (users, keys, the log) are in `portal`. Every path works behind /live, too, which is the
live side: keys belong to the side they were made on, all else is shared.

- `GET /portal/faults`, `PUT /portal/faults`: see `faults`.
- `GET /portal/clock` -> `{"now", "moved_s"}`; `PUT /portal/clock {"moved_s", "speed"?}` sets by how many
  seconds the gateway's time is ahead of the system's, 10 years at most, to either side, and for this run how
  many times as fast devices and applications act. Sales stay as far as they are when time is set back.
- `GET /portal/devices` -> `{"devices": [{"id", "nickname", "connected", "battery", "signal", "by_hand",
  "slow", "display", "amount", "currency", "request_id", "held_by", "left_s"}], "unpaired": {"code"}}`.
  `display` is idle, amount, insert card, processing, approved, declined, cancelled, timed out (each end for
  5 s) or offline; `amount` to `request_id` are null where no sale is shown, `held_by` (the application's or
  the key's name) and `left_s` where none is under way. `unpaired` shows the code of a device in its box:
  registered by it, the next box shows another.
- `POST /portal/devices {"id", "nickname", "connected"?}` adds a device with this identifier; 409 if there.
- `PATCH /portal/devices/{id} {"connected"?, "battery"?, "signal"?, "by_hand"?, "slow"?}`: `connected: false`
  pulls the plug (a sale it is at work on times out), `by_hand` leaves sales to a person, `slow` (1 to 100) is
  how many times as long it takes. Answers the device as listed, as the other calls on one do.
- `POST /portal/devices/{id}/press {"button": "approve" | "decline" | "cancel"}` ends the sale it is at
  work on, half a second later; 409 if there is none.
- `GET /portal/applications` -> `{"applications": [{"name", "device_id", "amount", "every_s", "takes_key",
  "key_id", "running_key_id", "key_name", "running_key_name", "last", "sold", "failed"}]}`; `last`
  is null or `{"time", "status", "why"}` of the last answer that began a sale of its or ended it.
- `PUT /portal/applications/{name} {"device_id"?, "amount"?, "every_s"?, "takes_key"?, "key_id"?}` sets one up
  or changes it; a new one needs the first three and `key_id`. `takes_key` is "restart" (unless told) or "at
  once". Applications sell on the test side.
- `POST /portal/applications/{name}/restart`: it runs with `key_id` from now on.
- `DELETE /portal/applications/{name}`: 204.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import faults, views
from keybench.practice.amounts import BUTTONS, UNPLUGGED, moment, money
from keybench.practice.applications import AT_ONCE, RESTART, PracticeApplication
from keybench.practice.body import (
    Refusal,
    choice,
    invalid,
    number,
    read_object,
    required_text,
    switch,
    whole,
)
from keybench.practice.gateway import PracticeGateway, device_of, devices_of
from keybench.practice.keys import mentions_value
from keybench.practice.portal import admit_page
from keybench.practice.saleorder import read_order
from keybench.practice.state import PracticeDevice

_TEN_YEARS_S: Final = 3650 * 24 * 3600
_A_DAY_S: Final = 24 * 3600
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9._-]{1,50}", re.ASCII)


async def _show_faults(request: Request) -> Response:
    return JSONResponse(admit_page(request).faults.shown())


async def _set_faults(request: Request) -> Response:
    gateway = admit_page(request)
    before, told = gateway.faults, faults.read(await read_object(request))
    # The dial is set anew by another weather, or by setting what is there already once more.
    goes_on = told.weather == before.weather and told != before
    gateway.faults = replace(told, calls=before.calls) if goes_on else told
    return JSONResponse(told.shown())


def _time(gateway: PracticeGateway) -> Response:
    return JSONResponse({"now": moment(gateway.clock()), "moved_s": gateway.clock.moved_s})


async def _clock(request: Request) -> Response:
    return _time(admit_page(request))


async def _move_clock(request: Request) -> Response:
    clock = (gateway := admit_page(request)).clock
    fields = await read_object(request, {"moved_s", "speed"})
    if "speed" in fields:
        gateway.speed = number(fields["speed"], "speed", 1, 1000)
    moved_s = number(fields.get("moved_s"), "moved_s", -_TEN_YEARS_S, _TEN_YEARS_S)
    back_s = clock.moved_s - moved_s
    clock.move(moved_s)
    if back_s > 0:
        gateway.state.ledger.turn_back(back_s, clock())
    return _time(gateway)


def _identifier(fields: dict[str, Any], name: str) -> str:
    text = required_text(fields, name, 50)
    if not _IDENTIFIER.fullmatch(text) or mentions_value(text):
        raise invalid(f"{name} must be letters, digits, dots, hyphens and underscores")
    return text


def _device_view(gateway: PracticeGateway, device: PracticeDevice) -> dict[str, Any]:
    now = gateway.clock()
    sale = gateway.state.ledger.shown_on(device.id)
    display = views.display(sale, now) if device.connected else "offline"
    is_held = sale is not None and not sale.progress(now).final
    shown = sale if is_held or display not in {"idle", "offline"} else None
    key = gateway.state.keys.find(shown.key_id) if shown else None
    stored = ("id", "nickname", "connected", "battery", "signal", "by_hand", "slow")
    return {
        **{name: getattr(device, name) for name in stored},
        "display": display,
        "amount": money(shown.cents) if shown else None,
        "currency": shown.currency if shown else None,
        "request_id": shown.id if shown else None,
        "held_by": (shown.caller or (key.name if key else "")) if shown and is_held else None,
        "left_s": round(shown.ends - now, 3) if shown and is_held else None,
    }


async def _devices(request: Request) -> Response:
    gateway = admit_page(request)
    shown = [_device_view(gateway, device) for device in devices_of(request)]
    return JSONResponse({"devices": shown, "unpaired": {"code": gateway.state.facts.unpaired_code}})


async def _add_device(request: Request) -> Response:
    gateway = admit_page(request)
    fields = await read_object(request, {"id", "nickname", "connected"})
    device_id = _identifier(fields, "id")
    nickname = required_text(fields, "nickname", 100)
    connected = switch(fields.get("connected", True), "connected")
    if gateway.state.fleet.find(device_id) is not None:
        raise Refusal(409, "E_DEVICE_THERE", "There is a device with this identifier")
    now = gateway.clock()
    device = PracticeDevice(device_id, nickname, "Practice", "P400", f"PRA-{device_id}", connected, now, now)
    gateway.state.fleet.add(device)
    return JSONResponse(_device_view(gateway, device), 201)


#: What can be changed of a device, and how it is read.
_OF_DEVICE: Final[dict[str, Callable[[object, str], Any]]] = {
    "connected": switch,
    "by_hand": switch,
    "battery": lambda value, name: None if value is None else whole(value, name, 0, 100),
    "signal": lambda value, name: None if value is None else whole(value, name, -120, 0),
    "slow": lambda value, name: number(value, name, 1, 100),
}


async def _change_device(request: Request) -> Response:
    gateway = admit_page(request)
    fields = await read_object(request, _OF_DEVICE)
    told = {name: _OF_DEVICE[name](value, name) for name, value in fields.items()}
    fleet, now = gateway.state.fleet, gateway.clock()
    device = device_of(request, request.path_params["device_id"])
    device = fleet.find(device.id) or device  # without what faults make of it
    changed = replace(device, **told)
    if device.connected != changed.connected:
        changed = replace(changed, last_connected=now)
    held = gateway.state.ledger.holder(device.id, now)
    if held is not None and not changed.connected:
        gateway.state.ledger.stop(held, UNPLUGGED, now)
    fleet.change(device.id, **asdict(changed))
    return JSONResponse(_device_view(gateway, changed))


async def _press(request: Request) -> Response:
    gateway = admit_page(request)
    fields = await read_object(request, {"button"})
    button = required_text(fields, "button", 20)
    if button not in BUTTONS:
        raise invalid("button must be one of: " + ", ".join(BUTTONS))
    device = device_of(request, request.path_params["device_id"])
    held = gateway.state.ledger.holder(device.id, gateway.clock())
    if held is None or held.stop is not None or not device.connected:
        raise Refusal(409, "E_NO_SALE", "The device waits for nobody", about="no_sale")
    gateway.state.ledger.stop(held, button, gateway.clock())
    return JSONResponse(_device_view(gateway, device))


def _application_view(gateway: PracticeGateway, application: PracticeApplication) -> dict[str, Any]:
    named = {
        f"{which}_name": key.name if (key := gateway.state.keys.find(key_id)) else ""
        for which, key_id in (("key", application.key_id), ("running_key", application.running_key_id))
    }
    last = application.last_time and {
        "time": moment(application.last_time),
        "status": application.last_status,
        "why": application.last_why,
    }
    kept = ("name", "device_id", "every_s", "takes_key", "key_id", "running_key_id", "sold", "failed")
    shown = {name: getattr(application, name) for name in kept}
    return {**shown, **named, "amount": money(application.cents), "last": last}


async def _applications(request: Request) -> Response:
    gateway = admit_page(request)
    every = gateway.state.applications.every()
    return JSONResponse({"applications": [_application_view(gateway, one) for one in every]})


async def _put_application(request: Request) -> Response:
    gateway = admit_page(request)
    fields = await read_object(request, {"device_id", "amount", "every_s", "takes_key", "key_id"})
    name = required_text(request.path_params, "name", 50)
    if mentions_value(name):
        raise invalid("A key's value must not be an application's name")
    applications = gateway.state.applications
    stored = applications.find(name)
    if stored is not None:
        fields = {**asdict(stored), "amount": money(stored.cents), **fields}
    told: dict[str, Any] = {
        "device_id": _identifier(fields, "device_id"),
        "cents": read_order({"amount": fields.get("amount")}).cents,
        "every_s": number(fields.get("every_s"), "every_s", 1, _A_DAY_S),
        "key_id": required_text(fields, "key_id", 100),
        "takes_key": choice(fields, "takes_key", (RESTART, AT_ONCE), RESTART),
    }
    if gateway.state.keys.find(told["key_id"]) is None:
        raise invalid("key_id names no key of the account")
    if stored is None:
        applications.add(PracticeApplication(name, **told, running_key_id=told["key_id"]))
        gateway.applications.begin(name)
    else:
        applications.change(name, **told)
    return JSONResponse(_application_view(gateway, _application(request)), 200 if stored else 201)


def _application(request: Request) -> PracticeApplication:
    """Return the application that a call is about."""
    found = admit_page(request).state.applications.find(request.path_params["name"])
    if found is None:
        raise Refusal(404, "E_APPLICATION_NOT_FOUND", "There is no application of this name")
    return found


async def _restart(request: Request) -> Response:
    gateway, application = admit_page(request), _application(request)
    gateway.state.applications.change(application.name, running_key_id=application.key_id)
    return JSONResponse(_application_view(gateway, _application(request)))


async def _remove_application(request: Request) -> Response:
    gateway, application = admit_page(request), _application(request)
    gateway.applications.end(application.name)
    gateway.state.applications.remove(application.name)
    return Response(status_code=204)


ROUTES: Final = (
    Route("/portal/faults", _show_faults),
    Route("/portal/faults", _set_faults, methods=["PUT"]),
    Route("/portal/clock", _clock),
    Route("/portal/clock", _move_clock, methods=["PUT"]),
    Route("/portal/devices", _devices),
    Route("/portal/devices", _add_device, methods=["POST"]),
    Route("/portal/devices/{device_id}", _change_device, methods=["PATCH"]),
    Route("/portal/devices/{device_id}/press", _press, methods=["POST"]),
    Route("/portal/applications", _applications),
    Route("/portal/applications/{name}", _put_application, methods=["PUT"]),
    Route("/portal/applications/{name}", _remove_application, methods=["DELETE"]),
    Route("/portal/applications/{name}/restart", _restart, methods=["POST"]),
)
