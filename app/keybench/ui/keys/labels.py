"""Small ready-made parts of the Security Keys panel: labels, lines, buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QSizePolicy, QWidget

from keybench.ui.widgets.plain import PlainLabel, set_tip


def label(text: str, role: str = "") -> QLabel:
    """Return a label of plain text in a role of the style sheet."""
    made = PlainLabel(text)
    if role:
        made.setProperty("role", role)
    return made


def line() -> QFrame:
    """Return a thin horizontal line."""
    made = QFrame()
    made.setProperty("role", "line")
    made.setFixedHeight(1)
    return made


class SteadyButton(QPushButton):
    """A button with room for the longest of the texts it may show, so that what stands beside it stays.

    Args:
        text: What it shows first.
        others: What else it may show; one at least is longer.
    """

    def __init__(self, text: str, others: Sequence[str] = ()) -> None:
        super().__init__(text)
        self._others = tuple(others)

    def sizeHint(self) -> QSize:
        """Return the room for the longest text."""
        hint = super().sizeHint()
        if not self._others:
            return hint
        now, *others = map(self.fontMetrics().horizontalAdvance, (self.text(), *self._others))
        return QSize(hint.width() + max(max(others) - now, 0), hint.height())


def button(
    text: str,
    pressed: SignalInstance,
    *,
    name: str = "",
    tone: str = "plain",
    others: Sequence[str] = (),
) -> QPushButton:
    """Return a button that emits `pressed`.

    Args:
        text: What it shows.
        pressed: Emitted without arguments when it is clicked.
        name: Its accessible name, if not the text.
        tone: ``primary``, ``danger``, ``plain`` or ``quiet``.
        others: What it may show later; it keeps the room for them.
    """
    made = SteadyButton(text, (text, *others)) if others else QPushButton(text)
    made.setAccessibleName(name or text)
    made.setProperty("tone", tone)
    made.setAutoDefault(False)
    made.clicked.connect(pressed)
    return made


def bring_into_view(widget: QWidget) -> None:
    """Scroll what stands round `widget`, if anything does, until it can be seen."""
    area: QWidget | None = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is not None:
        area.ensureWidgetVisible(widget, 0, 0)


class ElidedLabel(PlainLabel):
    """A line of text that gives way when there is no room, and shows the whole as its tooltip then.

    Args:
        text: The text.
        role: A role of the style sheet, or empty.
        least: How many letters it keeps.
        parent: Qt's parent.
    """

    def __init__(self, text: str, role: str = "", *, least: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._least = least
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Return the room for the letters it keeps, or for all if they are fewer."""
        whole = super().minimumSizeHint()
        few = QFontMetrics(self.font()).averageCharWidth() * self._least
        return QSize(min(whole.width(), few), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, with an ellipsis if it is wider than the label."""
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())
        set_tip(self, "" if shown == self.text() else self.text())
        if shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), shown)
        painter.end()
