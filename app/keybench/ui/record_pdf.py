"""A page of the record as PDF on A4, with its title and the number of each page at the foot."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)

from keybench.runtime.saving import save
from keybench.words.language import _

_MARGINS_MM: Final = QMarginsF(14, 14, 14, 12)
#: Qt's text layout rounds to whole units, which at this resolution nobody sees.
_DOTS_PER_INCH: Final = 600
_FOOT_MM: Final = 8.0
_MM_PER_INCH: Final = 25.4
_INK: Final = QColor("#1b2430")
_DIM: Final = QColor("#5b6675")
_FOOT_POINTS: Final = 8


async def save_pdf(path: Path, page: str) -> None:
    """Save a page as PDF.

    Args:
        path: Where to.
        page: HTML that needs nothing else; its title is the PDF's.

    Raises:
        FileNotSaved: It can't be written; what stood there before is untouched.
    """
    await save(path, pdf_of(page))


def pdf_of(page: str) -> bytes:
    """Return a page as PDF on A4."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("Keybench")
    writer.setResolution(_DOTS_PER_INCH)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(_MARGINS_MM, QPageLayout.Unit.Millimeter)
    document = _laid_out(page, writer)
    writer.setTitle(document.metaInformation(QTextDocument.MetaInformation.DocumentTitle))
    painter = QPainter(writer)
    try:
        for number in range(1, document.pageCount() + 1):
            if number > 1:
                writer.newPage()
            _draw_page(painter, document, number)
    finally:
        painter.end()
    buffer.close()
    return bytes(buffer.data().data())


def _laid_out(page: str, writer: QPdfWriter) -> QTextDocument:
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setDocumentMargin(0)
    document.setHtml(page)
    foot = _FOOT_MM / _MM_PER_INCH * writer.resolution()
    document.setPageSize(QSizeF(writer.width(), writer.height() - foot))
    return document


def _draw_page(painter: QPainter, document: QTextDocument, number: int) -> None:
    size = document.pageSize()
    part = QRectF(0, (number - 1) * size.height(), size.width(), size.height())
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = part
    context.palette.setColor(QPalette.ColorRole.Text, _INK)  # the screen's theme may be dark
    painter.save()
    painter.translate(0, -part.top())
    painter.setClipRect(part)
    document.documentLayout().draw(painter, context)
    painter.restore()
    _draw_foot(painter, document, number)


def _draw_foot(painter: QPainter, document: QTextDocument, number: int) -> None:
    size = document.pageSize()
    foot = QRectF(0, size.height(), size.width(), painter.viewport().height() - size.height())
    font = document.defaultFont()
    font.setPointSize(_FOOT_POINTS)
    painter.setFont(font)
    painter.setPen(_DIM)
    below = Qt.AlignmentFlag.AlignBottom
    pages = _("Page {number} of {count}").format(number=number, count=document.pageCount())
    room = foot.width() - painter.fontMetrics().horizontalAdvance(f"  {pages}")
    title = document.metaInformation(QTextDocument.MetaInformation.DocumentTitle)
    shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(room))
    painter.drawText(foot, int(below | Qt.AlignmentFlag.AlignLeft), shown)
    painter.drawText(foot, int(below | Qt.AlignmentFlag.AlignRight), pages)
