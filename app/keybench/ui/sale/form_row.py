"""The sale form's fields side by side, or in two rows where there is little room or the text is large."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from keybench.ui.widgets.labels import label

_SPACING: Final = 10
#: Row, column and column span of device, amount, currency, key and button; then the columns' stretch.
_WIDE: Final = (((0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (0, 4, 1)), (4, 2, 1, 4, 0))
_NARROW: Final = (((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 2), (1, 2, 1)), (3, 2, 2, 0, 0))


class FormRow(QWidget):
    """Arranges device, amount, currency, key and the button; Tab goes as the eye does.

    Args:
        device, amount, currency, key: The fields; each gets a label above it.
        button: Stands at the end.
    """

    def __init__(
        self, device: QWidget, amount: QWidget, currency: QWidget, key: QWidget, button: QWidget
    ) -> None:
        super().__init__()
        self._widgets = (device, amount, currency, key, button)
        self._labels: dict[QWidget, QLabel] = {
            editor: _label(text, editor)
            for text, editor in zip(("Device", "Amount", "Currency", "Key"), self._widgets, strict=False)
        }
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_SPACING)
        self._grid.setVerticalSpacing(4)
        self._wide: bool | None = None
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the two rows, so that the form may become that narrow."""
        device, amount, currency, key, button = self._widgets
        width = max(_width((device, key)), _width((amount, currency, button)))
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the fields for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        wide = self.width() >= _width(self._widgets)
        if wide == self._wide:
            return
        self._wide = wide
        for widget in (*self._widgets, *self._labels.values()):
            self._grid.removeWidget(widget)
        places, stretches = _WIDE if wide else _NARROW
        for widget, (row, column, span) in zip(self._widgets, places, strict=True):
            if title := self._labels.get(widget):
                self._grid.addWidget(title, 2 * row, column, 1, span)
            self._grid.addWidget(widget, 2 * row + 1, column, 1, span)
        for column, stretch in enumerate(stretches):
            self._grid.setColumnStretch(column, stretch)
        device, amount, currency, key, button = self._widgets
        order = self._widgets if wide else (device, key, amount, currency, button)
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)


def _width(widgets: Sequence[QWidget]) -> int:
    return sum(widget.minimumSizeHint().width() for widget in widgets) + _SPACING * (len(widgets) - 1)


def _label(text: str, editor: QWidget) -> QLabel:
    made = label(text, "field")
    made.setBuddy(editor)
    return made
