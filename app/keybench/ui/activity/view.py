"""The Activity view: what was done on this computer to which key, when, and with which result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.erasing import Erasure
from keybench.core.events import ActivityRecorded
from keybench.core.history import end_of, start_of
from keybench.core.ports import Activity, ActivityFilter
from keybench.core.secret import Secret
from keybench.core.security_key import SecurityKey
from keybench.runtime.data_folder import person_name
from keybench.ui.activity.erase_dialog import EraseDialog
from keybench.ui.administration.view import KeysListView
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.history.filters import EVERYWHERE, HERE, PAUSE_MS, DayEdit
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.labels import button
from keybench.ui.widgets.list_page import search_field
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.activity import action_words, erased_sentence, erased_title, result_words, spoken_line
from keybench.words.formats import day_and_time
from keybench.workflows.activity import PAGE

NOTHING_YET: Final = "Nothing was done yet. Adding, testing, revealing and rotating keys is noted here."
NO_MATCH: Final = "No line matches. Look for fewer words or other days, or look in all environments."
_ERASING: Final = "Erasing…"
_TOPIC: Final = "erasing"
_REMOVED: Final = "removed"


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """A line of the activity with what its environment is called; empty if it belongs to none."""

    line: Activity
    environment: str


_COLUMNS: Final[tuple[Column[ActivityRow], ...]] = (
    Column(
        "time",
        "Time",
        lambda row: day_and_time(row.line.at),
        width="28 Sep 2026, 20:58",
        hint=lambda row: row.line.at.isoformat(),
        sort=lambda row: row.line.at,
    ),
    Column(
        "done",
        "Done",
        lambda row: action_words(row.line),
        width="Application not seen working",
        bold=True,
        described=lambda row: spoken_line(row.line, row.environment),
    ),
    Column("subject", "Key or sale", lambda row: row.line.subject, stretch=True),
    Column("environment", "Environment", lambda row: row.environment, width="environment"),
    Column("result", "Result", lambda row: result_words(row.line), stretch=True),
)


class ActivityView(KeysListView[ActivityRow]):
    """Filters, table, export, and a way to erase a text that should not have been kept.

    Args:
        session: Whose journal.
    """

    page_size = PAGE
    searches_rows = False
    stale_after = (ActivityRecorded,)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.text = search_field("Search activity", "Search activity: a key, what was done, a result")
        table = Table("Activity", TableModel(_COLUMNS, lambda row: row.line.number))
        super().__init__(session, "keys/activity", table, self.text, parent)
        self._session = session
        self._trail = session.administration.activity
        self._names: Mapping[str, str] = {}
        self.since, self.until = DayEdit("From"), DayEdit("To")
        self.where = Segments([(EVERYWHERE, "All"), (HERE, "This environment")], name="Activity of")
        self.export = ExportBar(session, Export("line", "activity", self.wanted, self._trail.export))
        self.erase_button = button("Erase a text…", self._on_erase)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self.lay_out(
            actions=[self.erase_button, self.export], tools=[self.text, self.since, self.until, self.where]
        )
        self._pause.timeout.connect(self._on_filters)
        for edit in (self.text, self.since, self.until):
            edit.textChanged.connect(self._pause.start)
            edit.returnPressed.connect(self._on_filters)
        self.where.changed.connect(self._on_filters)
        session.environment_changed.connect(self._on_environment)

    def show_key(self, key: SecurityKey) -> None:
        """Show what was done to a key."""
        self.where.choose(EVERYWHERE)
        self.text.setText(key.name)
        self._on_filters()

    # --- reading -------------------------------------------------------------------------------------

    def wanted(self) -> ActivityFilter:
        """Return what the filters say now."""
        since, until = self.since.day(), self.until.day()
        return ActivityFilter(
            text=self.text.text(),
            environment_id=self._session.environment.id if self.where.value == HERE else None,
            since=start_of(since) if since else None,
            until=end_of(until) if until else None,
        )

    async def read(self) -> Sequence[ActivityRow]:
        """Return the newest lines that match."""
        wanted = self.wanted()
        self._names = await self._trail.environment_names()
        return [self._row(line) for line in await self._trail.page(wanted)]

    async def read_after(self, last: ActivityRow) -> Sequence[ActivityRow]:
        """Return the next older ones."""
        return [self._row(line) for line in await self._trail.page(self.wanted(), after=last.line.number)]

    def _row(self, line: Activity) -> ActivityRow:
        known = self._names.get(line.environment_id, _REMOVED) if line.environment_id else ""
        return ActivityRow(line, known)

    def on_event(self, event: object) -> None:
        """Read again, unless somebody has scrolled on: they get the newest when they search again."""
        if self.model.rowCount() <= PAGE:
            super().on_event(event)

    # --- erasing -------------------------------------------------------------------------------------

    def _on_erase(self) -> None:
        self._session.run("erase a text", self._ask_and_erase())

    async def _ask_and_erase(self) -> None:
        dialog = EraseDialog(self, self._session)
        try:
            erasure = await dialog.keep(lambda: self._erase(dialog.text))
        finally:
            dialog.edit.clear()
        if erasure:
            tone = "good" if erasure.is_swept else "warning"
            self._session.notify(Notice(tone, erased_title(erasure), erased_sentence(erasure), _TOPIC))

    async def _erase(self, text: Secret) -> Erasure:
        self.status.setText(_ERASING)
        try:
            return await self._session.administration.erasing.erase(text, person_name())
        finally:
            self.show_words()

    # --- what is shown -------------------------------------------------------------------------------

    def empty_words(self) -> str:
        """Return what is shown where no line is."""
        return NOTHING_YET if self.wanted() == ActivityFilter() else NO_MATCH

    def summary(self) -> str:
        """Return how many lines are listed, or what is wrong with a day."""
        count = self.model.rowCount()
        if wrong := self.since.toolTip() or self.until.toolTip():
            return wrong
        if self.model.has_more:
            return f"The newest {count:,} lines are listed; scroll on for more."
        return "1 line" if count == 1 else f"{count:,} lines"

    def _on_filters(self) -> None:
        self._pause.stop()
        self.look_again()

    def _on_environment(self, _environment: Environment) -> None:
        self._on_filters()
