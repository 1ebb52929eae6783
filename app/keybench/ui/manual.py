"""The manual, in a window beside the main one: its pages, one search over all of them, and the way back."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from keybench.runtime.data_folder import resource_path
from keybench.ui.theme import keep_size, scaled, theme, tokens
from keybench.ui.widgets.labels import MessageLabel, button
from keybench.words.language import _, ngettext

#: The pages in their order: files of ``resources/manual``, without their ``.md``.
PAGES: Final = (
    "first-sale",
    "keys",
    "rotation",
    "sales",
    "devices",
    "diagnosis",
    "environments",
    "practice",
    "command-line",
    "privacy",
    "trouble",
    "shortcuts",
)
#: Which page of the manual is about which page of the window.
ABOUT: Final = {
    "bench": "first-sale",
    "keys": "keys",
    "rotations": "rotation",
    "devices": "devices",
    "history": "sales",
    "diagnose": "diagnosis",
    "settings": "environments",
}
_SIZE: Final = QSize(960, 680)
_LIST_PX: Final = 230
#: The widest a page becomes: longer lines are hard to read.
_MOST_PX: Final = 700
#: How much of a paragraph the list shows before the word that was found, and in all.
_BEFORE, _SHOWN = 16, 90


def page_text(page: str) -> str:
    """Return a page in Markdown."""
    try:
        return resource_path(f"manual/{page}.md").read_text("utf-8")
    except (OSError, ValueError):
        return _("# {page}\n\nThis page is missing in this installation.").format(page=page)


class PageView(QTextBrowser):
    """Shows a page in lines of a readable length."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Page of the manual"))
        self.setOpenLinks(False)
        keep_size(self, most_width=_MOST_PX)

    def mark(self, words: list[str]) -> None:
        """Mark every place of the page where one of `words` stands."""
        marks = []
        for word in words:
            at = self.document().find(word)
            while not at.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = at
                mark.format.setBackground(QColor(tokens().soft("warning")))
                mark.format.setForeground(QColor(tokens().warning))
                marks.append(mark)
                at = self.document().find(word, at)
        self.setExtraSelections(marks)

    def go_to(self, position: int) -> None:
        """Scroll until a place of the page is in sight, with most of the view below it."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        self.setTextCursor(cursor)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - self.viewport().height() // 4)


class ManualWindow(QWidget):
    """The manual's window. It belongs to no other, so that either can be in front."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setWindowTitle(_("Keybench – Manual"))  # noqa: RUF001 - an en dash, as in the main window's title
        self.setAccessibleName(self.windowTitle())
        self.page = PAGES[0]
        self._before: list[str] = []
        self._documents: dict[str, QTextDocument] = {}
        self._hits: list[tuple[str, int]] = []
        self.search = QLineEdit()
        self.search.setAccessibleName(_("Search the manual"))
        self.search.setPlaceholderText(_("Search the manual…"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_enter)
        self.found = MessageLabel(1, "dim", of=self.search)
        self.contents = QListWidget()
        self.contents.setAccessibleName(_("Contents"))
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.contents.currentRowChanged.connect(self._on_row)
        self.back = button(_("Back"), self._on_back)
        self.view = PageView()
        self.view.anchorClicked.connect(self._on_link)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._seek)
        QShortcut(QKeySequence("Alt+Left"), self, self._on_back)
        QShortcut(QKeySequence("Esc"), self, self._on_escape)
        down = QShortcut(QKeySequence("Down"), self.search, self.contents.setFocus)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        self._lay_out()
        self._write()
        theme().changed.connect(self._write)

    def open(self, page: str) -> None:
        """Show one of `PAGES`, and the window in front of all others."""
        self.search.clear()
        self._turn_to(page)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        side.setSpacing(8)
        for widget in (self.search, self.found, self.contents):
            side.addWidget(widget)
            keep_size(widget, most_width=_LIST_PX)
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.view, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 14, 16, 16)
        row.setSpacing(16)
        row.addLayout(side, 1)
        row.addLayout(column, 3)
        row.addStretch()
        self.resize((_SIZE * theme().scale).boundedTo(self.screen().availableSize() * 0.9))

    def _write(self) -> None:
        """Write the pages in the colours and sizes in force; the one that is shown keeps its place."""
        at = self.view.cursorForPosition(self.view.viewport().rect().topLeft()).position()
        self._documents = {page: _document(page, self.view) for page in PAGES}
        self._show()
        self.view.go_to(at)
        self._list()

    def _show(self) -> None:
        document = self._documents[self.page]
        self.view.setDocument(document)
        self.view.setAccessibleDescription(_title(document))
        self.view.mark(self.search.text().split())
        self.back.setEnabled(bool(self._before))
        if not self.search.text().split():
            self.contents.setCurrentRow(PAGES.index(self.page))

    def _turn_to(self, page: str) -> None:
        if page != self.page and page in PAGES:
            self._before.append(self.page)
            self.page = page
            self._show()
            self.view.go_to(0)

    def _list(self) -> None:
        """List what is found, or all pages while nothing is looked for."""
        words = [re.compile(re.escape(word), re.IGNORECASE) for word in self.search.text().split()]
        lines, self._hits = [], []
        for page, document in self._documents.items():
            block = document.begin()
            while words and block.isValid():
                places = [place.start() for word in words if (place := word.search(block.text()))]
                if len(places) == len(words):
                    begin = max(0, min(places) - _BEFORE)
                    shown = block.text()[begin : begin + _SHOWN]
                    lines.append(f"{_title(document)}\n{'…' if begin else ''}{shown}")
                    self._hits.append((page, block.position() + min(places)))
                block = block.next()
        self.contents.blockSignals(True)
        self.contents.clear()
        self.contents.addItems(lines if words else [_title(one) for one in self._documents.values()])
        if not words:
            self.contents.setCurrentRow(PAGES.index(self.page))
        self.contents.blockSignals(False)

    def _on_search(self, text: str) -> None:
        self._list()
        self.view.mark(text.split())
        count = len(self._hits)
        if not text.split():
            self.found.clear()
        elif count:
            self.found.say(ngettext("{count} place", "{count} places", count).format(count=count))
        else:
            self.found.say(_("Nothing found. Try fewer words."))

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._hits):
            page, position = self._hits[row]
            self._turn_to(page)
            self.view.go_to(position)
        elif row >= 0:
            self._turn_to(PAGES[row])

    def _on_enter(self) -> None:
        """Go to the next place that was found, and from the last to the first."""
        if self._hits:
            self.contents.setCurrentRow((self.contents.currentRow() + 1) % len(self._hits))

    def _on_link(self, link: QUrl) -> None:
        self.search.clear()
        self._turn_to(link.fileName().removesuffix(".md"))

    def _on_back(self) -> None:
        if self._before:
            self.search.clear()
            self.page = self._before.pop()
            self._show()

    def _seek(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _on_escape(self) -> None:
        """End the search, or close the manual where nothing is looked for."""
        if self.search.text():
            self.search.clear()
        else:
            self.close()


def _title(document: QTextDocument) -> str:
    return document.firstBlock().text()


def _document(page: str, view: PageView) -> QTextDocument:
    """Return a page with room between its paragraphs, in its tables and around what is typed."""
    document = QTextDocument(view)
    document.setDefaultFont(view.font())
    document.setDocumentMargin(scaled(12))
    document.setMarkdown(page_text(page))
    for table in document.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            form = table.format()
            form.setCellPadding(scaled(5))
            form.setBorderCollapse(True)
            form.setBorder(1)
            form.setBorderBrush(QColor(tokens().line))
            form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            table.setFormat(form)
    cursor = QTextCursor(document)
    block, follows_typed = document.begin(), False
    while block.isValid():
        cursor.setPosition(block.position())
        shape = QTextBlockFormat(block.blockFormat())
        typed = shape.hasProperty(QTextFormat.Property.BlockCodeFence)
        heads = shape.headingLevel() > 1
        shape.setTopMargin(scaled(18) if heads else scaled(7) if follows_typed and not typed else 0)
        shape.setBottomMargin(0 if typed or cursor.currentTable() is not None else scaled(7))
        if typed:
            shape.setBackground(QColor(tokens().well))
            shape.setNonBreakableLines(False)
        else:
            shape.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(shape)
        block, follows_typed = block.next(), typed
    return document
