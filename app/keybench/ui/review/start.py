"""A quiet word, some time after the start, about what becomes due today."""

from __future__ import annotations

from typing import Final

from keybench.core.environment import marking
from keybench.ui.session import Notice, Session
from keybench.words.findings import counted
from keybench.words.hygiene import reminder_words

_NAMED: Final = 3


async def tell_due_today(session: Session) -> None:
    """Notify of what becomes due before the day is over, if anything does."""
    today = session.console.clock.now().astimezone().date()
    due = await session.administration.review.reminders(within_days=1)
    due = [one for one in due if one.due_at.astimezone().date() == today]
    if not due:
        return
    told = [f"{reminder_words(one)} ({marking(one.environment)})." for one in due[:_NAMED]]
    if len(due) > _NAMED:
        told.append(f"{len(due) - _NAMED:,} more.")
    title = f"{counted(len(due), 'key')} {'becomes' if len(due) == 1 else 'become'} due today"
    session.notify(Notice("info", title, f"{' '.join(told)} See Keys, Review.", "reminders"))
