"""The reminders: what is overdue and what becomes due, and the notice of what is due today."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.environments.environment import marking
from keybench.core.keys.review import WITHIN_DAYS, Reminder
from keybench.ui.keys.review_list import KeysOfReview
from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.environment_cells import environment_column
from keybench.ui.shared.list_page import search_field
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import day_and_time, number
from keybench.words.keys.review import overdue_words, reminder_words
from keybench.words.language import _, ngettext

NOTHING_DUE: Final = _("Nothing is overdue, and nothing becomes due within {WITHIN_DAYS} days.").format(
    WITHIN_DAYS=WITHIN_DAYS
)
NONE_FOUND: Final = _("No reminder matches. Search for fewer words.")
#: A notice names so many of the keys that become due today.
_NAMED: Final = 3

_COLUMNS: Final[tuple[Column[Reminder], ...]] = (
    Column(
        "due",
        _("Due"),
        lambda row: overdue_words(row) or day_and_time(row.due_at),
        width=_("Overdue since 28 Sep 2026, 20:58"),
        ink=lambda row: "bad" if row.is_overdue else "",
        hint=lambda row: day_and_time(row.due_at),
        sort=lambda row: row.due_at,
    ),
    Column("what", _("What"), reminder_words, stretch=True),
    environment_column(),
)


class RemindersView(KeysOfReview[Reminder]):
    """The list."""

    def __init__(self, session: Session) -> None:
        search = search_field(_("Find reminders"), _("Find by key, what becomes due, environment…"))
        table = Table(_("Reminders"), TableModel(_COLUMNS, lambda row: row.identity))
        super().__init__(session, "review/reminders", table, search)
        self.lay_out(actions=[ActionButton(self.rotate), ActionButton(self.open)])

    async def read(self) -> Sequence[Reminder]:
        return (await self.session.administration.review.look()).reminders

    def empty_words(self) -> str:
        return NONE_FOUND if self.model.items else NOTHING_DUE

    def summary(self) -> str:
        count = len(self.model.items)
        text = ngettext("1 reminder", "{count:,} reminders", count)
        if overdue := sum(one.is_overdue for one in self.model.items):
            text = _("{reminders}, {number} overdue").format(reminders=text, number=number(overdue))
        return text


async def notify_due_today(session: Session) -> None:
    today = session.console.clock.now().astimezone().date()
    due = await session.administration.review.reminders(within_days=1)
    due = [one for one in due if one.due_at.astimezone().date() == today]
    if not due:
        return
    sentences = [f"{reminder_words(one)} ({marking(one.environment)})." for one in due[:_NAMED]]
    if len(due) > _NAMED:
        sentences.append(_("{number} more.").format(number=number(len(due) - _NAMED)))
    title = ngettext("1 key becomes due today", "{count:,} keys become due today", len(due))
    session.notify(
        Notice("info", title, _("{names} See Keys, Review.").format(names=" ".join(sentences)), "reminders")
    )
