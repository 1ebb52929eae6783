"""The sale in focus, the newest sent or the one picked: as the journal has it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from keybench.core.events import ExchangeRecorded, SaleChanged
from keybench.core.exchange import Exchange
from keybench.core.sale import Mark, Sale, SaleEvent
from keybench.ui.refresh import Refresh
from keybench.ui.sale.feed import SaleFeed
from keybench.ui.session import Session


class SaleFocus(QObject):
    """One sale with its timeline and its exchanges.

    Signals:
        changed: The sale, its timeline or its exchanges are others than before.
    """

    changed = Signal()

    def __init__(self, session: Session, feed: SaleFeed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.reference = ""
        self.sale: Sale | None = None
        self.events: list[SaleEvent] = []
        self.exchanges: list[Exchange] = []
        # The journal is the truth; announcements only say when to look.
        self._reading = Refresh(session, "sale in focus", self._read)
        feed.sales_changed.connect(self._on_sales)
        feed.exchanges_recorded.connect(self._on_exchanges)
        feed.text_erased.connect(self._reading.request)

    def look_at(self, sale: Sale) -> None:
        """Put a sale in focus that was noted just now."""
        self._begin(sale.reference, sale)
        self.events = [SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)]
        self.changed.emit()
        self._reading.request()

    def show_reference(self, reference: str, known: Sale | None = None) -> None:
        """Put a sale in focus and read it from the journal.

        Args:
            reference: Which.
            known: The sale as somebody has it already, to be shown until it is read.
        """
        self._begin(reference, known)
        self.changed.emit()
        self._reading.request()

    def leave(self) -> None:
        """Put none in focus."""
        self._begin("", None)
        self.changed.emit()

    def _begin(self, reference: str, sale: Sale | None) -> None:
        self.reference = reference
        self.sale = sale
        self.events = []
        self.exchanges = []

    async def _read(self) -> None:
        reference = self.reference
        if not reference:
            return
        console = self._session.console
        sale = await console.sale(reference)
        events = await console.timeline(reference)
        exchanges = await console.exchanges(reference)
        if reference == self.reference:
            self.sale, self.events, self.exchanges = sale, list(events), list(exchanges)
            self.changed.emit()

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        if any(change.sale.reference == self.reference for change in changes):
            self._reading.request()

    def _on_exchanges(self, recorded: list[ExchangeRecorded]) -> None:
        if any(record.reference == self.reference for record in recorded):
            self._reading.request()
