"""What is known of each device, read after the list and kept up to date by the sales that end meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal

from keybench.core.device_report import DeviceReport, Neighbours, all_reports
from keybench.core.errors import JournalError
from keybench.core.habit import MOST_LESSONS, UNTAUGHT, Habit, Lesson
from keybench.core.sale import Sale
from keybench.runtime.worker import run_in_thread
from keybench.ui.refresh import Refresh
from keybench.ui.session import Session

#: When so many times the known sales have ended, all devices are compared anew.
_ANEW: Final = 0.1
_THREAD: Final = "keybench device reports"


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
        self._sales: Sequence[Sale] | None = None
        self._ended: dict[str, Sale] = {}
        self._lessons: dict[str, tuple[Lesson, ...]] = {}
        self._reports: Mapping[str, DeviceReport] = {}
        self._neighbours = Neighbours.of({})
        self._new = 0
        self._reading = Refresh(session, "device reports", self._read)

    def of(self, device: str) -> DeviceReport | None:
        return self._reports.get(device)

    def habit_of_others(self, device: str) -> Habit:
        return self._neighbours.habit_of_others(device) if self._reports else UNTAUGHT

    def clear(self) -> None:
        self._environment_id, self._sales, self._ended = "", None, {}
        self._take(Neighbours.of({}), {}, {})

    def read(self, environment_id: str, sales: Sequence[Sale]) -> None:
        self._environment_id, self._sales = environment_id, sales
        self._ended.clear()
        self._reading.request()

    def learn(self, sales: Iterable[Sale]) -> None:
        ended = [sale for sale in sales if sale.environment_id == self._environment_id and _may_teach(sale)]
        if ended:
            self._ended |= {sale.reference: sale for sale in ended}
            self._reading.request()

    async def _read(self) -> None:
        try:
            await self._read_all()
            await self._read_ended()
        except JournalError:
            return

    async def _read_all(self) -> None:
        environment_id, sales = self._environment_id, self._sales
        if sales is None:
            return
        self._sales = None
        found = await self._session.console.habits.of_sales(environment_id, _newest_of_each(sales))
        lessons = {device: tuple(own) for device, own in found.items()}
        neighbours, reports = await run_in_thread(_THREAD, partial(all_reports, lessons))
        if environment_id == self._environment_id and self._sales is None:
            self._take(neighbours, lessons, reports)

    async def _read_ended(self) -> None:
        """Take in what the sales teach that ended since; mostly that changes one device's report alone."""
        environment_id, ended = self._environment_id, self._ended
        if not ended:
            return
        self._ended = {}
        # The newest first, as the journal has them.
        newest_first = sorted(ended.values(), key=lambda sale: sale.noted_at, reverse=True)
        found = await self._session.console.habits.of_sales(environment_id, newest_first)
        lessons = dict(self._lessons)
        for device, more in found.items():
            again = {lesson.reference for lesson in more}
            known = [lesson for lesson in lessons.get(device, ()) if lesson.reference not in again]
            lessons[device] = tuple([*known, *more][-MOST_LESSONS:])
        self._new += sum(len(more) for more in found.values())
        if self._new > _ANEW * sum(len(own) for own in lessons.values()):
            neighbours, reports = await run_in_thread(_THREAD, partial(all_reports, lessons))
        else:
            neighbours = self._neighbours
            some = {device: lessons[device] for device in found}
            told = await run_in_thread(_THREAD, partial(neighbours.reports, some))
            reports = {**self._reports, **told}
        if environment_id == self._environment_id and self._sales is None:
            new = 0 if neighbours is not self._neighbours else self._new
            self._take(neighbours, lessons, reports)
            self._new = new

    def _take(
        self,
        neighbours: Neighbours,
        lessons: dict[str, tuple[Lesson, ...]],
        reports: Mapping[str, DeviceReport],
    ) -> None:
        self._neighbours, self._lessons, self._reports, self._new = neighbours, lessons, reports, 0
        self.changed.emit()


def _may_teach(sale: Sale) -> bool:
    return sale.verdict is not None and sale.accepted_at is not None and bool(sale.polls)


def _newest_of_each(sales: Iterable[Sale]) -> Iterator[Sale]:
    counts: Counter[str] = Counter()
    for sale in sales:
        if _may_teach(sale) and counts[sale.device] < MOST_LESSONS:
            counts[sale.device] += 1
            yield sale
