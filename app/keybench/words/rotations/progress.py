"""Rotations in words: how far one is, what it waits for, why the old key can't be deleted yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import ApplicationStep, CompromiseStep, Rotation
from keybench.core.rotations.stages import STAGES
from keybench.core.team.desk import TeamDesk
from keybench.words.formats import change, day, day_and_time, day_count, quoted, roughly, some
from keybench.words.language import _, ngettext
from keybench.words.rotations.stages import key_test, said_to_be_deleted, stage_number

COMPROMISE_TITLES: Final = {
    CompromiseStep.ROTATE: _("Rotate at once"),
    CompromiseStep.REVIEW_LOGS: _("Review the access logs"),
    CompromiseStep.SUPPORT: _("Contact support"),
}

COMPROMISE_HINTS: Final = {
    CompromiseStep.ROTATE: _(
        "Go through the stages without waiting. Every hour the old key works is an hour for whoever has it."
    ),
    CompromiseStep.REVIEW_LOGS: _(
        "Look for sales and calls that nobody here made. History finds the sales that this console sent by the "
        "key's name; the portal and your servers know of the others."
    ),
    CompromiseStep.SUPPORT: _(
        "Tell the payment service which key it is, by name and fingerprint, and since when."
    ),
}

_DAY_S: Final = 86_400

_SOME: Final = 3


def standing_word(rotation: Rotation) -> str:
    """Return where a rotation stands, in as little as a list has room for."""
    if rotation.documentation:
        return _("Finished")
    if rotation.abandoned_at:
        return _("Abandoned")
    if stages.is_leaked(rotation):
        return _("Compromised")
    return _("Stage {number}").format(number=stage_number(stages.stage_of(rotation)))


def standing_tone(rotation: Rotation) -> str:
    if not rotation.is_open:
        return "dim"
    return "bad" if stages.is_leaked(rotation) else ""


def standing_line(rotation: Rotation) -> str:
    if rotation.documentation:
        return _("{day} · finished").format(day=day(rotation.documentation.at))
    if rotation.abandoned_at:
        return _("{day} · abandoned").format(day=day(rotation.abandoned_at))
    number = stage_number(stages.stage_of(rotation))
    stage = _("Stage {number} of {count}").format(number=number, count=len(STAGES))
    if stages.is_revoked(rotation):
        gone = stages.is_erased(rotation.deletion)
        return (_("{stage} · revoked") if gone else _("{stage} · being revoked")).format(stage=stage)
    if rotation.compromised:
        return _("{stage} · rotate at once").format(stage=stage)
    return _("{stage} · started {day}").format(stage=stage, day=day(rotation.started_at))


def names_line(rotation: Rotation) -> str:
    if rotation.replacement:
        return change(rotation.old.name, rotation.replacement.name)
    return change(rotation.old.name, rotation.making.draft.name) if rotation.making else rotation.old.name


def overlap_line(rotation: Rotation, now: datetime) -> str:
    if rotation.abandoned_at:
        words = _("Abandoned {day_and_time}. Both keys stay as they are.")
        return words.format(day_and_time=day_and_time(rotation.abandoned_at))
    if rotation.documentation:
        return _("Finished {day_and_time}.").format(day_and_time=day_and_time(rotation.documentation.at))
    deletion = rotation.deletion
    if deletion and deletion.refused_at:
        return _("The old key is refused.")
    if deletion and deletion.deleted_at:
        words = _("The old key is {said}, and was not seen to be refused yet.")
        return words.format(said=said_to_be_deleted(deletion.deleted_at))
    left_s, end = (rotation.overlap_ends_at - now).total_seconds(), day_and_time(rotation.overlap_ends_at)
    if left_s <= 0:
        since = "" if rotation.compromised else _(" Its planned end was {day_and_time}.")
        words = _("The old key stays valid until you delete it: do that now.{since}")
        return words.format(since=since.format(day_and_time=end))
    left = roughly(left_s) if left_s < _DAY_S else day_count(round(left_s / _DAY_S))
    words = _("The old key stays valid until you delete it · planned end in {left}, {day_and_time}")
    return words.format(left=left, day_and_time=end)


def delete_bar(rotation: Rotation) -> str:
    if rotation.replacement is None:
        return _("There is no replacement yet. Create it first.")
    if stages.is_replacement_revoked(rotation):
        return _("The new key was revoked. Abandon this rotation, and begin another one for the old key.")
    if stages.ready_to_delete(rotation):
        return ""
    if not stages.proof_settled(rotation):
        if rotation.proof and rotation.proof.same:
            return _(
                "One allowed call compared, and none that must be refused. Write down why that is enough."
            )
        return _(
            "Nobody knows yet that the new key may do the same. Compare the permissions, or write down why not."
        )
    unchanged, unseen = stages.not_changed(rotation), stages.not_seen(rotation)
    if unchanged:
        return ngettext(
            "{names} still uses the old key. Change it there first.",
            "{names} still use the old key. Change it there first.",
            len(unchanged),
        ).format(names=_who(unchanged))
    if unseen:
        return ngettext(
            "{names} has not had a success on the new key since the change. Confirm that it works.",
            "{names} have not had a success on the new key since the change. Confirm that they work.",
            len(unseen),
        ).format(names=_who(unseen))
    if stages.last_key_test(rotation) is None:
        return _("The new key itself has not been tested. Test it first.")
    words = _("The new key itself is {key_test}. It must be accepted first.")
    return words.format(key_test=key_test(rotation))


def _who(steps: Sequence[ApplicationStep]) -> str:
    return some([step.name for step in steps], _SOME)


def leak_line(rotation: Rotation) -> str:
    done = sum(check.done_at is not None for check in rotation.checks)
    return _("Rotate at once, review the access logs, contact support: {done} of {count} done.").format(
        done=done, count=len(rotation.checks)
    )


def left_over_line(rotation: Rotation) -> str:
    names = ", ".join(quoted(one.making.draft.name) for one in rotation.leftovers)
    words = _("{names} may still be at the gateway or in the keystore. Nothing uses it.")
    return words.format(names=names) if names else ""


def delete_text(rotation: Rotation, *, by_gateway: bool) -> str:
    how = _("You delete it in the portal; Keybench shows where and then waits until the gateway refuses it.")
    if by_gateway:
        how = _("The gateway deletes it, and every call with it is refused from then on.")
    unlisted = _("No application is listed for it: what uses it stops working. ")
    return _(
        "“{name}” ({value}). {unlisted}{how} Its value is "
        "erased from this computer last, once the new one was read back. This can't be undone."
    ).format(
        name=rotation.old.name,
        value=rotation.old.fingerprint or _("value not kept here"),
        unlisted="" if rotation.applications else unlisted,
        how=how,
    )


def open_at(desks: Sequence[TeamDesk]) -> str:
    names = ", ".join(_("{who} at {desk}").format(desk=one.name, who=one.who) for one in desks)
    return ngettext("{names} has this rotation open.", "{names} have this rotation open.", len(desks)).format(
        names=names
    )
