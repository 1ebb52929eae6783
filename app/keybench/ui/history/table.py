"""The table of past sales: columns of steady widths, and rows that don't move under a reader."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QWidget

from keybench.ui.history import model as columns
from keybench.ui.history.model import HistoryModel
from keybench.ui.theme import mono_font, theme
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.pill import PillDelegate

# As wide as what stands there usually. Measuring what does stand there would take longer with every page,
# and the columns would move while one scrolls.
_SAMPLES: Final = {
    columns.TIME: "28 Sep 2026, 20:58",
    columns.ENVIRONMENT: "environment",
    columns.AMOUNT: "1 000.00 USD",
    columns.OUTCOME: "✕ Refused · 401 ....",  # bold, and with the margins of its pill
    columns.TOOK: "5 min 58 s",
    columns.REFERENCE: "KB-0000-0000-0000",
}
_MARGINS_PX: Final = 22


class HistoryTable(Table):
    """The table; it shows `found`."""

    def __init__(self, found: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__("Sales", stretch=columns.DEVICE, parent=parent)
        self.setModel(found)
        self.setItemDelegateForColumn(columns.OUTCOME, PillDelegate(self))
        self.fit_columns()
        found.rowsInserted.connect(self._stay)
        theme().changed.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Give each column its usual width in the font in force."""
        header = self.horizontalHeader()
        for column, sample in _SAMPLES.items():
            is_mono = column == columns.REFERENCE
            metrics = QFontMetrics(mono_font(theme().scale)) if is_mono else self.fontMetrics()
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, metrics.horizontalAdvance(sample) + _MARGINS_PX)
        header.setSectionResizeMode(columns.KEY, QHeaderView.ResizeMode.Stretch)

    def show_environments(self, *, shown: bool) -> None:
        """Show the column of environments only where there can be more than one."""
        self.setColumnHidden(columns.ENVIRONMENT, not shown)

    def _stay(self, _parent: QModelIndex, first: int, last: int) -> None:
        """Keep the rows in view where they are when new ones come in above them."""
        bar = self.verticalScrollBar()
        height = self.verticalHeader().defaultSectionSize()
        if bar.value() and first * height <= bar.value():
            bar.setMaximum(bar.maximum() + (last - first + 1) * height)
            bar.setValue(bar.value() + (last - first + 1) * height)
