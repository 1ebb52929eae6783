"""The exchanges of the selected sale: a table, one of them in full, search, copying and saving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from keybench.core.exchange import VARIABLE, Exchange, as_curl, as_powershell, as_python
from keybench.runtime.sandbox import shown_path
from keybench.ui.accessibility import announce
from keybench.ui.actions import Action, ActionButton
from keybench.ui.sale.exchange_text import Hit, find_all, texts_of
from keybench.ui.sale.exchange_views import ExchangeViews
from keybench.ui.sale.exchanges_model import ExchangesModel
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.dialog import ask_where
from keybench.ui.widgets.labels import button, label
from keybench.ui.widgets.list_page import search_field
from keybench.ui.widgets.table import Table
from keybench.words.language import _

_SPACING: Final = 8
#: From this width on, for 13 px text, the table stands beside the texts.
_WIDE_PX: Final = 840
#: Above the texts the table shows so many rows at the least and at the most, and scrolls.
_LEAST_ROWS: Final = 2
_MOST_ROWS: Final = 4
_ANY_HEIGHT: Final = 2**24 - 1
_USUAL_COUNT: Final = _("00 of 00")
#: The commands that copy a request, with what writes it and what is reported then.
_COPIES: Final[tuple[tuple[str, Callable[[Exchange], str], str], ...]] = (
    ("exchange.copy_curl", as_curl, _("Copied as cURL")),
    ("exchange.copy_python", as_python, _("Copied as Python")),
    ("exchange.copy_powershell", as_powershell, _("Copied as PowerShell")),
)
_SET_KEY: Final = _("The key isn't in it: set {VARIABLE} to its value first.").format(VARIABLE=VARIABLE)
_SELLS: Final = _("{SET_KEY} Whoever runs it makes another sale.").format(SET_KEY=_SET_KEY)


class Exchanges(QWidget):
    """The table beside request and answer, or above them where there is little width.

    Args:
        session: Saves, and reports what was copied and saved.
        parent: Qt's parent.
        saves: Whether the search field has the button that saves beside it.

    Attributes:
        search: The search field with its arrows and the button that saves, to be laid out by what is around.
        copies: The actions that copy the request of the selected row.
        save: The action that saves all exchanges of the sale.
    """

    def __init__(self, session: Session, parent: QWidget | None = None, *, saves: bool = True) -> None:
        super().__init__(parent)
        self._session = session
        self._reference = ""
        self._key = ""
        self._texts: list[tuple[str, str]] = []
        self._hits: list[Hit] = []
        self._current = -1
        self.model = ExchangesModel(self)
        self.table = Table(
            _("Exchanges"), self.model, sortable=False, empty_text=_("No exchange is recorded for this sale.")
        )
        self.table.columns.keep(session.preferences, "bench/exchanges columns")
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.copies = [
            Action(self, command, partial(self._copy, write, title), self._has_exchanges)
            for command, write, title in _COPIES
        ]
        self.save = Action(self, "exchange.save", self._on_save, self._has_exchanges)
        self.search = SearchBar(self._step, [ActionButton(self.save)] if saves else [])
        self.views = ExchangeViews(session, self.copies)
        self.table.set_row_actions([*self.views.bodies, *self.copies, self.save])
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(_SPACING)
        self._layout.addWidget(self.table, 1)
        self._layout.addWidget(self.views, 2)
        self.table.selection_changed.connect(self._on_selected)
        self.table.opened.connect(self.model.toggle)
        self.model.changed.connect(self._arrange)
        self.search.field.textChanged.connect(self._on_search)
        theme().changed.connect(self._on_theme)
        self._on_theme()
        self.show_sale("", [])

    def show_sale(self, reference: str, exchanges: Sequence[Exchange], key: str = "") -> None:
        """Show a sale's exchanges.

        Args:
            reference: Of the sale; empty for none.
            exchanges: In order.
            key: The name of the key it was made with.
        """
        self._reference = reference
        before = len(self.model.exchanges)
        goes_on = self.model.show_exchanges(exchanges) and key == self._key
        self._key = key
        self.views.setVisible(bool(exchanges))
        for action in (*self.copies, self.save):
            action.refresh()
        if not goes_on:
            self._texts = []
        if not goes_on or len(exchanges) > before:
            if self.model.rowCount() and self.table.selected is None:
                self.table.select_row(0)
            self._on_selected()
            self._find(keep=True)

    def least_height(self) -> int:
        """Return the height that everything needs, in pixels."""
        texts = self.views.minimumSizeHint().height()
        return texts if self._is_wide else self.table.height_for_rows(_LEAST_ROWS) + texts + _SPACING

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the table beside the texts where there is room."""
        super().resizeEvent(event)
        self._arrange()

    @property
    def _is_wide(self) -> bool:
        return self.width() >= scaled(_WIDE_PX)

    def _arrange(self) -> None:
        """Give the table what its rows need, in two fifths of the width: the texts are what one reads."""
        ways, wide = QBoxLayout.Direction, self._is_wide
        self._layout.setDirection(ways.LeftToRight if wide else ways.TopToBottom)
        frame = 2 * self.table.frameWidth() + self.table.verticalScrollBar().sizeHint().width()
        least, needed = self.table.columns.widths
        width = max(least, min(needed, self.width() * 2 // 5 - frame)) + frame
        self.table.setMinimumWidth(width if wide else 0)
        rows = self.model.rowCount()
        self.table.setMinimumHeight(self.table.height_for_rows(min(max(rows, 1), _LEAST_ROWS)))
        most = self.table.height_for_rows(min(max(rows, 1), _MOST_ROWS))
        self.table.setMaximumHeight(most if rows and not wide else _ANY_HEIGHT)

    def _on_theme(self) -> None:
        self._arrange()
        self._mark()

    def _on_selected(self) -> None:
        if row := self.table.selected:
            self._mark(go_there=self.views.show_exchange(row.exchange, self._key))

    # --- copying and saving ----------------------------------------------------------------------

    def _has_exchanges(self) -> bool:
        return bool(self.model.exchanges)

    def _copy(self, write: Callable[[Exchange], str], title: str) -> None:
        if row := self.table.selected:
            QGuiApplication.clipboard().setText(write(row.exchange))
            sells = row.exchange.method != "GET"
            text = _SELLS if sells else _SET_KEY
            self._session.notify(Notice("warning" if sells else "info", title, text, topic="copied"))

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
            Notice("good", _("Saved {path}").format(path=shown_path(path)), words, topic="saved")
        )

    # --- search --------------------------------------------------------------------------------------

    def _on_search(self) -> None:
        self._find(keep=False)

    def _find(self, *, keep: bool) -> None:
        """Search again; go to the first match, or with `keep` stay at the current one."""
        current = self._hit
        text = self.search.field.text()
        if text:
            self._texts += [texts_of(one, self._key) for one in self.model.exchanges[len(self._texts) :]]
        self._hits = find_all(self._texts, text)
        if keep and current in self._hits:
            self._current = self._hits.index(current)
            self._mark()
        else:
            self._current = -1
            self._step(1)

    def _step(self, by: int) -> None:
        if self._hits:
            self._current = (self._current + by) % len(self._hits)
            key = self.model.reveal(self._hits[self._current].exchange)
            row = self.table.selected
            if row is None or row.fold.key != key:
                self.table.select(key)
        self._mark(go_there=True)

    @property
    def _hit(self) -> Hit | None:
        return self._hits[self._current] if 0 <= self._current < len(self._hits) else None

    def _mark(self, *, go_there: bool = False) -> None:
        row = self.table.selected
        number = row.fold.first if row else -1
        hits = [hit for hit in self._hits if hit.exchange == number]
        self.views.mark(hits, self._hit, go_there=go_there)
        self.search.show_count(self._current + 1, len(self._hits))


class SearchBar(QWidget):
    """The field that searches the exchanges, with its count and arrows to the next and the previous match.

    Args:
        step: Goes to the next (1) or the previous (-1) match.
        beside: What stands at its end.
    """

    def __init__(self, step: Callable[[int], None], beside: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self._step = step
        self.field = search_field(_("Search exchanges"), _("Search exchanges"))
        self.count = label("", "dim")
        self.count.setAccessibleName(_("Matches"))
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.before = button(
            "↑", self._on_before, tone="quiet", name=_("Previous match"), hint=_("Previous match")
        )
        self.after = button("↓", self._on_after, tone="quiet", name=_("Next match"), hint=_("Next match"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.field, 1)
        for widget in (self.count, self.before, self.after, *beside):
            layout.addWidget(widget)
        self.field.installEventFilter(self)
        theme().changed.connect(self._fit)
        self._fit()
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
        """Let Enter go on, Shift+Enter go back, and Esc clear the field."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3}:
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self._step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self.field.setMinimumWidth(scaled(90))
        self.field.setMaximumWidth(scaled(260))
        for arrow in (self.before, self.after):
            arrow.setFixedWidth(scaled(32))

    def _on_before(self) -> None:
        self._step(-1)

    def _on_after(self) -> None:
        self._step(1)
