"""Settings, General: the person's name, and settings that go to another computer by a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.text import clean_text
from keybench.runtime.sandbox import shown_path
from keybench.ui.lock.lock import IDLE_MINUTES
from keybench.ui.notices.desktop import TELL
from keybench.ui.pages.review_section import LABELS
from keybench.ui.pages.sections import Section
from keybench.ui.preferences import Choice
from keybench.ui.session import Notice, Session
from keybench.ui.theme import SCHEME, TEXT_SIZE, Scheme, keep_size, theme
from keybench.ui.widgets.dialog import Dialog, ask_file, ask_where
from keybench.ui.widgets.form import Field, error_text
from keybench.ui.widgets.labels import button, prose
from keybench.ui.widgets.signature import YOUR_NAME
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.language import _, ngettext

if TYPE_CHECKING:
    from keybench.workflows.settings_transfer import Change, SettingsPlan, Subject

#: The window's settings that a file takes along.
CHOICES: Final[dict[str, Choice]] = {choice.id: choice for choice in (SCHEME, TEXT_SIZE, IDLE_MINUTES, TELL)}
_TASK: Final = "settings file"
_TOPIC: Final = "settings file"
_JSON: Final = _("Settings (*.json);;All files (*)")
_NONE: Final = "\N{EN DASH}"
_NAME_PX: Final = 320
_TABLE_PX: Final = 620
_MOST_ROWS: Final = 8


_SUBJECTS: Final[dict[Subject, str]] = {
    "environment": _("New environment “{name}”"),
    "limit": _("Maximum amount per sale in “{name}”"),
    "proxy": _("Proxy of “{name}”"),
    "portal": _("Portal address of “{name}”"),
    "device": _("New device {name} in “{place}”"),
    "nickname": _("Nickname of device {name} in “{place}”"),
}


def _subject(change: Change) -> str:
    if change.subject == "review":
        return LABELS[change.name]
    if change.subject == "window":
        return CHOICES[change.name].label
    return _SUBJECTS[change.subject].format(name=change.name, place=change.place)


def _value(change: Change, value: str) -> str:
    shown = CHOICES[change.name].options[value] if change.subject == "window" else value
    return " · ".join(shown.splitlines()) or _NONE


_COLUMNS: Final[tuple[Column[Change], ...]] = (
    Column("setting", _("Setting"), _subject, bold=True),
    Column("before", _("Now"), lambda change: _value(change, change.before)),
    Column("after", _("After the import"), lambda change: _value(change, change.after), stretch=True),
)


class GeneralSection(Section):
    """Who works here, and buttons that export and import settings."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(_("General"), parent)
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
        self.name_edit.editingFinished.connect(self._on_name)
        self.export_button = button(_("Export settings…"), self._on_export)
        self.import_button = button(_("Import settings…"), self._on_import)
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.export_button)
        row.addWidget(self.import_button)
        row.addStretch(1)
        self.add_setting(
            Field(
                _("Settings file"),
                buttons,
                _(
                    "Takes environments, devices, the limits of the review and this window's settings to another "
                    "computer. Values of keys and passwords are never in it."
                ),
                lines=0,
            )
        )

    # --- the name ------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Show the name that was given elsewhere meanwhile; what is being entered stays."""
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

    # --- export --------------------------------------------------------------------------------------

    def _window(self) -> dict[str, str]:
        return {name: choice.read(self._session.preferences) for name, choice in CHOICES.items()}

    def _on_export(self) -> None:
        self._session.run(_TASK, self._ask_and_export())

    async def _ask_and_export(self) -> None:
        path = await ask_where(
            self, title=_("Export settings"), name="keybench-settings.json", kind=_("Settings")
        )
        if path is not None:
            await self.export(path)

    async def export(self, path: Path) -> None:
        """Write the settings to a file and tell where it is."""
        await self._session.administration.transfer.export(path, self._window())
        text = _("The file is {path}. It holds no values of keys.").format(path=shown_path(path))
        self._session.notify(Notice("good", _("Settings exported"), text, _TOPIC))

    # --- import --------------------------------------------------------------------------------------

    def _on_import(self) -> None:
        ask_file(self, _("Import settings"), _JSON, self._on_file)

    def _on_file(self, path: str) -> None:
        self._session.run(_TASK, self.take_in(Path(path)))

    async def take_in(self, path: Path) -> None:
        """Show what a file would change, and change it if the person wants that."""
        transfer = self._session.administration.transfer
        allowed = {name: tuple(choice.options) for name, choice in CHOICES.items()}
        plan = await transfer.read(path, self._window(), allowed)
        if not await ask_changes(self, plan) or not plan.changes:
            return
        self._use(await transfer.carry_out(plan))
        count = len(plan.changes)
        title = ngettext("Imported one setting", "Imported {count:,} settings", count).format(count=count)
        self._session.notify(Notice("good", title, topic=_TOPIC))

    def _use(self, window: dict[str, str]) -> None:
        """Set the window's settings that changed."""
        for name, value in window.items():
            CHOICES[name].write(self._session.preferences, value)
        theme().choose(Scheme(SCHEME.read(self._session.preferences)))
        theme().choose_text_size(TEXT_SIZE.read(self._session.preferences))
        self._session.idle_lock_changed.emit()


async def ask_changes(parent: QWidget, plan: SettingsPlan) -> bool:
    """Show what a file would change, with what of it can't be used, and ask whether to go on."""
    content = QWidget()
    layout = QVBoxLayout(content)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    if plan.changes:
        model = TableModel(_COLUMNS)
        model.show(plan.changes)
        table = Table(_("What changes"), model, sortable=False, height_in_rows=(1, _MOST_ROWS))
        model.setParent(table)
        keep_size(table, least_width=_TABLE_PX)
        layout.addWidget(table)
    left_out = [
        _("“{name}” stays out. {reason}").format(
            name=LABELS.get(one.name, one.name), reason=error_text(one.error)
        )
        for one in plan.unusable
    ]
    left_out += [_("This version doesn't know “{entry}”.").format(entry=entry) for entry in plan.unknown]
    if left_out:
        layout.addWidget(prose("\n".join(left_out), tone="warning", selectable=True))
    count = len(plan.changes)
    if count:
        text = _("This changes when you import {file}. Nothing has changed yet.").format(file=plan.source)
        go_on = ngettext("Import one setting", "Import {count:,} settings", count).format(count=count)
        dialog = Dialog(parent, title=_("Import settings"), text=text, confirm=go_on, content=content)
    else:
        text = _("Everything that can be used of {file} is set here already.").format(file=plan.source)
        dialog = Dialog(
            parent, title=_("Nothing to import"), text=text, confirm=_("Close"), cancel="", content=content
        )
    return await dialog.answer()
