"""The card's small table of identifiers, each in the fixed font and ready to be copied."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QWidget

from keybench.core.sale import Sale
from keybench.ui.sale.labels import label
from keybench.ui.theme import scaled

_NAMES: Final = ("Authorisation", "Transaction", "Reference", "Payment request")
#: From this width on, for 13 px text, two stand in a row.
_TWO_IN_A_ROW: Final = 500
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
        """Return the room for some ten characters, so that a long identifier doesn't widen the window."""
        return QSize(self.fontMetrics().averageCharWidth() * 10, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """Return the same: the layout gives what there is."""
        return self.minimumSizeHint()


class Details(QWidget):
    """Authorisation, transaction, reference and payment request: two in a row, or one where it is narrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = {name: Identifier(name) for name in _NAMES}
        self._labels = {name: label("dim", name) for name in _NAMES}
        self._lines = [QFrame() for _ in _NAMES]
        for line in self._lines:
            line.setProperty("role", "line")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
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

    def text_of(self, name: str) -> str:
        """Return what stands beside a name."""
        return self._values[name].text()

    def minimumSizeHint(self) -> QSize:
        """Return the width of one in a row."""
        label_width = max(made.sizeHint().width() for made in self._labels.values())
        value_width = max(value.minimumSizeHint().width() for value in self._values.values())
        return QSize(label_width + 12 + value_width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the identifiers for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        per_row = 2 if self.width() >= scaled(_TWO_IN_A_ROW) else 1
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
