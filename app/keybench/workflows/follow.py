"""Following: poll an accepted sale by plan until its outcome is there or the deadline has passed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from keybench.core.errors import (
    ContractInvalid,
    GatewayError,
    KeystoreError,
    NotFound,
    NotSent,
    PracticeUnavailable,
    Refused,
)
from keybench.core.events import PollPlanned
from keybench.core.outcome import Outcome, Verdict
from keybench.core.poll_plan import PollPlan, Progress
from keybench.core.ports import ContractFacts, SaleOrder, StatusReading
from keybench.core.sale import Mark, Sale
from keybench.workflows.budget import Budgets
from keybench.workflows.calling import Calling, Line
from keybench.workflows.rounds import Rounds
from keybench.workflows.sale_log import SaleLog
from keybench.workflows.world import World

#: A key refused this often in a row while following won't be accepted by asking more.
REFUSALS_BEFORE_GIVING_UP = 3


#: The golden ratio's fraction: multiples of it, less their whole parts, spread any number of sales evenly.
GOLDEN = 0.618034


@dataclass(slots=True)
class _Course:
    """How the following of one sale goes; times in seconds, `began` on the monotonic clock."""

    age_s: float
    began: float
    phase: float
    asked: int = 0
    took_s: float = 0.0
    troubles: int = 0
    refusals: int = 0
    error: GatewayError | None = None
    hint_s: float | None = None

    @property
    def retry_after_s(self) -> float | None:
        return self.error.retry_after_s if self.error else None

    def add(self, error: GatewayError) -> None:
        self.troubles += 1
        self.refusals += isinstance(error, Refused) and not error.asks_to_wait
        self.error = error

    def clear(self, reading: StatusReading) -> None:
        self.troubles = self.refusals = 0
        self.error = None
        self.hint_s = reading.next_s


class Follow:
    """The use case."""

    def __init__(
        self, world: World, calling: Calling, log: SaleLog, budgets: Budgets, plan: PollPlan
    ) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._budgets = budgets
        self._plan = plan
        self._rounds = Rounds(world.clock)
        self._begun_before = itertools.count()

    async def to_the_end(self, sale: Sale) -> Sale:
        """Poll an accepted sale until its outcome is there, and return it with that outcome.

        Returns:
            The sale as stored: finished; `UNKNOWN` if the deadline passed or nobody can ask any more.

        Raises:
            JournalError: What was seen couldn't be kept; the next start takes the sale up.
        """
        try:
            async with self._calling.shared_line(sale.environment_id, sale.key_id) as line:
                return await self._poll(line, sale)
        except KeystoreError as error:
            return await self._give_up(sale, type(error).__name__)
        except NotFound:
            return await self._give_up(sale, "key forgotten")

    async def _poll(self, line: Line, sale: Sale) -> Sale:
        course = self._begun(sale)
        facts = self._facts(line.environment.contract)
        budget = self._budgets.of(line.environment.id, facts)
        plan = replace(self._plan, deadline_s=facts.deadline_s)
        while pause := plan.pause(self._progress(course, facts)):
            self._world.events.publish(PollPlanned(sale.reference, pause))
            await self._rounds.sleep(pause.seconds)
            async with budget.poll(held=facts.long_poll):
                answer = await self._ask(line, sale, course)
            sale = await self._keep(line, sale, course, answer)
            if sale.verdict:
                return sale
            if course.retry_after_s:  # it holds for the account, so for the other sales, too
                budget.rest(course.retry_after_s)
            if course.refusals >= REFUSALS_BEFORE_GIVING_UP:
                return await self._give_up(sale, "refused while following", course.error)
        return await self._give_up(sale, "deadline", course.error)

    def _facts(self, contract: str) -> ContractFacts:
        try:
            return self._world.gateway.facts(contract)
        except (NotFound, ContractInvalid):
            # The person may be mending the file: asking goes on, each time telling what is wrong.
            return ContractFacts(contract, False, False, "", {}, (), False, False)

    def _begun(self, sale: Sale) -> _Course:
        clock = self._world.clock
        age_s = max(0.0, (clock.now() - (sale.accepted_at or sale.noted_at)).total_seconds())
        # From here on the wall clock may jump.
        return _Course(age_s, clock.monotonic(), phase=next(self._begun_before) * GOLDEN % 1.0)

    def _progress(self, course: _Course, facts: ContractFacts) -> Progress:
        followed_s = self._world.clock.monotonic() - course.began
        return Progress(
            course.age_s + followed_s,
            followed_s,
            course.asked,
            course.troubles,
            course.retry_after_s,
            course.hint_s,
            facts.long_poll,
            course.phase,
        )

    async def _ask(self, line: Line, sale: Sale, course: _Course) -> StatusReading | GatewayError:
        clock = self._world.clock
        began = clock.monotonic()
        try:
            if isinstance(course.error, NotSent | PracticeUnavailable) or not line.caller.base_url:
                await self._calling.redial(line)
            return await self._world.gateway.sale_status(line.caller, SaleOrder.of(sale), sale.request_id)
        except GatewayError as error:
            return error
        finally:
            course.took_s = clock.monotonic() - began
            course.asked += 1

    async def _keep(
        self, line: Line, sale: Sale, course: _Course, answer: StatusReading | GatewayError
    ) -> Sale:
        said, line.said[:] = line.said[:], []
        if isinstance(answer, GatewayError):
            course.add(answer)
            detail = f"{answer.status or ''} {answer.reason}".strip()
            return await self._log.polled(sale, detail, course.took_s, said, Mark.TROUBLE)
        course.clear(answer)
        if answer.verdict:
            return await self._log.finished(sale, answer.verdict, course.took_s, said=said)
        return await self._log.polled(sale, answer.gateway_status, course.took_s, said)

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
