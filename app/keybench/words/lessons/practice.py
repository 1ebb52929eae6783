"""What the practice gateway tells a trainer, in words: its log, its devices' displays, the fault dial."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, Literal

from keybench.core.lessons.practice import DeviceFace, LogLine, SimulatedApplication
from keybench.words.formats import clock_time, duration, roughly
from keybench.words.language import _, ngettext

#: Why a call was answered so, by the gateway's stable words.
WHY: Final[Mapping[str, str]] = {
    "accepted": _("Taken by the device"),
    "ok": _("Answered"),
    "no_answer": _("Closed the connection without an answer"),
    "missing": _("No key was sent"),
    "header": _("The key was sent in another form than this call wants"),
    "key_form": _("What was sent isn't the form of a key"),
    "key_unknown": _("Nobody has this key"),
    "key_deleted": _("This key was deleted"),
    "key_expired": _("This key has expired"),
    "key_kind": _("This kind of key can't make this call"),
    "wrong_environment": _("This key belongs to the other side, test or live"),
    "user_disabled": _("The key's user is disabled"),
    "account": _("The account is restricted"),
    "permission": _("The key's user has no permission for this call"),
    "rate_limit": _("More calls than the rate limit allows"),
    "device_unknown": _("The account has no such device"),
    "device_offline": _("The device isn't connected"),
    "device_busy": _("The device is busy with another sale"),
    "payment_request_not_found": _("There is no such payment request"),
    "not_cancellable": _("The sale can't be cancelled any more"),
    "registration_code": _("The registration code is wrong, expired or used"),
    "card_data": _("Card data is refused"),
    "validation": _("Something in the request can't be used so"),
    "unavailable": _("The service fails"),
}
#: What can happen to a single call.
FAULTS: Final[Mapping[str, str]] = {
    "reset": _("the connection is closed, and nothing is taken"),
    "error": _("the service fails (503)"),
    "rate limit": _("the rate limit refuses it"),
    "lost": _("it is taken, and the answer is lost"),
    "slow": _("the answer comes slowly, in pieces"),
    "offline": _("the device isn't connected"),
}
#: The fault dial: each setting's name, and what it does.
DIAL: Final[Mapping[str, tuple[str, str]]] = {
    "calm": (_("Calm"), _("Every call comes through at once.")),
    "bad wifi": (
        _("Bad Wi-Fi"),
        _("Calls take up to 2 s; some never arrive, and the answers of some that were taken are lost."),
    ),
    "overload": (
        _("Overload"),
        _("Calls take up to 5 s, and many are refused: the service fails, or the rate limit says no."),
    ),
    "outage": (_("Outage"), _("No call comes through: connections are closed, or the service fails (503).")),
}
#: The faults besides the dial, by the names of their fields; these are told in words.
_OTHERS: Final[Mapping[str, str]] = {
    "restricted": _("the account is restricted"),
    "requests_left": _("calls are limited"),
    "clock_off_s": _("its clock is wrong"),
    "expired_keys": _("keys have expired"),
}
_USUAL: Final[tuple[Any, ...]] = (None, False, 0, "", "bare", "json", [], {})
#: What a display shows, and what that means; by the gateway's stable words.
_DISPLAYS: Final[Mapping[str, tuple[str, str]]] = {
    "idle": (_("IDLE"), _("is idle")),
    "amount": (_("PLEASE WAIT"), _("has taken a sale")),
    "insert card": (_("INSERT CARD"), _("waits for a card")),
    "processing": (_("PROCESSING"), _("asks the bank")),
    "approved": (_("APPROVED"), _("shows that the sale is approved")),
    "declined": (_("DECLINED"), _("shows that the sale is declined")),
    "cancelled": (_("CANCELLED"), _("shows that the sale is cancelled")),
    "timed out": (_("TIMED OUT"), _("shows that the sale has timed out")),
    "offline": (_("NO NETWORK"), _("isn't connected")),
}
_PATH: Final = 28
_TO_DEVICE: Final = re.compile(r"^(/live)?/api/v\d+/devices/[^/]+/")


def why_words(why: str) -> str:
    """Return why a call was answered so; what is rare, by the gateway's own word."""
    fault = why.removeprefix("fault: ")
    if fault != why:
        return _("Fault: {what}").format(what=FAULTS.get(fault, fault))
    return WHY.get(why, why.replace("_", " "))


