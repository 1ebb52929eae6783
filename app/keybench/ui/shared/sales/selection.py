"""The selected sale as the journal has it, and the changes of sales, gathered for a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.events import ExchangeRecorded, OlderDeleted, SaleChanged
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.sales.forensics import Account
from keybench.core.sales.sale import Mark, Sale, SaleEvent
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session

#: Short enough to look immediate, long enough to gather what comes together, also of hundreds under way.
GATHER_MS: Final = 100


class SaleFeed(QObject):
    """Passes on the changes of sales in batches, so that twenty sales at once cost few repaints.

    While its page isn't in sight nothing is passed on, so that nothing is read and drawn for nobody; what was
    gathered comes as the page is shown again, also when the window was minimised.

    Signals:
        sales_changed: A non-empty list with the newest `SaleChanged` of each sale that changed.
        exchanges_recorded: The references of sales that have more exchanges, a non-empty set. It comes after
            `sales_changed`, or the selected sale would show its outcome before its row does.
    """

    sales_changed = Signal(object)
    exchanges_recorded = Signal(object)

    def __init__(self, session: Session, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        page.installEventFilter(self)
        self._changes: dict[str, SaleChanged] = {}
        self._recorded: set[str] = set()
        self._timer = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._timer.timeout.connect(self.flush)
        session.subscribe(self, {SaleChanged: self._on_change, ExchangeRecorded: self._on_exchange})

    def flush(self) -> None:
        self._timer.stop()
        changes, self._changes = self._changes, {}
        recorded, self._recorded = self._recorded, set()
        if changes:
            self.sales_changed.emit([*changes.values()])
        if recorded:
            self.exchanges_recorded.emit(recorded)

    def _on_change(self, change: SaleChanged) -> None:
        self._changes[change.sale.reference] = change
        self._wake()

    def _on_exchange(self, recorded: ExchangeRecorded) -> None:
        self._recorded.add(recorded.reference)
        self._wake()

    def _wake(self) -> None:
        if self._page.isVisible() and not self._timer.isActive():
            self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show:
            self.flush()
        return super().eventFilter(watched, event)


class SelectedSale(QObject):
    """The newest sale or the one a person selected, with its timeline and its exchanges.

    Attributes:
        account: What went on while it was under way; None until it was read.
        is_read: Whether timeline and exchanges are the journal's; until then they are only not known yet.

    Signals:
        changed: Another sale is selected, or there is more of it.
    """

    changed = Signal()

    def __init__(self, session: Session, feed: SaleFeed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.reference = ""
        self.sale: Sale | None = None
        self.events: list[SaleEvent] = []
        self.exchanges: list[Exchange] = []
        self.account: Account | None = None
        self.is_read = False
        # The journal is the truth; events only say when to read it.
        self._reading = Reading(
            session, "selected sale", self._read, self._show, wanted=lambda: self.reference
        )
        feed.sales_changed.connect(self._on_sales)
        feed.exchanges_recorded.connect(self._on_exchanges)
        session.subscribe(self, {OlderDeleted: lambda _event: self._reading.request()})

    def select_new(self, sale: Sale) -> None:
        self._set(sale.reference, sale)
        self.events = [SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)]
        self.changed.emit()
        self._reading.request()

    def select(self, reference: str, known: Sale | None = None) -> None:
        self._set(reference, known)
        self.changed.emit()
        self._reading.request()

    def clear(self) -> None:
        self._set("", None)
        self.changed.emit()

    def _set(self, reference: str, sale: Sale | None) -> None:
        self.reference, self.sale, self.events, self.exchanges = reference, sale, [], []
        self.account, self.is_read = None, False

    async def _read(self) -> tuple[Sale, Sequence[SaleEvent], Sequence[Exchange], Account] | None:
        reference = self.reference
        if not reference:
            return None
        console = self._session.console
        try:
            sale = await console.sale(reference)
        except NotFound:  # deleted meanwhile, because it is old
            return None
        events = await console.timeline(reference)
        exchanges = await console.exchanges(reference)
        return sale, events, exchanges, await console.history.account(sale, events, exchanges)

    def _show(self, read: tuple[Sale, Sequence[SaleEvent], Sequence[Exchange], Account] | None) -> None:
        if read:
            self.sale, events, exchanges, self.account = read
            self.events, self.exchanges = list(events), list(exchanges)
            self.is_read = True
            self.changed.emit()
        elif self.reference:
            self.clear()

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        if any(change.sale.reference == self.reference for change in changes):
            self._reading.request()

    def _on_exchanges(self, recorded: set[str]) -> None:
        if self.reference in recorded:
            self._reading.request()
