"""The exchanges of the selected sale in one text: search, copying and saving."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QFont, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QWidget

from keybench.core.exchange import VARIABLE, Exchange, as_curl, as_powershell
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.labels import ElidedLabel, button, label
from keybench.ui.kit.theme import keep_size, theme, tokens
from keybench.ui.shared.list_page import search_field
from keybench.ui.shared.sales.exchange_text import Piece, pieces_of, pretty, request_line
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import path_words
from keybench.words.language import _

#: More matches than this help nobody to find anything.
LIMIT: Final = 1000
_LOWEST_PX: Final = 96
_USUAL_COUNT: Final = _("00 of 00")
#: The commands that copy a request, with what writes it and what is reported then.
_COPIES: Final[tuple[tuple[str, Callable[[Exchange], str], str], ...]] = (
    ("exchange.copy_curl", as_curl, _("Copied as cURL")),
    ("exchange.copy_powershell", as_powershell, _("Copied as PowerShell")),
)
_SET_KEY: Final = _("The key isn't in it: set {VARIABLE} to its value first.").format(VARIABLE=VARIABLE)
_SELLS: Final = _("{SET_KEY} Whoever runs it makes another sale.").format(SET_KEY=_SET_KEY)


class Exchanges(QWidget):
    """The text, below what can be done with the exchange in which its cursor stands."""

    def __init__(self, session: Session, *, saves: bool = True) -> None:
        super().__init__()
        self._session = session
        self._reference = ""
        self._key = ""
        self.exchanges: Sequence[Exchange] = ()
        self._pieces: list[Piece] = []
        self._starts: list[int] = []
        self._hits: list[QTextCursor] = []
        self._current = -1
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setProperty("role", "mono")
        self.text.setAccessibleName(_("Exchanges"))
        self.text.setPlaceholderText(_("No exchange is recorded for this sale."))
        self.text.setTabChangesFocus(True)
        keep_size(self.text, least_height=_LOWEST_PX)
        self.text.cursorPositionChanged.connect(self._on_cursor)
        self.here = ElidedLabel("", "dim", least=6)
        self.headers = button("", self._fill, tone="quiet", name=_("Headers"))
        self.headers.setCheckable(True)

        def has_some() -> bool:
            return self._chosen is not None

        def copying(command: str, body: str, title: str) -> Action:
            copy = partial(self._copy_body, body, title)
            return Action(self, command, copy, lambda: bool(getattr(self._chosen, body, "")))

        request, answer = _("Copied the request's body"), _("Copied the answer's body")
        request_body = copying("exchange.copy_request_body", "request_body", request)
        answer_body = copying("exchange.copy_answer_body", "response_body", answer)
        as_programs = [
            Action(self, command, partial(self._copy, write, title), has_some)
            for command, write, title in _COPIES
        ]
        self.copies = [request_body, *as_programs, answer_body]
        self.save = Action(self, "exchange.save", self._on_save, has_some)
        self.search = SearchBar(self._step, [ActionButton(self.save)] if saves else [])
        self.search.field.textChanged.connect(self._find)
        copy = button(_("Copy…"), tone="quiet", name=_("Copy the request…"))
        menu = QMenu(copy)
        menu.addActions([request_body, *as_programs])
        copy.setMenu(menu)
        copy_body = ActionButton(answer_body, "quiet", text=_("Copy body"))
        top = in_row((self.here, 1), self.headers, copy, copy_body, spacing=2)
        in_column(top, (self.text, 1), within=self, spacing=4)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def show_sale(self, reference: str, exchanges: Sequence[Exchange], key: str = "") -> None:
        """Show a sale's exchanges."""
        if (reference, key, list(exchanges)) != (self._reference, self._key, self.exchanges):
            self._reference, self._key, self.exchanges = reference, key, list(exchanges)
            self._fill()

    # --- the text ------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Write the text from where it is another than before; where a person reads, it stays."""
        told = self.headers.isChecked()
        self.headers.setText(_("▾ Headers") if told else _("▸ Headers"))
        pieces = pieces_of(self.exchanges, self._key, headers=told)
        pairs = enumerate(zip(pieces, self._pieces, strict=False))
        same = next((at for at, (new, old) in pairs if new != old), min(len(pieces), len(self._pieces)))
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(self._starts[same] if same < len(self._starts) else 0)
        if same == len(self._starts):
            cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        del self._starts[same:]
        for piece in pieces[same:]:
            self._starts.append(cursor.position())
            cursor.insertText(piece.text, _look(piece.tone))
        cursor.endEditBlock()
        self._pieces = pieces
        if same == 0:
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self._on_cursor()
        self._find(keep=True)

    def _on_theme(self) -> None:
        self._pieces, self._starts = [], []
        self.text.clear()
        self._fill()

    @property
    def _chosen(self) -> Exchange | None:
        """The exchange in which the cursor stands."""
        at = bisect_right(self._starts, self.text.textCursor().position()) - 1
        return self.exchanges[self._pieces[at].exchange] if 0 <= at < len(self._pieces) else None

    def _on_cursor(self) -> None:
        chosen = self._chosen
        self.here.setText(request_line(chosen) if chosen else "")
        for action in (*self.copies, self.save):
            action.refresh()

    # --- copying and saving ----------------------------------------------------------------------

    def _copy(self, write: Callable[[Exchange], str], title: str) -> None:
        if chosen := self._chosen:
            sells = chosen.method != "GET"
            self._session.copy(
                write(chosen), title, _SELLS if sells else _SET_KEY, "warning" if sells else "info"
            )

    def _copy_body(self, body: str, title: str) -> None:
        self._session.copy(pretty(getattr(self._chosen, body, "")), title)

    def _on_save(self) -> None:
        if self._reference:  # a second press while the dialog is open does nothing
            self._session.run("save exchanges", self._save(self._reference))

    async def _save(self, reference: str) -> None:
        title = _("Save the exchanges of {reference}").format(reference=reference)
        path = await ask_where(self.window(), title=title, name=f"{reference}.har", kind=_("HTTP archive"))
        if path is None:
            return
        await self._session.console.history.save_har(reference, path)
        words = _("Keys and other secrets are masked in it.")
        self._session.notify(
            Notice("good", _("Saved {path}").format(path=path_words(path)), words, topic="saved")
        )

    # --- search --------------------------------------------------------------------------------------

    def _find(self, _text: str = "", *, keep: bool = False) -> None:
        """Search again; go to the first match, or with `keep` stay at the current one."""
        words = self.search.field.text()
        if words and not self.headers.isChecked() and self.text.document().find(words).isNull():
            told = "".join(piece.text for piece in pieces_of(self.exchanges, self._key, headers=True))
            if words.lower() in told.lower():  # it is in what is left out
                self.headers.setChecked(True)
                self._fill()
                return
        self._hits = []
        found = self.text.document().find(words) if words else QTextCursor()
        while not found.isNull() and len(self._hits) < LIMIT:
            self._hits.append(found)
            found = self.text.document().find(words, found)
        if keep and 0 <= self._current < len(self._hits):
            self._mark()
        else:
            self._current = -1
            self._step(1)

    def _step(self, by: int) -> None:
        if self._hits:
            self._current = (self._current + by) % len(self._hits)
            cursor = QTextCursor(self._hits[self._current])
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
            self.text.centerCursor()
        self._mark()

    def _mark(self) -> None:
        colours = tokens()
        marks = []
        for number, hit in enumerate(self._hits):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = hit
            shape = mark.format
            is_current = number == self._current
            shape.setBackground(QColor(colours.warning if is_current else colours.soft("warning")))
            shape.setForeground(QColor(colours.on_tone if is_current else colours.ink))
            mark.format = shape
            marks.append(mark)
        self.text.setExtraSelections(marks)
        self.search.show_count(self._current + 1, len(self._hits))


