"""Following: poll an accepted sale by plan until its outcome is there or the deadline has passed."""

from __future__ import annotations

import asyncio
import itertools
import math
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from keybench.core.devices.habit import SaleObservation, observation_of
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    GatewayError,
    JournalError,
    KeyRefused,
    KeystoreError,
    NotSent,
    PracticeUnavailable,
    ValueDiffers,
    ValueLost,
)
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Clock, ContractFacts, SaleOrder, StatusReading
from keybench.core.reasons import Reason
from keybench.core.sales.poll_plan import UNMOVED, PollPlan, Progress
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.core.secret import Secret
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling, GatewayConnection
from keybench.workflows.devices.habits import Habits
from keybench.workflows.pending_writes import RETRY_S
from keybench.workflows.rate_limit import RateLimit
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.world import World

#: Who asks for a sale: where, with which key, and its value where it is known from sending the sale.
Asker = tuple[Environment, SecurityKey, Secret | None]

#: A key refused this often in a row while following is tried with a harmless call, which tells for sure.
REFUSALS_TO_CONFIRM: Final = 2
#: For how long what was read may still be kept after whoever follows was cancelled, in seconds.
_KEEPING_GRACE_S: Final = 2.0
#: Why no one can ask for a sale any more; every other trouble of the keystore may pass.
_NO_VALUE: Final = (ValueLost, ValueDiffers)
#: How far apart two rounds of polls are, in seconds. Hundreds of polls a second cost a timer each otherwise,
#: and a timer of the window's loop costs more than the poll's own arithmetic.
STEP_S: Final = 0.02
#: How often a sale whose device never sold listens for what other sales teach meanwhile, in seconds.
LISTEN_S: Final = 0.25
#: From so many sales under way at once on, those on devices that never sold spare the gateway.
MANY: Final = 25
#: The golden ratio's fraction: multiples of it, less their whole parts, spread any number of sales evenly.
GOLDEN = 0.618034


@dataclass(slots=True)
class _PollState:
    """How the following of one sale goes; times in seconds, `began` on the monotonic clock."""

    age_s: float
    began: float
    phase: float
    seen: SaleObservation = field(default_factory=SaleObservation)
    asked: int = 0
    took_s: float = 0.0
    troubles: int = 0
    refusals: int = 0
    error: GatewayError | None = None
    trouble: str = ""
    hint_s: float | None = None
    asked_after_s: float | None = None
    handed_over: bool = False

    @property
    def retry_after_s(self) -> float | None:
        return self.error.retry_after_s if self.error else None

    def add(self, error: GatewayError) -> None:
        self.troubles += 1
        self.refusals = self.refusals + 1 if isinstance(error, KeyRefused) else 0
        self.error = error

    def clear(self, reading: StatusReading, answered_s: float) -> None:
        """Take in an answer that came `answered_s` after the sale was accepted."""
        self.troubles = self.refusals = 0
        self.error, self.trouble = None, ""
        self.hint_s = reading.next_s
        if reading.verdict is None:
            self.seen.see(reading.gateway_status, answered_s, self.took_s)


