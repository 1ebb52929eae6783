"""The fault dial: how well calls of the API come through, by a seed that gives the same faults again.

A call's fault follows from the seed and from which call it is, and from nothing else: its method and path,
and how many such calls came before it since the dial was set, which setting other faults isn't. So a busy
machine, polls and other devices change nothing. A payment request's identifier, another in each run, counts
as its number on its device.

`weather` in `/portal/faults` is a preset's name, or an object with any of:

- `preset`: `calm`, `bad wifi`, `overload` or `outage`; the others change what it is made of.
- `seed`: a whole number; made up, and told, where it is left out.
- `latency_s`: [least, most] seconds that a call waits before anything else happens to it.
- `resets`, `errors`, `refusals`, `loss`, `slow`: the shares of calls, together at most 1, whose connection
  is closed before the routes see them; which are answered 503, or with the rate limit, and nothing is taken;
  which are taken and never answered; and whose answer's body comes whole, but in pieces with pauses.
- `limit_per_s`: a tighter rate limit for each key. It alone goes by the clock, so no preset has it.

`next` lists single faults, each for one of the next calls that start a sale or ask about one.
"""

from __future__ import annotations

import hashlib
import random
import re
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keybench.practice.body import (
    Refusal,
    invalid,
    not_connected,
    number,
    rate_limited,
    refuse_extras,
    unavailable,
    whole,
)

if TYPE_CHECKING:
    from keybench.practice.gateway import PracticeGateway


class Fault(StrEnum):
    """What can happen to one call."""

    RESET = "reset"
    ERROR = "error"
    RATE_LIMIT = "rate limit"
    LOST = "lost"
    SLOW = "slow"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Weather:
    """The setting of the dial; the module tells of each field."""

    preset: str = "calm"
    seed: int = 0
    latency_s: tuple[float, float] = (0.0, 0.0)
    resets: float = 0.0
    errors: float = 0.0
    refusals: float = 0.0
    loss: float = 0.0
    slow: float = 0.0
    limit_per_s: float | None = None

    def drawn(self, call: str) -> tuple[Fault | None, float]:
        """Return the fault of a call and the seconds it waits; `call` says which one it is."""
        # A text seeds the generator by its SHA-512, alike on every system; what is wanted here is no secrecy.
        chance = random.Random(f"{self.seed} {call}")  # noqa: S311 - see above
        least, most = self.latency_s
        latency_s, point = least + (most - least) * chance.random(), chance.random()
        for name, fault in _SHARES.items():
            share = getattr(self, name)
            if point < share:
                return fault, latency_s
            point -= share
        return None, latency_s


CALM: Final = Weather()
PRESETS: Final = {
    one.preset: one
    for one in (
        CALM,
        Weather("bad wifi", latency_s=(0.1, 2.0), resets=0.1, loss=0.1, slow=0.2),
        Weather("overload", latency_s=(1.0, 5.0), errors=0.2, refusals=0.2, slow=0.1),
        Weather("outage", resets=0.4, errors=0.6),
    )
}
#: The shares of calls, and what happens to them.
_SHARES: Final = {
    "resets": Fault.RESET,
    "errors": Fault.ERROR,
    "refusals": Fault.RATE_LIMIT,
    "loss": Fault.LOST,
    "slow": Fault.SLOW,
}
HIGHEST_SEED: Final = 999_999_999
_MADE_UP_BELOW: Final = 1_000_000
_LONGEST_S: Final = 60


def read(told: Any) -> Weather:
    """Return the weather that a body sets; its seed is made up where it has none."""
    asked = {"preset": told} if isinstance(told, str) else told
    if not isinstance(asked, dict):
        raise invalid("weather must be a preset's name or an object")
    refuse_extras(asked, {one.name for one in fields(Weather)}, "weather.")
    preset = asked.get("preset", CALM.preset)
    if not isinstance(preset, str) or preset not in PRESETS:
        raise invalid(f"weather.preset must be one of: {', '.join(PRESETS)}")
    asked = {**asdict(PRESETS[preset]), "seed": secrets.randbelow(_MADE_UP_BELOW), **asked}
    latency, limit = asked["latency_s"], asked["limit_per_s"]
    if not isinstance(latency, list | tuple) or len(latency) != len(CALM.latency_s):
        raise invalid("weather.latency_s must be [least, most]")
    least, most = (number(one, "weather.latency_s", 0, _LONGEST_S) for one in latency)
    shares = {name: number(asked[name], f"weather.{name}", 0, 1) for name in _SHARES}
    if sum(shares.values()) > 1.0:
        raise invalid(f"weather's shares ({', '.join(_SHARES)}) must be at most 1 together")
    return Weather(
        preset,
        whole(asked["seed"], "weather.seed", 0, HIGHEST_SEED),
        (least, max(least, most)),
        **shares,
        limit_per_s=None if limit is None else number(limit, "weather.limit_per_s", 0, 1000),
    )


