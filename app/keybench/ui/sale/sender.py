"""Sends sales, and asks about them, from the panel: notes the intent, then lets the sale run by itself."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.errors import InputInvalid, KeybenchError
from keybench.core.money import parse_money
from keybench.core.sale import Sale, SaleDraft
from keybench.ui.dialogs import ask
from keybench.ui.sale.form import SEND_LIVE
from keybench.ui.session import Session

#: One at a time: a second press or Enter while an intent is being noted, or confirmed, sends nothing.
NOTE_TASK = "note a sale"


class Sender(QObject):
    """The panel's way to the use cases.

    Signals:
        noted: A sale's intent is in the journal, and the sale is on its way (a `Sale`).
        rejected: A draft wasn't taken (an `InputInvalid`); nothing was sent.
        asking_changed: The gateway is being asked, or no longer, what became of a sale.
    """

    noted = Signal(object)
    rejected = Signal(object)
    asking_changed = Signal()

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._asking: set[str] = set()

    def send(self, draft: SaleDraft, device: str) -> None:
        """Note a draft of the environment shown and send it; in live, only after it was confirmed.

        Args:
            draft: What was entered.
            device: What its device is called.
        """
        work = self._note(self._session.environment, draft, device)
        self._session.run(NOTE_TASK, work, self._on_error)

    def cancel(self, sale: Sale) -> None:
        """Ask the device to cancel a sale under way."""
        self._session.run(f"cancel {sale.reference}", self._session.console.resume.cancel(sale))

    def look_up(self, sale: Sale) -> None:
        """Ask the gateway what became of an unknown sale."""
        if self._session.run(task_of(sale), self._look_up(sale)):
            self._asking.add(sale.reference)
            self.asking_changed.emit()

    def is_asking(self, reference: str) -> bool:
        """Tell whether the gateway is being asked about a sale."""
        return reference in self._asking

    async def _note(self, environment: Environment, draft: SaleDraft, device: str) -> None:
        if environment.is_live:
            if not await self._confirm(environment, draft, device):
                return
            draft = replace(draft, confirmed=True)
        sale = await self._session.console.sell.note(draft)
        self._session.run(task_of(sale), self._session.console.sell.carry_out(sale))
        self.noted.emit(sale)

    async def _confirm(self, environment: Environment, draft: SaleDraft, device: str) -> bool:
        money = parse_money(draft.amount, draft.currency)
        return await ask(
            self._window,
            title=f"Take {money} for real?",
            text=f"Device: {device}\nEnvironment: {environment.name} (LIVE)\n\n"
            "This is not a test: the customer's card is charged.",
            confirm=SEND_LIVE,
            tone="danger",
        )

    async def _look_up(self, sale: Sale) -> None:
        try:
            await self._session.console.resume.look_up(sale)
        finally:
            self._asking.discard(sale.reference)
            self.asking_changed.emit()

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self.rejected.emit(error)
        else:
            self._session.failed.emit(error)


def task_of(sale: Sale) -> str:
    """Return the name of the task that carries a sale, so that none is carried twice."""
    return f"sale {sale.reference}"