class Follow:
    """The use case.

    Attributes:
        phases: From 0 to below 1, spread evenly; each sale takes the next one for its first poll.
    """

    def __init__(
        self,
        world: World,
        calling: Calling,
        log: SaleLog,
        habits: Habits,
        plan: PollPlan,
        first_phase: float = 0.0,
    ) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._habits = habits
        self._plan = plan
        self._rounds = PollRounds(world.clock)
        self.phases = ((first_phase + number * GOLDEN) % 1.0 for number in itertools.count())
        self._poll_states: dict[str, _PollState] = {}
        world.events.subscribe(SaleChanged, self._on_sale)

    async def to_the_end(self, sale: Sale, asker: Asker | None = None) -> Sale:
        """Poll an accepted sale until its outcome is there, and return it with that outcome.

        Troubles of the gateway, of the keystore and of the journal are waited out until the deadline. It ends
        earlier only where nobody can ask any more: the key or its value is gone, or the gateway refuses the
        key in a harmless call, too.
        """
        with self._log.work(sale.reference):
            try:
                asker = asker or await self._asker_of(sale)
                if asker is None:
                    return await self._give_up(sale, Reason.DEADLINE)
                sale = await self._poll(sale, asker)
            except NotFound:
                return await self._give_up(sale, Reason.KEY_FORGOTTEN)
            except _NO_VALUE as error:
                return await self._give_up(sale, error.reason)
            finally:
                self._poll_states.pop(sale.reference, None)
            if sale not in self._log.pending.sales:  # else its timeline isn't whole
                await self._habits.learn_from(sale)
            return sale

    async def _asker_of(self, sale: Sale) -> Asker | None:
        """Read who asks for a sale; None if the journal can't be read until the deadline."""
        clock = self._world.clock
        end = clock.monotonic() + self._plan.deadline_s
        while clock.monotonic() < end:
            try:
                environment = await self._calling.environment(sale.environment_id)
                return environment, await self._calling.key(environment.id, sale.key_id), None
            except JournalError:
                await clock.sleep(RETRY_S)
        return None

    async def _poll(self, sale: Sale, asker: Asker) -> Sale:
        environment = asker[0]
        facts = self._world.facts(environment.contract)
        state = self._poll_states[sale.reference] = await self._begun(sale, held=facts.long_poll)
        limit = await self._calling.limit(environment)
        plan = replace(
            self._plan,
            deadline_s=facts.deadline_s,
            shortest_s=facts.shortest_pause_s,
            longest_s=facts.longest_pause_s,
        )
        async with AsyncExitStack() as connections:
            connection: GatewayConnection | None = None
            while await self._rest(sale, state, facts, plan):
                if state.handed_over:
                    sale = await self._wait_for(sale, state)
                    if sale.verdict:
                        return sale
                if connection is None:
                    connection = await self._connection(connections, sale, state, asker)
                    if connection is None:
                        continue
                async with limit.poll(held=facts.long_poll):
                    answer = await self._ask(connection, sale, state)
                limit.answered(answer if isinstance(answer, GatewayError) else None)
                keeping = self._keep(connection, sale, state, answer)
                sale = await shielded(keeping, self._world.clock, grace_s=_KEEPING_GRACE_S)
                if sale.verdict:
                    await self._calling.keep_rate(environment)
                    return sale
                if state.refusals >= REFUSALS_TO_CONFIRM and await self._is_refused(connection, limit):
                    return await self._give_up(sale, Reason.REFUSED_WHILE_FOLLOWING, state.error)
        return await self._give_up(sale, state.trouble or Reason.DEADLINE, state.error)

    def _on_sale(self, changed: SaleChanged) -> None:
        """Hear that another program has taken a sale over, which is told by the journal alone."""
        state = self._poll_states.get(changed.sale.reference)
        if state and changed.sale.owner != self._world.owners.me:
            state.handed_over = True

    async def _wait_for(self, sale: Sale, state: _PollState) -> Sale:
        """Read what another program makes of a sale, until it is settled or that program has ended."""
        while state.handed_over:
            await self._world.clock.sleep(RETRY_S)
            with suppress(JournalError):
                sale = await self._world.journal.sale(sale.reference)
                ended = await self._world.owners.ended({sale.owner})
                if sale.verdict:
                    return sale
                state.handed_over = not ended and sale.owner != self._world.owners.me
        return sale

    async def _rest(self, sale: Sale, state: _PollState, facts: ContractFacts, plan: PollPlan) -> bool:
        """Wait until it is time for the next poll; False when it is time to give up.

        What other sales teach meanwhile counts at once where nothing is known of the device itself.
        """
        of_device = sale.environment_id, sale.device
        while pause := plan.pause(self._progress(sale, state, facts), habit := self._habits.of(*of_device)):
            self._world.events.publish(PollPlanned(sale.reference, pause, habit))
            due = self._world.clock.monotonic() + pause.seconds
            listens = pause.why not in UNMOVED and self._habits.listens(*of_device)
            while not listens or self._habits.of(*of_device) is habit:
                left_s = due - self._world.clock.monotonic()
                await self._rounds.sleep(min(left_s, LISTEN_S) if listens else left_s)
                if not listens or left_s <= LISTEN_S:
                    return True
        return False

    async def _connection(
        self, connections: AsyncExitStack, sale: Sale, state: _PollState, asker: Asker
    ) -> GatewayConnection | None:
        """Open a connection; None while the keystore can't be reached, which is told on the timeline."""
        try:
            return await connections.enter_async_context(self._calling.shared_connection(*asker))
        except _NO_VALUE:
            raise
        except KeystoreError as error:
            state.troubles, state.asked = state.troubles + 1, state.asked + 1
            state.trouble = error.reason
            state.asked_after_s = self._elapsed_s(state)
            await self._log.polled(sale, state.trouble, 0.0, (), trouble=state.trouble)
            return None

    async def _is_refused(self, connection: GatewayConnection, limit: RateLimit) -> bool:
        """Tell whether the gateway refuses the key in a harmless call, too: then asking on is in vain."""
        async with limit.poll():
            try:
                await self._world.gateway.probe_key(connection.caller)
            except KeyRefused:
                return True
            except GatewayError:
                return False
        return False

    async def _begun(self, sale: Sale, *, held: bool) -> _PollState:
        """Return how it goes so far, with what was seen of it before a restart, and read its device's habit.

        Where the journal can't be read, it is polled without either, and what can't be read isn't waited for
        twice.
        """
        clock = self._world.clock
        accepted_at = sale.accepted_at or sale.noted_at
        age_s = max(0.0, (clock.now() - accepted_at).total_seconds())
        # From here on the wall clock may jump.
        state = _PollState(age_s, clock.monotonic(), phase=next(self.phases))
        state.seen.held = held
        with suppress(JournalError):
            events = await self._world.journal.sale_events(sale.reference)
            state.seen = observation_of(accepted_at, events, held=held)
            # It may have jumped before.
            state.seen.open_after_s = min(state.seen.open_after_s, age_s)
            state.seen.state_after_s = min(state.seen.state_after_s, age_s)
            await self._habits.read(sale.environment_id, sale.device)
        return state

    def _elapsed_s(self, state: _PollState) -> float:
        return state.age_s + self._world.clock.monotonic() - state.began

    def _progress(self, sale: Sale, state: _PollState, facts: ContractFacts) -> Progress:
        elapsed_s = self._elapsed_s(state)
        return Progress(
            elapsed_s,
            elapsed_s - state.age_s,
            state.asked,
            state.troubles,
            state.retry_after_s,
            state.hint_s,
            facts.long_poll,
            state.phase,
            state.asked_after_s,
            state.seen.open_after_s,
            state.seen.state,
            state.seen.state_after_s,
            len(self._poll_states) >= MANY and self._habits.listens(sale.environment_id, sale.device),
        )

    async def _ask(
        self, connection: GatewayConnection, sale: Sale, state: _PollState
    ) -> StatusReading | GatewayError:
        clock = self._world.clock
        began = clock.monotonic()
        state.asked_after_s = self._elapsed_s(state)
        try:
            if isinstance(state.error, NotSent | PracticeUnavailable) or not connection.caller.base_url:
                await self._calling.reconnect(connection)
            return await self._world.gateway.sale_status(
                connection.caller, SaleOrder.of(sale), sale.request_id
            )
        except GatewayError as error:
            return error
        finally:
            state.took_s = clock.monotonic() - began
            state.asked += 1

    async def _keep(
        self,
        connection: GatewayConnection,
        sale: Sale,
        state: _PollState,
        answer: StatusReading | GatewayError,
    ) -> Sale:
        exchanges = connection.take_exchanges()
        if isinstance(answer, GatewayError):
            state.add(answer)
            detail = f"{answer.status or ''} {answer.reason}".strip()
            return await self._log.polled(sale, detail, state.took_s, exchanges, trouble=answer.reason)
        state.clear(answer, self._elapsed_s(state))
        if answer.verdict:
            return await self._log.finished(
                sale,
                answer.verdict,
                state.took_s,
                exchanges=exchanges,
                by_poll=True,
                lasted_s=answer.lasted_s,
            )
        return await self._log.polled(sale, answer.gateway_status, state.took_s, exchanges)

    async def _give_up(self, sale: Sale, reason: str, error: GatewayError | None = None) -> Sale:
        return await self._log.finished(
            sale,
            Verdict(
                Outcome.UNKNOWN,
                reason=reason,
                message=error.message if error else "",
                status=error.status if error else 0,
            ),
        )


class PollRounds:
    """Wakes whoever sleeps in the first round at or after the moment that was wished for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleeping: dict[int, list[asyncio.Future[None]]] = {}

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds`, and at most a step longer."""
        turn = math.ceil((self._clock.monotonic() + seconds) / STEP_S)
        while (left_s := turn * STEP_S - self._clock.monotonic()) > 0:
            others = self._sleeping.get(turn)
            if others is None:
                await self._wake_all(turn, left_s)
            else:
                woken = asyncio.get_running_loop().create_future()
                others.append(woken)
                await woken

    async def _wake_all(self, turn: int, left_s: float) -> None:
        """Sleep for a round and wake the others of it, also if one is cancelled: the next does it then."""
        others = self._sleeping[turn] = []
        try:
            await self._clock.sleep(left_s)
        finally:
            del self._sleeping[turn]
            for woken in others:
                if not woken.done():
                    woken.set_result(None)
