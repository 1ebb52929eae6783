"""A document on paper: a PDF in the paper size that is usual where the user is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QBuffer, QIODevice, QLocale, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextDocument,
    QTextOption,
)

from keybench.core.environments.environment import marking
from keybench.words.formats import day_and_time
from keybench.words.language import _
from keybench.words.paper import COLOURS, DRAFT_WORD, Paper, paper_html, visible

_MARGINS_MM: Final = QMarginsF(18, 14, 18, 12)
_DOTS_PER_INCH: Final = 1200
_POINTS_PER_INCH: Final = 72
_TEXT_PT: Final = 10.0
_EDGE_PT: Final = 8.0
#: The room of a page's head and foot, with the gap between them and the text.
_EDGE_ROOM_PT: Final = 22.0
_DIM: Final = QColor("#5b6675")
_WARNING: Final = QColor("#9a3412")
#: Where letters are written on US Letter, as Unicode's list of territories has it; elsewhere it is A4.
_LETTER: Final = {"BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"}


def paper_size(locale: QLocale) -> QPageSize:
    is_letter = QLocale.territoryToCode(locale.territory()) in _LETTER
    return QPageSize(QPageSize.PageSizeId.Letter if is_letter else QPageSize.PageSizeId.A4)


def pdf_of(paper: Paper, size: QPageSize | None = None) -> bytes:
    """Return a document as PDF, in the user's paper size or another."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("Keybench")
    writer.setResolution(_DOTS_PER_INCH)
    writer.setPageSize(size or paper_size(QLocale.system()))
    writer.setPageMargins(_MARGINS_MM, QPageLayout.Unit.Millimeter)
    writer.setTitle(f"{marking(paper.environment)} · {paper.full_title}")
    draw(paper, writer)
    buffer.close()
    return bytes(buffer.data().data())


def draw(paper: Paper, device: QPagedPaintDevice) -> None:
    """Draw a document, page by page, on a device that has pages."""
    painter = QPainter(device)
    painter.setLayoutDirection(QGuiApplication.layoutDirection())
    try:
        room = painter.viewport()
        edge = _EDGE_ROOM_PT * painter.device().logicalDpiY() / _POINTS_PER_INCH
        size = QSizeF(room.width(), room.height() - 2 * edge)
        document = QTextDocument()
        document.documentLayout().setPaintDevice(device)
        font = QFont()
        font.setPointSizeF(_TEXT_PT)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        document.setDefaultFont(font)
        breaking = QTextOption()
        breaking.setTextDirection(QGuiApplication.layoutDirection())
        breaking.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(breaking)
        document.setDocumentMargin(0)
        document.setHtml(paper_html(paper))
        document.setPageSize(size)
        count = document.pageCount()
        for number in range(count):
            if number:
                device.newPage()
            top = number * size.height()
            painter.save()
            painter.translate(0, edge - top)
            document.drawContents(painter, QRectF(0, top, size.width(), size.height()))
            painter.restore()
            title = f"{DRAFT_WORD}  {paper.title}" if paper.is_draft else paper.title
            colour = _WARNING if paper.is_draft else _DIM
            _draw_edge(painter, 0, title, colour, day_and_time(paper.written_at))
            where, colour = marking(paper.environment), QColor(COLOURS[paper.environment.kind])
            numbered = _("Page {number} of {count}").format(number=number + 1, count=count)
            _draw_edge(painter, room.height() - edge / 2, where, colour, numbered)
    finally:
        painter.end()


def _draw_edge(painter: QPainter, y: float, text: str, colour: QColor, right: str) -> None:
    """Draw a page's head or foot: a text, which ends with “…” if it is long, and at its other end another."""
    font = QFont()
    font.setPointSizeF(_EDGE_PT)
    painter.setFont(font)
    metrics = painter.fontMetrics()
    at = QRectF(0, y, painter.viewport().width(), metrics.height())
    room = at.width() - metrics.horizontalAdvance(f"  {right}")
    plain = visible(" ".join(text.split()))
    painter.setPen(colour)
    painter.drawText(at, metrics.elidedText(plain, Qt.TextElideMode.ElideRight, int(room)))
    painter.setPen(_DIM)
    painter.drawText(at, Qt.AlignmentFlag.AlignRight, right)
