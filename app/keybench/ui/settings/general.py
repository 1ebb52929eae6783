"""Settings, General: the person's name, notifications, and settings that go to another computer by a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.text import clean_text
from keybench.runtime.sandbox import shown_path
from keybench.ui.kit.boxes import framed, in_row
from keybench.ui.kit.dialog import ask_file, ask_where
from keybench.ui.kit.form import Field, error_text
from keybench.ui.kit.labels import button
from keybench.ui.kit.theme import keep_size
from keybench.ui.settings.sections import Section
from keybench.ui.shared.choices import TELL
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shared.signature import YOUR_NAME
from keybench.words.formats import listed
from keybench.words.language import _, ngettext
from keybench.words.team.moving import ROLE_IS_YOU

if TYPE_CHECKING:
    from keybench.workflows.environments.transfer import Imported

_TOPIC: Final = "settings file"
_TOML: Final = _("Environments (*.toml);;All files (*)")
_NAME_PX: Final = 320


class GeneralSection(Section):
    """Who works here, what other windows are told, and buttons that export and import settings."""

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
        self.export_button = button(
            _("Export settings…"), lambda: session.run(_TOPIC, self._ask_and_export())
        )
        self.import_button = button(_("Import settings…"), self._on_import)
        buttons = framed(in_row(self.export_button, self.import_button, None))
        self.add_setting(
            Field(
                _("Settings file"),
                buttons,
                _(
                    "Takes environments and the names of devices to another computer, where what exists is kept. "
                    "Values of keys and passwords are never in it."
                ),
                lines=0,
            )
        )

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

    async def _ask_and_export(self) -> None:
        path = await ask_where(
            self, title=_("Export settings"), name="keybench-environments.toml", kind=_("Environments")
        )
        if path is not None:
            await self.export(path)

    async def export(self, path: Path) -> None:
        await self._session.administration.transfer.export(path)
        text = _("The file is {path}. It holds no values of keys.").format(path=shown_path(path))
        self._session.notify(Notice("good", _("Settings exported"), text, _TOPIC))

    def _on_import(self) -> None:
        run, title = self._session.run, _("Import settings")
        ask_file(self, title, _TOML, lambda path: run(_TOPIC, self.take_in(Path(path))))

    async def take_in(self, path: Path) -> None:
        """Add what a file has, and tell what was added and what was kept."""
        imported = await self._session.administration.transfer.take_in(path)
        tone: Literal["warning", "good"] = "warning" if imported.left_out else "good"
        self._session.notify(Notice(tone, _("Settings imported"), _imported_words(imported), _TOPIC))


def _imported_words(imported: Imported) -> str:
    added = [f"“{name}”" for name in imported.added]
    if imported.devices:
        added.append(ngettext("{count:,} device", "{count:,} devices", imported.devices))
    kept = [f"“{name}”" for name in imported.kept]
    sentence = _("Added: {added}. Kept as they are: {kept}.").format(
        added=listed(added) if added else _("nothing"), kept=listed(kept) if kept else _("nothing")
    )
    left_out = [
        _("“{name}” stays out. {reason}").format(name=name, reason=error_text(error))
        for name, error in imported.left_out
    ]
    return " ".join([sentence, *left_out])
