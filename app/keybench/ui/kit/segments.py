"""A row of toggle buttons of which exactly one is down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QWidget

from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.theme import theme

MARGIN_PX: Final = 13  # the style sheet's padding and border at each side


class Segments(QWidget):
    """An exclusive choice shown as joined buttons by value and label; the arrow keys move it, Tab passes it by."""

    changed = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons: dict[str, QPushButton] = {}
        layout = in_row(within=self, spacing=0)
        places = ["first", *["middle"] * (len(choices) - 2), "last"] if len(choices) > 1 else ["only"]
        for place, (value, label) in zip(places, choices, strict=True):
            button = _segment(label, place)
            button.setProperty("value", value)
            button.toggled.connect(self._on_toggled)
            self._buttons[value] = button
            layout.addWidget(button)
        self._fit()
        theme().changed.connect(self._fit)
        first = next(iter(self._buttons.values()))
        first.setChecked(True)
        self.setFocusProxy(first)

    @property
    def value(self) -> str:
        return next(value for value, button in self._buttons.items() if button.isChecked())

    def choose(self, value: str) -> None:
        self._buttons[value].setChecked(True)

    def button(self, value: str) -> QPushButton:
        return self._buttons[value]

    def _fit(self) -> None:
        bold = QFont(QApplication.font())
        bold.setBold(True)
        for button in self._buttons.values():
            button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(button.text()) + 2 * MARGIN_PX)

    def _on_toggled(self, down: bool) -> None:  # noqa: FBT001 - the signal's own shape
        if down:
            button = self.sender()
            self.setFocusProxy(self._buttons[str(button.property("value"))])
            self.changed.emit(button.property("value"))


def _segment(label: str, place: str) -> QPushButton:
    button = QPushButton(label)
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setProperty("segment", "true")
    button.setProperty("place", place)
    button.setAccessibleName(label)
    return button
