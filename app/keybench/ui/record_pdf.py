"""A document on paper: as a PDF in the paper size that is usual where the user is, or on a printer."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QIODevice, QLocale, QMarginsF, QPointF, QSizeF
from PySide6.QtGui import QPagedPaintDevice, QPageLayout, QPageSize, QPainter, QPdfWriter

from keybench.core.environment import marking
from keybench.runtime.saving import save
from keybench.ui.record_layout import Page, lay_out
from keybench.words.paper import Paper

_MARGINS_MM: Final = QMarginsF(18, 14, 18, 12)
#: Qt's text layout rounds to whole units, which at this resolution nobody sees.
_DOTS_PER_INCH: Final = 1200
_Where: Final = QLocale.Country
#: Where letters are written on US Letter, as Unicode's list of territories has it; elsewhere it is A4.
_LETTER: Final = frozenset(
    {
        _Where.Belize,
        _Where.Canada,
        _Where.Chile,
        _Where.Colombia,
        _Where.CostaRica,
        _Where.ElSalvador,
        _Where.Guatemala,
        _Where.Mexico,
        _Where.Nicaragua,
        _Where.Panama,
        _Where.Philippines,
        _Where.PuertoRico,
        _Where.UnitedStates,
        _Where.Venezuela,
    }
)


def paper_size(locale: QLocale) -> QPageSize:
    """Return the paper size that is usual where a locale is used."""
    is_letter = locale.territory() in _LETTER
    return QPageSize(QPageSize.PageSizeId.Letter if is_letter else QPageSize.PageSizeId.A4)


async def save_pdf(path: Path, paper: Paper) -> None:
    """Save a document as PDF.

    Args:
        path: Where to.
        paper: The document.

    Raises:
        FileNotSaved: It can't be written; what stood there before is untouched.
    """
    await save(path, pdf_of(paper))


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
    try:
        room = painter.viewport()
        for number, page in enumerate(lay_out(paper, device, QSizeF(room.width(), room.height()))):
            if number:
                device.newPage()
            draw_page(page, painter)
    finally:
        painter.end()


def draw_page(page: Page, painter: QPainter) -> None:
    """Draw what is on one page."""
    for area, colour in page.areas:
        painter.fillRect(area, colour)
    for one in page.lines:
        painter.setPen(one.colour)
        one.line.draw(painter, QPointF(one.x, one.y))
