"""The list of findings, worst first, with filters above and the chosen one's card below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.ui.review import rows
from keybench.ui.review.card import FindingCard
from keybench.ui.review.rows import FINDINGS, FindingRow, place_text
from keybench.ui.review.steady_table import SteadyTable
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import label, prose
from keybench.ui.widgets.list_and_card import ListAndCard
from keybench.ui.widgets.pill import PillDelegate
from keybench.ui.widgets.rows_model import RowsModel
from keybench.ui.widgets.segments import Segments
from keybench.words.counting import counted
from keybench.words.formats import clock_time
from keybench.words.review import SEVERITY_WORDS
from keybench.workflows.review import Reviewed

ALL: Final = "all"
LOOKING: Final = "Looking at all keys…"
NO_MATCH: Final = "No finding matches. Choose all environments, or any severity."
NOTHING: Final = "Nothing to mend"
_SAMPLES: Final = {
    rows.SEVERITY: "Dismissed ....",
    rows.KEY: "A usual key name",
    rows.PLACE: "● an environment",
}


class FindingsPane(QWidget):
    """Filters, table, card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.model: RowsModel[FindingRow] = RowsModel(FINDINGS, self)
        self.table = SteadyTable("Findings of the review", self.model, stretch=rows.TITLE, samples=_SAMPLES)
        self.table.empty_text = LOOKING
        self.table.setItemDelegateForColumn(rows.SEVERITY, PillDelegate(self.table))
        self.card = FindingCard()
        self._show_environments(())
        self._lay_out()
        self.where.currentIndexChanged.connect(self._show)
        self.severities.changed.connect(self._show)
        self.dismissed.toggled.connect(self._show)
        self.table.selectionModel().selectionChanged.connect(self._on_selection)
        self.table.opened.connect(self._on_opened)
        self._show()

    @property
    def chosen(self) -> FindingRow | None:
        """The chosen row, or None."""
        row = self.table.current_row()
        return self.model.row(row) if row >= 0 else None

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what a look at all keys showed; the chosen finding stays chosen while it is found."""
        self._reviewed = reviewed
        self._show_environments(reviewed.environments)
        self._show()

    def select_key(self, key_id: str) -> None:
        """Select the worst finding about a key, if there is one."""
        self.where.setCurrentIndex(0)
        self.severities.choose(ALL)
        keys = [row.finding.key.id if row.finding.key else "" for row in self.model.rows]
        self.table.choose_row(keys.index(key_id) if key_id in keys else -1)

    def _show(self) -> None:
        reviewed = self._reviewed
        nothing = reviewed is not None and not reviewed.findings
        self.empty_title.setVisible(nothing)
        self.empty.setVisible(nothing)
        self._body.setVisible(not nothing)
        if reviewed is None:
            return
        self.empty.setText(_told_empty(reviewed))
        chosen = self.chosen
        self.table.empty_text = NO_MATCH
        self.model.renew_rows(self._wanted(reviewed), lambda row: row.finding.identity)
        identities = [row.finding.identity for row in self.model.rows]
        if chosen and chosen.finding.identity in identities:
            self.table.choose_row(identities.index(chosen.finding.identity))
        else:
            self.table.choose_row(0 if identities else -1)
        self._on_selection()

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

    def _on_opened(self, _index: QModelIndex) -> None:
        if self.chosen:
            self.card.focus_first()

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        filters.setSpacing(12)
        filters.addWidget(self.where)
        filters.addWidget(self.severities)
        filters.addWidget(self.dismissed)
        filters.addStretch(1)
        splitter = ListAndCard(self.table, self.card, (400, 240))
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
    return f"{counted(reviewed.keys, 'key')}, looked at {at}. What becomes due is under Reminders."
