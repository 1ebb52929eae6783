"""Parts of Add a New Key that only arrange or explain: the scrolling room and the box about the portal."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget


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
