"""Following: poll an accepted sale by plan until its outcome is there or the deadline has passed."""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.errors import GatewayError, KeystoreError, NotFound, NotSent, PracticeUnavailable, Refused
from keybench.core.outcome import Outcome, Verdict
from keybench.core.poll_plan import PollPlan
from keybench.core.sale import Mark, Sale
from keybench.workflows.calling import Calling, Line
from keybench.workflows.sale_log import SaleLog
from keybench.workflows.world import World

#: A key refused this often in a row while following won't be accepted by asking more.
REFUSALS_BEFORE_GIVING_UP = 3


@dataclass(slots=True)
class _Troubles:
    """How the last polls went wrong."""

    in_a_row: int = 0
    refusals: int = 0
    last: GatewayError | None = None

    def add(self, error: GatewayError) -> None:
        self.in_a_row += 1
        self.refusals += isinstance(error, Refused) and error.retry_after_s is None
        self.last = error

    def clear(self) -> None:
        self.in_a_row = self.refusals = 0
        self.last = None


class Follow:
    """The use case."""

    def __init__(self, world: World, calling: Calling, log: SaleLog, plan: PollPlan) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._plan = plan

    async def to_the_end(self, sale: Sale) -> Sale:
        """Poll an accepted sale until its outcome is there, and return it with that outcome.

        Returns:
            The sale as stored: finished; `UNKNOWN` if the deadline passed or nobody can ask any more.

        Raises:
            JournalError: What was seen couldn't be kept; the next start takes the sale up.
        """
        try:
            environment = await self._calling.environment(sale.environment_id)
            key = await self._calling.key(environment.id, sale.key_id)
            async with self._calling.silent_line(environment, key) as line:
                return await self._poll(line, sale)
        except KeystoreError as error:
            return await self._give_up(sale, type(error).__name__)
        except NotFound:
            return await self._give_up(sale, "key forgotten")

    async def _poll(self, line: Line, sale: Sale) -> Sale:
        troubles = _Troubles()
        clock = self._world.clock
        age_s = max(0.0, (clock.now() - (sale.accepted_at or sale.noted_at)).total_seconds())
        began = clock.monotonic()  # from here on the wall clock may jump
        asked = 0
        while (pause_s := self._pause(age_s, clock.monotonic() - began, asked, troubles)) is not None:
            await clock.sleep(pause_s)
            sale = await self._ask(line, sale, troubles)
            asked += 1
            if sale.verdict:
                return sale
            if troubles.refusals >= REFUSALS_BEFORE_GIVING_UP:
                return await self._give_up(sale, "refused while following", troubles.last)
        return await self._give_up(sale, "deadline", troubles.last)

    def _pause(self, age_s: float, followed_s: float, asked: int, troubles: _Troubles) -> float | None:
        return self._plan.pause(
            age_s + followed_s,
            followed_s,
            asked=asked,
            troubles=troubles.in_a_row,
            retry_after_s=troubles.last.retry_after_s if troubles.last else None,
        )

    async def _ask(self, line: Line, sale: Sale, troubles: _Troubles) -> Sale:
        clock = self._world.clock
        began = clock.monotonic()
        try:
            if isinstance(troubles.last, NotSent | PracticeUnavailable) or not line.caller.base_url:
                await self._calling.redial(line)
            reading = await self._world.gateway.sale_status(
                line.caller, sale.device, sale.request_id, sale.reference
            )
        except GatewayError as error:
            troubles.add(error)
            detail = f"{error.status or ''} {error.reason}".strip()
            stored = await self._log.polled(sale, detail, clock.monotonic() - began, Mark.TROUBLE)
        else:
            troubles.clear()
            took_s = clock.monotonic() - began
            if reading.verdict:
                stored = await self._log.finished(sale, reading.verdict, took_s, polled=True)
            else:
                stored = await self._log.polled(sale, reading.gateway_status, took_s)
        await self._calling.keep_said(sale.reference, line)
        return stored

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
