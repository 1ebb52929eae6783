"""What is known of each device, read after the list and kept up to date by the sales that end meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal

from keybench.core.devices.habit import MOST_PAST_SALES, UNTAUGHT, Habit, PastSale
from keybench.core.devices.report import DeviceReport, Neighbours, all_reports
from keybench.core.errors import JournalError
from keybench.core.sales.sale import Sale
from keybench.runtime.worker import run_in_thread
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session

#: When this part of the known sales is new, all devices are compared again.
_PART: Final = 0.1
_THREAD: Final = "keybench device reports"

#: What is known of the other devices, past sales and reports by device, and how many sales are new.
_Taught = tuple[Neighbours, dict[str, tuple[PastSale, ...]], Mapping[str, DeviceReport], int]


class DeviceReports(QObject):
    """Reads and works out the reports of an environment's devices, away from the window's thread.

    A journal that can't be read leaves them unknown: the page's list says it.

    Signals:
        changed: There are other reports.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._environment_id = ""
        self._turn = 0
        self._sold: dict[str, Sale] = {}
        self._past_sales: dict[str, tuple[PastSale, ...]] = {}
        self._reports: Mapping[str, DeviceReport] = {}
        self._neighbours = Neighbours.of({})
        self._new = 0
        self._reading = Reading(session, "device reports", self._read, self._show, wanted=lambda: self._turn)

    def of(self, device: str) -> DeviceReport | None:
        return self._reports.get(device)

    def habit_of_others(self, device: str) -> Habit:
        return self._neighbours.habit_of_others(device) if self._reports else UNTAUGHT

    def clear(self) -> None:
        self._begin("", ())
        self._reports = {}
        self.changed.emit()

    def read(self, environment_id: str, sales: Iterable[Sale]) -> None:
        self._begin(environment_id, _newest_of_each(sales))
        self._reading.request()

    def learn(self, sales: Iterable[Sale]) -> None:
        ended = [sale for sale in sales if sale.environment_id == self._environment_id and _may_teach(sale)]
        if ended:
            self._sold |= {sale.reference: sale for sale in ended}
            self._reading.request()

    def _begin(self, environment_id: str, sales: Iterable[Sale]) -> None:
        self._turn += 1
        self._environment_id, self._past_sales, self._new = environment_id, {}, 0
        self._sold = {sale.reference: sale for sale in sales}

    async def _read(self) -> _Taught | None:
        """Take in what sales teach; mostly one that ended changes one device's report alone."""
        sold, self._sold = self._sold.values(), {}
        newest_first = sorted(sold, key=lambda sale: sale.noted_at, reverse=True)  # as the journal has them
        try:
            found = await self._session.console.habits.of_sales(self._environment_id, newest_first)
        except JournalError:
            return None
        past_sales, neighbours = dict(self._past_sales), self._neighbours
        for device, more in found.items():
            again = {past_sale.reference for past_sale in more}
            known = [
                past_sale for past_sale in past_sales.get(device, ()) if past_sale.reference not in again
            ]
            past_sales[device] = tuple([*known, *more][-MOST_PAST_SALES:])
        new = self._new + sum(len(more) for more in found.values())
        if new >= _PART * sum(len(own) for own in past_sales.values()):
            neighbours, reports = await run_in_thread(_THREAD, partial(all_reports, past_sales))
            new = 0
        else:
            some = {device: past_sales[device] for device in found}
            told = await run_in_thread(_THREAD, partial(neighbours.reports, some))
            reports = {**self._reports, **told}
        return neighbours, past_sales, reports, new

    def _show(self, taught: _Taught | None) -> None:
        if taught:
            self._neighbours, self._past_sales, self._reports, self._new = taught
            self.changed.emit()


def _may_teach(sale: Sale) -> bool:
    return sale.verdict is not None and sale.accepted_at is not None and bool(sale.polls)


def _newest_of_each(sales: Iterable[Sale]) -> Iterator[Sale]:
    counts: Counter[str] = Counter()
    for sale in sales:
        if _may_teach(sale) and counts[sale.device] < MOST_PAST_SALES:
            counts[sale.device] += 1
            yield sale
