"""Settings, Key review: after how many days what is reported, and how long keys overlap."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit

from keybench.core.keys.admin_settings import AdminSettings, parse_days, texts_of
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.settings.sections import Section
from keybench.ui.shared.session import Session
from keybench.words.language import _

#: What each number of days is called, and what it does, in the order shown.
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
_FIGURE_PX: Final = 88


class ReviewSection(Section):
    """The limits, each kept once it was entered."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Key review"))
        self._session = session
        self._kept: dict[str, str] = {}
        self.fields: dict[str, Field] = {}
        self.body.addWidget(
            prose(_("What the review on the Keys page reports. 0 days means no limit."), "dim")
        )
        for name, (title, sentence) in LABELS.items():
            edit = QLineEdit()
            keep_size(edit, width=_FIGURE_PX)
            edit.editingFinished.connect(self._on_entered)
            field = Field(title, edit, sentence, id=name, check=partial(parse_days, name), lines=0)
            self.fields[name] = self.add_setting(field)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limits when they are first seen; what is being entered stays."""
        super().showEvent(event)
        if not self._kept:
            self._session.run("settings.limits", self._read())

    @property
    def entered(self) -> dict[str, str]:
        """The text of each field, by the settings' names."""
        return {name: field.text for name, field in self.fields.items()}

    async def _read(self) -> None:
        before = self.entered
        self._show(await self._session.administration.settings.read(), before)

    def _show(self, settings: AdminSettings, before: dict[str, str]) -> None:
        """Show the settings, but for fields that hold something else by now than they did `before`."""
        self._kept = texts_of(settings)
        for name, field in self.fields.items():
            if field.text == before[name]:
                field.reset(self._kept[name])

    def _on_entered(self) -> None:
        if self._is_changed():
            self._session.run("keep limits", self._keep())

    async def _keep(self) -> None:
        while self._is_changed():  # another may be entered meanwhile
            entered = self.entered
            self._show(await self._session.administration.settings.save(entered), entered)

    def _is_changed(self) -> bool:
        is_sound = not any(field.fault for field in self.fields.values())
        return bool(self._kept) and is_sound and self.entered != self._kept
