"""A small framed fact with a dot, as the band shows the gateway and the keystore."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.theme import keep_size, set_role, tokens
from keybench.ui.kit.tokens import Tone

DOT_PX = 8
HEIGHT_PX = 26


class Dot(QWidget):
    """A disc in a tone; it only goes with words, never alone."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(DOT_PX, DOT_PX)
        self._tone: Tone = "dim"

    def show_tone(self, tone: Tone) -> None:
        self._tone = tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens().tone(self._tone)))
        painter.drawEllipse(QRectF(0, 0, DOT_PX, DOT_PX))
        painter.end()


class Chip(QFrame):
    """A dot (where there is something to tell by it) and a few words about what `name` says to screen readers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("role", "chip")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._name = name
        self.dot = Dot()
        self.words = ElidedLabel()
        self._row = in_row(self.dot, self.words, within=self, margins=(10, 4, 10, 4), spacing=6)

    def hold(self, widget: QWidget) -> None:
        self._row.setContentsMargins(10, 1, 6, 1)
        self._row.addWidget(widget)
        keep_size(self, least_height=HEIGHT_PX)

    def show_state(self, text: str, tone: Tone | None = None, *, framed: Tone | None = None) -> None:
        """Show a fact, with a dot in a `tone` and a frame in one where it is a warning; no text hides the chip."""
        self.words.setText(text)
        self.words.setAccessibleName(f"{self._name}: {text}")
        self.dot.setVisible(tone is not None)
        if tone is not None:
            self.dot.show_tone(tone)
        set_role(self, "tone", framed or "")
        self.setVisible(bool(text))
