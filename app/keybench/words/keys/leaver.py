"""The leaver check in words: what to do with each key, and the whole check as a text to hand on."""

from __future__ import annotations

from typing import Final

from keybench.core.environments.environment import marking
from keybench.core.keys.leaver import LeaverCheck, LeaverKey, LeaverStep
from keybench.core.rotations.stages import stage_of
from keybench.words.formats import day, day_and_time, sentence_case
from keybench.words.keys.states import kind_word
from keybench.words.language import _, ngettext
from keybench.words.rotations.stages import STAGE_WORDS

STEP_WORDS: Final = {
    LeaverStep.FINISH: _("Finish its rotation"),
    LeaverStep.ROTATE: _("Rotate to another user"),
    LeaverStep.REPLACE: _("Rotate: its value is theirs"),
    LeaverStep.ASK: _("Ask who uses it"),
}


def leaver_summary(check: LeaverCheck) -> str:
    if not check.keys:
        return _(
            "No key kept here belongs to “{username}”. Keys kept elsewhere are listed in the portal."
        ).format(username=check.username)
    user = check.username.strip()
    own = sum(one.key.username.casefold() == user.casefold() for one in check.keys)
    held = ngettext(
        "{count} key of others is held where “{user}” worked last.",
        "{count} keys of others are held where “{user}” worked last.",
        len(check.keys) - own,
    ).format(user=user)
    belong = ngettext(
        "{count} key belongs to “{user}”. Deal with it first, and freeze the user last.",
        "{count} keys belong to “{user}”. Deal with them in this order, and freeze the user last.",
        own,
    ).format(user=check.username)
    return " ".join(([belong] if own else []) + ([held] if own < len(check.keys) else []))


def leaver_reason(one: LeaverKey) -> str:
    if one.rotation:
        return _("It is being rotated. The next step is {STAGE_WORDS}.").format(
            STAGE_WORDS=STAGE_WORDS[stage_of(one.rotation)]
        )
    if one.step is LeaverStep.REPLACE:
        return _("Its value is in the keystore of a desk where the leaver worked last.")
    if one.applications:
        names = ", ".join(application.name for application in one.applications)
        return _("Used by {names}.").format(names=names)
    if one.step is LeaverStep.ROTATE:
        return _("It was used, but no application is registered for it. Find out what uses it first.")
    return _(
        "Keybench knows of nothing that uses it, but can't see tills and servers. Ask who uses it. Rotate it if "
        "somebody does, and delete it if nobody does."
    )


def leaver_text(check: LeaverCheck) -> str:
    """Return the whole check as text for a ticket or a file; no value can be in it."""
    lines = [
        _("Leaver check: {username}").format(username=check.username),
        _("Made by Keybench on {day_and_time}").format(day_and_time=day_and_time(check.at)),
        "",
        leaver_summary(check),
    ]
    for position, one in enumerate(check.keys, start=1):
        lines += ["", *_key_lines(position, one)]
    if check.keys:
        last = len(check.keys) + 1
        lines += [
            "",
            _("{last}. Freeze “{username}” in the portal, once every key above is dealt with.").format(
                last=last, username=check.username
            ),
        ]
    return "\n".join(lines) + "\n"


def _key_lines(position: int, one: LeaverKey) -> list[str]:
    key, indent = one.key, "   "
    shown = key.fingerprint or _("not known")
    lines = [
        _("{position}. {STEP_WORDS}: “{name}” in {marking}").format(
            position=position,
            STEP_WORDS=STEP_WORDS[one.step],
            name=key.name,
            marking=marking(one.environment),
        ),
        f"{indent}{leaver_reason(one)}",
        _("{indent}{kind} key, {permission}, fingerprint {shown}, since {day}").format(
            indent=indent,
            kind=sentence_case(kind_word(key.kind)),
            permission=key.permission,
            shown=shown,
            day=day(key.created_at),
        ),
    ]
    for application in one.applications:
        who = " · ".join(part for part in (application.owner, application.contact) if part) or _(
            "no owner named"
        )
        set_at = _(" Set at: {place}.").format(place=application.place) if application.place else ""
        lines.append(f"{indent}- {application.name} ({who}).{set_at}")
    return lines
