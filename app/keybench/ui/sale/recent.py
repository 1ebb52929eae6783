"""Recent sales: the environment's last fifty; the chosen one is shown in the outcome card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from keybench.core.sale import Sale
from keybench.ui.sale.sales_model import DEVICE, OUTCOME, SalesModel
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.pill import PillDelegate

_EMPTY = "No sale yet. What you send here is kept in the journal and listed."


class RecentSales(QWidget):
    """The table.

    Signals:
        chosen: A person chose a sale, by mouse or keyboard (its reference).
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = SalesModel(self)
        self.table = Table("Recent sales", stretch=DEVICE)
        self.table.setModel(self.model)
        # Only the rows in sight are measured: all fifty at each outcome would take 10 ms of the loop.
        self.table.horizontalHeader().setResizeContentsPrecision(0)
        self.table.setItemDelegateForColumn(OUTCOME, PillDelegate(self.table))
        self._marking = False
        self._marked = ""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.opened.connect(self._on_row)
        self.table.clicked.connect(self._on_row)

    def show_loading(self) -> None:
        """Show no sales while they are being read."""
        self.table.empty_text = "Reading the journal…"
        self.show_sales([])

    def show_sales(self, sales: Sequence[Sale]) -> None:
        """Show other sales altogether."""
        self._marking = True
        self.model.show_sales(sales)
        self._marking = False
        self.mark(self._marked)

    def read(self, sales: Sequence[Sale]) -> None:
        """Show what the journal has."""
        self.table.empty_text = _EMPTY
        self.show_sales(sales)

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Renew rows, and add new ones."""
        self._marking = True
        self.model.take_in(sales)
        self._marking = False
        self.mark(self._marked)

    def name_devices(self, nicknames: Mapping[str, str]) -> None:
        """Show devices by nickname."""
        self.model.name_devices(nicknames)

    def mark(self, reference: str) -> None:
        """Mark the sale in focus, without telling that somebody chose it."""
        self._marked = reference
        row = self.model.row_of(reference)
        if (-1 if row is None else row) != self.table.current_row():
            self._marking = True
            self.table.choose_row(-1 if row is None else row)
            self._marking = False

    def _on_row(self, current: QModelIndex) -> None:
        if current.isValid() and not self._marking:
            reference = self.model.row(current.row()).reference
            if reference != self._marked:
                self._marked = reference
                self.chosen.emit(reference)
