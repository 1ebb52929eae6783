"""The card's small table of identifiers, each in the fixed font and ready to be copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QWidget

from keybench.core.sale import Sale
from keybench.ui.widgets.labels import label, set_tip

_NAMES: Final = ("Authorisation", "Transaction", "Reference", "Payment request")
_SPACING: Final = 12
_A_REFERENCE: Final = "KB-0000-0000-0000"
_NONE: Final = "\N{EN DASH}"


class Identifier(QLineEdit):
    """One identifier: read-only, selectable, as plain as a label; long ones scroll."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrame(False)
        self.setProperty("role", "mono")
        self.setAccessibleName(name)

    def minimumSizeHint(self) -> QSize:
        """Return the room for a reference of ours; longer identifiers scroll and don't widen the window."""
        width = self.fontMetrics().horizontalAdvance(_A_REFERENCE) + 6
        return QSize(width, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """Return the same: the layout gives what there is."""
        return self.minimumSizeHint()


class Details(QWidget):
    """Authorisation, transaction, reference and payment request: two in a row, or one where it is narrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = {name: Identifier(name) for name in _NAMES}
        self._labels = {name: label(name, "dim") for name in _NAMES}
        self._lines = [QFrame() for _ in _NAMES]
        for line in self._lines:
            line.setProperty("role", "line")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_SPACING)
        self._grid.setVerticalSpacing(0)
        self._per_row = 0
        self._arrange()

    def show_sale(self, sale: Sale) -> None:
        """Show a sale's identifiers; a dash where there is none."""
        verdict = sale.verdict
        found = (
            verdict.authorisation if verdict else "",
            verdict.transaction_id if verdict else "",
            sale.reference,
            sale.request_id,
        )
        for value, text in zip(self._values.values(), found, strict=True):
            if value.text() != (text or _NONE):
                value.setText(text or _NONE)
                value.setCursorPosition(0)
                set_tip(value, text)

    def text_of(self, name: str) -> str:
        """Return what stands beside a name."""
        return self._values[name].text()

    def minimumSizeHint(self) -> QSize:
        """Return the width of one in a row."""
        return QSize(self._width_of(_NAMES), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the identifiers for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _width_of(self, names: Sequence[str]) -> int:
        """Return the least width of a column of labels with their values."""
        labels = max(self._labels[name].sizeHint().width() for name in names)
        values = max(self._values[name].minimumSizeHint().width() for name in names)
        return labels + _SPACING + values

    def _arrange(self) -> None:
        width_of_two = self._width_of(_NAMES[::2]) + _SPACING + self._width_of(_NAMES[1::2])
        per_row = 2 if self.width() >= width_of_two else 1
        if per_row == self._per_row:
            return
        self._per_row = per_row
        while self._grid.count():
            self._grid.takeAt(0)
        for place, name in enumerate(_NAMES):
            row, side = divmod(place, per_row)
            self._grid.addWidget(self._labels[name], 2 * row, 2 * side)
            self._grid.addWidget(self._values[name], 2 * row, 2 * side + 1)
        rows = len(_NAMES) // per_row
        for row, line in enumerate(self._lines):
            line.setVisible(row < rows)
            if row < rows:
                self._grid.addWidget(line, 2 * row + 1, 0, 1, 2 * per_row)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(3, 3 if per_row == 2 else 0)
