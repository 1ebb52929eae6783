"""The list of a rotation's applications to go through on paper, with what was done already filled in."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.rotations.rotation import ApplicationStep, Rotation
from keybench.words.formats import both_times
from keybench.words.language import _
from keybench.words.paper import Paper, PaperSection

_TICKED: Final = "\u2611"
_UNTICKED: Final = "\u2610"


def checklist_paper(rotation: Rotation, environment: Environment, now: datetime) -> Paper:
    old, new = rotation.old, rotation.replacement
    keys = (
        _("Old key: {name}, fingerprint {value}").format(
            name=old.name, value=old.fingerprint or _("not known")
        ),
        _("New key: {name}, fingerprint {fingerprint}").format(name=new.name, fingerprint=new.fingerprint)
        if new
        else _("New key: not made yet"),
    )
    head = (
        _("Application"),
        _("Looked after by"),
        _("Where the key is set, how to change it"),
        _("Changed"),
        _("Seen working"),
    )
    rows = tuple(map(_to_do, rotation.applications))
    note = "" if rows else _("No application is listed for the old key.")
    return Paper(
        title=_("Replace a key: {name}").format(name=old.name),
        environment=environment,
        written_at=now,
        lead="\n".join(keys),
        sections=(PaperSection(_("Applications"), head, rows, note),),
        closing=_("Tick, date and sign each one, then enter it in Keybench. No key value is on this page."),
    )


def _to_do(step: ApplicationStep) -> tuple[str, ...]:
    return (
        step.name,
        "\n".join(filter(None, (step.owner, step.contact))),
        "\n".join(filter(None, (step.place, step.instructions))),
        _tick(step.changed_at, step.changed_by),
        _tick(step.seen_at if step.is_seen_working else None, step.seen_by),
    )


def _tick(at: datetime | None, who: str) -> str:
    if at is None:
        return _("{UNTICKED}\n\nDate, name:").format(UNTICKED=_UNTICKED)
    return "\n".join(filter(None, (_TICKED, both_times(at), who)))
