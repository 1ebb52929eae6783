"""A run as it goes: how far it is, how many of each outcome, and each row, to be filtered and sorted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QProgressBar, QPushButton, QVBoxLayout, QWidget

from keybench.core.run_account import RowResult
from keybench.core.sale import Outcome
from keybench.ui.devices.tables import results_columns
from keybench.ui.preferences import Preferences
from keybench.ui.theme import set_role
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.words.formats import duration, roughly
from keybench.words.outcomes import outcome_shape, outcome_word, tone_of_outcome
from keybench.workflows.many import ManyRun


class RunView(QFrame):
    """The page's third view.

    Args:
        preferences: Remembers the columns.

    Signals:
        stop_asked: Begin no more sales.
        save_asked: Save the rows shown.
        left: Back to the devices; the run goes on.
    """

    stop_asked = Signal()
    save_asked = Signal()
    left = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.title = label("", "title")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress of the run")
        self.words = prose("", "dim", selectable=True)
        self.counts = {outcome: Pill() for outcome in Outcome}
        self.stop: QPushButton = button("Stop", self.stop_asked)
        self.save: QPushButton = button("Save the results…", self.save_asked)
        self.back: QPushButton = button("Back to the devices", self.left)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Filter by device, amount, outcome, reference…")
        self.search.setAccessibleName("Filter results")
        self.search.setClearButtonEnabled(True)
        self._nicknames: dict[str, str] = {}
        self.model = TableModel(results_columns(self._nicknames), lambda result: result.row.line, parent=self)
        self.sorting = ComboBox()
        self.sorting.setAccessibleName("Sort by")
        for number, column in enumerate(self.model.columns[:-1]):
            self.sorting.addItem(f"By {column.title.lower()}", number)
        self.table = Table("Results", self.model, empty_text="No row matches the filter.")
        self.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self._lay_out()
        self._connect()
        self.table.columns.keep(preferences, "devices/results columns")

    def show_results(self, results: Iterable[RowResult], nicknames: Mapping[str, str]) -> None:
        """Show another run's rows; devices go by their nicknames, given by identifier."""
        self._nicknames.clear()
        self._nicknames.update(nicknames)
        self.model.show(results)

    def show_run(self, run: ManyRun, *, is_over: bool) -> None:
        """Show how far a run is."""
        account = run.account
        self.progress.setMaximum(max(account.total, 1))
        self.progress.setValue(account.done - account.left)
        for outcome, pill in self.counts.items():
            count = account.count(outcome)
            pill.show_state(
                f"{outcome_shape(outcome)} {outcome_word(outcome)} {count:,}", tone_of_outcome(outcome)
            )
            pill.setVisible(bool(count))
        text = run_words(run, is_over=is_over)
        self.words.setText(text)
        self.progress.setAccessibleDescription(text)
        self.stop.setEnabled(not is_over and not run.is_stopping)
        set_role(self.words, "tone", "bad" if run.trouble else "")

    def _connect(self) -> None:
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._on_header)
        self.sorting.currentIndexChanged.connect(self._on_sorting)
        self.search.textChanged.connect(self.model.search)

    def _on_header(self, column: int) -> None:
        self.sorting.blockSignals(True)
        self.sorting.setCurrentIndex(self.sorting.findData(column))
        self.sorting.blockSignals(False)

    def _on_sorting(self) -> None:
        column = self.sorting.currentData()
        if isinstance(column, int):
            self.table.horizontalHeader().setSortIndicator(column, Qt.SortOrder.AscendingOrder)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.stop)
        head.addWidget(self.save)
        head.addWidget(self.back)
        pills = QHBoxLayout()
        pills.setSpacing(8)
        for pill in self.counts.values():
            pills.addWidget(pill)
        pills.addStretch(1)
        counts = QWidget()
        counts.setLayout(pills)
        pills.setContentsMargins(0, 0, 0, 0)
        counts.setMinimumHeight(Pill("x", "good").sizeHint().height())
        tools = QHBoxLayout()
        tools.setSpacing(8)
        tools.addWidget(self.search, 1)
        tools.addWidget(self.sorting)
        layout.addLayout(head)
        layout.addWidget(self.progress)
        layout.addWidget(self.words)
        layout.addWidget(counts)
        layout.addLayout(tools)
        layout.addWidget(self.table, 1)


_STOPPED: Final = "Stopped"


def run_words(run: ManyRun, *, is_over: bool) -> str:
    """Return how far a run is, in a sentence or two."""
    account = run.account
    parts = [f"{account.done - account.left:,} of {account.total:,} done"]
    if is_over:
        parts.append(f"took {duration(run.elapsed_s)}")
        if account.left:
            parts.append(f"{account.left:,} not started")
    else:
        parts.append(f"{account.under_way:,} under way")
        if run.time_left_s is not None:
            parts.append(f"about {roughly(run.time_left_s)} left")
    text = " · ".join(parts)
    if run.trouble:
        return f"{text}. The journal can't be written, so no more sales are started."
    if run.is_stopping and not is_over:
        return f"{text}. Stopping: what is under way is finished, no more sales are started."
    return text
