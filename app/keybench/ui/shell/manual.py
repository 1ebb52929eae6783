"""The manual, in a window beside the main one: its pages, one search over all of them, and the way back."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRegularExpression, QSize, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QListWidget, QTextBrowser, QTextEdit, QWidget

from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import MessageLabel, button
from keybench.ui.kit.theme import keep_size, scaled, theme, tokens
from keybench.ui.shared.list_page import find_in, search_field
from keybench.words.language import _, ngettext
from keybench.words.texts import page_in_language

#: The pages in their order: files of ``resources/manual``, without their ``.md``, and what changed at last.
PAGES: Final = (
    "first-sale",
    "keys",
    "rotation",
    "sales",
    "devices",
    "diagnosis",
    "environments",
    "lessons",
    "class",
    "practice",
    "team",
    "command-line",
    "privacy",
    "trouble",
    "shortcuts",
    "changes",
)
#: Which page of the manual is about which page of the window.
ABOUT: Final = {
    "bench": "first-sale",
    "keys": "keys",
    "rotations": "rotation",
    "devices": "devices",
    "history": "sales",
    "diagnose": "diagnosis",
    "lessons": "lessons",
    "settings": "environments",
}
_SIZE: Final = QSize(960, 680)
_LIST_PX: Final = 230
#: The widest a page becomes: longer lines are hard to read.
_MOST_PX: Final = 700
_ANY_CASE: Final = QRegularExpression.PatternOption.CaseInsensitiveOption


def page_text(page: str) -> str:
    """Return a page in Markdown."""
    try:
        name = "changes.md" if page == "changes" else f"manual/{page}.md"
        return page_in_language(resource_path(name).read_text("utf-8"))
    except (OSError, ValueError):
        return _("# {page}\n\nThis page is missing in this installation.").format(page=page)


class PageView(QTextBrowser):
    """Shows a page in lines of a readable length, and goes back to those before it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Page of the manual"))
        self.setOpenLinks(False)
        self.document().setDocumentMargin(scaled(12))
        keep_size(self, most_width=_MOST_PX)

    def loadResource(self, _kind: int, name: QUrl | str) -> str:
        return page_text(QUrl(name).fileName().removesuffix(".md"))

    def turn_to(self, page: str) -> None:
        self.setSource(QUrl(f"{page}.md"), QTextDocument.ResourceType.MarkdownResource)

    def write_again(self) -> None:
        """Write the page in the colours and sizes in force; it keeps its place."""
        at = self.cursorForPosition(self.viewport().rect().topLeft())
        self.document().setDocumentMargin(scaled(12))
        self.reload()
        at.setPosition(min(at.position(), self.document().characterCount() - 1))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(at).top())

    def mark(self, wanted: QRegularExpression | None) -> None:
        """Mark what is looked for wherever it stands on the page."""
        marks = []
        at = self.document().find(wanted) if wanted else QTextCursor()
        while wanted and not at.isNull():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = at
            mark.format.setBackground(QColor(tokens().soft("warning")))
            mark.format.setForeground(QColor(tokens().warning))
            marks.append(mark)
            at = self.document().find(wanted, at)
        self.setExtraSelections(marks)


