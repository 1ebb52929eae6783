"""The leaver check in words: what to do with each key, and the whole check as a text to hand on."""

from __future__ import annotations

from typing import Final

from keybench.core.environment import marking
from keybench.core.review.leaver import LeaverCheck, LeaverKey, LeaverStep
from keybench.core.rotation_stages import stage_of
from keybench.words.formats import day, day_and_time, plural
from keybench.words.review.rotations import STAGE_WORDS

STEP_WORDS: Final = {
    LeaverStep.FINISH: "Finish its rotation",
    LeaverStep.ROTATE: "Rotate to another user",
    LeaverStep.DELETE: "Delete it",
}


def leaver_summary(check: LeaverCheck) -> str:
    """Return in a sentence or two what the check showed."""
    if not check.keys:
        return (
            f"No key kept here belongs to “{check.username}”. Keys that others keep are in the portal's list."
        )
    keys = plural(len(check.keys), "1 key belongs", "{} keys belong")
    summary = f"{keys} to “{check.username}”. Deal with them in this order, and disable the user last."
    if check.disabled_in:
        summary += (
            f" The user is disabled already in {', '.join(check.disabled_in)}, so keys there have stopped."
        )
    return summary


def leaver_reason(one: LeaverKey) -> str:
    """Return why a key needs its step, in a sentence."""
    if one.rotation:
        return f"It is being rotated, and stands at {STAGE_WORDS[stage_of(one.rotation)]}."
    if one.applications:
        names = ", ".join(application.name for application in one.applications)
        return f"Used by {names}."
    if one.step is LeaverStep.ROTATE:
        return "It was used, and no application is registered. Find out what uses it first."
    return "Nobody was seen to use it, and no application is registered."


def leaver_text(check: LeaverCheck) -> str:
    """Return the whole check as text for a ticket or a file; no value can be in it."""
    lines = [f"Leaver check: {check.username}", f"Made by Keybench on {day_and_time(check.at)}", ""]
    lines.append(leaver_summary(check))
    for number, one in enumerate(check.keys, start=1):
        lines += ["", *_key_lines(number, one)]
    if check.keys:
        last = len(check.keys) + 1
        lines += [
            "",
            f"{last}. Disable “{check.username}” in the portal, once every key above is dealt with.",
        ]
    return "\n".join(lines) + "\n"


def _key_lines(number: int, one: LeaverKey) -> list[str]:
    key, indent = one.key, "   "
    shown = key.fingerprint or "not known"
    lines = [
        f"{number}. {STEP_WORDS[one.step]}: “{key.name}” in {marking(one.environment)}",
        f"{indent}{leaver_reason(one)}",
        f"{indent}{key.kind.capitalize()} key, {key.permission}, fingerprint {shown}, since {day(key.created_at)}",
    ]
    for application in one.applications:
        who = (
            " · ".join(part for part in (application.owner, application.contact) if part) or "no owner named"
        )
        set_at = f" Set at: {application.place}." if application.place else ""
        lines.append(f"{indent}- {application.name} ({who}).{set_at}")
    return lines
