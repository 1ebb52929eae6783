"""The leaver check: a username, every key of it in the order to deal with them, and a file to hand on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLineEdit

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.leaver import LeaverCheck, LeaverKey
from keybench.runtime.sandbox import shown_path
from keybench.ui.keys.review_list import KeysOfReview
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import button
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.environment_cells import environment_column
from keybench.ui.shared.session import Notice, Session
from keybench.words.fields import field_sentence
from keybench.words.keys.leaver import STEP_WORDS, leaver_reason, leaver_summary, leaver_text
from keybench.words.language import _

ASK_FIRST: Final = _("Enter who leaves. Every key of that username is listed here, in every environment.")

_COLUMNS: Final[tuple[Column[LeaverKey], ...]] = (
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
        table = Table(_("Keys of the leaver"), TableModel(_COLUMNS, lambda row: row.key.id))
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
            text = _("It is in {path}.").format(path=shown_path(path))
            self.session.notify(Notice("good", _("Exported the leaver check"), text, "export"))
