"""Announcements about sales, gathered for a moment, so that twenty sales at once cost few repaints."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from keybench.core.events import ExchangeRecorded, SaleChanged, TextErased
from keybench.ui.session import Session

#: Short enough to look immediate, long enough to gather what comes together.
GATHER_MS: Final = 50
#: While hundreds of sales are under way, each repaint is for many of them.
BUSY_GATHER_MS: Final = 200
#: So many announcements at a time are many.
BUSY: Final = 8


class SaleFeed(QObject):
    """Passes announcements on in bunches, in the order they came.

    Signals:
        sales_changed: A non-empty list of `SaleChanged`.
        exchanges_recorded: A non-empty list of `ExchangeRecorded`.
        text_erased: A text was erased, so what is shown of sales is to be read anew.
    """

    sales_changed = Signal(object)
    exchanges_recorded = Signal(object)
    text_erased = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changes: list[SaleChanged] = []
        self._exchanges: list[ExchangeRecorded] = []
        self._timer = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._timer.timeout.connect(self.flush)
        session.subscribe(
            self,
            {
                SaleChanged: self._on_change,
                ExchangeRecorded: self._on_exchange,
                TextErased: self._on_erased,
            },
        )

    def flush(self) -> None:
        """Pass on at once what has been gathered."""
        self._timer.stop()
        busy = len(self._changes) > BUSY
        self._timer.setInterval(BUSY_GATHER_MS if busy else GATHER_MS)
        changes, self._changes = self._changes, []
        exchanges, self._exchanges = self._exchanges, []
        if changes:
            self.sales_changed.emit(changes)
        if exchanges:
            self.exchanges_recorded.emit(exchanges)

    def _on_change(self, change: SaleChanged) -> None:
        self._changes.append(change)
        self._wake()

    def _on_exchange(self, recorded: ExchangeRecorded) -> None:
        self._exchanges.append(recorded)
        self._wake()

    def _on_erased(self, _erased: TextErased) -> None:
        self.text_erased.emit()

    def _wake(self) -> None:
        if not self._timer.isActive():
            self._timer.start()
