"""What the tests of the History page share: the page on a bench of fakes, and sales in its journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_point, a_sale
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.errors import KeybenchError
from keybench.core.events import SaleChanged
from keybench.core.ports import Device
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.runtime.supervisor import Supervisor
from keybench.ui.history.page import HistoryPage
from keybench.ui.shared.session import Session


@dataclass
class Stage:
    """The page on a bench of fakes."""

    bench: Bench
    session: Session
    page: HistoryPage
    failures: list[KeybenchError]

    @property
    def references(self) -> list[str]:
        return self.column("reference")

    def column(self, column: str) -> list[str]:
        model = self.page.model
        return [str(model.index(row, model.column(column)).data()) for row in range(model.rowCount())]

    async def shows(self, *references: str) -> None:
        await until(lambda: self.references == list(references))

    async def is_read(self) -> None:
        await until(lambda: self.page.shown == self.page.wanted())

    async def says(self, words: str) -> None:
        """Wait until the page says how many sales there are."""
        await until(lambda: self.page.status.text() == words)

    async def happens(self, sale: Sale) -> None:
        """Let the page hear of a sale as if it had just been noted, or moved on."""
        self.bench.console.events.publish(
            SaleChanged(sale, SaleEvent(sale.reference, sale.noted_at, Mark.STATUS))
        )
        self.page._feed.flush()


#: Makes stages, see `make_stage`.
Past = Callable[..., Awaitable[Stage]]


async def make_stage(qtbot: QtBot, supervisor: Supervisor, sales: Sequence[Sale] = ()) -> Stage:
    """Put a page on a bench whose journal has some sales, and wait until it has read them."""
    bench = Bench()
    await bench.journal.open()
    where = await bench.practice_environment()
    await bench.journal.remember_devices(where.id, [Device("D-7", "Terrace bar", "connected")])
    for sale in sales:
        await keep(bench, sale)
    session = Session(bench.console, supervisor, where)
    failures: list[KeybenchError] = []
    session.failed.connect(failures.append)
    page = HistoryPage(session)
    qtbot.addWidget(page)
    page.resize(960, 700)
    page.show()
    stage = Stage(bench, session, page, failures)
    await stage.is_read()
    return stage


async def keep(bench: Bench, sale: Sale) -> None:
    noted = replace(sale, verdict=None, finished_at=None)
    await bench.journal.note_sale(noted, a_point(noted))
    await bench.journal.advance_sale(sale.reference, lambda _stored: sale)


def some(count: int) -> list[Sale]:
    """Return sales a minute apart: KB-0000 is the oldest."""
    return [a_sale(f"KB-{number:04}", minutes=number) for number in range(count)]


def ended(sale: Sale, outcome: Outcome) -> Sale:
    return sale.finish(Verdict(outcome), sale.noted_at + timedelta(seconds=6))
