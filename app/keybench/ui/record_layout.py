"""Lays a document out on pages, as a book is set: what it says, where each line stands, and how large.

Qt's own rich text breaks a table's rows apart, leaves headings alone at the foot of a page, and scales their
letters with the device; so the pages are made here, of Qt's lines of text. Sizes are in points, and what
is placed is in the device's own units.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPagedPaintDevice,
    QPaintDevice,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from keybench.core.environment import marking
from keybench.words.formats import day_and_time
from keybench.words.language import _
from keybench.words.paper import DRAFT_NOTE, DRAFT_WORD, LIVE_NOTE, Paper, Section, visible
from keybench.words.record_html import COLOURS

_POINTS_PER_INCH: Final = 72
_INK: Final = QColor("#1b2430")
_DIM: Final = QColor("#5b6675")
_RULE: Final = QColor("#c4cad2")
_FILL: Final = QColor("#f0f2f5")
_WARNING: Final = QColor("#9a3412")
_WHITE: Final = QColor("#ffffff")
#: Gaps and sizes in points.
_HEAD: Final = 22.0
_FOOT: Final = 20.0
_PAD_X: Final = 5.0
_PAD_Y: Final = 3.5
_HAIRLINE: Final = 0.5
#: No column is narrower, nor the first one of names and what they are wider, as shares of the page.
_LEAST_SHARE: Final = 0.1
_NAMES_SHARE: Final = 0.34
_WORD_SHARE: Final = 0.3


#: A local time with its distance from UTC, which is read as one word.
_TIME: Final = re.compile(r"\([\d: -]+[+-]\d\d:\d\d\)")


class Style(enum.Enum):
    """How a text is set: its size in points, whether it is bold, and the room above it."""

    TITLE = (20.0, True, 12.0)
    HEADING = (13.0, True, 16.0)
    BAND = (12.0, True, 0.0)
    BODY = (10.0, False, 4.0)
    STRONG = (10.0, True, 6.0)
    CELL = (9.0, False, 0.0)
    CELL_NAME = (9.0, True, 0.0)
    EDGE = (8.0, False, 0.0)
    EDGE_STRONG = (8.0, True, 0.0)

    def __init__(self, points: float, bold: bool, above: float) -> None:  # noqa: FBT001 - an enum's value
        self.points = points
        self.bold = bold
        self.above = above


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text on a page.

    Attributes:
        text: What it says.
        style: How it is set.
        x, y: Where its upper left corner is.
        width, height: Its room.
        line: Draws it; `layout` is what that belongs to.
    """

    text: str
    style: Style
    colour: QColor
    x: float
    y: float
    width: float
    height: float
    line: QTextLine
    layout: QTextLayout


