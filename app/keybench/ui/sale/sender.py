"""Sends sales, and asks about them, from the panel: notes the intent, then lets the sale run by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.errors import InputInvalid, KeybenchError
from keybench.core.money import parse_money
from keybench.core.sale import Sale, SaleDraft
from keybench.ui.dialogs import ask
from keybench.ui.sale.busy import may_send
from keybench.ui.sale.form import SEND_LIVE
from keybench.ui.session import Session

CHECKED_AT_GATEWAY: Final = "I have checked at the gateway that this sale wasn't made."
CHECKED_CONFIRM: Final = "I have checked"
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
        # Not under the sale's own name: what sent it may still be keeping what was said.
        if self._session.run(f"look up {sale.reference}", self._look_up(sale)):
            self._asking.add(sale.reference)
            self.asking_changed.emit()

    def is_asking(self, reference: str) -> bool:
        """Tell whether the gateway is being asked about a sale."""
        return reference in self._asking

    def send_again(self, sale: Sale, device: str) -> None:
        """Send a new sale with the fields of an earlier one.

        Args:
            sale: The earlier one; settled, or checked by a person.
            device: What its device is called.
        """
        self._session.run(NOTE_TASK, self._send_again(sale, device), self._on_error)

    def check(self, sale: Sale, device: str) -> None:
        """Ask the person whether they have checked that an unknown sale wasn't made, and note it if so."""
        self._session.run(f"check {sale.reference}", self._check(sale, device))

    async def _send_again(self, sale: Sale, device: str) -> None:
        environment = self._session.environment
        draft = await self._session.console.sell.draft_again(sale.reference)
        if draft.environment_id == environment.id:
            await self._note(environment, draft, device)

    async def _check(self, sale: Sale, device: str) -> None:
        if await self._ask_whether_checked(sale, device):
            await self._session.console.sell.note_not_made(sale.reference)

    async def _ask_whether_checked(self, sale: Sale, device: str) -> bool:
        return await ask(
            self._window,
            title="Was this sale really not made?",
            text=f"{CHECKED_AT_GATEWAY}\n\n{sale.reference}: {sale.money} on {device}\n\n"
            "If it was made after all, sending it again charges the customer twice. Your word is noted with "
            "the sale and in the activity.",
            confirm=CHECKED_CONFIRM,
            tone="danger",
        )

    async def _note(self, environment: Environment, draft: SaleDraft, device: str) -> None:
        if not await may_send(self._session, self._window, environment, [draft.device]):
            return
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