class CallCounter:
    """Which call is which since the dial was set; of those long ago it forgets how many there were."""

    kept: Final = 4096

    def __init__(self) -> None:
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._sales: OrderedDict[str, str] = OrderedDict()

    def taken(self, device_id: str, request_id: str) -> None:
        """Note that a device took a sale, so that calls about it are known by its number there."""
        self._sales[request_id] = f"{device_id}#{self._number(f'taken by {device_id}')}"
        if len(self._sales) > self.kept:
            self._sales.popitem(last=False)

    def name(self, method: str, path: str) -> str:
        """Return the name of a call that comes now."""
        call = f"{method} {'/'.join(self._sales.get(part, part) for part in path.split('/'))}"
        return f"{call} {self._number(call)}"

    def _number(self, of: str) -> int:
        key = hashlib.sha256(of.encode("utf-8", "surrogatepass")).digest()  # a path may be 64 KB long
        number = self._counts[key] = self._counts.pop(key, 0) + 1
        if len(self._counts) > self.kept:
            self._counts.popitem(last=False)
        return number


_STARTS: Final = re.compile(r"/(?:payment-requests/sale|payments/sale|classic/sale|transact\.php)$")
_ASKS: Final = re.compile(r"/devices/[^/]+/payment-requests(?:/[^/]+)?$|/asyncstatus/[^/]+$")
_PIECES: Final = 8
_PIECE_S: Final = 0.25
#: What some faults are answered with in the routes' place.
_INSTEAD: Final[Mapping[Fault, Callable[[], Refusal]]] = {
    Fault.ERROR: unavailable,
    Fault.RATE_LIMIT: rate_limited,
    Fault.OFFLINE: not_connected,
}


async def serve(gateway: PracticeGateway, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve a call of the API as faults and weather let it; `app` is what answers it otherwise."""
    if broken := gateway.faults.instead():
        await broken(scope, receive, send)
        return
    fault, latency_s = _fault_of(gateway, scope)
    if latency_s:
        scope["state"]["paused_s"] = latency_s
        await gateway.pause(latency_s)
    if fault is None:
        await app(scope, receive, send)
        return

    async def say(message: Message) -> None:
        scope["state"]["why"] = why
        if fault is not Fault.LOST:
            await (_in_pieces(message, send, gateway.pause) if fault is Fault.SLOW else send(message))

    why = f"fault: {fault}"
    if fault in _INSTEAD:
        await gateway.faults.reworded(_INSTEAD[fault]())(scope, receive, say)
    elif fault is not Fault.RESET:
        await app(scope, receive, say)
    scope["state"]["why"] = why


def _fault_of(gateway: PracticeGateway, scope: Scope) -> tuple[Fault | None, float]:
    """Return what happens to a call, and for how many seconds it waits; a single fault is used up."""
    faults, method, path = gateway.faults, scope["method"], scope["path"]
    side = scope["state"].get("side", "")
    fault, latency_s = gateway.weather.drawn(faults.calls.name(f"{side} {method}", path))
    starts = method == "POST" and _STARTS.search(path)
    asks = method == "GET" and _ASKS.search(path)
    # Only what starts a sale needs the device.
    if faults.next and (starts or (asks and faults.next[0] != Fault.OFFLINE)):
        fault = Fault(faults.next[0])
        gateway.faults = replace(faults, next=faults.next[1:])
    return fault, latency_s


async def _in_pieces(message: Message, send: Send, pause: Callable[[float], Awaitable[None]]) -> None:
    """Send a part of an answer, a body in pieces."""
    body = message.get("body", b"")
    size = max(1, -(-len(body) // _PIECES))
    *pieces, last = [body[at : at + size] for at in range(0, len(body), size)] or [body]
    for piece in pieces:
        await send({"type": message["type"], "body": piece, "more_body": True})
        await pause(_PIECE_S)
    await send({**message, "body": last} if pieces else message)
