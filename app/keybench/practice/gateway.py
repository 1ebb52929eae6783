"""What all routes share: the running gateway, the rate limit, and letting callers in by their key."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from keybench.practice.body import Refusal, unauthorized
from keybench.practice.keys import PARTNER_PREFIX, PUBLIC, Permission, SecurityKey, well_formed
from keybench.practice.state import Device, State

PER_SECOND: Final = 200.0
BURST: Final = 400.0


class RateLimiter:
    """A bucket for each key; it lives in memory, since a restart may well forgive."""

    def __init__(
        self, clock: Callable[[], float], per_second: float = PER_SECOND, burst: float = BURST
    ) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = burst
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, key_id: str) -> bool:
        """Count one request of a key; return whether it is within the limit."""
        now = self._clock()
        left, counted = self._buckets.get(key_id, (self._burst, now))
        left = min(self._burst, left + max(0.0, now - counted) * self._per_second)
        allowed = left >= 1.0
        self._buckets[key_id] = (left - 1.0 if allowed else left, now)
        return allowed


@dataclass(frozen=True)
class Gateway:
    """The parts of a running practice gateway.

    Attributes:
        state: what it remembers.
        clock: seconds since 1970.
        speed: device seconds that pass in a second.
        pause: waits for some seconds.
        limiter: counts requests by key.
    """

    state: State
    clock: Callable[[], float]
    speed: float
    pause: Callable[[float], Awaitable[None]]
    limiter: RateLimiter


def gateway_of(request: Request) -> Gateway:
    """Return the gateway that a request was made to."""
    gateway: Gateway = request.app.state.gateway
    return gateway


def rate_limited() -> Refusal:
    """Return the refusal for too many requests: 403, as the service description has it."""
    return Refusal(
        403, "E_RATE_LIMIT", "Rate limit exceeded; try again in a moment", headers={"Retry-After": "1"}
    )


_NOT_FOUND: Final = "Specified API key not found"


def admit(request: Request, need: Permission) -> SecurityKey:
    """Return the key that a v5 request is made with, sent bare in the `Authorization` header.

    Raises:
        Refusal: 401 if there is no valid key, 403 if the key is over its limit, of the wrong kind, or its
            user is disabled or may not do what is needed.
    """
    value = _only_header(request)
    if value.split()[0].lower() in {"bearer", "basic", "token", "apikey"}:
        raise unauthorized(
            f"{_NOT_FOUND}: the header's value is the key itself, with no scheme word in front"
        )
    return admit_value(request, value, need)


def admit_bearer(request: Request, need: Permission) -> SecurityKey:
    """Return the key of a call that wants it behind the word Bearer; raises as `admit` does."""
    scheme, _, value = _only_header(request).partition(" ")
    if scheme.lower() != "bearer" or not value.strip():
        raise unauthorized(f"{_NOT_FOUND}: this call wants the word Bearer in front of the key")
    return admit_value(request, value.strip(), need)


def admit_value(request: Request, value: str, need: Permission) -> SecurityKey:
    """Return the key that has a value; raises as `admit` does."""
    if value.startswith(PARTNER_PREFIX):
        raise Refusal(403, "E_KEY_KIND", "This is a key of the partner API; it can't be used here")
    if not well_formed(value):
        raise unauthorized(f"{_NOT_FOUND}: the format of the key is wrong")
    gateway = gateway_of(request)
    key = gateway.state.keys.by_value(value)
    if key is None:
        raise unauthorized(_NOT_FOUND)
    request.state.key_id = key.id
    if not gateway.limiter.allows(key.id):
        raise rate_limited()
    if key.kind == PUBLIC:
        message = f"Key kind mismatch: this is a public key ({key.permission}); this call needs a private key"
        raise Refusal(403, "E_KEY_KIND", message)
    user = gateway.state.users.find(key.username)
    if user is None or not user.enabled:
        raise Refusal(403, "E_USER_DISABLED", "Account restriction: the user of this key is disabled")
    if need not in user.permissions:
        raise Refusal(403, "E_PERMISSION", f"Insufficient permissions: the user of this key may not {need}")
    return key


def _only_header(request: Request) -> str:
    values = request.headers.getlist("authorization")
    if not values:
        raise unauthorized("The Authorization header is missing")
    if len(values) > 1:
        raise unauthorized("There is more than one Authorization header")
    value = values[0].strip()
    if not value:
        raise unauthorized("The Authorization header is blank")
    return value


def device_of(request: Request, device_id: str) -> Device:
    """Return a device of the account.

    Raises:
        Refusal: 404 if there is none with this identifier.
    """
    device = gateway_of(request).state.fleet.find(device_id)
    if device is None:
        raise Refusal(404, "E_DEVICE_NOT_FOUND", "Device not found")
    return device
