"""Keeps the run that goes on, whichever page is shown, and tells of it in bunches."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.csv_lists import DeviceRow, totals
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.run_account import RowResult
from keybench.core.sale import Outcome
from keybench.core.security_key import SecurityKey
from keybench.ui.devices.order_view import START_LIVE
from keybench.ui.sale.sale_actions import may_send
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.dialog import confirm
from keybench.words.formats import duration
from keybench.words.outcomes import outcome_word
from keybench.workflows.many import ManyOrder, ManyRun

RUN_TASK: Final = "sale run on many devices"
_GATHER_MS: Final = 100
_SECOND_MS: Final = 1000


class Runner(QObject):
    """One run at a time.

    Signals:
        begun: A run has begun.
        moved: Rows stand otherwise (their places and results, as a dict), or time has passed (empty).
        ended: The run is over.
        rejected: A run can't begin so (a `KeybenchError`); nothing was sent.
    """

    begun = Signal()
    moved = Signal(object)
    ended = Signal()
    rejected = Signal(object)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._changed: set[int] = set()
        self.run: ManyRun | None = None
        self.environment: Environment = session.environment
        self.is_running = False
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self.flush)
        self._seconds = QTimer(self, interval=_SECOND_MS)
        self._seconds.timeout.connect(self._on_second)

    def start(self, key: SecurityKey, rows: tuple[DeviceRow, ...], at_once: int) -> None:
        """Sell `rows` in the environment shown; in live, only after the whole was confirmed."""
        environment = self._session.environment
        # Nothing is carried out in live before the question has been answered.
        order = ManyOrder(environment.id, key.id, rows, at_once, confirmed=environment.is_live)
        self._session.run(RUN_TASK, self._carry_out(environment, order), self._on_error)

    def stop(self) -> None:
        """Begin no more sales."""
        if self.run:
            self.run.stop()
            self.moved.emit({})

    def flush(self) -> None:
        """Tell at once what has been gathered."""
        self._gather.stop()
        changed, self._changed = self._changed, set()
        if self.run:
            results: dict[int, RowResult] = {index: self.run.account.result(index) for index in changed}
            self.moved.emit(results)

    async def _carry_out(self, environment: Environment, order: ManyOrder) -> None:
        console = self._session.console
        run = ManyRun(console.sell, console.clock, order, self._hear)
        await run.check()
        if not await may_send(self._session, self._window, environment, {row.device for row in order.rows}):
            return
        if environment.is_live and not await self._confirm(environment, order):
            return
        self.run, self.environment, self.is_running = run, environment, True
        self._session.sales_waiting = run.account.waiting
        self._changed.clear()
        self._seconds.start()
        self.begun.emit()
        try:
            await run.carry_out()
        finally:
            self.is_running = False
            self._session.sales_waiting = 0
            self._seconds.stop()
            self.flush()
            self.ended.emit()
        self._session.notify(notice_of(run, environment))

    async def _confirm(self, environment: Environment, order: ManyOrder) -> bool:
        count, devices = len(order.rows), len({row.device for row in order.rows})
        money = " and ".join(str(money) for money in totals(order.rows))
        sales = "one sale" if count == 1 else f"{count:,} sales"
        return await confirm(
            self._window,
            title=f"Take {money} for real?",
            text=f"{sales.capitalize()} on {devices:,} device{'' if devices == 1 else 's'}, {money} in all\n"
            f"Environment: {environment.name} (LIVE)\n\n"
            "This is not a test: the customers' cards are charged.",
            confirm=START_LIVE,
            tone="danger",
        )

    def _hear(self, index: int) -> None:
        self._changed.add(index)
        if self.run and (sale := self.run.account.result(index).sale):
            self._session.sales_in_runs.add(sale.reference)
            self._session.sales_waiting = self.run.account.waiting
        if not self._gather.isActive():
            self._gather.start()

    def _on_second(self) -> None:
        self.moved.emit({})

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self.rejected.emit(error)
        else:
            self._session.failed.emit(error)


def notice_of(run: ManyRun, environment: Environment) -> Notice:
    """Return what to tell when a run is over."""
    account = run.account
    counts = {outcome: account.count(outcome) for outcome in Outcome if account.count(outcome)}
    told = ", ".join(f"{outcome_word(outcome)}: {count:,}" for outcome, count in counts.items())
    if account.left:
        told += f"{', ' if told else ''}not started: {account.left:,}"
    all_well = set(counts) == {Outcome.APPROVED} and not account.left
    if counts.get(Outcome.UNKNOWN):
        told += ". Look the unknown ones up before anything is sent again."
    tone = "bad" if run.trouble else "good" if all_well else "warning"
    title = "The run was stopped" if account.left else "The run is over"
    return Notice(tone, f"{title} ({environment.name}, {duration(run.elapsed_s)})", told, topic="many sales")
