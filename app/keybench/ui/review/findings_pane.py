"""The list of findings, worst first, with filters above and the chosen one's card below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.ui.preferences import Preferences
from keybench.ui.review.card import FindingCard
from keybench.ui.review.rows import FINDINGS, FindingRow, place_text
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import label, prose
from keybench.ui.widgets.list_page import DetailEdge
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.words.formats import clock_time, plural
from keybench.words.review import SEVERITY_WORDS
from keybench.workflows.review import Reviewed

ALL: Final = "all"
LOOKING: Final = "Looking at all keys…"
NO_MATCH: Final = "No finding matches. Choose all environments, or any severity."
NOTHING: Final = "Nothing to fix"


class FindingsPane(QWidget):
    """Filters, table, card.

    Args:
        preferences: Remembers the columns and the edge.
    """

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._reviewed: Reviewed | None = None
        self._environments: tuple[Environment, ...] = ()
        self.where = ComboBox()
        self.where.setAccessibleName("Findings of")
        self.severities = Segments(
            [(ALL, "All"), *((severity.value, word) for severity, word in SEVERITY_WORDS.items())],
            "Severity",
        )
        self.dismissed = QCheckBox("Show dismissed")
        self.dismissed.setAccessibleName("Show dismissed")
        self.empty = prose("", "dim", selectable=True)
        self.empty_title = label(NOTHING, "title")
        self.model = TableModel(FINDINGS, lambda row: row.finding.identity, parent=self)
        self.table = Table("Findings of the review", self.model, empty_text=LOOKING)
        self.table.columns.keep(preferences, "review/findings columns")
        self.card = FindingCard()
        self._show_environments(())
        self._lay_out()
        self.where.currentIndexChanged.connect(self._show)
        self.severities.changed.connect(self._show)
        self.dismissed.toggled.connect(self._show)
        self.table.selection_changed.connect(self._on_selection)
        self.table.opened.connect(self._on_opened)
        self._show()

    @property
    def chosen(self) -> FindingRow | None:
        """The chosen row, or None."""
        return self.table.selected

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what a look at all keys showed; the chosen finding stays chosen while it is found."""
        self._reviewed = reviewed
        self._show_environments(reviewed.environments)
        self._show()

    def select_key(self, key_id: str) -> None:
        """Select the worst finding about a key, if there is one."""
        self.where.setCurrentIndex(0)
        self.severities.choose(ALL)
        found = (row for row in self.model.items if row.finding.key and row.finding.key.id == key_id)
        worst = next(found, None)
        self.table.select(worst.finding.identity if worst else None)

    def _show(self) -> None:
        reviewed = self._reviewed
        nothing = reviewed is not None and not reviewed.findings
        self.empty_title.setVisible(nothing)
        self.empty.setVisible(nothing)
        self._body.setVisible(not nothing)
        if reviewed is None:
            return
        self.empty.setText(_told_empty(reviewed))
        self.table.empty_text = NO_MATCH
        self.model.show(self._wanted(reviewed))
        if self.chosen is None and self.model.rows:
            self.table.select_row(0)

    def _wanted(self, reviewed: Reviewed) -> list[FindingRow]:
        place, severity = self.where.currentData(), self.severities.value
        found = [
            FindingRow(one, reviewed.dismissed.get(one.identity))
            for one in reviewed.findings
            if place in {None, one.environment.id} and severity in {ALL, one.severity.value}
        ]
        standing = [row for row in found if row.dismissal is None]
        return standing + [row for row in found if row.dismissal and self.dismissed.isChecked()]

    def _show_environments(self, environments: Sequence[Environment]) -> None:
        if self.where.count() and tuple(environments) == self._environments:
            return
        self._environments = tuple(environments)
        chosen = self.where.currentData()
        with QSignalBlocker(self.where):
            self.where.clear()
            self.where.addItem("All environments", None)
            for one in environments:
                self.where.addItem(place_text(one), one.id)
            self.where.setCurrentIndex(max(self.where.findData(chosen), 0))

    def _on_selection(self) -> None:
        self.card.show_row(self.chosen)

    def _on_opened(self) -> None:
        if self.chosen:
            self.card.focus_first()

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        filters.setSpacing(12)
        filters.addWidget(self.where)
        filters.addWidget(self.severities)
        filters.addWidget(self.dismissed)
        filters.addStretch(1)
        splitter = DetailEdge(self.table, self.card, (400, 240))
        splitter.keep(self._preferences, "review/findings edge")
        self._body = QWidget()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(12)
        body.addLayout(filters)
        body.addWidget(splitter, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.empty_title)
        layout.addWidget(self.empty)
        layout.addWidget(self._body, 1)
        layout.addStretch(0)
        self.setTabOrder(self.dismissed, self.table)


def _told_empty(reviewed: Reviewed) -> str:
    at = clock_time(reviewed.at)
    if not reviewed.keys:
        return f"There are no keys yet. Add one on the Bench. Looked at {at}."
    return plural(
        reviewed.keys,
        f"1 key, looked at {at}. What becomes due is under Reminders.",
        f"{{}} keys, looked at {at}. What becomes due is under Reminders.",
    )