def caller_words(line: LogLine) -> str:
    return line.caller or _("this console or another program")


def call_words(line: LogLine) -> str:
    """Return method and path, without what the device's column tells, nor more than has room in a list."""
    path = _TO_DEVICE.sub(lambda found: (found[1] or "") + "…/", line.path)
    return f"{line.method} {path if len(path) <= _PATH else path[: _PATH - 1] + '…'}"


def status_words(status: int) -> str:
    return str(status) if status else _("closed")


def status_tone(status: int) -> Literal["good", "warning", "bad"]:
    if not status or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "bad"
    return "good" if status < HTTPStatus.BAD_REQUEST else "warning"


def log_key_words(key: str, which: str) -> str:
    """Return the key of a call; `which` tells whether it is a rotation's ``old`` or ``new`` one."""
    words = {"old": _("old key ({name})"), "new": _("new key ({name})")}
    return words.get(which, "{name}").format(name=key) if key else ""


def running_key_words(application: SimulatedApplication) -> str:
    key = application.running_key or _("a key that is gone")
    if not application.waits_for_restart:
        return key
    words = _("{key} until its next sale") if application.at_once else _("{key} until it is restarted")
    return words.format(key=key)


def last_answer_words(application: SimulatedApplication) -> str:
    if application.last_at is None:
        return _("none yet")
    return f"{clock_time(application.last_at)} · {why_words(application.last_why)}"


def sold_words(application: SimulatedApplication) -> str:
    return _("{sold} sold, {failed} not").format(sold=application.sold, failed=application.failed)


def display_words(face: DeviceFace) -> tuple[str, str, str]:
    """Return a display's two lines, and what it shows as a sentence."""
    shown, meaning = _DISPLAYS.get(face.display, (face.display.upper(), face.display))
    amount = f"{face.amount} {face.currency}".strip()
    name = face.nickname or face.id
    said = f"{name} {meaning}"
    return amount, shown, f"{said}: {amount}" if amount else said


def holder_words(face: DeviceFace) -> str:
    if not face.held_by:
        return _("Nobody sells on it.")
    if face.left_s is None:
        return _("Held by {name}").format(name=face.held_by)
    return _("Held by {name}, {left} left").format(name=face.held_by, left=roughly(max(face.left_s, 0)))


def weather_words(weather: Mapping[str, Any]) -> str:
    preset = str(weather.get("preset", "calm"))
    name = DIAL.get(preset, (preset, ""))[0]
    if preset == "calm":
        return _("In force: {name}").format(name=name)
    return _("In force: {name}, seed {seed}").format(name=name, seed=weather.get("seed", ""))


def next_words(names: list[str]) -> str:
    """Return which single faults wait for the next requests."""
    count = len(names)
    said = ngettext(
        "Waits for the next request: {names}", "Wait for the next {count} requests: {names}", count
    )
    return said.format(count=count, names=", ".join(names)) if names else _("None waits.")


def other_faults(faults: Mapping[str, Any]) -> list[str]:
    """Return what is in force besides the dial and the single faults."""
    return [
        _OTHERS.get(name, name)
        for name, value in faults.items()
        if name not in {"weather", "next"}
        and (value not in _USUAL or (name == "requests_left" and value is not None))
    ]


def moved_words(moved_s: float) -> str:
    if not moved_s:
        return _("The gateway's time is the system's.")
    days, rest = divmod(abs(moved_s), 24 * 3600)
    day_words = ngettext("{count} day", "{count} days", int(days)).format(count=int(days)) if days else ""
    how_far = " ".join(filter(None, [day_words, duration(rest) if rest >= 1 or not days else ""]))
    said = _("The gateway's time is moved on by {time}.") if moved_s > 0 else _("Its time is {time} back.")
    return said.format(time=how_far)
