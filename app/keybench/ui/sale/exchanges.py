"""The exchanges of the sale in focus: a table of requests, the chosen one in full, search and ways out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from keybench.core.exchange import Exchange, as_curl, as_powershell, as_python
from keybench.ui.sale.exchange_search import Hit, find_all, texts_of
from keybench.ui.sale.exchange_views import ExchangeViews
from keybench.ui.sale.exchanges_model import ExchangesModel
from keybench.ui.sale.search_bar import SearchBar
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.labels import button
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.wrapping_row import WrappingRow

SAVE: Final = "Save as HAR…"
_SPACING: Final = 8
_FORMS: Final[dict[str, Callable[[Exchange], str]]] = {
    "Copy as cURL": as_curl,
    "Copy as Python": as_python,
    "Copy as PowerShell": as_powershell,
}


class Exchanges(QWidget):
    """The table, below it request and answer side by side, and the buttons.

    Signals:
        copied: The chosen request is on the clipboard (the name of the button that put it there).
        save_asked: All exchanges of the sale should be saved to a file.
    """

    copied = Signal(str)
    save_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ExchangesModel(self)
        self.table = Table(
            "Exchanges", self.model, sortable=False, empty_text="Nothing was sent for this sale yet."
        )
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setMinimumHeight(scaled(96))
        self.search = SearchBar()
        self.views = ExchangeViews()
        self.copies = {name: button(name, self._on_copy) for name in _FORMS}
        self.save = button(SAVE, self.save_asked)
        self._texts: list[tuple[str, str]] = []
        self._hits: list[Hit] = []
        self._current = -1
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_SPACING)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.views, 1)
        self._ways = WrappingRow([*self.copies.values(), self.save])
        layout.addWidget(self._ways)
        self._connect()
        self.show_exchanges([])

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Show a sale's exchanges."""
        before = len(self.model.exchanges)
        goes_on = self.model.show_exchanges(exchanges)
        self.views.setVisible(bool(exchanges))
        for one in (*self.copies.values(), self.save):
            one.setEnabled(bool(exchanges))
        if not goes_on:
            self._texts = []
        if not goes_on or len(exchanges) > before:
            if self.model.rowCount() and self.chosen() is None:
                self.table.select_row(0)
            self._find(keep=True)

    def chosen(self) -> Exchange | None:
        """Return the exchange shown in full, or None."""
        row = self.table.selected
        return row.exchange if row else None

    def seek(self) -> None:
        """Go to the search field."""
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.field.selectAll()

    def least_height(self, width: int) -> int:
        """Return the height that everything needs at a width, in pixels."""
        texts = self.views.minimumSizeHint().height()
        return self.table.minimumHeight() + texts + self._ways.heightForWidth(width) + 2 * _SPACING

    # --- inside --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        # Qt itself minds a shortcut only while its widget is on screen.
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.seek)
        self.table.selection_changed.connect(self._on_selected)
        self.table.opened.connect(self.model.toggle)
        self.search.changed.connect(self._on_sought)
        self.search.stepped.connect(self._step)
        theme().changed.connect(self._mark)

    def _on_selected(self) -> None:
        if exchange := self.chosen():
            self.views.show_exchange(exchange)
            self._mark()

    def _on_copy(self) -> None:
        name = next(name for name, one in self.copies.items() if one is self.sender())
        if exchange := self.chosen():
            QGuiApplication.clipboard().setText(_FORMS[name](exchange))
            self.copied.emit(name)

    # --- search --------------------------------------------------------------------------------------

    def _on_sought(self, _text: str) -> None:
        self._find(keep=False)

    def _find(self, *, keep: bool) -> None:
        """Look for what is sought; go to the first match, or stay at the one looked at."""
        looked_at = self._looked_at()
        sought = self.search.field.text()
        if sought:
            self._texts += map(texts_of, self.model.exchanges[len(self._texts) :])
        self._hits = find_all(self._texts, sought)
        if keep and looked_at in self._hits:
            self._current = self._hits.index(looked_at)
            self._mark()
        else:
            self._current = -1
            self._step(1)

    def _step(self, way: int) -> None:
        if self._hits:
            self._current = (self._current + way) % len(self._hits)
            key = self.model.reveal(self._hits[self._current].place)
            row = self.table.selected
            if row is None or row.fold.key != key:
                self.table.select(key)
        self._mark()

    def _looked_at(self) -> Hit | None:
        return self._hits[self._current] if 0 <= self._current < len(self._hits) else None

    def _mark(self) -> None:
        row = self.table.selected
        number = row.fold.first if row else -1
        self.views.mark([hit for hit in self._hits if hit.place == number], self._looked_at())
        self.search.show_count(self._current + 1, len(self._hits))
