"""The log for people: what was logged since the start, and what to send of something unexpected."""

from __future__ import annotations

import logging
import platform
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, QTimer, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench import __version__
from keybench.core.errors import KeybenchError
from keybench.runtime.identity import system_name
from keybench.runtime.log import FORM, program_log
from keybench.runtime.sandbox import shown_path
from keybench.runtime.saving import save_here
from keybench.ui.kit.boxes import WrappingRow, framed, in_column, in_row
from keybench.ui.kit.choosers import quiet_combo
from keybench.ui.kit.dialog import Dialog, SaveDialog
from keybench.ui.kit.labels import MessageLabel, button
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.list_page import find_in, search_field
from keybench.ui.shared.preview import Preview
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.workflows.support.bundles import usual_names

_SIZE_PX: Final = (900, 620)
_DETAIL_PX: Final = 64
_LOOK_MS: Final = 500
#: So many lines are sent of something unexpected: its own, and those before it.
_REPORTED: Final = 20
_INFO, _WARNING, _ERROR = logging.INFO, logging.WARNING, logging.ERROR
_LEVELS: Final = {_INFO: _("Information"), _WARNING: _("Warning"), _ERROR: _("Error")}
_INKS: Final = {_INFO: "", _WARNING: "warning"}
Line = logging.LogRecord
COLUMNS: Final = (
    Column[Line]("at", _("Time"), lambda line: FORM.formatTime(line, "%X"), sort=lambda line: line.created),
    Column[Line](
        "level",
        _("Level"),
        lambda line: _LEVELS.get(line.levelno, _LEVELS[_ERROR]),
        ink=lambda line: _INKS.get(line.levelno, "bad"),
    ),
    Column[Line]("where", _("Where"), lambda line: line.name),
    Column[Line]("text", _("Text"), lambda line: line.getMessage().partition("\n")[0], stretch=True),
)


class LogDialog(Dialog):
    """The newest lines; a `fault` is selected with those before it. What leaves it has no `person`'s name."""

    def __init__(self, parent: QWidget, person: str = "", fault: Line | None = None) -> None:
        self._person = person
        self.level = quiet_combo(editable=False)
        self.level.setAccessibleName(_("Level"))
        for level, word in _LEVELS.items():
            self.level.addItem(word, level)
        self.level.setMinimumContentsLength(max(map(len, _LEVELS.values())))
        self.search = search_field(_("Find in the log"), _("Find in the log…"))
        model = TableModel(COLUMNS, id, words=lambda line: FORM.format(line).casefold())
        self.table = Table(_("Log"), model, several=True, empty_text=_("Nothing was logged."))
        self.detail = Preview()
        self.detail.setAccessibleName(_("The whole line"))
        self.detail.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        expands, ignored = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        self.detail.setSizePolicy(expands, ignored)  # or the dialog would scroll on small screens
        hint = _("The selected lines, or all that are shown")
        self.copy_button = button(_("Copy"), self._on_copy, hint=hint)
        self.save_button = button(_("Save…"), self._on_save)
        self.message = MessageLabel(1)
        text = _(
            "Keys, card numbers and people's data are masked. Warnings and errors also go to {path}, if it can be "
            "written."
        ).format(path=program_log.path)
        send = _("Copy what is selected, and send it to whoever cares for Keybench.")
        text = f"{send} {text}" if fault else text
        content = self._content()
        super().__init__(parent, title=_("Log"), text=text, confirm=_("Close"), cancel="", content=content)
        self.make_sizable(*_SIZE_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        find_in(self, self.search)
        self.search.textChanged.connect(model.search)
        self.level.currentIndexChanged.connect(self._show)
        self.table.selection_changed.connect(self._on_selection)
        timer = QTimer(self, interval=_LOOK_MS)  # lines come from any thread
        timer.timeout.connect(self._show)
        timer.start()
        self._show()
        if fault:
            before = [line for line in list(program_log.lines) if line.created <= fault.created]
            self.table.select_all_of(map(id, before[-_REPORTED:]))

    def _show(self) -> None:
        lines = list(program_log.lines)
        self.table.model().show(one for one in reversed(lines) if one.levelno >= self.level.currentData())

    def _on_selection(self) -> None:
        text = self.table.selected.getMessage() if self.table.selected else ""
        if text != self.detail.toPlainText():  # else it would scroll
            self.detail.show_text(text)

    @property
    def text(self) -> str:
        chosen = self.table.selection or self.table.model().rows
        lines = map(FORM.format, sorted(chosen, key=lambda line: line.created))
        on = f"keybench {__version__}, {system_name()}, Python {platform.python_version()}, Qt {qVersion()}"
        return usual_names(self._person).replaced("\n".join((on, *lines, "")))[0]

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.message.say(_("Copied."), "good")

    def _on_save(self) -> None:
        dialog = SaveDialog(self, title=_("Save the log"), name="keybench-log.txt", kind=_("Text"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._save)
        dialog.open()

    def _save(self, path: str) -> None:
        try:
            save_here(Path(path), self.text)
        except KeybenchError as error:
            self.message.say(explain(error).title, "bad")
        else:
            self.message.say(_("Saved {path}").format(path=shown_path(Path(path))), "good")

    def _on_open(self) -> None:
        folder = program_log.path.parent if program_log.path else Path()
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.message.say(_("No program here opens folders. The path is above."), "warning")

    def _content(self) -> QWidget:
        folder = button(_("Open the folder"), self._on_open)
        ways = WrappingRow([self.copy_button, self.save_button, folder, self.message])
        head = in_row((self.search, 1), self.level)
        detail = framed(in_column(self.detail))
        keep_size(detail, least_height=_DETAIL_PX)
        return framed(in_column(head, (self.table, 3), (detail, 2), ways))