def _look(tone: str) -> QTextCharFormat:
    look = QTextCharFormat()
    colours = tokens()
    look.setForeground(QColor({"bad": colours.bad, "dim": colours.dim}.get(tone, colours.ink)))
    look.setFontWeight(QFont.Weight.Bold if tone in {"strong", "bad"} else QFont.Weight.Normal)
    return look


class SearchBar(QWidget):
    """The field that searches the exchanges, with its count and arrows to the next and the previous match."""

    def __init__(self, step: Callable[[int], None], beside: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self._step = step
        self.field = search_field(_("Search exchanges"), _("Search exchanges"))
        self.count = label("", "dim")
        self.count.setAccessibleName(_("Matches"))
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        before, after = _("Previous match"), _("Next match")
        self.before = button("↑", partial(step, -1), tone="quiet", name=before, hint=before)
        self.after = button("↓", partial(step, 1), tone="quiet", name=after, hint=after)
        in_row((self.field, 1), self.count, self.before, self.after, *beside, within=self, spacing=6)
        self.field.installEventFilter(self)
        keep_size(self.field, least_width=90, most_width=260)
        for arrow in (self.before, self.after):
            keep_size(arrow, width=32)
        self.show_count(0, 0)

    def show_count(self, number: int, total: int) -> None:
        """Show which match of how many is the current one."""
        found = _("{number} of {total}").format(number=number, total=total) if total else _("Not found")
        words = found if self.field.text() else ""
        if words != self.count.text():
            self.count.setText(words)
            announce(self.count, words)
        for arrow in (self.before, self.after):
            arrow.setEnabled(total > 0)
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance(_USUAL_COUNT))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3}:
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self._step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return super().eventFilter(watched, event)
