"""One button of the rail: an icon above a name, a radio button to screen readers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from keybench.ui.icons import line_pixmap
from keybench.ui.theme import scaled, tokens
from keybench.ui.tokens import Tone

ICON_PX = 20
TEXT_PX = 11
HEIGHT_PX = 54
LOWEST_PX = 26
"""How low a button can be made: it then shows its name alone."""


class RailButton(QPushButton):
    """A toggle button with its icon above its name.

    A push button and not a tool button: only that one is told to screen readers as one of a group.

    Args:
        name: Its text, which is its accessible name.
        icon: Its drawing under ``resources/icons``.
    """

    def __init__(self, name: str, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)  # it paints its name itself, where the style would put it beside the icon
        self.name = name
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._icon = icon
        self._tone: Tone = "practice"

    def show_tone(self, tone: Tone) -> None:
        """Use another tone while checked."""
        self._tone = tone
        self.update()

    def sizeHint(self) -> QSize:
        """Leave room for both lines."""
        return QSize(scaled(64), scaled(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        """Leave room for the name."""
        return QSize(scaled(64), scaled(LOWEST_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground as the style has it, then icon and name."""
        super().paintEvent(event)
        painter = QPainter(self)
        colour = tokens().tone(self._tone if self.isChecked() else "dim")
        side, line = scaled(ICON_PX), scaled(TEXT_PX + 6)
        words = self.rect()
        if self.height() >= side + line + scaled(3):
            top = (self.height() - side - line - scaled(3)) // 2
            place = QRect((self.width() - side) // 2, top, side, side)
            painter.drawPixmap(place, line_pixmap(self._icon, colour, side))
            words = QRect(0, top + side + scaled(3), self.width(), line)
        font = QFont(self.font())
        font.setPixelSize(scaled(TEXT_PX))
        font.setBold(self.isChecked())
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.name)
        painter.end()
