"""A table whose columns are as wide as what stands there usually, whatever does stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QWidget

from keybench.ui.theme import theme
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.rows_model import RowsModel

_MARGINS_PX: Final = 22


class SteadyTable(Table):
    """A table for thousands of rows: measuring them all would take longer than reading them.

    Args:
        name: The accessible name.
        shown: What it shows.
        stretch: The column that takes the room that is left.
        samples: A usual text of each other column.
    """

    def __init__(
        self,
        name: str,
        shown: RowsModel[Any],
        *,
        stretch: int,
        samples: Mapping[int, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, stretch=stretch, parent=parent)
        self._samples = samples
        self.setModel(shown)
        self.fit_columns()
        theme().changed.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Give each column its usual width in the font in force."""
        header = self.horizontalHeader()
        metrics: QFontMetrics = self.fontMetrics()
        for column, sample in self._samples.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, metrics.horizontalAdvance(sample) + _MARGINS_PX)
