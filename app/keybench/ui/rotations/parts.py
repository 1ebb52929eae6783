"""Small parts the views of a rotation share: buttons, rows of them, tables, the box that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QAbstractItemModel, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from keybench.ui.keys.labels import label
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.plain import set_tip
from keybench.ui.widgets.wrapping_row import WrappingRow

#: What is read across, at 13 px text, isn't wider: the eye would lose the row.
WIDEST_PX: Final = 760


def act_button(text: str, slot: Callable[[], object], tone: str = "plain", *, hint: str = "") -> QPushButton:
    """Return a button that calls `slot`; its accessible name is its text."""
    made = QPushButton(text)
    made.setAccessibleName(text)
    made.setProperty("tone", tone)
    made.setAutoDefault(False)
    set_tip(made, hint)
    made.setAccessibleDescription(hint)
    made.clicked.connect(slot)
    return made


def prose(text: str = "", role: str = "") -> QLabel:
    """Return a label of plain text over as many lines as it needs."""
    made = label(text, role)
    made.setWordWrap(True)
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return made


def column(parent: QWidget, *, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a calm vertical layout on `parent`."""
    made = QVBoxLayout(parent)
    made.setContentsMargins(*margins)
    made.setSpacing(8)
    return made


def row_of(*widgets: QWidget | None) -> QHBoxLayout:
    """Return widgets beside each other; None stands for the room between left and right."""
    made = QHBoxLayout()
    made.setSpacing(8)
    for widget in widgets:
        if widget is None:
            made.addStretch(1)
        else:
            made.addWidget(widget)
    return made


class WhyNot(QFrame):
    """A box that says why something can't be done yet, with what can be done about it at its right."""

    def __init__(self, title: str, *actions: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setProperty("tone", "warning")
        self._title = prose(title, "strong")
        self._title.setProperty("tone", "warning")
        self._reason = prose()
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._title)
        texts.addWidget(self._reason)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(12)
        layout.addLayout(texts, 1)
        for action in actions:
            layout.addWidget(action)

    @property
    def reason(self) -> str:
        """What it says."""
        return self._reason.text()

    def show_reason(self, reason: str) -> None:
        """Say why not; an empty reason takes the box away."""
        self._reason.setText(reason)
        self.setAccessibleName(f"{self._title.text()} {reason}" if reason else "")
        self.setVisible(bool(reason))


class RowsTable(Table):
    """A table as high as its rows, within limits; the page around it scrolls.

    Args:
        name: The accessible name.
        stretch: As `Table` has it.
        empty_text: As `Table` has it.
        least: How many rows have room at the least.
        most: How many rows are shown at the most before it scrolls itself.
    """

    def __init__(
        self, name: str, *, stretch: int = 0, empty_text: str = "", least: int = 1, most: int = 8
    ) -> None:
        super().__init__(name, stretch=stretch, empty_text=empty_text)
        self._least, self._most = least, most
        self.horizontalScrollBar().rangeChanged.connect(self._on_range)
        self.fit_rows()

    def fit_rows(self) -> None:
        """Take the height of the rows there are now."""
        model: QAbstractItemModel | None = self.model()
        count = model.rowCount() if model else 0
        self._fit_height(count)
        self.fit_columns()

    def _on_range(self, _least: int, _most: int) -> None:
        model: QAbstractItemModel | None = self.model()
        self._fit_height(model.rowCount() if model else 0)

    def _fit_height(self, count: int) -> None:
        bar = self.horizontalScrollBar()
        scrolls = bar.sizeHint().height() if bar.maximum() > bar.minimum() else 0
        self.setFixedHeight(self.height_for_rows(min(max(count, self._least), self._most)) + scrolls)

    def minimumSizeHint(self) -> QSize:
        """Return no width of its own: it scrolls sideways where it must."""
        return QSize(0, super().minimumSizeHint().height())


__all__ = ["WIDEST_PX", "RowsTable", "WhyNot", "WrappingRow", "act_button", "column", "prose", "row_of"]
