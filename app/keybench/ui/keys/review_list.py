"""The review's lists of keys: what becomes due, and the keys of somebody who leaves; and what all its lists share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeVar

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLineEdit

from keybench.core.environments.environment import marking
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.leaver import LeaverCheck, LeaverKey
from keybench.core.keys.review import WITHIN_DAYS, Reminder
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import button
from keybench.ui.kit.tables.model import Column, Row, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.environment_cells import environment_column
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import Notice, Session, ShowKeys
from keybench.words.fields import field_sentence
from keybench.words.formats import day_and_time, path_words
from keybench.words.keys.leaver import STEP_WORDS, leaver_reason, leaver_summary, leaver_text
from keybench.words.keys.review import overdue_words, reminder_words
from keybench.words.language import _, ngettext, number

LOOKING: Final = _("Looking at all keys…")
KeyRow = TypeVar("KeyRow", bound=Reminder | LeaverKey)


class ReviewList(ListPage[Row]):
    """One list of the review; read anew whenever it comes into sight, for limits may be others, and time has passed."""

    stale_after: ClassVar[tuple[type[Any], ...]] = (
        *(KeysChanged, RotationChanged, ApplicationsChanged, EnvironmentsChanged),
    )
    loading_text = LOOKING

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_stale = True


class KeysOfReview(ReviewList[KeyRow]):
    """Rows of a key each, with its rotation if there is one."""

    def __init__(self, session: Session, page_id: str, table: Table[KeyRow], search: QLineEdit) -> None:
        super().__init__(session, page_id, table, search)
        self.rotate = Action(self, "key.rotate", self._on_rotate, self.is_chosen)
        self.open = Action(self, "key.show", self._on_open, self.is_chosen)
        table.set_row_actions([self.rotate, self.open])
        table.opened.connect(self.open.trigger)

    def show_row(self, row: KeyRow | None) -> None:
        self.rotate.setText(_("Open the rotation") if row and row.rotation else self.rotate.command.text)
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


NOTHING_DUE: Final = _("Nothing is overdue, and nothing becomes due within {WITHIN_DAYS} days.").format(
    WITHIN_DAYS=WITHIN_DAYS
)
NONE_FOUND: Final = _("No reminder matches. Search for fewer words.")
#: A notice names so many of the keys that become due today.
_NAMED: Final = 3

_REMINDERS: Final[tuple[Column[Reminder], ...]] = (
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
        table = Table(_("Reminders"), TableModel(_REMINDERS, lambda row: row.identity))
        super().__init__(session, "review/reminders", table, search)
        self.lay_out(actions=[ActionButton(self.rotate), ActionButton(self.open)])

    async def read(self) -> Sequence[Reminder]:
        return (await self.session.administration.review.look()).reminders

    def empty_words(self) -> str:
        return NONE_FOUND if self.model.items else NOTHING_DUE

    def summary(self) -> str:
        count = len(self.model.items)
        text = ngettext("1 reminder", "{count} reminders", count)
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
    title = ngettext("1 key becomes due today", "{count} keys become due today", len(due))
    session.notify(
        Notice("info", title, _("{names} See Keys, Review.").format(names=" ".join(sentences)), "reminders")
    )


ASK_FIRST: Final = _("Enter who leaves. Every key of that username is listed here, in every environment.")

_LEAVER: Final[tuple[Column[LeaverKey], ...]] = (
    Column("step", _("What to do"), lambda row: STEP_WORDS[row.step], width=_("Rotate to another user")),
    Column("key", _("Key"), lambda row: row.key.name, width=_("A usual name"), bold=True),
    environment_column(),
    Column("why", _("Why"), leaver_reason, stretch=True),
)


class LeaverView(KeysOfReview[LeaverKey]):
    """The field above the list, and what can be done."""

    searches_rows = False

    def __init__(self, session: Session) -> None:
        self.line = QLineEdit()
        self.username = ComboBox()
        self.username.setEditable(True)
        self.username.setLineEdit(self.line)
        self.username.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        keep_size(self.username, least_width=240)
        table = Table(_("Keys of the leaver"), TableModel(_LEAVER, lambda row: row.key.id))
        super().__init__(session, "review/leaver", table, self.line)
        self._review = session.administration.review
        self._usernames: tuple[str, ...] = ()
        self._username: str | None = None  # until somebody is asked for
        self._check: LeaverCheck | None = None
        self.check_button = button(_("Check"), self._on_check, tone="primary")
        self.field = Field(_("Username"), self.username, beside=self.check_button)
        self.field.keep_narrow()
        self.export = Action(
            self,
            "leaver.export",
            lambda: self._check and session.run("leaver export", self._export(self._check)),
            lambda: self._check is not None,
        )
        self.line.returnPressed.connect(self._on_check)
        self.username.activated.connect(self._on_check)
        actions = [ActionButton(one) for one in (self.rotate, self.open, self.export)]
        self.lay_out(actions=actions, tools=[self.field])

    # --- checking ------------------------------------------------------------------------------------

    def wanted(self) -> str | None:
        return self._username

    async def read(self) -> Sequence[LeaverKey]:
        self._usernames = (await self._review.look()).usernames
        if self._username is not None:
            self._check = await self._review.leaver(self._username)
        return self._check.keys if self._check else ()

    def show_rows(self, rows: Sequence[LeaverKey]) -> None:
        super().show_rows(rows)
        self.export.refresh()
        known = tuple(self.username.itemText(row) for row in range(self.username.count()))
        if known != self._usernames:
            text = self.username.currentText()
            with self.username.typing_kept() as is_typing, QSignalBlocker(self.username):
                self.username.clear()
                self.username.addItems(self._usernames)
                if not is_typing:
                    self.username.setCurrentIndex(-1)
                    self.username.setEditText(text)

    def summary(self) -> str:
        return leaver_summary(self._check) if self._check else ""

    def empty_words(self) -> str:
        return self.summary() or ASK_FIRST

    def _on_check(self) -> None:
        self.field.clear_message()
        self._username = self.username.currentText()
        self.refresh()

    def on_error(self, error: KeybenchError) -> None:
        """Say what is wrong with a username; the one that was checked before is the wanted one again."""
        if not isinstance(error, InputInvalid):
            super().on_error(error)
            return
        self._username = self._check.username if self._check else None
        self.show_words()
        self.field.show_message(field_sentence(error))
        if self.isVisible():
            self.username.setFocus()

    # --- exporting -----------------------------------------------------------------------------------

    async def _export(self, check: LeaverCheck) -> None:
        plain = re.sub(r"[^\w.-]+", "-", check.username).strip("-.") or "user"
        title = _("Export the leaver check")
        path = await ask_where(self, title=title, name=f"leaver-{plain}.txt", kind=_("Text"))
        if path is not None:
            await self._review.save_leaver(check, leaver_text(check), path)
            text = _("It is in {path}.").format(path=path_words(path))
            self.session.notify(Notice("good", _("Exported the leaver check"), text, "export"))
