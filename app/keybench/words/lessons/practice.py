"""What the practice gateway tells a trainer, in words: its faults, and why it answered so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from keybench.core.lessons.practice import LogLine
from keybench.words.formats import sentence_case
from keybench.words.language import _

#: Why a call was answered so, by the gateway's stable words, where those alone don't say it.
_WHY: Final[Mapping[str, str]] = {
    "accepted": _("Taken by the device"),
    "ok": _("Answered"),
    "missing": _("No key was sent"),
    "header": _("The key was sent in another form than this call wants"),
    "key_unknown": _("Nobody has this key"),
    "key_deleted": _("This key was deleted"),
    "key_kind": _("This kind of key can't make this call"),
    "wrong_environment": _("This key belongs to the other side, test or live"),
    "account": _("The account is restricted"),
    "permission": _("The key's user has no permission for this call"),
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
_PATH: Final = 28
_TO_DEVICE: Final = re.compile(r"^(/live)?/api/v\d+/devices/[^/]+/")


def why_words(why: str) -> str:
    """Return why a call was answered so; what is rare, by the gateway's own word."""
    fault = why.removeprefix("fault: ")
    if fault != why:
        return _("Fault: {what}").format(what=FAULTS.get(fault, fault))
    return _WHY.get(why, sentence_case(why.replace("_", " ")))


def call_words(line: LogLine) -> str:
    """Return method and path, without what the device's column tells, nor more than has room in a list."""
    path = _TO_DEVICE.sub(lambda found: (found[1] or "") + "…/", line.path)
    return f"{line.method} {path if len(path) <= _PATH else path[: _PATH - 1] + '…'}"
