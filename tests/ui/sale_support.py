"""What the tests of the Sale test panel share: a bench of fakes with a session and the panel on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.ports import Device
from keybench.core.sales.sale import Sale
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.sale_panel import SalePanel
from keybench.ui.shared.sales.actions import NOTE_TASK
from keybench.ui.shared.session import Notice, Session

TILLS = (Device("D-1", "Till 1", "connected"), Device("D-2", "Till 2", "disconnected"))


@dataclass
class Stage:
    """A panel on fakes.

    Attributes:
        failures: What went to the session's `failed` signal.
        notices: What went to its `notified` signal.
    """

    bench: Bench
    session: Session
    panel: SalePanel
    failures: list[KeybenchError]
    notices: list[Notice]

    @property
    def outcome(self) -> str:
        """What a screen reader says of the outcome."""
        return str(self.panel.card.pill.accessibleDescription())

    async def sales(self) -> list[Sale]:
        return list(await self.bench.console.recent_sales(None, 100))

    async def send(self, amount: str = "10.00", device: str = "") -> None:
        """Send a sale from the form, perhaps on another device, and wait until it is selected."""
        await until(lambda: not self.session.supervisor.is_running(NOTE_TASK))
        before = self.panel.selection.reference
        if device:
            self.panel.form.device.choose(device)
        self.panel.form.amount.setText(amount)
        self.panel.send()
        await until(lambda: self.panel.selection.reference not in {"", before})

    async def pass_time(self, seconds: float) -> None:
        await self.bench.clock.advance(seconds)

    async def outcome_is(self, word: str) -> None:
        """Wait until the outcome's word is shown."""
        await self.comes(lambda: self.outcome.startswith(word))

    async def comes(self, predicate: Callable[[], object]) -> None:
        """Wait until something is so; time passes only as far as somebody waits for it."""
        for _ in range(1000):
            await until_quiet(self.panel)
            if predicate():
                return
            await self.bench.clock.advance(self.bench.clock.next_due_s or 0.0)
        raise AssertionError(f"it doesn't come, and the outcome is {self.outcome!r}")


#: Makes stages, see `make_stage`.
Selling = Callable[..., Awaitable[Stage]]


async def until_quiet(panel: SalePanel) -> None:
    """Pass on what was announced, and wait until it has been read and shown."""
    panel._feed.flush()
    await until(lambda: not panel.selection._reading._reading)


async def make_stage(
    add_widget: Callable[[QWidget], None],
    supervisor: Supervisor,
    *,
    environment: Environment | None = None,
    bench: Bench | None = None,
    with_key: bool = True,
) -> Stage:
    """Put a panel on a bench, with a private key unless told otherwise, and wait until it has read all."""
    bench = bench or Bench()
    if not bench.journal.is_open:
        await bench.journal.open()
    bench.gateway.device_list = TILLS
    where = environment or await bench.practice_environment()
    await bench.journal.remember_devices(where.id, TILLS)
    if with_key and not await bench.journal.keys(where.id):
        await bench.add_key(where)
    session = Session(bench.console, supervisor, where)
    failures: list[KeybenchError] = []
    notices: list[Notice] = []
    session.failed.connect(failures.append)
    session.notified.connect(notices.append)
    panel = SalePanel(session)
    add_widget(panel)
    panel.resize(760, 820)
    panel.show()
    await until(lambda: panel.form.device.count() == len(TILLS) and not panel._loading)
    await until(lambda: bool(panel.form.key.key) == with_key)
    return Stage(bench, session, panel, failures, notices)
