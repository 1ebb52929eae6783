"""The Activity view: what was done on this computer to which key, when, and with which result."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLineEdit, QPushButton, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ActivityRecorded
from keybench.core.history import end_of, start_of
from keybench.core.ports import ActivityFilter
from keybench.core.security_key import SecurityKey
from keybench.runtime.person import person_name
from keybench.ui.activity import model as columns
from keybench.ui.activity.erase_question import EraseQuestion
from keybench.ui.activity.model import ActivityModel
from keybench.ui.administration.view import KeysView
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.history.filters import EVERYWHERE, HERE, PAUSE_MS, DayEdit
from keybench.ui.rotations.asking import answered
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.elided import ElidedLabel
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.words.erasing import erased_sentence, erased_title
from keybench.workflows.activity import PAGE

NOTHING_YET: Final = "Nothing was done yet. Adding, testing, revealing and rotating keys is noted here."
NO_MATCH: Final = "No line matches. Look for fewer words or other days, or look in all environments."
UNREADABLE: Final = "The journal couldn't be read."
_READING: Final = "Reading…"
_ERASING: Final = "Erasing…"
_TOPIC: Final = "erasing"
_SAMPLES: Final = {
    columns.WHEN: "28 Sep 2026, 20:58",
    columns.WHAT: "Application not seen working",
    columns.ENVIRONMENT: "environment",
}
_MARGINS_PX: Final = 22


class ActivityView(KeysView):
    """Filters, table, export, and a way to erase a text that should not have been kept.

    Args:
        session: Whose journal.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._trail = session.administration.activity
        self._shown: ActivityFilter | None = None
        self.text = QLineEdit()
        self.text.setAccessibleName("Search activity")
        self.text.setPlaceholderText("Search activity: a key, what was done, a result")
        self.text.setClearButtonEnabled(True)
        self.since, self.until = DayEdit("From"), DayEdit("To")
        self.where = Segments([(EVERYWHERE, "All"), (HERE, "This environment")], name="Activity of")
        self.export = ExportBar(session, Export("line", "activity", self._wanted, self._trail.export))
        self.erase_button = QPushButton("Erase a text…")
        self.model = ActivityModel(self)
        self.table = _table(self.model)
        self.status = ElidedLabel(_READING)
        self.status.setProperty("role", "dim")
        self._first = Renewal(session, "activity", self._read_first)
        self._next = Renewal(session, "activity, next page", self._read_next)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._connect()
        self.reload()

    def reload(self) -> None:
        """Read the newest lines anew, for what the filters say now."""
        self._first.ask()

    def show_key(self, key: SecurityKey) -> None:
        """Show what was done to a key."""
        self.where.choose(EVERYWHERE)
        self.text.setText(key.name)
        self._on_filters()

    # --- reading -------------------------------------------------------------------------------------

    def _wanted(self) -> ActivityFilter:
        since, until = self.since.day(), self.until.day()
        return ActivityFilter(
            text=self.text.text(),
            environment_id=self._session.environment.id if self.where.value == HERE else None,
            since=start_of(since) if since else None,
            until=end_of(until) if until else None,
        )

    async def _read_first(self) -> None:
        wanted = self._wanted()
        try:
            names = await self._trail.environment_names()
            page = await self._trail.page(wanted)
        except KeybenchError:
            self.table.empty_text = UNREADABLE
            self.status.setText(UNREADABLE)
            raise
        if wanted != self._wanted():
            return  # something else is looked for by now, and it has been asked for
        self._shown = wanted
        self.table.empty_text = NOTHING_YET if wanted == ActivityFilter() else NO_MATCH
        self.model.show_page(page, names, has_more=len(page) == PAGE)
        self._tell()

    async def _read_next(self) -> None:
        wanted, after = self._shown, self.model.last_number
        if wanted is None or not after or not self.model.has_more:
            return
        page = await self._trail.page(wanted, after=after)
        if (wanted, after) == (self._shown, self.model.last_number):
            self.model.add_page(page, has_more=len(page) == PAGE)
            self._tell()

    # --- erasing -------------------------------------------------------------------------------------

    def _on_erase(self) -> None:
        self._session.run("erase a text", self._ask_and_erase())

    async def _ask_and_erase(self) -> None:
        question = EraseQuestion(self, self._session)
        try:
            while await answered(question, keep=True):
                self.status.setText(_ERASING)
                try:
                    erasure = await self._session.administration.erasing.erase(question.text, person_name())
                except KeybenchError as error:
                    question.show_error(error)
                else:
                    tone = "good" if erasure.is_swept else "warning"
                    notice = Notice(tone, erased_title(erasure), erased_sentence(erasure), _TOPIC)
                    self._session.notify(notice)
                    return
                finally:
                    self._tell()
        finally:
            question.edit.clear()
            question.deleteLater()

    # --- what is shown -------------------------------------------------------------------------------

    def _tell(self) -> None:
        count = self.model.rowCount()
        if trouble := self.since.toolTip() or self.until.toolTip():
            self.status.setText(trouble)
        elif self.model.has_more:
            self.status.setText(f"The newest {count:,} lines are listed; scroll on for more.")
        else:
            self.status.setText("1 line" if count == 1 else f"{count:,} lines")

    def _on_filters(self) -> None:
        self._pause.stop()
        if self._wanted() == self._shown:
            self._tell()
        else:
            self.reload()

    def _on_environment(self, _environment: Environment) -> None:
        self._on_filters()

    def _on_recorded(self, _event: ActivityRecorded) -> None:
        # Whoever has scrolled on reads what is there; the newest come when they come back to the top.
        if self.model.rowCount() <= PAGE:
            self.reload()

    def _connect(self) -> None:
        self._pause.timeout.connect(self._on_filters)
        for edit in (self.text, self.since, self.until):
            edit.textChanged.connect(self._pause.start)
            edit.returnPressed.connect(self._on_filters)
        self.where.changed.connect(self._on_filters)
        self.erase_button.clicked.connect(self._on_erase)
        self.model.more_wanted.connect(self._next.ask)
        self._session.environment_changed.connect(self._on_environment)
        self._session.subscribe(self, {ActivityRecorded: self._on_recorded})

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.text, 1)
        for widget in (self.since, self.until, self.where):
            first.addWidget(widget)
        last = QHBoxLayout()
        last.setSpacing(8)
        last.addWidget(self.status, 1)
        last.addWidget(self.erase_button)
        last.addWidget(self.export)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(first)
        layout.addWidget(self.table, 1)
        layout.addLayout(last)


def _table(model: ActivityModel) -> Table:
    table = Table("Activity", stretch=columns.RESULT, empty_text=_READING)
    table.setModel(model)
    header = table.horizontalHeader()

    metrics: QFontMetrics = table.fontMetrics()
    for column, sample in _SAMPLES.items():
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(column, metrics.horizontalAdvance(sample) + _MARGINS_PX)
    header.setSectionResizeMode(columns.SUBJECT, QHeaderView.ResizeMode.Stretch)

    return table
