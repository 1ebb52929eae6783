"""Selling: check, note the intent, send once, and hand an accepted sale on to be followed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    GatewayError,
    JournalError,
    KeystoreError,
    NotSent,
    PracticeUnavailable,
    Refused,
    ValueDiffers,
    ValueLost,
)
from keybench.core.events import KeysChanged, SaleChanged
from keybench.core.input_errors import (
    AmountOverLimit,
    KeyKindUnfit,
    KeyWithoutValue,
    LiveBarred,
    LiveNotConfirmed,
    ModeNotOffered,
    NotChecked,
    NotFound,
)
from keybench.core.keys.key import KeyMove, KeyState, SecurityKey, of_value
from keybench.core.money import Money, parse_money
from keybench.core.ports import Accepted, SaleOrder
from keybench.core.reasons import Reason
from keybench.core.sales.sale import (
    IllegalTransition,
    Mark,
    Outcome,
    Sale,
    SaleDraft,
    SaleEvent,
    SaleStage,
    Verdict,
    may_send_again,
    new_reference,
    same_again,
)
from keybench.core.text import clean_text
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling, GatewayConnection
from keybench.workflows.guard import guarded
from keybench.workflows.rate_limit import RateLimit
from keybench.workflows.sales.follow import Asker, Follow
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.world import World

#: For how long an answer is still waited for after the task was cancelled, in seconds: what comes is kept.
ANSWER_GRACE_S: Final = 1.0


@guarded
class Sell:
    """The use case."""

    def __init__(self, world: World, calling: Calling, log: SaleLog, follow: Follow) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._follow = follow

    async def check(self, draft: SaleDraft) -> None:
        """Do nothing if `note` would take a draft; nothing is written."""
        await self._checked(draft)

    async def under_way(self, environment_id: str, devices: Collection[str]) -> Sequence[Sale]:
        """Return the sales of this console that keep any of these devices busy, oldest first."""
        wanted = {device.strip() for device in devices}
        unfinished = await self._world.journal.unfinished_sales()
        return [s for s in unfinished if s.environment_id == environment_id and s.device in wanted]

    async def note(self, draft: SaleDraft) -> Sale:
        """Check a draft and write the intent; nothing has been sent when this returns."""
        environment, key, device, money = await self._checked(draft)
        sale = Sale(
            reference=new_reference(),
            environment_id=environment.id,
            key_id=key.id,
            key_name=key.name,
            device=device,
            money=money,
            mode=draft.mode,
            stage=SaleStage.NOTED,
            noted_at=self._world.clock.now(),
            owner=self._world.owners.me,
        )
        event = SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)
        # Before the row is there, or whoever looks for sales that nobody is at would find it.
        with self._log.work(sale.reference):
            await self._world.journal.note_sale(sale, event)
        self._world.events.publish(SaleChanged(sale, event))
        return sale

    async def carry_out(self, sale: Sale) -> Sale:
        """Send a noted sale, once, and follow it to its outcome; `UNKNOWN` when nobody can tell.

        What the gateway answered may not be in the journal yet, see `PendingWrites`. One that another program
        has taken over meanwhile, or that was sent before, isn't sent: it is returned as it stands.
        """
        with self._log.work(sale.reference):
            try:
                sent, asker = await self._send(sale)
            except IllegalTransition:
                return await self._log.reread(sale.reference)
            return sent if sent.verdict else await self._follow.to_the_end(sent, asker)

    async def note_not_made(self, reference: str) -> Sale:
        """Note that a person has checked at the gateway that an unknown sale wasn't made.

        It is noted on the sale's timeline and in the activity. The sale stays unknown: its truth is the
        gateway's to tell. A sale that was settled meanwhile needs no check and gets none.
        """
        sale = await self._world.journal.sale(reference)
        if sale.outcome is not Outcome.UNKNOWN:
            return sale
        # The activity first: what allows a second sale must not stand without its record.
        result = "a person confirmed that it wasn't made"
        await self._world.note_activity("sale checked", sale.environment_id, reference, result)
        return await self._log.add(sale, Mark.CHECKED, "not made")

    async def draft_again(self, reference: str, *, confirmed: bool = False) -> SaleDraft:
        """Return a draft of a new sale with an earlier one's fields."""
        journal = self._world.journal
        sale = await journal.sale(reference)
        if not may_send_again(sale, await journal.sale_events(reference)):
            raise NotChecked(reference)
        return replace(same_again(sale), confirmed=confirmed)

    async def _send(self, sale: Sale) -> tuple[Sale, Asker | None]:
        """Send a noted sale; return it with what came of that, and who may ask for its outcome."""
        try:
            environment = await self._calling.environment(sale.environment_id)
            key = await self._calling.key(environment.id, sale.key_id)
            limit = await self._calling.limit(environment)
            async with self._calling.connection(environment, key) as connection, limit.send():
                sale = await self._note_sent(connection, sale)
                posting = self._post(connection, limit, sale, key)
                sent = await shielded(posting, self._world.clock, grace_s=ANSWER_GRACE_S)
                return sent, (connection.environment, key, connection.caller.value)
        except KeystoreError as error:
            not_sent = await self._log.finished(sale, Verdict(Outcome.NOT_SENT, reason=error.reason))
            if isinstance(error, ValueLost | ValueDiffers):
                await self._value_lost(sale)
            return not_sent, None
        except PracticeUnavailable as error:
            return await self._log.finished(sale, verdict_of(error)), None
        except NotFound:
            gone = Verdict(Outcome.NOT_SENT, reason=Reason.KEY_FORGOTTEN)
            return await self._log.finished(sale, gone), None

    async def _checked(self, draft: SaleDraft) -> tuple[Environment, SecurityKey, str, Money]:
        environment = await self._calling.environment(draft.environment_id)
        key = await self._calling.key(environment.id, draft.key_id)
        if key.can_sell and not await self._has_value(key):
            raise KeyWithoutValue(key.name)
        money = parse_money(draft.amount, draft.currency)
        self._check_allowed(environment, key, draft, money)
        return environment, key, clean_text("device", draft.device), money

    async def _has_value(self, key: SecurityKey) -> bool:
        """Tell whether a key can be sold with; a value that was missing may be there again."""
        if key.state is KeyState.VALUE_LOST:
            try:
                await self._calling.value(key)
            except (ValueLost, ValueDiffers):
                return False
            except KeystoreError:
                return True  # nobody can tell now; sending tells why
            return True
        return key.has_value

    def _check_allowed(
        self, environment: Environment, key: SecurityKey, draft: SaleDraft, money: Money
    ) -> None:
        if not key.can_sell:
            raise KeyKindUnfit(key.name)
        if draft.mode not in self._world.gateway.facts(environment.contract).modes:
            raise ModeNotOffered(draft.mode, environment.contract)
        limit = environment.amount_limit
        if limit is not None and money.amount > limit:
            raise AmountOverLimit(money, limit, environment.name)
        if environment.is_live and not self._world.keystore.status.durable:
            raise LiveBarred(environment.name)
        if environment.is_live and not draft.confirmed:
            raise LiveNotConfirmed(environment.name)

    async def _note_sent(self, connection: GatewayConnection, sale: Sale) -> Sale:
        try:
            return await self._log.sent(sale, connection.caller.base_url)
        except JournalError:
            await self._log.finished(sale, Verdict(Outcome.NOT_SENT, reason=Reason.NOT_NOTED))
            raise

    async def _post(
        self, connection: GatewayConnection, limit: RateLimit, sale: Sale, key: SecurityKey
    ) -> Sale:
        clock = self._world.clock
        began = clock.monotonic()
        order = SaleOrder.of(sale)
        failed: GatewayError | None = None
        try:
            answer = await self._world.gateway.start_sale(connection.caller, order)
        except GatewayError as error:
            answer, failed = verdict_of(error), error
        took_s = clock.monotonic() - began
        if failed:  # what polls are answered shows how many more may go
            limit.answered(failed)
        # The outcome first: if keeping an exchange fails, the sale's truth is already safe.
        if isinstance(answer, Accepted):
            sent = await self._log.accepted(sale, answer, took_s)
        else:
            sent = await self._log.finished(sale, answer, took_s)
        await self._log.exchanged(sent, connection.take_exchanges())
        await self._note_key(key, answer)
        return sent

    async def _note_key(self, key: SecurityKey, answer: Accepted | Verdict) -> None:
        """Remember what the sale showed of its key: taken means that it works, 401 that it doesn't."""
        is_taken = isinstance(answer, Accepted) and answer.status < HTTPStatus.BAD_REQUEST
        if isinstance(answer, Verdict) and answer.status == HTTPStatus.UNAUTHORIZED:
            state, status = KeyState.REFUSED, answer.status
        elif is_taken or (isinstance(answer, Verdict) and answer.transaction_id):
            state, status = KeyState.WORKING, int(HTTPStatus.OK)
        else:
            return
        if (state, status) != (key.state, key.status) or key.tried_at:
            now = self._world.clock.now()
            await self._keep_seen(key, lambda stored: stored.tested(state, status, now))

    async def _value_lost(self, sale: Sale) -> None:
        with suppress(NotFound):
            key = await self._calling.key(sale.environment_id, sale.key_id)
            await self._keep_seen(key, lambda stored: replace(stored, state=KeyState.VALUE_LOST))

    async def _keep_seen(self, key: SecurityKey, move: KeyMove) -> None:
        with suppress(
            NotFound, JournalError
        ):  # it was forgotten; or it is seen again, and the sale matters more
            await self._world.journal.update_key(key.id, of_value(key.fingerprint, move))
            self._world.events.publish(KeysChanged(key.environment_id))


def verdict_of(error: GatewayError) -> Verdict:
    """Return what a failed attempt to send a sale means for the money.

    Nothing was sold if nothing was sent or the gateway said no; in every other case nobody can tell. A
    conflict is no such no unless it says with what: that may be this very sale, if its request came twice.
    """
    match error:
        case NotSent() | PracticeUnavailable():
            outcome = Outcome.NOT_SENT
        case Refused(reason=Reason.CONFLICT | Reason.REPEATED):
            outcome = Outcome.UNKNOWN
        case Refused():
            outcome = Outcome.REFUSED
        case _:
            outcome = Outcome.UNKNOWN
    return Verdict(
        outcome,
        reason=error.reason,
        message=error.message,
        status=error.status,
        error_reference=error.reference,
    )
