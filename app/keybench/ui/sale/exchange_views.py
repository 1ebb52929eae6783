"""Request and answer of one exchange side by side, with what is sought marked in both."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QWidget

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_search import Hit, Side
from keybench.ui.sale.exchange_text import answer_text, request_text
from keybench.ui.theme import scaled, tokens


class ExchangeViews(QWidget):
    """The two texts; both can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.request = _view("Request")
        self.answer = _view("Answer")
        self._shown: Exchange | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.request)
        layout.addWidget(self.answer)

    def show_exchange(self, exchange: Exchange) -> None:
        """Show an exchange; the one that is shown already stays where it is scrolled to."""
        if exchange != self._shown:
            self._shown = exchange
            self.request.setPlainText(request_text(exchange))
            self.answer.setPlainText(answer_text(exchange))

    def mark(self, hits: Sequence[Hit], current: Hit | None) -> None:
        """Mark matches, the looked-at one the most, and bring that into view.

        Args:
            hits: Those in the exchange shown.
            current: The one looked at, or None.
        """
        for side, view in ((Side.REQUEST, self.request), (Side.ANSWER, self.answer)):
            here = [hit for hit in hits if hit.side is side]
            view.setExtraSelections([_marking(view, hit, looked_at=hit == current) for hit in here])
            if current is not None and current in here:
                cursor = _cursor(view, current)
                cursor.setPosition(current.start)
                view.setTextCursor(cursor)
                view.centerCursor()


def _marking(view: QPlainTextEdit, hit: Hit, *, looked_at: bool) -> QTextEdit.ExtraSelection:
    colours = tokens()
    marking = QTextEdit.ExtraSelection()
    marking.cursor = _cursor(view, hit)
    shape = marking.format
    shape.setBackground(QColor(colours.warning if looked_at else colours.soft("warning")))
    shape.setForeground(QColor(colours.on_tone if looked_at else colours.ink))
    marking.format = shape
    return marking


def _cursor(view: QPlainTextEdit, hit: Hit) -> QTextCursor:
    cursor = QTextCursor(view.document())
    cursor.setPosition(hit.start)
    cursor.setPosition(hit.start + hit.length, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _view(name: str) -> QPlainTextEdit:
    view = QPlainTextEdit()
    view.setReadOnly(True)
    view.setProperty("role", "mono")
    view.setAccessibleName(name)
    view.setTabChangesFocus(True)
    view.setMinimumHeight(scaled(72))
    return view
