"""What was done on this computer, in words: the journal's stable phrases as they are read."""

from __future__ import annotations

from typing import Final

from keybench.core.ports import Activity

_FAILURES: Final = {
    "KeystoreGone": "the keystore wasn't there",
    "KeystoreMissing": "there was no keystore",
    "KeystoreLocked": "the keystore was locked",
    "KeystoreDenied": "the keystore refused it",
    "KeystoreSilent": "the keystore gave no answer",
    "KeystoreFailed": "the keystore failed",
    "ValueLost": "the keystore had no value",
    "ValueDiffers": "the keystore had another value",
}


def action_words(line: Activity) -> str:
    """Return what was done, such as ``Key added``."""
    return line.action[:1].upper() + line.action[1:]


def result_words(line: Activity) -> str:
    """Return how it went; what failed by its error's name is put in words."""
    return _FAILURES.get(line.result, line.result)


def spoken_line(line: Activity, environment: str) -> str:
    """Return a line as it is read aloud: what, to which, where, with which result."""
    return ", ".join(
        part for part in (action_words(line), line.subject, environment, result_words(line)) if part
    )