@dataclass(slots=True)
class Page:
    """What is on one page: filled areas, then lines of text."""

    areas: list[tuple[QRectF, QColor]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def lay_out(paper: Paper, device: QPagedPaintDevice | QPaintDevice, size: QSizeF) -> list[Page]:
    """Return a document's pages.

    Args:
        paper: The document.
        device: What they are drawn on.
        size: The room on a page, in the device's units.
    """
    return _Setting(paper, device, size).pages


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of one text below one another, not placed yet."""

    lines: tuple[Line, ...]
    height: float


class _Setting:
    """Fills page after page from the top."""

    def __init__(self, paper: Paper, device: QPaintDevice, size: QSizeF) -> None:
        self._paper = paper
        self.device = device
        self.unit = device.logicalDpiY() / _POINTS_PER_INCH
        self.width, self._height = size.width(), size.height()
        self.top = _HEAD * self.unit
        self.bottom = self._height - _FOOT * self.unit
        self.pages: list[Page] = []
        self.y = 0.0
        self.new_page()
        self._set_title()
        for section in paper.sections:
            self._set_section(section)
        self._paragraph(paper.closing, Style.EDGE, _DIM, above=12.0)
        for number, page in enumerate(self.pages, 1):
            self._set_edges(page, number)

    # --- what a page is made of ----------------------------------------------------------------------

    def new_page(self) -> None:
        self.pages.append(Page())
        self.y = self.top

    def _need(self, height: float) -> None:
        """Begin another page unless there is that much room, or all of a page."""
        if self.y + height > self.bottom and self.y > self.top:
            self.new_page()

    def block(self, text: str, style: Style, width: float, colour: QColor = _INK) -> _Block:
        """Set a text in lines no wider than `width`; words that are too long break."""
        lines: list[Line] = []
        y = 0.0
        for part in text.splitlines() or [""]:
            layout = QTextLayout(_TIME.sub(_unbroken, visible(part)), self.font(style), self.device)
            option = QTextOption()
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            layout.setTextOption(option)
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                shown = layout.text()[line.textStart() : line.textStart() + line.textLength()]
                height = line.height()
                lines.append(
                    Line(shown.strip(), style, colour, 0.0, y, line.naturalTextWidth(), height, line, layout)
                )
                y += height
            layout.endLayout()
        return _Block(tuple(lines), y)

    def place(self, lines: Sequence[Line], x: float, y: float, start: float = 0.0) -> None:
        """Put lines on the page; `start` is where the first of them stands within its block."""
        for one in lines:
            self.pages[-1].lines.append(replace(one, x=x, y=y + one.y - start))

    def fill(self, x: float, y: float, width: float, height: float, colour: QColor) -> None:
        self.pages[-1].areas.append((QRectF(x, y, width, height), colour))

    def font(self, style: Style) -> QFont:
        font = QFont()
        font.setPointSizeF(style.points)
        font.setBold(style.bold)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        return font

    # --- its parts -----------------------------------------------------------------------------------

    def _set_title(self) -> None:
        paper, pad = self._paper, 8 * self.unit
        colour = QColor(COLOURS[paper.environment.kind])
        texts = [(marking(paper.environment), Style.BAND)]
        texts += [(LIVE_NOTE, Style.BODY)] if paper.environment.is_live else []
        blocks = [self.block(text, style, self.width - 2 * pad, _WHITE) for text, style in texts]
        height = sum(block.height for block in blocks) + 2 * pad
        self.fill(0, self.y, self.width, height, colour)
        y = self.y + pad
        for block in blocks:
            self.place(block.lines, pad, y)
            y += block.height
        self.y += height
        self._paragraph(paper.full_title, Style.TITLE)
        if paper.is_draft:
            self._paragraph(DRAFT_NOTE, Style.STRONG, _WARNING)
        self._paragraph(paper.lead, Style.BODY)

    def _paragraph(self, text: str, style: Style, colour: QColor = _INK, above: float | None = None) -> None:
        """Set a text over the page's width; it may go on on the next page."""
        block = self.block(text, style, self.width, colour)
        self.y += (style.above if above is None else above) * self.unit
        for line in block.lines:
            self._need(line.height)
            self.place([line], 0, self.y, line.y)
            self.y += line.height

    def _set_section(self, section: Section) -> None:
        table = _Table(self, section) if section.rows else None
        heading = self.block(section.title, Style.HEADING, self.width)
        note = self.block(section.note, Style.BODY, self.width).height if section.note else 0.0
        least = table.least if table else 0.0
        gap = (Style.HEADING.above + Style.BODY.above) * self.unit
        # A heading never stands alone: the beginning of what it is about comes with it.
        self._need(min(gap + heading.height + note + least, (self.bottom - self.top) / 2))
        if self.y > self.top:
            self.y += Style.HEADING.above * self.unit
        self.place(heading.lines, 0, self.y)
        self.y += heading.height
        if section.note:
            self._paragraph(section.note, Style.BODY)
        if table:
            self.y += 4 * self.unit
            table.set_rows()

    def _set_edges(self, page: Page, number: int) -> None:
        """Set the head and the foot of a page, once it is known how many there are."""
        paper, room = self._paper, self.width
        written = day_and_time(paper.written_at)
        self._across(page, 0.0, [(DRAFT_WORD, _WARNING)] if paper.is_draft else [], paper.title, written)
        at = _HEAD * self.unit - 8 * self.unit
        page.areas.append((QRectF(0, at, room, _HAIRLINE * self.unit), _RULE))
        below = self._height - self._line_height(Style.EDGE)
        page.areas.append((QRectF(0, below - 4 * self.unit, room, _HAIRLINE * self.unit), _RULE))
        numbered = _("Page {number} of {count}").format(number=number, count=len(self.pages))
        mark = [(marking(paper.environment), QColor(COLOURS[paper.environment.kind]))]
        self._across(page, below, mark, "", numbered)

    def _across(self, page: Page, y: float, bold: list[tuple[str, QColor]], text: str, right: str) -> None:
        """Set one line: bold words, a text, and at the right end another; what has no room ends with “…”."""
        ending = self._elided(right, Style.EDGE, self.width, _DIM)
        gap = 8 * self.unit
        room, x = self.width - ending.width - gap, 0.0
        parts = [(one, Style.EDGE_STRONG, colour) for one, colour in bold]
        parts += [(text, Style.EDGE, _DIM)] if text else []
        placed = [(ending, self.width - ending.width)]
        for one, style, colour in parts:
            made = self._elided(one, style, room - x, colour)
            placed.append((made, x))
            x += made.width + gap
        page.lines += [replace(line, x=at, y=y) for line, at in sorted(placed, key=lambda each: each[1])]

    def _elided(self, text: str, style: Style, room: float, colour: QColor) -> Line:
        metrics = QFontMetricsF(self.font(style), self.device)
        shown = metrics.elidedText(" ".join(visible(text).split()), Qt.TextElideMode.ElideRight, room)
        return self.block(shown, style, self.width, colour).lines[0]

    def _line_height(self, style: Style) -> float:
        return QFontMetricsF(self.font(style), self.device).height()


class _Table:
    """Sets a section's rows: as wide as what is in the columns, the head again on every page."""

    def __init__(self, setting: _Setting, section: Section) -> None:
        self._on = setting
        self._unit = setting.unit
        self._widths = self._fit(section)
        named = not section.head
        self._head = self._row(section.head, Style.CELL_NAME) if section.head else None
        self._rows = [self._row(row, Style.CELL, named=named) for row in section.rows]

    @property
    def least(self) -> float:
        """The height that its head and first row take."""
        return self._height(self._head) + self._height(self._rows[0])

    def set_rows(self) -> None:
        """Set all rows below one another; one that has no room goes to the next page as a whole if it can."""
        on = self._on
        self._set_head()
        for row in self._rows:
            height = self._height(row)
            page = on.bottom - on.top - self._height(self._head)
            if on.y + height > on.bottom and height <= page:
                self._next_page()
            for part in self._parts(row):
                self._set(part)

    def _parts(self, row: list[_Block]) -> Iterator[Sequence[Sequence[Line]]]:
        """Yield what fits of a row on this page and, page by page, what is left of it."""
        left = [list(block.lines) for block in row]
        while True:
            room = self._on.bottom - self._on.y - 2 * _PAD_Y * self._unit
            fitting = [[one for one in lines if one.y + one.height - lines[0].y <= room] for lines in left]
            if any(lines and not fits for lines, fits in zip(left, fitting, strict=True)):
                if self._on.y <= self._on.top + self._height(self._head):
                    fitting = [lines[:1] for lines in left]  # a page that has room for nothing
                else:
                    self._next_page()
                    continue
            yield fitting
            left = [lines[len(fits) :] for lines, fits in zip(left, fitting, strict=True)]
            if not any(left):
                return
            self._next_page()

    def _next_page(self) -> None:
        self._on.new_page()
        self._set_head()

    def _set_head(self) -> None:
        if self._head:
            self._on.fill(0, self._on.y, sum(self._widths), self._height(self._head), _FILL)
            self._set([block.lines for block in self._head])

    def _set(self, cells: Sequence[Sequence[Line]]) -> None:
        """Set cells beside one another, and a hairline below them."""
        on, pad = self._on, _PAD_Y * self._unit
        tallest = max((lines[-1].y + lines[-1].height - lines[0].y for lines in cells if lines), default=0.0)
        x = 0.0
        for lines, width in zip(cells, self._widths, strict=True):
            if lines:
                on.place(lines, x + _PAD_X * self._unit, on.y + pad, lines[0].y)
            x += width
        on.y += tallest + 2 * pad
        on.fill(0, on.y, x, _HAIRLINE * self._unit, _RULE)

    def _row(self, texts: Sequence[str], style: Style, *, named: bool = False) -> list[_Block]:
        inner = [width - 2 * _PAD_X * self._unit for width in self._widths]
        return [
            self._on.block(text, Style.CELL_NAME if named and not index else style, width)
            for index, (text, width) in enumerate(zip(texts, inner, strict=True))
        ]

    def _height(self, row: list[_Block] | None) -> float:
        return max(block.height for block in row) + 2 * _PAD_Y * self._unit if row else 0.0

    def _fit(self, section: Section) -> list[float]:
        """Return the columns' widths: all of the page, shared by what each needs for its words and its lines."""
        total, pads = self._on.width, 2 * _PAD_X * self._unit
        heads = section.head or ("",) * len(section.rows[0])
        bold, plain = (
            QFontMetricsF(self._on.font(style), self._on.device).horizontalAdvance
            for style in (Style.CELL_NAME, Style.CELL)
        )
        words, lines = [], []
        for number, (head, *texts) in enumerate(zip(heads, *section.rows, strict=True)):
            width = plain if section.head or number else bold
            of_lines = (width(line) for text in texts for line in text.splitlines())
            of_words = (width(word) for text in texts for word in _words(text))
            words.append(max([0.0, *of_words, *map(bold, head.split())]) + pads)
            lines.append(max([0.0, *of_lines, bold(head)]) + pads)
        least = [min(max(word, total * _LEAST_SHARE), total * _WORD_SHARE) for word in words]
        if not section.head:
            first = min(lines[0], total * _NAMES_SHARE)
            return [first, total - first]
        wanted = [max(line - low, 0.0) for line, low in zip(lines, least, strict=True)]
        left = total - sum(least)
        if left <= 0:
            return _shortened(least, total)
        if not any(wanted):
            return [low * total / sum(least) for low in least]
        if sum(wanted) <= left:  # all of it fits: what is over goes to all alike
            over = (left - sum(wanted)) / len(wanted)
            return [low + want + over for low, want in zip(least, wanted, strict=True)]
        return [low + left * want / sum(wanted) for low, want in zip(least, wanted, strict=True)]


def _shortened(widths: Sequence[float], total: float) -> list[float]:
    """Return widths that have room together: only the widest are less, so that short words stay whole."""
    room = total
    for done, width in enumerate(sorted(widths)):
        share = room / (len(widths) - done)
        if width > share:
            return [min(one, share) for one in widths]
        room -= width
    return list(widths)


def _words(text: str) -> list[str]:
    """Return what isn't broken as long as it has room on a line."""
    lines = (_TIME.sub(_unbroken, visible(line)) for line in text.splitlines())
    return [word for line in lines for word in line.split(" ")]


def _unbroken(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\u00a0")
