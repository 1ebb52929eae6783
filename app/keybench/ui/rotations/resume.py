"""Resumes rotations that stopped within a step, once the window has settled; reports what needs a person."""

from __future__ import annotations

from keybench.core.errors import KeybenchError
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.ui.shared.notice_causes import about_rotation
from keybench.ui.shared.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.language import _


async def resume_rotations(session: Session) -> None:
    """Bring interrupted rotations to their truth, one after another, and report what is left to a person."""
    for rotation in await session.console.world.journal.rotations():
        now = rotation
        if stages.was_interrupted(rotation):
            try:
                now = await session.administration.rotations.resume(rotation.id)
            except KeybenchError as error:
                _report_trouble(session, rotation, error)
                continue
        _report(session, rotation, now)


def _report(session: Session, before: Rotation, now: Rotation) -> None:
    deletion, topic = now.deletion, about_rotation(now.id)
    if now.is_open and deletion and deletion.deleted_at and not deletion.refused_at:
        title = _("“{name}” is said to be deleted, and was not seen to be refused.").format(name=now.old.name)
        text = _("On the page Rotations, check until it is refused.")
        session.notify(Notice("warning", title, text, topic))
    elif now != before:
        title = _("The rotation of “{name}” had stopped within a step.").format(name=now.old.name)
        text = _("It was resumed: nothing was made or deleted twice.")
        session.notify(Notice("info", title, text, topic))


def _report_trouble(session: Session, rotation: Rotation, error: KeybenchError) -> None:
    making = rotation.making
    if rotation.deletion is None and not rotation.leftovers and (making is None or making.asked_at is None):
        return  # nothing was begun that a person would wait for
    words = explain(error)
    title = _("The rotation of “{name}” stopped within a step and needs you.").format(name=rotation.old.name)
    text = _("{title} Go on with it on the page Rotations.").format(title=words.title)
    session.notify(Notice("warning", title, text, about_rotation(rotation.id)))
