"""The leaver check: a username, every key of it in the order to deal with them, and a file to hand on."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from keybench.core.errors import InputInvalid
from keybench.core.hygiene.leaver import LeaverKey
from keybench.ui.export_bar import ask_where
from keybench.ui.review import rows
from keybench.ui.review.rows import LEAVER
from keybench.ui.review.steady_table import SteadyTable
from keybench.ui.sale.labels import prose
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.rows_model import RowsModel
from keybench.words.fields import field_sentence
from keybench.words.leaver import leaver_summary, leaver_text
from keybench.workflows.review import LeaverCheck, Reviewed

ASK_FIRST: Final = "Enter who leaves. Every key of that username is listed here, in every environment."
_NO_KEYS: Final = "There is no key to deal with."
_SAMPLES: Final = {
    rows.STEP: "Rotate to another user",
    rows.LEAVER_KEY: "A usual name",
    rows.LEAVER_PLACE: "● an environment",
}


class LeaverPane(QWidget):
    """The field, the list, and what can be done.

    Args:
        session: Whose review.

    Signals:
        rotate_wanted: A key is to be rotated, or its rotation shown (its `Environment`, a `SecurityKey`).
        key_wanted: A key is to be shown (the same).
    """

    rotate_wanted = Signal(object, object)
    key_wanted = Signal(object, object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._check: LeaverCheck | None = None
        self._wanted = ""
        self._looking = Renewal(session, "leaver check", self._look)
        self.line = QLineEdit()
        self.line.returnPressed.connect(self._on_check)
        self.username = ComboBox()
        self.username.setEditable(True)
        self.username.setLineEdit(self.line)
        self.username.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        self.username.setMinimumWidth(scaled(240))
        self.field = Field("Username", self.username)
        self.check_button = QPushButton("Check")
        self.check_button.setProperty("tone", "primary")
        self.summary = prose("", ASK_FIRST)
        self.summary.setAccessibleName("Leaver check")
        self.model: RowsModel[LeaverKey] = RowsModel(LEAVER, self)
        self.table = SteadyTable("Keys of the leaver", self.model, stretch=rows.WHY, samples=_SAMPLES)
        self.rotate, self.open = QPushButton("Rotate"), QPushButton("Open the key")
        self.export = QPushButton("Export…")
        self._lay_out()
        self._connect()
        self._show_buttons()

    @property
    def chosen(self) -> LeaverKey | None:
        """The chosen key, or None."""
        row = self.table.current_row()
        return self.model.row(row) if row >= 0 else None

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
            self._looking.ask()

    # --- checking ------------------------------------------------------------------------------------

    def _on_check(self) -> None:
        self.field.clear_message()
        self._wanted = self.username.currentText()
        self._looking.ask()

    async def _look(self) -> None:
        wanted = self._wanted
        try:
            check = await self._session.administration.review.leaver(wanted)
        except InputInvalid as error:
            self._refuse(wanted, error)
            return
        if wanted != self._wanted:
            return  # another one is asked for by now
        self._check = check
        self.summary.setText(leaver_summary(check))
        self.table.empty_text = _NO_KEYS
        self.model.renew_rows(check.keys, lambda one: one.key.id)
        self._show_buttons()

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
            self._session.run("leaver export", self._export(self._check))

    async def _export(self, check: LeaverCheck) -> None:
        plain = re.sub(r"[^\w.-]+", "-", check.username).strip("-.") or "user"
        path = await ask_where(self, title="Export the leaver check", name=f"leaver-{plain}.txt", kind="Text")
        if path is not None:
            await self._session.administration.review.save_leaver(check, leaver_text(check), path)
            self._session.notify(Notice("good", "Exported the leaver check", f"It is in {path}.", "export"))

    # --- inside --------------------------------------------------------------------------------------

    def _show_buttons(self) -> None:
        chosen = self.chosen
        self.rotate.setText("Open the rotation" if chosen and chosen.rotation else "Rotate")
        self.rotate.setEnabled(chosen is not None)
        self.open.setEnabled(chosen is not None)
        self.export.setEnabled(self._check is not None)

    def _on_rotate(self) -> None:
        if self.chosen:
            self.rotate_wanted.emit(self.chosen.environment, self.chosen.key)

    def _on_open(self) -> None:
        if self.chosen:
            self.key_wanted.emit(self.chosen.environment, self.chosen.key)

    def _connect(self) -> None:
        self.check_button.clicked.connect(self._on_check)
        self.username.activated.connect(self._on_check)
        self.rotate.clicked.connect(self._on_rotate)
        self.open.clicked.connect(self._on_open)
        self.export.clicked.connect(self._on_export)
        self.table.opened.connect(self._on_open)
        self.table.selectionModel().selectionChanged.connect(self._show_buttons)

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
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.rotate, self.open):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.export)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
