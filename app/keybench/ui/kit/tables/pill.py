"""A state in a word or two on a soft background, as `labels.Pill` shows it, painted in a table's cells."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from keybench.ui.kit.tables.model import TONE_ROLE
from keybench.ui.kit.theme import tokens
from keybench.ui.kit.tokens import Tone


def pill_font(font: QFont) -> QFont:
    word = QFont(font)
    word.setBold(True)
    word.setPixelSize(max(font.pixelSize() - 1, 8))
    return word


#: What a pill in a cell needs besides its word: its own margins, and those of the cell.
PILL_MARGINS_PX: Final = 12 + 8 + 4


class PillDelegate(QStyledItemDelegate):
    """Paints a column's texts as pills, in the tone each cell has under `TONE_ROLE`."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        text, tone = shown.text, index.data(TONE_ROLE)
        if not tone:
            super().paint(painter, option, index)
            return
        shown.text = ""
        widget: QWidget | None = shown.widget
        style = QApplication.style() if widget is None else widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, shown, painter, widget)
        self._paint_pill(painter, shown, text, tone)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        word = QFontMetrics(pill_font(option.font)).horizontalAdvance(str(index.data()))
        return QSize(max(hint.width(), word + PILL_MARGINS_PX), hint.height() + 4)

    def _paint_pill(self, painter: QPainter, option: QStyleOptionViewItem, text: str, tone: Tone) -> None:
        font = pill_font(option.font)
        metrics = QFontMetrics(font)
        room = QRect(option.rect).adjusted(8, 0, -4, -1)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - 12)
        height = metrics.height() + 4
        pill = QRect(
            room.left(),
            room.center().y() - height // 2 + 1,
            metrics.horizontalAdvance(shown) + 12,
            height,
        )
        pill = QStyle.visualRect(option.direction, option.rect, pill)  # at the right where text begins there
        colours = tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.soft(tone)))
        if colours.high:
            painter.setPen(QColor(colours.tone(tone)))
        painter.drawRoundedRect(pill, 4, 4)
        painter.setPen(QColor(colours.tone(tone)))
        painter.setFont(font)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, shown)
        painter.restore()
