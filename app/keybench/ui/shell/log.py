"""The log for people: what was logged since the start, and the report of something unexpected."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterable
from itertools import islice
from typing import Final

import PySide6
from PySide6.QtCore import Qt, QTimer, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from keybench import __version__
from keybench.core.errors import KeybenchError
from keybench.runtime.identity import system_name
from keybench.runtime.log import MOST_LINES, Fault, Line, log_failure, program_log
from keybench.runtime.sandbox import shown_path
from keybench.runtime.saving import save
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.boxes import WrappingRow, framed, in_column, in_row
from keybench.ui.kit.choosers import quiet_combo
from keybench.ui.kit.dialog import Dialog, ask_where, open_folder
from keybench.ui.kit.labels import MessageLabel, button, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.list_page import find_in, lead_to_rows, search_field
from keybench.ui.shared.preview import Preview
from keybench.words.explain import explain
from keybench.words.formats import clock_time_exact
from keybench.words.language import _, ngettext
from keybench.workflows.support.bundles import usual_names

_SIZE_PX: Final = (900, 620)
_LOOK_MS: Final = 300
#: So many of the newest lines are in a report.
_REPORTED: Final = 20
#: From each level on: its word, and its colour.
_LEVELS: Final = {
    logging.INFO: (_("Information"), ""),
    logging.WARNING: (_("Warning"), "warning"),
    logging.ERROR: (_("Error"), "bad"),
}


def _level(line: Line) -> int:
    return max((level for level in _LEVELS if level <= line.level), default=logging.INFO)


COLUMNS: Final = (
    Column[Line]("at", _("Time"), lambda line: clock_time_exact(line.at), sort=lambda line: line.number),
    Column[Line](
        "level", _("Level"), lambda line: _LEVELS[_level(line)][0], ink=lambda line: _LEVELS[_level(line)][1]
    ),
    Column[Line]("where", _("Where"), lambda line: line.where),
    Column[Line]("text", _("Text"), lambda line: line.head, stretch=True),
)


def as_text(lines: Iterable[Line | str], person: str) -> str:
    """Return lines for a file or a ticket, without the names of this computer, its user and the person."""
    told = (line if isinstance(line, str) else line.whole for line in lines)
    return usual_names(person).replaced("\n".join(told))[0]


def report(fault: Fault, person: str) -> str:
    """Return what to tell of a fault: what it happened on, what was logged before, and where it happened."""
    newest = list(islice(reversed(program_log.lines), _REPORTED))[::-1]
    facts = (
        f"Keybench {__version__}",
        system_name(),
        f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {PySide6.__version__}",
        f"{fault.count} times {fault.place}",
    )
    told = [fault.line] if fault.line and fault.line not in newest else []
    return as_text([*facts, "", *told, *newest], person)


class LogDialog(Dialog):
    """The newest lines, the last first; new ones come while it is open."""

    def __init__(self, parent: QWidget, person: str) -> None:
        self._person = person
        self._shown: Line | None = None
        self._supervisor = Supervisor(self._on_failure)
        self.level = quiet_combo(editable=False)
        self.level.setAccessibleName(_("Level"))
        for level, (word, _ink) in _LEVELS.items():
            self.level.addItem(word, level)
        self.search = search_field(_("Find in the log"), _("Find in the log…"))
        model = TableModel(COLUMNS, lambda line: line.number, words=lambda line: line.whole.casefold())
        self.table = Table(_("Log"), model, several=True, empty_text=_("Nothing was logged."))
        self.detail = Preview()
        self.detail.setAccessibleName(_("The whole line"))
        self.detail.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        self.copy_button = button(
            _("Copy"), self._on_copy, hint=_("Copies the selected lines; all that are shown if none is.")
        )
        self.save_button = button(_("Save…"), self._on_save)
        self.open_button = button(_("Open the folder"), self._on_open)
        self.message = MessageLabel(1)
        super().__init__(parent, title=_("Log"), confirm=_("Close"), cancel="", content=self._content())
        self.make_sizable(*_SIZE_PX)
        find_in(self, self.search)
        lead_to_rows(self.search, self.table)
        self.search.textChanged.connect(model.search)
        self.level.currentIndexChanged.connect(self._show)
        self.table.selection_changed.connect(self._on_selection)
        timer = QTimer(self, interval=_LOOK_MS)  # lines come from any thread
        timer.timeout.connect(self._look)
        timer.start()
        self._show()

    def _look(self) -> None:
        if program_log.lines and program_log.lines[-1] is not self._shown:
            self._show()

    def _show(self) -> None:
        lines = tuple(program_log.lines)
        self._shown = lines[-1] if lines else None
        wanted = self.level.currentData()
        self.table.model().show(line for line in reversed(lines) if line.level >= wanted)

    def _on_selection(self) -> None:
        line = self.table.selected
        text = line.text if line else ""
        if text != self.detail.toPlainText():
            self.detail.show_text(text)

    def _wanted(self) -> tuple[str, int]:
        lines = sorted(self.table.selection or self.table.model().rows, key=lambda line: line.number)
        return as_text(lines, self._person), len(lines)

    def _on_copy(self) -> None:
        text, count = self._wanted()
        QGuiApplication.clipboard().setText(text)
        self.message.say(ngettext("{count:,} line copied.", "{count:,} lines copied.", count), "good")

    def _on_save(self) -> None:
        self._supervisor.start("save the log", self._save(f"{self._wanted()[0]}\n"))

    async def _save(self, text: str) -> None:
        if path := await ask_where(self, title=_("Save the log"), name="keybench-log.txt", kind=_("Text")):
            await save(path, text)
            self.message.say(_("Saved {path}").format(path=shown_path(path)), "good")

    def _on_failure(self, task: str, error: BaseException) -> None:
        if isinstance(error, KeybenchError):
            self.message.say(explain(error).title, "bad")
        else:
            log_failure(task, error)

    def _on_open(self) -> None:
        if program_log.path:
            open_folder(program_log.path.parent, self.message)

    def _content(self) -> QWidget:
        self.open_button.setEnabled(program_log.path is not None)
        above = prose(_where(), "dim", selectable=True)
        ways = WrappingRow([self.copy_button, self.save_button, self.open_button, self.message])
        head = in_row((self.search, 1), self.level)
        return framed(in_column(above, head, (self.table, 3), (self.detail, 2), ways))


def _where() -> str:
    kept = _("The newest {most} lines since the start. Keys and card numbers are masked.").format(
        most=MOST_LINES
    )
    if program_log.path is None:
        return kept
    if program_log.trouble:
        told = _("The file {path} can't be written: {reason}.")
    else:
        told = _("Warnings and errors are also in {path}.")
    return f"{kept} {told.format(path=program_log.path, reason=program_log.trouble)}"


class ReportDialog(Dialog):
    """What to send to those who care for Keybench, after something unexpected."""

    def __init__(self, parent: QWidget, fault: Fault, person: str) -> None:
        self.report = Preview()
        self.report.setAccessibleName(_("Report"))
        self.report.show_text(report(fault, person))
        self.copy_button = button(_("Copy"), self._on_copy)
        self.message = MessageLabel(1)
        content = framed(in_column((self.report, 1), in_row(self.copy_button, (self.message, 1))))
        text = _(
            "Send this to whoever cares for Keybench. Keys, card numbers and names of people are masked."
        )
        super().__init__(
            parent, title=_("What happened"), text=text, confirm=_("Close"), cancel="", content=content
        )
        self.make_sizable(*_SIZE_PX)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.message.say(_("Copied."), "good")


def show_log(parent: QWidget, place: str = "", person: str = "") -> None:
    """Show the log, or the report of the fault at a place in the program, without that person's name."""
    fault = program_log.faults.get(place)
    dialog = ReportDialog(parent, fault, person) if fault else LogDialog(parent, person)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
