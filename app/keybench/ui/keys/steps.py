"""The line of steps over Add a New Key where the value comes from a portal: name, bring, test."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench.ui.keys.labels import label
from keybench.ui.tokens import Tone
from keybench.ui.widgets.pill import Pill

_STEPS: Final = ("Name it in the portal", "Bring the value here", "Test")
_ARROW: Final = "›"  # noqa: RUF001 - an arrow between steps


class Steps(QWidget):
    """Shows which step one is at; what is done has a tick. In little room only the present one has words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current = 0
        layout = QHBoxLayout(self)
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self._pills = [Pill() for _step in _STEPS]
        for place, pill in enumerate(self._pills):
            if place:
                layout.addWidget(label(_ARROW, "dim"))
            layout.addWidget(pill)
        layout.addStretch(1)
        self.show_step(0)

    def show_step(self, current: int) -> None:
        """Show that the steps before `current` (from 0) are done."""
        self._current = current
        short = self.width() < self._whole_width()
        for place, pill in enumerate(self._pills):
            words = "" if short and place != current else f" {_STEPS[place]}"
            pill.show_state(f"{'✓ ' if place < current else ''}{place + 1}{words}", _tone(place, current))
        self.setAccessibleName(f"Step {current + 1} of {len(_STEPS)}: {_STEPS[current]}")

    def minimumSizeHint(self) -> QSize:
        """Return no width of its own, so that it never makes the panel wider."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave words out or bring them back."""
        super().resizeEvent(event)
        self.show_step(self._current)

    def _whole_width(self) -> int:
        metrics = QFontMetrics(self._pills[0].font())
        return metrics.horizontalAdvance("  ".join(f"✓ 0 {step} {_ARROW}" for step in _STEPS)) + 48


def _tone(place: int, current: int) -> Tone:
    if place < current:
        return "good"
    return "accent" if place == current else "dim"
