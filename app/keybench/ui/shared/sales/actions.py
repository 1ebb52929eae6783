"""What can be done about sales: send one, and cancel, look up, check or repeat the one that is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import SaleChanged
from keybench.core.input_errors import InputInvalid, NotFound
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.money import parse_money
from keybench.core.ports import Device
from keybench.core.sales.sale import (
    APPROVALS,
    Mark,
    Outcome,
    Sale,
    SaleDraft,
    SaleEvent,
    SaleStage,
    is_checked,
    may_send_again,
)
from keybench.ui.kit.actions import COMMANDS, Action
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.ui.shared.sales.fields import SEND_LIVE, device_label
from keybench.ui.shared.session import Case, Notice, Session
from keybench.words.keys.states import told_key
from keybench.words.language import _
from keybench.words.sales.outcomes import busy_words

CHECK_FIRST: Final = _("Look the sale up, or check at the gateway, before it is sent again.")
CHECKED_AT_GATEWAY: Final = _("I have checked at the gateway that this sale wasn't made.")
SEND_REST: Final = _("Send the rest with a new reference")
CHECKED_CONFIRM: Final = _("I have checked")
BUSY: Final = _("Send on a busy device?")
COMPROMISED_KEY: Final = _("Sell with a compromised key?")
SEND_NOW: Final = _("Send it now?")
ALL_THE_SAME: Final = _("Send it all the same")
#: One at a time: a second press or Enter while an intent is being noted, or confirmed, sends nothing.
NOTE_TASK: Final = "note a sale"


class SaleActions(QObject):
    """The actions of a view that shows one sale.

    Signals:
        noted: A sale's intent is in the journal, and the sale is on its way (a `Sale`).
        rejected: A draft wasn't accepted (an `InputInvalid`); nothing was sent.
    """

    noted = Signal(object)
    rejected = Signal(object)

    def __init__(self, session: Session, view: QWidget, *, may_repeat: bool) -> None:
        super().__init__(view)
        self._session = session
        self._view = view
        self._may_repeat = may_repeat
        self._sale: Sale | None = None
        self._events: Sequence[SaleEvent] = ()
        self._environment: Environment | None = None
        self._device = ""
        self._looked_up: set[str] = set()
        self.cancel = self._action("sale.cancel", self._cancel)
        self.look_up = self._action("sale.look_up", self._begin_look_up)
        self.check = self._action(
            "sale.check",
            lambda sale: session.run(f"check {sale.reference}", self._check(sale, self._device)),
        )
        self.again = self._action(
            "sale.again",
            lambda sale: session.run(NOTE_TASK, self._send_again(sale, self._device), self._on_error),
        )
        self.give_value = Action(view, "sale.give_value", self._on_give_value)
        self.diagnose = Action(view, "sale.diagnose", self._on_diagnose)
        self.diagnose.set_tip(
            _("Looks at the key, the network, the gateway and the device. It sends no sale.")
        )
        self.copy = Action(
            view, "sale.copy_reference", partial(self._copy, "reference"), lambda: self._sale is not None
        )
        mends = (self.check, self.give_value, self.diagnose, self.again)
        self.copy_request = Action(view, "sale.copy_request", partial(self._copy, "request_id"))
        self.of_row = (self.cancel, self.look_up, *mends, self.copy, self.copy_request)
        self._refresh()

    def show_sale(
        self,
        sale: Sale | None,
        events: Sequence[SaleEvent] = (),
        environment: Environment | None = None,
        device: str = "",
    ) -> None:
        """Offer what can be done about a sale."""
        self._sale, self._events = sale, events
        self._environment, self._device = environment, device
        self._refresh()

    def send(self, draft: SaleDraft, device: str) -> None:
        """Note a draft of the environment shown and send it; in live, only after it was confirmed."""
        self._session.run(NOTE_TASK, self._note(self._session.environment, draft, device), self._on_error)

    def _refresh(self) -> None:
        sale, environment = self._sale, self._environment
        unknown = sale is not None and sale.outcome is Outcome.UNKNOWN
        repeats = sale is not None and self._may_repeat and environment == self._session.environment
        looked_up = sale is not None and sale.reference in self._looked_up
        can_cancel = environment and self._session.console.environments.facts(environment).can_cancel
        self.cancel.setVisible(bool(sale and sale.stage is SaleStage.ACCEPTED and can_cancel))
        self.cancel.setEnabled(not any(event.mark is Mark.CANCEL_ASKED for event in self._events))
        self.look_up.setVisible(unknown)
        self.look_up.setEnabled(not looked_up)
        self.check.setVisible(bool(sale and unknown and repeats and not is_checked(sale, self._events)))
        self.check.setEnabled(not looked_up)
        self.again.setVisible(bool(sale and (sale.is_settled or unknown) and repeats))
        allowed = bool(sale and may_send_again(sale, self._events) and not looked_up)
        self.again.setEnabled(allowed)
        partly = sale is not None and sale.outcome is Outcome.PARTLY_APPROVED
        self.again.setText(SEND_REST if partly else COMMANDS["sale.again"].text)
        self.again.set_tip(CHECK_FIRST if not allowed else str(sale.rest) if sale and partly else "")
        refused = sale is not None and sale.verdict and sale.verdict.status == HTTPStatus.UNAUTHORIZED
        self.give_value.setVisible(bool(refused and environment))
        self.diagnose.setVisible(bool(sale and environment and is_failed(sale)))
        self.copy.refresh()
        self.copy_request.setVisible(bool(sale and sale.request_id))

    # --- what they do --------------------------------------------------------------------------------

    def _action(self, command: str, do: Callable[[Sale], object]) -> Action:
        return Action(self._view, command, lambda: self._sale and do(self._sale))

    def _cancel(self, sale: Sale) -> None:
        self._session.run(f"cancel {sale.reference}", self._session.console.resume.cancel(sale))

    def _begin_look_up(self, sale: Sale) -> None:
        # Not under the sale's own name: the task that sent it may still be writing the answer.
        if self._session.run(f"look up {sale.reference}", self._look_up(sale)):
            self._looked_up.add(sale.reference)
            self._refresh()

    def _on_diagnose(self) -> None:
        if (sale := self._sale) and self._environment:
            self._session.ask(Case(self._environment, sale.key_id, sale.device, sale))

    def _on_give_value(self) -> None:
        if (sale := self._sale) and self._environment:
            work = self._give_value(self._environment, sale.key_id)
            self._session.run(f"give value {sale.key_id}", work)

    async def _give_value(self, environment: Environment, key_id: str) -> None:
        from keybench.ui.shared.keys.dialogs import WORKS, give_value  # noqa: PLC0415 - when it is wanted

        key = await self._session.console.calling.key(environment.id, key_id)
        if key.state is KeyState.WORKING:  # it was given another since
            title = _("“{name}” works by now").format(name=key.name)
            self._session.notify(Notice("info", title, WORKS, "value given"))
            return
        await give_value(self._view, self._session, InventoryRow(key, environment))

    def _copy(self, name: str) -> None:
        if self._sale:
            QGuiApplication.clipboard().setText(getattr(self._sale, name))

    async def _look_up(self, sale: Sale) -> None:
        try:
            await self._session.console.resume.look_up(sale)
        finally:
            self._looked_up.discard(sale.reference)
            self._refresh()

    async def _check(self, sale: Sale, device: str) -> None:
        checked = await confirm(
            self._view,
            title=_("Was this sale really not made?"),
            text=_(
                "{CHECKED_AT_GATEWAY}\n\n{reference}: {money} on {device}\n\n"
                "If it was made after all, sending it again charges the customer twice. Your word is noted with "
                "the sale and in the activity."
            ).format(
                CHECKED_AT_GATEWAY=CHECKED_AT_GATEWAY,
                reference=sale.reference,
                money=sale.money,
                device=device,
            ),
            confirm=CHECKED_CONFIRM,
            tone="danger",
        )
        if checked:
            await self._session.console.sell.note_not_made(sale.reference)

    async def _send_again(self, sale: Sale, device: str) -> None:
        environment = self._session.environment
        draft = await self._session.console.sell.draft_again(sale.reference)
        if draft.environment_id == environment.id:
            await self._note(environment, draft, device)

    async def _note(self, environment: Environment, draft: SaleDraft, device: str) -> None:
        keys = await self._session.console.keys.listed(environment)
        key = next((key for key in keys if key.id == draft.key_id), None)
        if key is None:
            raise NotFound("key", draft.key_id)
        if not await may_send(self._session, self._view, environment, [draft.device], key):
            return
        if environment.is_live:
            if not await self._confirm(environment, draft, device, key):
                return
            draft = replace(draft, confirmed=True)
        sale = await self._session.console.sell.note(draft)
        self._session.run(task_of(sale), self._session.console.sell.carry_out(sale))
        self.noted.emit(sale)

    async def _confirm(
        self, environment: Environment, draft: SaleDraft, nickname: str, key: SecurityKey
    ) -> bool:
        money = parse_money(draft.amount, draft.currency)
        device = device_label(Device(draft.device, nickname if nickname != draft.device else ""))
        return await confirm(
            self._view,
            title=_("Take {money} for real?").format(money=money),
            text=_(
                "Device: {device}\nKey: {key}\nEnvironment: {name} (LIVE)\n\n"
                "This is not a test: the customer's card is charged."
            ).format(device=device, key=told_key(key), name=environment.name),
            confirm=SEND_LIVE,
            tone="danger",
        )

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self.rejected.emit(error)
        else:
            self._session.failed.emit(error)


async def may_send(
    session: Session,
    parent: QWidget,
    environment: Environment,
    devices: Collection[str],
    key: SecurityKey | None = None,
) -> bool:
    """Return whether to send, because nothing speaks against it or a person wants it all the same.

    Sales of ours that keep the devices busy speak against it, and a key that may be in the wrong hands.
    """
    if (
        key
        and key.compromised
        and not await confirm(
            parent,
            title=COMPROMISED_KEY,
            text=_("“{key}” is marked as compromised. Rotate it, or choose another key.").format(
                key=key.name
            ),
            confirm=ALL_THE_SAME,
            tone="danger",
        )
    ):
        return False
    busy = {one.reference: one for one in await session.console.sell.under_way(environment.id, devices)}
    if not busy:
        return True
    now = session.console.clock.now
    words = busy_words([*busy.values()], now())
    question = Dialog(parent, title=BUSY, text=words, confirm=ALL_THE_SAME, tone="danger")

    def tell(change: SaleChanged) -> None:
        if change.sale.reference in busy:
            busy[change.sale.reference] = change.sale
            is_free = all(sale.is_settled for sale in busy.values())
            question.say(SEND_NOW if is_free else BUSY, busy_words([*busy.values()], now()))

    session.subscribe(question, {SaleChanged: tell})
    return await question.answer()


def is_failed(sale: Sale) -> bool:
    return sale.verdict is not None and sale.outcome not in APPROVALS


def task_of(sale: Sale) -> str:
    """Return the name of the task that carries a sale, so that none is carried twice."""
    return f"sale {sale.reference}"
