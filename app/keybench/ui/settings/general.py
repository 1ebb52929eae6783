"""Settings, General: the person's name, the window's language, and notifications of the desktop."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.text import clean_text
from keybench.ui.kit.choosers import ComboBox, quiet_combo
from keybench.ui.kit.form import Field, error_text
from keybench.ui.kit.labels import button
from keybench.ui.kit.languages import read_language, write_language
from keybench.ui.kit.theme import keep_size
from keybench.ui.settings.sections import Section
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.session import OpenAgain, Session
from keybench.ui.shared.signature import YOUR_NAME
from keybench.words.language import _, language_name, languages
from keybench.words.team.moving import ROLE_IS_YOU

_NAME_PX: Final = 320
_LANGUAGE_PX: Final = 200


class GeneralSection(Section):
    """Who works here, in which language, and what other windows are told."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("General"))
        self._session = session
        self.name_edit = QLineEdit(session.preferences.person)
        keep_size(self.name_edit, width=_NAME_PX)
        self.name = self.add_setting(
            Field(
                YOUR_NAME,
                self.name_edit,
                _("Stands beside what you do in rotations, their records, and the activity."),
                check=partial(clean_text, "your name", required=False),
                lines=0,
            )
        )
        self.language = quiet_combo(editable=False)
        self.language.addItem(_("As the system"), "")
        for code in languages():
            self.language.addItem(language_name(code), code)
        self.language.setCurrentIndex(max(self.language.findData(read_language(session.preferences)), 0))
        self.language.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        keep_size(self.language, least_width=_LANGUAGE_PX)
        self.language.activated.connect(self._on_language)
        self.language_field = self.add_setting(
            Field(_("Language"), self.language, _("Of this window and its manual."), lines=0)
        )
        self.again_button = button(_("Open Keybench again"), lambda: session.ask(OpenAgain()))
        self.again_button.hide()
        self.body.addWidget(self.again_button, 0, Qt.AlignmentFlag.AlignLeading)
        if session.preferences.role:
            self.name_edit.setEnabled(False)
            self.name.message.show_quietly(ROLE_IS_YOU)
            self.name.message.show()
        self.name_edit.editingFinished.connect(self._on_name)
        self.tell = self.add_choice(
            TELL,
            TELL.read(session.preferences),
            partial(TELL.write, session.preferences),
            _(
                "When a sale or a run ends while you work in another window, the taskbar and a notification of "
                "your desktop say so. While Keybench is locked, they don't say what has ended."
            ),
        )

    def _on_language(self, row: int) -> None:
        chosen = str(self.language.itemData(row))
        changes = chosen != read_language(self._session.preferences)
        write_language(self._session.preferences, chosen)
        self._session.preferences.save()
        if changes:
            self.language_field.show_message(_("Keybench speaks it once it is opened again."), "dim")
            self.again_button.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.name_edit.isModified():
            self.name.reset(self._session.preferences.person)

    def _on_name(self) -> None:
        if not self.name.fault and self.name_edit.text().strip() != self._session.preferences.person:
            self._session.run("settings name", self._keep_name(self.name_edit.text()), self._on_name_refused)

    async def _keep_name(self, name: str) -> None:
        from keybench.workflows.guard import refuse_values  # noqa: PLC0415 - see `Session.administration`

        await refuse_values(self._session.console.world, [("your name", name)])
        self._session.preferences.person = name
        self.name_edit.setText(self._session.preferences.person)

    def _on_name_refused(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self.name.take_out(error_text(error))
        else:
            self._session.failed.emit(error)
