"""Parts of Add a New Key that only arrange or explain: the scrolling room and the box about the portal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import label

_MESSAGE_LINES: Final = 3


class SnugScroll(QScrollArea):
    """As high as what it holds, and scrolling it only where the window is too low for that."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Return the content's own size."""
        content = self._content
        width = max(self.width(), content.minimumSizeHint().width())
        height = content.heightForWidth(width) if content.hasHeightForWidth() else content.sizeHint().height()
        return QSize(content.sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        """Return room for two fields."""
        return QSize(self._content.minimumSizeHint().width(), 120)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grow with the content."""
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def why_the_portal(keystore: str) -> QFrame:
    """Return the box that says why the value comes from the portal, and where it is kept."""
    box = QFrame()
    box.setProperty("role", "well")
    text = QLabel(
        "<b>Why the portal?</b> This gateway offers no call that makes a merchant's key. Make the key in the "
        f"portal and bring its value here. It is kept in {keystore} and nowhere else."
    )
    text.setTextFormat(Qt.TextFormat.RichText)
    text.setWordWrap(True)
    layout = QVBoxLayout(box)
    layout.setContentsMargins(16, 12, 16, 12)
    layout.addWidget(text)
    return box


class Below(QStackedWidget):
    """What stands under the buttons: a message, or a reason as long as there is none.

    Attributes:
        message: The label that says it.
    """

    def __init__(self, reason: QWidget | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = label("")
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.message.setMinimumHeight(self.fontMetrics().lineSpacing() * _MESSAGE_LINES)
        self._reason = reason or QWidget()
        self.addWidget(self._reason)
        self.addWidget(self.message)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def say(self, text: str, tone: str) -> None:
        """Show a message; an empty one takes the last away."""
        self.message.setText(text)
        set_role(self.message, "tone", tone if text else "")
        self.setCurrentWidget(self.message if text else self._reason)


class ButtonRows(QVBoxLayout):
    """The buttons in a row; those at its left have one of their own where there is no room for all.

    Args:
        left: The buttons at the left; what isn't visible takes no room.
        right: The others.
    """

    def __init__(self, left: Sequence[QPushButton], *right: QPushButton) -> None:
        super().__init__()
        self._left, self._right = left, right
        self._row, self._own_row = QHBoxLayout(), QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addStretch(1)
        for each in right:
            self._row.addWidget(each)
        self.setSpacing(8)
        self.addLayout(self._own_row)
        self.addLayout(self._row)
        for each in reversed(left):
            self._row.insertWidget(0, each)

    def fit(self, width: int) -> None:
        """Arrange the buttons for a width in pixels."""
        shown = [each for each in (*self._left, *self._right) if not each.isHidden()]
        has_room = sum(each.sizeHint().width() + 8 for each in shown) <= width
        if has_room is not (self._own_row.count() == 0):
            for place, each in enumerate(self._left):
                row, there = (self._row, place) if has_room else (self._own_row, -1)
                row.insertWidget(there, each)


def head() -> QHBoxLayout:
    """Return the title with the portal's path."""
    row = QHBoxLayout()
    row.addWidget(label("Add a New Key", "title"))
    row.addStretch(1)
    row.addWidget(label("Settings › Security Keys", "dim"))  # noqa: RUF001 - the portal's own path
    return row
