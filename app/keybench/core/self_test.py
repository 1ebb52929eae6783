"""What a self-test checks of the program on this computer, and how a check ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Check(StrEnum):
    """The checks, in the order in which they are made; the value is the name in JSON."""

    WINDOW = "window"
    KEYSTORE = "keystore"
    JOURNAL = "journal"
    SALE = "sale"
    FILES = "files"
    PAGES = "pages"
    PLATFORMS = "platforms"
    ICONS = "icons"
    PRINTING = "printing"
    CHARTS = "charts"
    CERTIFICATES = "certificates"


class Result(StrEnum):
    """How a check ended; the value is the word in JSON. One that couldn't be made never passed."""

    OK = "ok"
    FAILED = "failed"
    COULD_NOT_TELL = "could_not_tell"


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that has ended.

    Attributes:
        took_s: How long it took, in seconds.
        message: What was seen, or what is wrong and what to do.
        no_keystore: Whether it isn't ok because there is no keystore, or it is locked, and for nothing else.
    """

    check: Check
    result: Result
    took_s: float
    message: str
    no_keystore: bool = False

    def record(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "check": self.check.value,
            "result": self.result.value,
            "took_s": round(self.took_s, 3),
            "message": self.message,
            "no_keystore": self.no_keystore,
        }


class Verdict(StrEnum):
    """What a self-test came to; the value is the word in JSON."""

    OK = "ok"
    NO_KEYSTORE = "no_keystore"
    FAILED = "failed"
    STOPPED = "stopped"


def verdict_of(made: Sequence[Checked], wanted: Iterable[Check] = Check) -> Verdict:
    """Return what the checks that were made come to; stopped where one that was wanted is missing."""
    if set(wanted) - {one.check for one in made}:
        return Verdict.STOPPED
    wrong = [one for one in made if one.result is not Result.OK]
    if not wrong:
        return Verdict.OK
    return Verdict.NO_KEYSTORE if all(one.no_keystore for one in wrong) else Verdict.FAILED


def read_line(line: bytes) -> Checked | str | None:
    """Return what a line says that the checking process wrote: a check, a message to a person, or nothing."""
    try:
        told = json.loads(line)
        if message := told.get("say"):
            return str(message)
        return Checked(
            Check(told["check"]),
            Result(told["result"]),
            float(told["took_s"]),
            str(told["message"]),
            no_keystore=bool(told["no_keystore"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # something else that a library printed
