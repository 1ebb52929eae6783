"""What a trainer can break at the practice gateway, from outside and while it runs: `/portal/faults`.

`GET` shows the faults, `PUT` sets all of them (what is left out is mended, so `{}` mends everything); both
need the portal's header. They are gone with the process, and the portal itself always works. The fields:

- `status`: a number from 500 to 599 that every call of the API is answered with.
- `page`: `true` answers every call with a page for people, as a guest network's login does.
- `redirect`: an address that every call is sent on to.
- `header`: how the key must be sent: `bare` (the usual), `Bearer`, `Basic` or `X-Api-Key`.
- `clock_off_s`: by how many seconds the `Date` of every answer is wrong.
- `restricted`: `true` refuses every key because of the account.
- `requests_left`: how many more calls with a key are within the rate limit.
- `expired_keys`: the identifiers of keys that have expired.
- `users`: permissions by user name, in place of their own; see `/portal/users` for the words.
- `devices`: by identifier, `connected`, `disconnected`, `busy` or `unknown`.
- `answers`: how refusals sound, so that it speaks like another gateway. By what they are about (`missing`,
  `header`, `key_form`, `key_unknown`, `key_deleted`, `key_expired`, `key_kind`, `user_disabled`, `account`,
  `permission`, `rate_limit`; `*` for the others), an object with any of `status`, `type`, `error_code` and
  `message`.
- `body`: how a refusal's body is written: `json` (the usual), `text` (the message alone) or `none`.
- `weather` and `next`: the fault dial and single faults; see `practice.weather`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from email.utils import formatdate
from typing import Any, Final

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from keybench.practice.body import Refusal, invalid, number, refuse_extras, switch, unavailable
from keybench.practice.keys import Permission
from keybench.practice.weather import CALM, CallCounter, Fault, Weather
from keybench.practice.weather import read as read_weather

FORMS: Final = ("bare", "Bearer", "Basic", "X-Api-Key")
_BODIES: Final = ("json", "text", "none")
_DEVICES: Final = ("connected", "disconnected", "busy", "unknown")
_WORDS: Final = frozenset({"status", "type", "error_code", "message"})
_LARGEST_OFFSET_S: Final = 100_000_000
_SERVER_ERRORS: Final = range(500, 600)
_REFUSALS: Final = range(400, 600)
_PAGE: Final = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Sign in</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Faults:
    """What is broken; nothing, if it is made without arguments. The module tells of each field."""

    status: int = 0
    page: bool = False
    redirect: str = ""
    header: str = "bare"
    clock_off_s: float = 0.0
    restricted: bool = False
    requests_left: int | None = None
    expired_keys: tuple[str, ...] = ()
    users: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    devices: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    body: str = "json"
    weather: Weather = CALM
    next: tuple[str, ...] = ()
    calls: CallCounter = field(default_factory=CallCounter, compare=False)

    def shown(self) -> dict[str, Any]:
        """Return them as they are listed and set."""
        return {**{name: getattr(self, name) for name in _FIELDS}, "weather": asdict(self.weather)}

    def instead(self) -> Response | None:
        """Return what answers every call of the API in the routes' place; None if they answer themselves."""
        if self.page:
            return HTMLResponse(_PAGE)
        if self.redirect:
            return RedirectResponse(self.redirect, 302)
        if self.status:
            return self.reworded(unavailable(self.status))
        return None

    def date(self, now: float) -> bytes:
        """Return the `Date` of an answer."""
        return formatdate(now + self.clock_off_s, usegmt=True).encode()

    def reworded(self, refusal: Refusal) -> Response:
        """Return a refusal as this gateway says it."""
        answer = refusal.response()
        words = self.answers.get(refusal.about, self.answers.get("*", {}))
        status = words.get("status", answer.status_code)
        headers = dict(refusal.headers or {})
        said = json.loads(bytes(answer.body)) | {name: words[name] for name in words if name != "status"}
        if self.body == "none":
            return Response(status_code=status, headers=headers)
        if self.body == "text":
            return Response(said["message"], status, headers, media_type="text/plain")
        return JSONResponse(said, status, headers)


def read(fields: dict[str, Any]) -> Faults:
    """Return the faults that a body sets."""
    refuse_extras(fields, _FIELDS)
    try:
        json.dumps(fields, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise invalid("half of a surrogate pair can't be sent back") from None
    _check(fields, "status", lambda it: it == 0 or it in _SERVER_ERRORS, int)
    _check(fields, "redirect", lambda it: it == "" or it.startswith(("http://", "https://", "/")), str)
    _check(fields, "header", FORMS.__contains__, str)
    _check(fields, "requests_left", lambda it: it is None or it >= 0, int, type(None))
    _check(fields, "expired_keys", lambda it: all(isinstance(one, str) for one in it), list)
    _check(fields, "users", lambda it: all(map(_are_permissions, it.values())), dict)
    _check(fields, "devices", lambda it: all(one in _DEVICES for one in it.values()), dict)
    _check(fields, "answers", lambda it: all(map(_are_words, it.values())), dict)
    _check(fields, "body", _BODIES.__contains__, str)
    _check(fields, "next", lambda it: all(one in [*Fault] for one in it), list)
    for name in ("page", "restricted"):
        switch(fields.get(name, False), name)
    offset_s = number(fields.get("clock_off_s", 0), "clock_off_s", -_LARGEST_OFFSET_S, _LARGEST_OFFSET_S)
    fields = {**fields, "clock_off_s": offset_s}
    if "weather" in fields:
        fields["weather"] = read_weather(fields["weather"])
    return Faults(**fields)


_FIELDS: Final = tuple(name for name in Faults.__slots__ if name != "calls")


def _check(fields: Mapping[str, Any], name: str, fits: Any, *kinds: type) -> None:
    value = fields.get(name)
    if name in fields and (type(value) not in kinds or not fits(value)):
        raise invalid(f"{name} can't be used so; the practice gateway's module `faults` says how")


def _are_permissions(words: object) -> bool:
    return isinstance(words, list) and all(word in [*Permission] for word in words)


def _are_words(words: object) -> bool:
    if not isinstance(words, dict) or not _WORDS.issuperset(words):
        return False
    texts = (words[name] for name in words if name != "status")
    status = words.get("status", 400)
    return all(isinstance(text, str) for text in texts) and type(status) is int and status in _REFUSALS
