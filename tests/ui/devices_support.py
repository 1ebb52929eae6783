"""What the tests of the Devices page share: a page on a bench of fakes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.ports import Device
from keybench.runtime.supervisor import Supervisor
from keybench.ui.devices.page import DevicesPage
from keybench.ui.shared.reading import READING
from keybench.ui.shared.session import Notice, Session

FLEET = tuple(Device(f"D-{n}", f"Till {n}", "connected" if n % 4 else "disconnected") for n in range(1, 13))


@dataclass
class Stage:
    """A page on fakes."""

    bench: Bench
    session: Session
    page: DevicesPage
    notices: list[Notice]

    def choose(self, *rows: int) -> None:
        table = self.page.table
        how = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for row in rows:
            table.selectionModel().select(table.model().index(row, 0), how)

    async def order_for(self, *rows: int, amount: str = "10.00") -> None:
        self.choose(*rows)
        self.page.sell.click()
        self.page.order.amount.setText(amount)
        await until(self.page.order.start.isEnabled)

    async def run_to_the_end(self) -> None:
        """Press Start and let time pass until the run is over."""
        self.page.order.start.click()
        await until(lambda: self.page.run_view.is_running)
        await self.pass_time()

    async def pass_time(self) -> None:
        for _ in range(5000):
            if not self.page.run_view.is_running:
                break
            await self.bench.clock.advance(self.bench.clock.next_due_s or 0.0)
        assert not self.page.run_view.is_running


#: Makes stages, see `make_stage`.
Fleet = Callable[..., Awaitable[Stage]]


async def make_stage(
    qtbot: QtBot,
    supervisor: Supervisor,
    *,
    devices: tuple[Device, ...] = FLEET,
    with_key: bool = True,
    kind: EnvironmentKind | None = None,
    bench: Bench | None = None,
) -> Stage:
    """Put a page on a bench and wait until it has read all."""
    bench = bench or Bench()
    await bench.journal.open()
    where = await bench.add("Main shop", kind) if kind else await bench.practice_environment()
    await bench.journal.remember_devices(where.id, devices)
    bench.gateway.device_list = devices
    if with_key:
        await bench.add_key(where)
    session = Session(bench.console, supervisor, where)
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    page = DevicesPage(session)

    def end(_page: QWidget) -> None:
        session.end()
        for view in (page.order, page.run_view):  # one that was never shown would stay for the whole run
            view.setParent(page)

    qtbot.addWidget(page, before_close_func=end)
    page.resize(900, 640)
    page.show()
    await until(lambda: page.table.empty_text != READING)
    return Stage(bench, session, page, notices)
