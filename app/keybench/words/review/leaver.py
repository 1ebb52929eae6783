"""The leaver check in words: what to do with each key, and the whole check as a text to hand on."""

from __future__ import annotations

from typing import Final

from keybench.core.environment import marking
from keybench.core.review import LeaverCheck, LeaverKey, LeaverStep
from keybench.core.rotation_stages import stage_of
from keybench.words.formats import day, day_and_time, number
from keybench.words.language import ngettext
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
            f"No key kept here belongs to “{check.username}”. Keys kept elsewhere are listed in the portal."
        )
    summary = ngettext(
        "{count} key belongs to “{user}”. Deal with it first, and disable the user last.",
        "{count} keys belong to “{user}”. Deal with them in this order, and disable the user last.",
        len(check.keys),
    ).format(count=number(len(check.keys)), user=check.username)
    if check.disabled_in:
        summary += (
            f" The user is disabled already in {', '.join(check.disabled_in)}, so keys there have stopped."
        )
    return summary


def leaver_reason(one: LeaverKey) -> str:
    """Return why a key needs its step, in a sentence."""
    if one.rotation:
        return f"It is being rotated. The next step is {STAGE_WORDS[stage_of(one.rotation)]}."
    if one.applications:
        names = ", ".join(application.name for application in one.applications)
        return f"Used by {names}."
    if one.step is LeaverStep.ROTATE:
        return "It was used, but no application is registered for it. Find out what uses it first."
    return "It hasn't been seen in use, and no application is registered for it."


def leaver_text(check: LeaverCheck) -> str:
    """Return the whole check as text for a ticket or a file; no value can be in it."""
    lines = [f"Leaver check: {check.username}", f"Made by Keybench on {day_and_time(check.at)}", ""]
    lines.append(leaver_summary(check))
    for position, one in enumerate(check.keys, start=1):
        lines += ["", *_key_lines(position, one)]
    if check.keys:
        last = len(check.keys) + 1
        lines += [
            "",
            f"{last}. Disable “{check.username}” in the portal, once every key above is dealt with.",
        ]
    return "\n".join(lines) + "\n"


def _key_lines(position: int, one: LeaverKey) -> list[str]:
    key, indent = one.key, "   "
    shown = key.fingerprint or "not known"
    lines = [
        f"{position}. {STEP_WORDS[one.step]}: “{key.name}” in {marking(one.environment)}",
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
