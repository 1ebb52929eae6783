"""The leaver check: a username, every key of it in the order to deal with them, and a file to hand on."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.leaver import LeaverCheck, LeaverKey
from keybench.runtime.sandbox import shown_path
from keybench.ui.keys.review_rows import LEAVER
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import button, prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.keys.pane import KeysPane
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Notice, Session
from keybench.words.fields import field_sentence
from keybench.words.keys.leaver import leaver_summary, leaver_text
from keybench.words.language import _
from keybench.workflows.keys.review import Reviewed

ASK_FIRST: Final = _("Enter who leaves. Every key of that username is listed here, in every environment.")
_NO_KEYS: Final = _("There is no key to deal with.")


class LeaverPane(KeysPane[LeaverKey]):
    """The field above the list, and what can be done."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, _("Keys of the leaver"), LEAVER, lambda one: one.key.id, "review/leaver")
        self._check: LeaverCheck | None = None
        self._wanted = ""
        self._looking = Reading(
            session,
            "leaver check",
            lambda: session.administration.review.leaver(self._wanted),
            self._show,
            wanted=lambda: self._wanted,
            on_error=self._on_error,
        )
        self.line = QLineEdit()
        self.line.returnPressed.connect(self._on_check)
        self.username = ComboBox()
        self.username.setEditable(True)
        self.username.setLineEdit(self.line)
        self.username.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        keep_size(self.username, least_width=240)
        self.field = Field(_("Username"), self.username)
        self.check_button = button(_("Check"), self._on_check, tone="primary")
        self.summary = prose(ASK_FIRST, selectable=True)
        self.summary.setAccessibleName(_("Leaver check"))
        self.summary.setAccessibleDescription(ASK_FIRST)
        self.export = Action(self, "leaver.export", self._on_export, lambda: self._check is not None)
        self.username.activated.connect(self._on_check)
        self._lay_out()

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Offer the usernames there are, and check the one that was checked again."""
        known = [self.username.itemText(row) for row in range(self.username.count())]
        if known != list(reviewed.usernames):
            text = self.username.currentText()
            with self.username.typing_kept() as is_typing, QSignalBlocker(self.username):
                self.username.clear()
                self.username.addItems(reviewed.usernames)
                if not is_typing:
                    self.username.setCurrentIndex(-1)
                    self.username.setEditText(text)
        if self._check:
            self._looking.request()

    # --- checking ------------------------------------------------------------------------------------

    def _on_check(self) -> None:
        self.field.clear_message()
        self._wanted = self.username.currentText()
        self._looking.request()

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self._refuse(self._wanted, error)
        else:
            self.session.failed.emit(error)

    def _show(self, check: LeaverCheck) -> None:
        self._check = check
        self.summary.setText(leaver_summary(check))
        self.summary.setAccessibleDescription(self.summary.text())
        self.table.empty_text = _NO_KEYS
        self.model.show(check.keys)
        self.export.refresh()

    def _refuse(self, wanted: str, error: InputInvalid) -> None:
        """Say what is wrong with a username; the one that was checked before is the wanted one again."""
        if wanted == self._wanted:
            self._wanted = self._check.username if self._check else ""
            self.field.show_message(field_sentence(error))
            if self.isVisible():
                self.username.setFocus()

    # --- exporting -----------------------------------------------------------------------------------

    def _on_export(self) -> None:
        if self._check:
            self.session.run("leaver export", self._export(self._check))

    async def _export(self, check: LeaverCheck) -> None:
        plain = re.sub(r"[^\w.-]+", "-", check.username).strip("-.") or "user"
        path = await ask_where(
            self, title=_("Export the leaver check"), name=f"leaver-{plain}.txt", kind=_("Text")
        )
        if path is not None:
            await self.session.administration.review.save_leaver(check, leaver_text(check), path)
            self.session.notify(
                Notice(
                    "good",
                    _("Exported the leaver check"),
                    _("It is in {path}.").format(path=shown_path(path)),
                    "export",
                )
            )

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.field)
        column = QVBoxLayout()
        column.addSpacing(self.field.label.sizeHint().height() + 4)
        column.addWidget(self.check_button)
        column.addStretch(1)
        top.addLayout(column)
        top.addStretch(1)
        self.column.setSpacing(8)
        self.column.insertLayout(0, top)
        self.column.insertWidget(1, self.summary)
        self.buttons.addWidget(ActionButton(self.export))