class ManualWindow(QWidget):
    """The manual's window. It belongs to no other, so that either can be in front."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setWindowTitle(_("Keybench – Manual"))  # noqa: RUF001 - an en dash, as in the main window's title
        self.setAccessibleName(self.windowTitle())
        self.page = PAGES[0]
        self.search = search_field(_("Search the manual"), _("Search the manual…"))
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_enter)
        self.found = MessageLabel(1, "dim", of=self.search)
        self.contents = QListWidget()
        self.contents.setAccessibleName(_("Contents"))
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.contents.addItems([page_text(page).partition("\n")[0].removeprefix("# ") for page in PAGES])
        self.contents.currentRowChanged.connect(self._on_row)
        self.view = PageView()
        self.back = button(_("Back"), self.view.backward)
        self.view.backwardAvailable.connect(self.back.setEnabled)
        self.view.anchorClicked.connect(self._on_link)
        self.view.sourceChanged.connect(self._on_page)
        self.view.turn_to(self.page)
        find_in(self, self.search)
        QShortcut(QKeySequence("Alt+Left"), self, self.view.backward)
        QShortcut(QKeySequence("Esc"), self, self._on_escape)
        down = QShortcut(QKeySequence("Down"), self.search, self.contents.setFocus)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        for widget in (self.search, self.found, self.contents):
            keep_size(widget, most_width=_LIST_PX)
        side = in_column(self.search, self.found, self.contents)
        column = in_column(in_row(self.back, None), (self.view, 1))
        row = in_row((side, 1), (column, 3), within=self, margins=(16, 14, 16, 16), spacing=16)
        row.addStretch()  # of what the page and the list don't take
        self.resize((_SIZE * theme().scale).boundedTo(self.screen().availableSize() * 0.9))
        theme().changed.connect(self.view.write_again)

    def open(self, page: str) -> None:
        """Show one of `PAGES`, and the window in front of all others; opened anew, it leads back nowhere."""
        self.search.clear()
        self.view.turn_to(page)
        if not self.isVisible():
            self.view.clearHistory()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.contents.scheduleDelayedItemsLayout()  # the rows were measured without the style sheet
        self.raise_()
        self.activateWindow()

    def _on_page(self, source: QUrl) -> None:
        self.page = source.fileName().removesuffix(".md")
        _shape(self.view.document())
        self.view.setAccessibleDescription(self.view.document().firstBlock().text())
        self.view.mark(_wanted(self.search.text()))
        self.contents.setCurrentRow(PAGES.index(self.page))

    def _on_search(self, text: str) -> None:
        """List the pages that have all the words, and mark these."""
        words = [_wanted(word) for word in text.split()]
        count = 0
        for row, page in enumerate(PAGES):
            has_all = all(word.match(page_text(page)).hasMatch() for word in words if word)
            self.contents.item(row).setHidden(not has_all)
            count += has_all
        self.view.mark(_wanted(text))
        if not words:
            self.found.clear()
        elif count:
            self.found.say(ngettext("{count} page", "{count} pages", count))
        else:
            self.found.say(_("Nothing found. Try fewer words."))

    def _on_row(self, row: int) -> None:
        if row >= 0 and PAGES[row] != self.page:
            self.view.turn_to(PAGES[row])

    def _on_enter(self) -> None:
        """Go to the next place on the page, then to the next page that was found, and from the last to the first."""
        wanted = _wanted(self.search.text())
        rows = [row for row in range(len(PAGES)) if not self.contents.item(row).isHidden()]
        if not wanted or not rows:
            return
        at = self.contents.currentRow()
        if at not in rows or not self.view.find(wanted):
            self.contents.setCurrentRow(next((row for row in rows if at in rows and row > at), rows[0]))
            self.view.moveCursor(QTextCursor.MoveOperation.Start)
            self.view.find(wanted)

    def _on_link(self, link: QUrl) -> None:
        if (page := link.fileName().removesuffix(".md")) in PAGES:
            self.search.clear()
            self.view.turn_to(page)

    def _on_escape(self) -> None:
        """End the search, or close the manual where nothing is looked for."""
        if self.search.text():
            self.search.clear()
        else:
            self.close()


def _wanted(text: str) -> QRegularExpression | None:
    """Return what finds each of the words, in any case of letters, where a word begins; None for no words."""
    words = "|".join(QRegularExpression.escape(word) for word in text.split())
    return QRegularExpression(rf"(?<!\w)({words})", _ANY_CASE) if words else None


def _shape(document: QTextDocument) -> None:
    """Leave room between a page's paragraphs, in its tables and around what is typed."""
    for table in document.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            form = table.format()
            form.setCellPadding(scaled(5))
            form.setBorderCollapse(True)
            form.setBorder(1)
            form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
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
