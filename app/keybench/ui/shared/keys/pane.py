"""A list of keys that leads to their rotations and to the inventory, and the notice of what is due today."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import marking
from keybench.core.keys.leaver import LeaverKey
from keybench.core.keys.review import Reminder
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import number
from keybench.words.keys.review import reminder_words
from keybench.words.language import _, ngettext

#: A notice names so many of the keys that become due today.
_NAMED: Final = 3

Row = TypeVar("Row", Reminder, LeaverKey)


class KeysPane(QWidget, Generic[Row]):
    """A table of keys, and buttons that lead from the selected one to its rotation and to the inventory."""

    def __init__(
        self,
        session: Session,
        name: str,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        table_id: str,
        empty_text: str = "",
    ) -> None:
        super().__init__()
        self.session = session
        self.model: TableModel[Row] = TableModel(columns, key, parent=self)
        self.table: Table[Row] = Table(name, self.model, empty_text=empty_text)
        self.table.columns.keep(session.preferences, f"{table_id} columns")
        self.rotate = Action(self, "key.rotate", self._on_rotate, self._is_chosen)
        self.open = Action(self, "key.show", self._on_open, self._is_chosen)
        self.table.set_row_actions([self.rotate, self.open])
        self.buttons = in_row(ActionButton(self.rotate), ActionButton(self.open), None)
        self.column = in_column((self.table, 1), self.buttons, within=self, spacing=12)
        self.table.opened.connect(self.open.trigger)
        self.table.selection_changed.connect(self._on_selection)

    def _is_chosen(self) -> bool:
        return self.table.selected is not None

    def _on_selection(self) -> None:
        row = self.table.selected
        self.rotate.setText(_("Open the rotation") if row and row.rotation else _("Rotate"))
        self.rotate.refresh()
        self.open.refresh()

    def _on_rotate(self) -> None:
        row = self.table.selected
        if row and row.key is not None:
            self.session.show_rotation(row.environment, row.key)

    def _on_open(self) -> None:
        row = self.table.selected
        if row and row.key is not None:
            self.session.ask(ShowKeys("inventory", (row.key,)))


async def notify_due_today(session: Session) -> None:
    today = session.console.clock.now().astimezone().date()
    due = await session.administration.review.reminders(within_days=1)
    due = [one for one in due if one.due_at.astimezone().date() == today]
    if not due:
        return
    sentences = [f"{reminder_words(one)} ({marking(one.environment)})." for one in due[:_NAMED]]
    if len(due) > _NAMED:
        sentences.append(_("{number} more.").format(number=number(len(due) - _NAMED)))
    title = ngettext("1 key becomes due today", "{count:,} keys become due today", len(due)).format(
        count=len(due)
    )
    session.notify(
        Notice("info", title, _("{names} See Keys, Review.").format(names=" ".join(sentences)), "reminders")
    )
