"""Imports a list of keys: asks for the file, shows what it would bring, and carries it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QCheckBox, QFrame, QProgressBar

from keybench.core.csv_lists import DateForm, WrongRow, moment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid, KeyListInvalid
from keybench.ui.kit.actions import COMMANDS
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.dialog import LISTS, Dialog, ask_file, ask_where, confirm
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.environment_cells import environment_column
from keybench.ui.shared.list_page import ListPage
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shared.signature import Signature
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.formats import day
from keybench.words.keys.states import kind_word
from keybench.words.language import _, ngettext
from keybench.workflows.keys.importing import ImportPlan, ImportRow, KeyImport

TASK: Final = "import keys"
#: What is wrong with a file that a template shows how to put right.
_SHOWN_BY_TEMPLATE: Final = {
    *(KeyListInvalid.NO_COLUMN, KeyListInvalid.COLUMN_TWICE, KeyListInvalid.EMPTY),
    *(KeyListInvalid.WORKBOOK, KeyListInvalid.NOT_CSV, KeyListInvalid.NOT_TEXT),
}
_TOPIC: Final = "key list"
_HINT: Final = _(
    "Only descriptions are imported. Each key then stands in the inventory without a value, until you give "
    "it one."
)


_KEYS: Final[tuple[Column[ImportRow], ...]] = (
    Column("line", _("Line"), lambda row: str(row.line), right=True, sort=lambda row: row.line),
    Column("name", _("Name"), lambda row: row.key.name, bold=True),
    environment_column(),
    Column("user", _("User"), lambda row: row.key.username),
    Column("permission", _("Permission"), lambda row: row.key.permission),
    Column("kind", _("Kind"), lambda row: kind_word(row.key.kind)),
    Column("owner", _("Owner"), lambda row: row.key.owner),
    Column("purpose", _("Purpose"), lambda row: row.key.purpose, stretch=True),
    Column("created", _("Created"), lambda row: day(row.key.created_at), sort=lambda row: row.key.created_at),
)
_WRONG: Final[tuple[Column[WrongRow], ...]] = (
    Column("line", _("Line"), lambda row: str(row.line), right=True, sort=lambda row: row.line),
    Column("error", _("What is wrong"), lambda row: field_sentence(row.error), stretch=True),
)


class ImportView(QFrame):
    """The preview of a list, in place of the view that it is imported into."""

    def __init__(self, session: Session, view: ListPage[Any]) -> None:
        super().__init__()
        self._session = session
        self._view = view
        self._import = KeyImport(session.console.world)
        self.plan: ImportPlan | None = None
        self.title = label("", "title")
        self.summary = prose("", "strong", selectable=True)
        self.keys = TableModel(_KEYS, parent=self)
        keys_table = Table(_("Keys to import"), self.keys, empty_text=_("No row can be imported."))
        keys_table.columns.keep(session.preferences, "keys/import columns")
        self._wrong = TableModel(_WRONG, parent=self)
        self._wrong_table = Table(_("Rows that can't be imported"), self._wrong)
        self.skip = QCheckBox(_("Leave the wrong rows out"))
        self.signature = Signature(session.preferences)
        self.progress = QProgressBar(textVisible=False)
        self.progress.setAccessibleName(_("Progress of the import"))
        self.take = button(_("Import"), self._on_take, tone="primary")
        self.back = button(_("Cancel"), self._on_back)
        self.skip.toggled.connect(self._judge)
        hint = prose(_HINT, "dim", selectable=True)
        foot = in_row(self.skip, (self.progress, 1), None, self.back, self.take)
        tables = (keys_table, 3), (self._wrong_table, 2)
        in_column(
            *(self.title, hint, self.summary), *tables, *self.signature.fields, foot, within=self, spacing=12
        )

    # --- reading and importing -----------------------------------------------------------------------

    def ask_file(self) -> None:
        ask_file(self._view, _("Import a list of keys"), LISTS, self.use_file)

    def use_file(self, path: str) -> None:
        """Show what a file would bring; rows that name no environment go to the one that is shown."""
        self._session.run("read key list", self._read(Path(path)), self._on_error)

    def save_template(self) -> None:
        self._session.run("save a template", self._save_template())

    async def _save_template(self) -> None:
        title = _("Save a template for a list of keys")
        path = await ask_where(self._view, title=title, name="keys.csv", kind=_("CSV file"))
        if path:
            await self._import.save_template(path)
            text = _("It has the columns and a key as an example. Fill it in and import it.")
            notice = Notice("good", _("Saved “{name}”").format(name=path.name), text, _TOPIC)
            self._session.notify(notice)

    async def _read(self, path: Path) -> None:
        self._session.end_notice(_TOPIC)  # what became of the file before
        if plan := await self._plan_of(path):
            self._show_plan(plan)
            self._view.show_instead(self)
            self.back.setFocus()

    async def _plan_of(self, path: Path) -> ImportPlan | None:
        """Return what a file would bring; None if the person doesn't go on."""
        environment = self._session.environment
        try:
            return await self._import.read(path, environment)
        except KeyListInvalid as error:
            if error.reason == KeyListInvalid.DATES:
                dates = await self._ask_dates(path, error.text)
                return await self._import.read(path, environment, dates) if dates else None
            if error.reason not in _SHOWN_BY_TEMPLATE:
                raise
            if await confirm(
                self._view,
                title=_("“{name}” can't be imported").format(name=path.name),
                text=field_sentence(error),
                confirm=COMMANDS["keys.template"].text,
                cancel=_("Close"),
            ):
                await self._save_template()
            return None

    async def _ask_dates(self, path: Path, text: str) -> DateForm | None:
        """Ask how a file's dates are written, of which one stands for all; None if the person leaves it."""
        readings = {one: moment(text, one) for one in (DateForm.DAY_FIRST, DateForm.MONTH_FIRST)}
        choice = Segments([(one.value, day(at)) for one, at in readings.items() if at])
        if QLocale().dateFormat(QLocale.FormatType.ShortFormat).startswith("M"):
            choice.choose(DateForm.MONTH_FIRST.value)
        dialog = Dialog(
            self._view,
            title=_("Which day is {text}?").format(text=text),
            text=_("So all dates of “{name}” are read.").format(name=path.name),
            confirm=_("Go on"),
            content=Form(Field(_("Day"), choice)),
        )
        return DateForm(choice.value) if await dialog.answer() else None

    def _on_take(self) -> None:
        if self.plan:
            work = self._take(self.plan, self.signature.name.strip())
            self._session.run(TASK, work, self._on_error)

    async def _take(self, plan: ImportPlan, by: str) -> None:
        self.show_progress((0, len(plan.rows)))
        try:
            count = await self._import.take_over(plan, by, lambda *so_far: self.show_progress(so_far))
        finally:
            self.show_progress(None)
        if by:
            self.signature.remember()
        title = ngettext("Imported 1 key", "Imported {count} keys", count)
        text = _("They have no values yet: give each its value to test it or to sell with it.")
        self._session.notify(Notice("good", title, text, _TOPIC))
        self._leave()

    def _on_back(self) -> None:
        if TASK in self._session.supervisor.running:
            self._session.supervisor.cancel(TASK)
            text = _("The keys that had been imported by then are in the inventory.")
            self._session.notify(Notice("info", _("Import stopped"), text, _TOPIC))
        self._leave()

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            notice = Notice("bad", _("This list can't be imported"), field_sentence(error), _TOPIC)
        else:
            explained = explain(error)
            notice = Notice("bad", explained.title, explained.text, _TOPIC)
        self._session.notify(notice)
        self._leave()

    def _leave(self) -> None:
        self._view.show_instead(None)
        if self._view.isVisible():
            self._view.table.setFocus()

    # --- what is shown -------------------------------------------------------------------------------

    def _show_plan(self, plan: ImportPlan) -> None:
        self.plan = plan
        self.title.setText(_("Import the keys of {source}").format(source=plan.source))
        self.summary.setText(summary_of(plan))
        self.keys.show(plan.rows)
        self._wrong.show(plan.wrong)
        self._wrong_table.setVisible(bool(plan.wrong))
        self.skip.setChecked(False)
        self.show_progress(None)

    def show_progress(self, so_far: tuple[int, int] | None) -> None:
        self.progress.setVisible(so_far is not None)
        if so_far:
            self.progress.setMaximum(max(so_far[1], 1))
            self.progress.setValue(so_far[0])
        asks = so_far is None and not self._session.preferences.has_person
        for field in self.signature.fields:
            field.setVisible(asks)
        self.skip.setVisible(so_far is None and bool(self.plan and self.plan.wrong))
        self.back.setText(_("Cancel") if so_far is None else _("Stop"))
        self.back.setAccessibleName(self.back.text())
        self._judge()

    def _judge(self) -> None:
        plan = self.plan
        is_ready = bool(plan and plan.rows and (not plan.wrong or self.skip.isChecked()))
        self.take.setEnabled(is_ready and not self.progress.isVisibleTo(self))


def summary_of(plan: ImportPlan) -> str:
    keys = ngettext("One key", "{count} keys", len(plan.rows))
    environments = ngettext(
        "one environment", "{count} environments", len({row.environment.id for row in plan.rows})
    )
    summary = (
        _("{keys} for {environments}.").format(keys=keys, environments=environments)
        if plan.rows
        else _("No row can be imported.")
    )
    reasons = {field_sentence(row.error) for row in plan.wrong}
    if plan.wrong and not plan.rows and len(reasons) == 1:
        return f"{summary} {reasons.pop()}"
    if plan.wrong:
        wrong = ngettext("One row can't be imported.", "{count} rows can't be imported.", len(plan.wrong))
        return f"{summary} {wrong}"
    return summary
