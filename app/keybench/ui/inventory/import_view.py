"""What a list of keys would bring: the keys, the rows that can't be taken over, and who takes them over."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from keybench.core.csv_lists import WrongRow
from keybench.ui.inventory.places import environment_ink, environment_mark, environment_words
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import button, label, prose, set_tip
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.fields import field_sentence
from keybench.words.formats import day
from keybench.workflows.key_import import ImportPlan, PlannedKey

_HINT: Final = (
    "Only descriptions are taken over. Each key then stands in the inventory without a value, until you give "
    "it one."
)


_KEYS: Final[tuple[Column[PlannedKey], ...]] = (
    Column("line", "Line", lambda row: str(row.line), right=True, sort=lambda row: row.line),
    Column("name", "Name", lambda row: row.key.name, bold=True),
    Column("environment", "Environment", environment_words, mark=environment_mark, ink=environment_ink),
    Column("user", "User", lambda row: row.key.username),
    Column("permission", "Permission", lambda row: row.key.permission),
    Column("kind", "Kind", lambda row: row.key.kind.value),
    Column("owner", "Owner", lambda row: row.key.owner),
    Column("purpose", "Purpose", lambda row: row.key.purpose, stretch=True),
    Column("created", "Created", lambda row: day(row.key.created_at), sort=lambda row: row.key.created_at),
)
_WRONG: Final[tuple[Column[WrongRow], ...]] = (
    Column("line", "Line", lambda row: str(row.line), right=True, sort=lambda row: row.line),
    Column("error", "What is wrong", lambda row: field_sentence(row.error), stretch=True),
)


class ImportView(QFrame):
    """The preview.

    Signals:
        take_asked: Take the keys over.
        left: Back to the inventory; nothing is taken over any more.
    """

    take_asked = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plan: ImportPlan | None = None
        self.title = label("", "title")
        self.hint = prose(_HINT, "dim", selectable=True)
        self.summary = prose("", "strong", selectable=True)
        self.keys = TableModel(_KEYS, parent=self)
        self.keys_table = Table("Keys to take over", self.keys, empty_text="No row can be taken over.")
        self.wrong = TableModel(_WRONG, parent=self)
        self.wrong_table = Table("Rows that can't be taken over", self.wrong)
        self.skip = QCheckBox("Leave the wrong rows out")
        self.by = QLineEdit()
        self.by.setFixedWidth(scaled(110))
        self.by.setAccessibleName("Your name")
        set_tip(self.by, "Stands beside each key in the activity")
        self.by_label = label("Your name", "field")
        self.by_label.setBuddy(self.by)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress of taking over")
        self.take: QPushButton = button("Take over", self.take_asked, tone="primary")
        self.back: QPushButton = button("Cancel", self.left)
        self.skip.toggled.connect(self._judge)
        self._lay_out()

    def show_plan(self, plan: ImportPlan, by: str) -> None:
        """Show what a list would bring.

        Args:
            plan: The keys and the wrong rows.
            by: The name proposed for who takes them over.
        """
        self.plan = plan
        self.title.setText(f"Take over the keys of {plan.source}")
        self.summary.setText(summary_of(plan))
        self.keys.show(plan.rows)
        self.wrong.show(plan.wrong)
        self.wrong_table.setVisible(bool(plan.wrong))
        self.skip.setChecked(False)
        self.by.setText(by)
        self.show_progress(None)

    def show_progress(self, so_far: tuple[int, int] | None) -> None:
        """Show how many of how many are taken over, or that it isn't under way."""
        self.progress.setVisible(so_far is not None)
        if so_far:
            self.progress.setMaximum(max(so_far[1], 1))
            self.progress.setValue(so_far[0])
        for widget in (self.by, self.by_label):
            widget.setVisible(so_far is None)
        self.skip.setVisible(so_far is None and bool(self.plan and self.plan.wrong))
        self.back.setText("Cancel" if so_far is None else "Stop")
        self.back.setAccessibleName(self.back.text())
        self._judge()

    def _judge(self) -> None:
        plan = self.plan
        is_ready = bool(plan and plan.rows and (not plan.wrong or self.skip.isChecked()))
        self.take.setEnabled(is_ready and not self.progress.isVisibleTo(self))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.skip)
        foot.addWidget(self.progress, 1)
        foot.addStretch(1)
        foot.addWidget(self.by_label)
        foot.addWidget(self.by)
        foot.addWidget(self.back)
        foot.addWidget(self.take)
        layout.addWidget(self.title)
        layout.addWidget(self.hint)
        layout.addWidget(self.summary)
        layout.addWidget(self.keys_table, 3)
        layout.addWidget(self.wrong_table, 2)
        layout.addLayout(foot)


def summary_of(plan: ImportPlan) -> str:
    """Return how many keys for how many environments a list brings, and how many rows can't be used."""
    count = len(plan.rows)
    places = len({row.environment.id for row in plan.rows})
    where = "one environment" if places == 1 else f"{places:,} environments"
    keys = "One key" if count == 1 else f"{count:,} keys"
    told = f"{keys} for {where}." if count else "No row can be taken over."
    if plan.wrong:
        wrong = len(plan.wrong)
        told += " One row can't be taken over." if wrong == 1 else f" {wrong:,} rows can't be taken over."
    return told
