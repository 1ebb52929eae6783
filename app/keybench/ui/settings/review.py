"""Settings, Key review: after how many days what is reported, and how long keys overlap."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.admin_settings import FIGURES, AdminSettings, parse_days, texts_of
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.labels import MessageLabel, button, prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.settings.sections import Section
from keybench.ui.shared.session import Session
from keybench.words.language import _

#: What each number of days is called, and what it does, in the order of the form.
LABELS: Final = {
    "age_live_days": (_("Age limit in live, days"), _("Older live keys are reported.")),
    "age_test_days": (_("Age limit in test, days"), _("Older test keys are reported.")),
    "age_practice_days": (_("Age limit in practice, days"), _("Older practice keys are reported.")),
    "idle_days": (_("Idle after days without use"), _("Keys that nobody used for longer are reported.")),
    "untested_days": (_("Untested for days"), _("Keys that weren't tested for longer are reported.")),
    "stalled_days": (
        _("Rotation half done after days"),
        _("A rotation without a step for longer is reported."),
    ),
    "overlap_days": (
        _("Old and new key overlap, days"),
        _("How long both keys are valid in a new rotation."),
    ),
}
_COLUMNS: Final = 2
_FIGURE_PX: Final = 88


class ReviewSection(Section):
    """The limits in a grid, and a button that keeps them."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Key review"))
        self._session = session
        self._shown: dict[str, str] = {}
        self.edits = {name: QLineEdit() for name in FIGURES}
        self.fields: dict[str, Field] = {
            name: Field(
                LABELS[name][0], edit, LABELS[name][1], id=name, check=partial(parse_days, name), lines=0
            )
            for name, edit in self.edits.items()
        }
        self.form = Form()
        self.save_button = button(_("Save"), self._on_save)
        self.message = MessageLabel()
        self._lay_out()
        for edit in self.edits.values():
            edit.returnPressed.connect(self._on_save)
        self.form.edited.connect(self._on_edited)
        self.save_button.setEnabled(False)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limits when they are first seen; what is being entered stays."""
        super().showEvent(event)
        if not self._shown:
            self._session.run("settings.limits", self._read())

    @property
    def entered(self) -> dict[str, str]:
        """What stands in the form, by the settings' names."""
        return {name: field.text for name, field in self.fields.items()}

    async def _read(self) -> None:
        before = self.entered
        self._show(await self._session.administration.settings.read(), before)

    def _show(self, settings: AdminSettings, before: dict[str, str]) -> None:
        """Show the settings, but for fields that hold something else by now than they did `before`."""
        self._shown = texts_of(settings)
        entered = self.entered
        for name, field in self.fields.items():
            if entered[name] == before[name]:
                field.reset(self._shown[name])
        self._on_edited()

    def _on_save(self) -> None:
        if self.form.first_fault() is None:
            self._session.run("settings.limits", self._save(), self._on_error)

    async def _save(self) -> None:
        self.save_button.setEnabled(False)
        entered = self.entered
        try:
            self._show(await self._session.administration.settings.save(entered), entered)
        finally:
            self._on_edited()
        self.message.say(_("Saved."), "good")

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self.form.show_error(error, next(iter(self.fields.values())))
        else:
            self._session.failed.emit(error)

    def _on_edited(self) -> None:
        sound = not any(field.fault for field in self.fields.values())
        self.save_button.setEnabled(sound and bool(self._shown) and self.entered != self._shown)
        self.message.say("")

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(16)
        for number, name in enumerate(FIGURES):
            keep_size(self.edits[name], width=_FIGURE_PX)
            self.fields[name].keep_narrow()
            grid.addWidget(self.fields[name], number // _COLUMNS, number % _COLUMNS)
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
        self.body.addWidget(
            prose(_("What the review on the Keys page reports. 0 days means no limit."), "dim")
        )
        figures = QWidget()
        figures.setLayout(grid)
        grid.setContentsMargins(0, 0, 0, 0)
        self.form.add(figures)
        self.form.take(*self.fields.values())
        self.body.addWidget(self.form)
        self.body.addLayout(in_row((self.message, 1), self.save_button, spacing=12))
