"""What all routes share: the running gateway, the rate limit, and letting callers in by their key."""

import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from starlette.requests import Request

from keybench.practice.applications import Runner
from keybench.practice.body import Refusal, rate_limited, unauthorized
from keybench.practice.faults import Faults
from keybench.practice.keys import PARTNER_PREFIX, PUBLIC, TEST, Permission, PracticeKey, well_formed
from keybench.practice.state import Facts, PracticeDevice, State
from keybench.practice.weather import CALM, Weather

PER_SECOND: Final = 200.0
BURST: Final = 400.0
_BUCKETS: Final = 1000


class RateLimiter:
    """A bucket for each key; it lives in memory, since a restart may well forgive."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, key_id: str, limit_per_s: float | None = None) -> bool:
        """Count one request of a key; return whether it is within the limit, the usual one or a given one."""
        per_second, burst = (PER_SECOND, BURST) if limit_per_s is None else (limit_per_s, max(1, limit_per_s))
        now = self._clock()
        left, counted = self._buckets.pop(key_id, (burst, now))
        left = min(burst, left + max(0.0, now - counted) * per_second)
        allowed = left >= 1.0
        self._buckets[key_id] = (left - 1.0 if allowed else left, now)
        if len(self._buckets) > _BUCKETS:
            del self._buckets[next(iter(self._buckets))]  # the key that was silent for the longest
        return allowed


class MovedClock:
    """The gateway's time: the system's, and `moved_s` seconds more, which are remembered."""

    def __init__(self, system: Callable[[], float], facts: Facts) -> None:
        self._system = system
        self._facts = facts
        self.moved_s = facts.number("moved_s")

    def __call__(self) -> float:
        """Return the moment it is, in seconds since 1970."""
        return self._system() + self.moved_s

    def move(self, seconds: float) -> None:
        """Be ahead of the system's time by so many seconds from now on."""
        self.moved_s = seconds
        self._facts.note("moved_s", seconds)


@dataclass
class PracticeGateway:
    """The parts of a running practice gateway; `applications` sell once it is put together.

    Attributes:
        class_weather: How calls come through for a whole class, where its own dial is calm and devices act at
            their usual pace: what is set up in a hurry isn't disturbed.
    """

    state: State
    clock: MovedClock
    speed: float
    pause: Callable[[float], Awaitable[None]]
    limiter: RateLimiter
    faults: Faults = field(default_factory=Faults)
    applications: Runner = field(init=False)
    class_weather: Weather = CALM

    @property
    def weather(self) -> Weather:
        """How calls come through."""
        own = self.faults.weather
        return self.class_weather if replace(own, seed=CALM.seed) == CALM and self.speed == 1 else own

    def within_limit(self, key_id: str) -> bool:
        """Count one request of a key; return whether it is within the limit."""
        left = self.faults.requests_left
        if left is None:
            return self.limiter.allows(key_id, self.weather.limit_per_s)
        self.faults = replace(self.faults, requests_left=max(0, left - 1))
        return left > 0


def gateway_of(request: Request) -> PracticeGateway:
    """Return the gateway that a request was made to."""
    gateway: PracticeGateway = request.app.state.gateway
    return gateway


def about_of(refusal: Refusal) -> str:
    """Return the word for what a refusal is about."""
    return refusal.about or refusal.error_code.removeprefix("E_").lower()


def side_of(request: Request) -> str:
    """Return the side that a request was made on, test or live."""
    return str(request.scope["state"].get("side", TEST))


_NOT_FOUND: Final = "Specified API key not found"
_SCHEMES: Final = frozenset({"bearer", "basic", "token", "apikey"})


def admit(request: Request, need: Permission, form: str = "") -> PracticeKey:
    """Return the key that a v5 request is made with, sent in a form of its own, or as faults have it."""
    # The server never puts it there: it is a simulated application's.
    running = gateway_of(request).state.keys.find(request.scope["state"].get("running_key_id", ""))
    if running is not None:
        return _let_in(request, running, need)
    form = form or gateway_of(request).faults.header
    if form != "bare":
        return admit_value(request, _in_another_form(request, form), need)
    value = _only_header(request)
    if value.split()[0].lower() in _SCHEMES:
        message = f"{_NOT_FOUND}: the header's value is the key itself, with no scheme word in front"
        raise unauthorized(message, "header")
    return admit_value(request, value, need)


