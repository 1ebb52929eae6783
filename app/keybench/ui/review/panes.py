"""What the review's panes of keys have in common, and the one of what becomes due within the next days."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.environment import marking
from keybench.core.review import WITHIN_DAYS, LeaverKey, Reminder
from keybench.ui.preferences import Preferences
from keybench.ui.review.rows import REMINDERS
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.labels import button
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.formats import plural
from keybench.words.review import reminder_words
from keybench.workflows.review import Reviewed

NOTHING: Final = f"Nothing becomes due within {WITHIN_DAYS} days."
#: A notice names so many of the keys that become due today.
_NAMED: Final = 3

Row = TypeVar("Row", Reminder, LeaverKey)


class KeysPane(QWidget, Generic[Row]):
    """A table of keys, and buttons that lead from the selected one to its rotation and to the inventory.

    Args:
        name: The table's accessible name.
        columns: Its columns.
        key: Identifies a row.
        preferences: Remembers the columns.
        table_id: Under which name.

    Signals:
        rotate_wanted: A key is to be rotated, or its rotation shown (its `Environment`, a `SecurityKey`).
        key_wanted: A key is to be shown (the same).
    """

    rotate_wanted = Signal(object, object)
    key_wanted = Signal(object, object)

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        preferences: Preferences,
        table_id: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.model: TableModel[Row] = TableModel(columns, key, parent=self)
        self.table: Table[Row] = Table(name, self.model)
        self.table.columns.keep(preferences, f"{table_id} columns")
        self.rotate = button("Rotate", self._on_rotate)
        self.open = button("Open the key", self._on_open)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addWidget(self.rotate)
        self.buttons.addWidget(self.open)
        self.buttons.addStretch(1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.addWidget(self.table, 1)
        self.column.addLayout(self.buttons)
        self.table.opened.connect(self._on_open)
        self.table.selection_changed.connect(self._show_buttons)
        self._show_buttons()

    @property
    def chosen(self) -> Row | None:
        """The selected row, or None."""
        return self.table.selected

    def _show_buttons(self) -> None:
        chosen = self.chosen
        self.rotate.setText("Open the rotation" if chosen and chosen.rotation else "Rotate")
        self.rotate.setEnabled(chosen is not None)
        self.open.setEnabled(chosen is not None)

    def _on_rotate(self) -> None:
        if self.chosen and self.chosen.key is not None:
            self.rotate_wanted.emit(self.chosen.environment, self.chosen.key)

    def _on_open(self) -> None:
        if self.chosen and self.chosen.key is not None:
            self.key_wanted.emit(self.chosen.environment, self.chosen.key)


class RemindersPane(KeysPane[Reminder]):
    """What becomes due, the soonest first.

    Args:
        preferences: Remembers the columns.
    """

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("Reminders", REMINDERS, _identity, preferences, "review/reminders", parent)
        self.table.empty_text = NOTHING
        self.column.setSpacing(12)

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what becomes due."""
        self.model.show(reviewed.reminders)


def _identity(reminder: Reminder) -> Hashable:
    return reminder.identity


async def notify_due_today(session: Session) -> None:
    """Notify of what becomes due before the day is over, if anything does."""
    today = session.console.clock.now().astimezone().date()
    due = await session.administration.review.reminders(within_days=1)
    due = [one for one in due if one.due_at.astimezone().date() == today]
    if not due:
        return
    sentences = [f"{reminder_words(one)} ({marking(one.environment)})." for one in due[:_NAMED]]
    if len(due) > _NAMED:
        sentences.append(f"{len(due) - _NAMED:,} more.")
    title = plural(len(due), "1 key becomes due today", "{} keys become due today")
    session.notify(Notice("info", title, f"{' '.join(sentences)} See Keys, Review.", "reminders"))
