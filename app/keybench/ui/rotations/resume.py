"""Resumes rotations that stopped within a step, once the window has settled; reports what needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core import rotation_stages as stages
from keybench.core.errors import KeybenchError
from keybench.core.rotation import Rotation
from keybench.ui.session import Notice, NoticeTone, Session
from keybench.words.explain import explain

_TOPIC: Final = "rotations"


async def resume_rotations(session: Session, rotations: Sequence[Rotation]) -> None:
    """Bring interrupted rotations to their truth, one after another, and report what is left to a person.

    Args:
        session: The window's.
        rotations: Every environment's, as the journal has them.
    """
    for rotation in rotations:
        now = rotation
        if stages.was_interrupted(rotation):
            try:
                now = await session.administration.rotations.resume(rotation.id)
            except KeybenchError as error:
                _report_trouble(session, rotation, error)
                continue
        _report(session, rotation, now)


def _report(session: Session, before: Rotation, now: Rotation) -> None:
    deletion = now.deletion
    if now.is_open and deletion and deletion.deleted_at and not deletion.refused_at:
        title = f"“{now.old.name}” is deleted and was not seen to be refused."
        _notify(session, "warning", title, "On the page Rotations, ask until it is refused.")
    elif now != before:
        title = f"The rotation of “{now.old.name}” had stopped within a step."
        _notify(session, "info", title, "It was resumed: nothing was made or deleted twice.")


def _report_trouble(session: Session, rotation: Rotation, error: KeybenchError) -> None:
    making = rotation.making
    if rotation.deletion is None and not rotation.leftovers and (making is None or making.asked_at is None):
        return  # nothing was begun that a person would wait for
    words = explain(error)
    title = f"The rotation of “{rotation.old.name}” stopped within a step and needs you."
    _notify(session, "warning", title, f"{words.title} Go on with it on the page Rotations.")


def _notify(session: Session, tone: NoticeTone, title: str, text: str) -> None:
    session.notify(Notice(tone, title, text, f"{_TOPIC} {title}"))