def _in_another_form(request: Request, form: str) -> str:
    """Return the key of a call that wants it in a form other than the usual."""
    if form == "X-Api-Key":
        value = request.headers.get("x-api-key", "")
    else:
        scheme, _, value = _only_header(request).partition(" ")
        value = value if scheme.lower() == form.lower() else ""
        if form == "Basic":
            try:
                # The key is the user's name, or the password of nobody.
                value = base64.b64decode(value, validate=True).decode("ascii").strip(":")
            except (binascii.Error, UnicodeDecodeError):
                value = ""
    if not value.strip():
        wanted = "the key in X-Api-Key" if form == "X-Api-Key" else f"the word {form} in front of the key"
        raise unauthorized(f"{_NOT_FOUND}: this call wants {wanted}", "header")
    return value.strip()


def admit_value(request: Request, value: str, need: Permission) -> PracticeKey:
    """Return the key that has a value; raises as `admit` does."""
    if value.startswith(PARTNER_PREFIX):
        message = "This is a key of the partner API; it can't be used here"
        raise Refusal(403, "E_KEY_KIND", message, about="key_kind")
    if not well_formed(value):
        raise unauthorized(f"{_NOT_FOUND}: the format of the key is wrong", "key_form")
    key = gateway_of(request).state.keys.by_value(value)
    if key is None:
        raise unauthorized(_NOT_FOUND, "key_unknown")
    return _let_in(request, key, need)


def _let_in(request: Request, key: PracticeKey, need: Permission) -> PracticeKey:
    """Return a key that is known, if it may do what it is used for."""
    request.state.key_id, request.state.key_name = key.id, key.name
    gateway = gateway_of(request)
    faults = gateway.faults
    if key.deleted is not None:
        raise unauthorized(_NOT_FOUND, "key_deleted")
    if key.environment != side_of(request):
        raise unauthorized(_NOT_FOUND, "wrong_environment")
    if not gateway.within_limit(key.id):
        raise rate_limited()
    if key.id in faults.expired_keys:
        raise unauthorized("This API key has expired", "key_expired")
    if key.kind == PUBLIC:
        message = f"Key kind mismatch: this is a public key ({key.permission}); this call needs a private key"
        raise Refusal(403, "E_KEY_KIND", message, about="key_kind")
    if faults.restricted:
        message = "Account restriction: this account can't be used at the moment"
        raise Refusal(403, "E_ACCOUNT", message, about="account")
    user = gateway.state.users.find(key.username)
    if user is None or not user.enabled:
        message = "Account restriction: the user of this key is disabled"
        raise Refusal(403, "E_USER_DISABLED", message, about="user_disabled")
    if need not in faults.users.get(user.username, user.permissions):
        message = f"Insufficient permissions: the user of this key may not {need}"
        raise Refusal(403, "E_PERMISSION", message, about="permission")
    return key


def _only_header(request: Request) -> str:
    values = request.headers.getlist("authorization")
    if not values:
        raise unauthorized("The Authorization header is missing", "missing")
    if len(values) > 1:
        raise unauthorized("There is more than one Authorization header", "header")
    value = values[0].strip()
    if not value:
        raise unauthorized("The Authorization header is blank", "missing")
    return value


def device_of(request: Request, device_id: str) -> PracticeDevice:
    """Return a device of the account."""
    request.state.device_id = device_id
    for device in devices_of(request):
        if device.id == device_id:
            return device
    raise Refusal(404, "E_DEVICE_NOT_FOUND", "Device not found", about="device_unknown")


def devices_of(request: Request) -> list[PracticeDevice]:
    """Return the account's devices as they are with their faults."""
    gateway = gateway_of(request)
    states = gateway.faults.devices
    devices = [one for one in gateway.state.fleet.every() if states.get(one.id) != "unknown"]
    return [
        replace(one, connected=states[one.id] != "disconnected") if one.id in states else one
        for one in devices
    ]
