"""Settings, Key review: after how many days what is told, how long keys overlap, and busy times."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from keybench.core.admin_settings import (
    BUSY_TIMES,
    FIGURES,
    AdminSettings,
    parse_days,
    texts_of,
    tidy_busy_times,
)
from keybench.core.errors import CardDataRefused, InputInvalid, KeybenchError, SettingInvalid, ValueMisplaced
from keybench.ui.pages.sections import Section
from keybench.ui.session import Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.labels import MessageLabel, button, prose
from keybench.words.fields import field_sentence

#: What each number of days is called, in the order of the form.
LABELS: Final = {
    "age_live_days": "Age limit in live, days",
    "age_test_days": "Age limit in test, days",
    "age_practice_days": "Age limit in practice, days",
    "idle_days": "Idle after days without use",
    "untested_days": "Untested for days",
    "stalled_days": "Rotation half done after days",
    "overlap_days": "Old and new key overlap, days",
}
_COLUMNS: Final = 3
_LINES: Final = 4


class ReviewSection(Section):
    """The limits in a grid, the busy times below, and a button that keeps them.

    Args:
        session: Whose journal keeps them.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Key review", parent)
        self._session = session
        self._shown: dict[str, str] = {}
        self.edits = {name: QLineEdit() for name in FIGURES}
        self.busy = QPlainTextEdit()
        self.busy.setTabChangesFocus(True)
        self.fields: dict[str, Field] = {name: Field(LABELS[name], edit) for name, edit in self.edits.items()}
        self.fields[BUSY_TIMES] = Field(
            "Busy times, one a line", self.busy, "Such as Fri 16:00-20:00, Sat, 2026-12-24.", lines=2
        )
        self.save_button = button("Keep the limits", self._on_save)
        self.told = MessageLabel()
        self._lay_out()
        for edit in self.edits.values():
            edit.textChanged.connect(self._on_edited)
            edit.returnPressed.connect(self._on_save)
        self.busy.textChanged.connect(self._on_edited)
        self.save_button.setEnabled(False)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limits when they are first seen; what is being entered stays."""
        super().showEvent(event)
        if not self._shown:
            self._session.run("settings.limits", self._read())

    @property
    def entered(self) -> dict[str, str]:
        """What stands in the form, by the settings' names."""
        return {name: edit.text() for name, edit in self.edits.items()} | {
            BUSY_TIMES: self.busy.toPlainText()
        }

    # --- reading and keeping -------------------------------------------------------------------------

    async def _read(self) -> None:
        before = self.entered
        self._show(await self._session.administration.settings.read(), before)

    def _show(self, settings: AdminSettings, before: dict[str, str]) -> None:
        """Show the settings, but for fields that hold something else by now than they did `before`."""
        self._shown = texts_of(settings)
        entered = self.entered
        for name, edit in self.edits.items():
            if entered[name] == before[name]:
                edit.setText(self._shown[name])
        if entered[BUSY_TIMES] == before[BUSY_TIMES]:
            self.busy.setPlainText(self._shown[BUSY_TIMES])
        self._on_edited()

    def _on_save(self) -> None:
        if self._check():
            self._session.run("settings.limits", self._save(), self._on_error)

    async def _save(self) -> None:
        self.save_button.setEnabled(False)
        entered = self.entered
        try:
            self._show(await self._session.administration.settings.save(entered), entered)
        finally:
            self._on_edited()
        self.told.say("The limits are kept.", "good")

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, CardDataRefused | ValueMisplaced):
            self.busy.clear()
        if isinstance(error, InputInvalid):
            name = error.setting if isinstance(error, SettingInvalid) else BUSY_TIMES
            self.fields[name].show_message(field_sentence(error))
            if self.isVisible():
                self.fields[name].editor.setFocus()
        else:
            self._session.failed.emit(error)

    # --- checking ------------------------------------------------------------------------------------

    def _on_edited(self) -> None:
        sound = self._check()
        self.save_button.setEnabled(sound and bool(self._shown) and self.entered != self._shown)
        self.told.say("")

    def _check(self) -> bool:
        """Show what is wrong with each field, and tell whether nothing is."""
        for name, field in self.fields.items():
            try:
                if name == BUSY_TIMES:
                    tidy_busy_times(self.busy.toPlainText())
                else:
                    parse_days(name, self.edits[name].text())
                if field.has_message:
                    field.clear_message()
            except SettingInvalid as error:
                field.show_message(field_sentence(error))
        return not any(field.has_message for field in self.fields.values())

    # --- inside --------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        for number, name in enumerate(FIGURES):
            grid.addWidget(self.fields[name], number // _COLUMNS, number % _COLUMNS)
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
        self.busy.setFixedHeight(scaled(18 * _LINES + 14))
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.told, 1)
        row.addWidget(self.save_button)
        self.body.addWidget(
            prose("What the review on the Keys page goes by. 0 days stands for no limit.", "dim")
        )
        self.body.addLayout(grid)
        self.body.addWidget(self.fields[BUSY_TIMES])
        self.body.addLayout(row)
