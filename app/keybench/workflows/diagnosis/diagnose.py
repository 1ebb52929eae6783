"""Why something fails: runs a diagnosis, makes one more check, and concludes from what is known already."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from keybench.core.card_data import refuse_card_data
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Sign, Silence, saw
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis, conclude
from keybench.core.diagnosis.failure import observations_of_error, observations_of_sale
from keybench.core.diagnosis.places import same_gateway
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import GatewayError, JournalError, KeybenchError
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.core.sales.sale import APPROVALS, Sale, SaleEvent
from keybench.workflows.calling import Calling
from keybench.workflows.diagnosis.checks import Checks, Question, base_url_seen, facts_or_trouble
from keybench.workflows.diagnosis.history import Past, failed_at, known_of, rate_met
from keybench.workflows.diagnosis.running import ALL_S, CHECK_S, CheckRun, OnFinding, limited
from keybench.workflows.guard import refuse_values
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.world import World

#: How long the practice gateway may take to come up before the checks begin, in seconds.
_COMING_UP_S: Final = 6.0
#: How long reading the journal may take at a failure, whose card waits for it, in seconds.
_AT_ONCE_S: Final = 1.0


class Diagnose:
    """Diagnoses; none of them ever starts a sale."""

    def __init__(self, world: World, calling: Calling, log: SaleLog) -> None:
        self._world = world
        self._calling = calling
        self._log = log

    def checks(self, question: Question) -> tuple[Check, ...]:
        """Return the checks that `run` makes, in the order in which they are listed."""
        steps = Checks(self._world, self._calling, question, question.environment.base_url).steps()
        return (*((Check.FAILURE,) if question.sale else ()), *steps)

    async def run(
        self,
        question: Question,
        on_finding: OnFinding = lambda _finding: None,
        *,
        stop: asyncio.Event | None = None,
    ) -> Diagnosis:
        """Make the checks side by side, and conclude.

        It takes at most 3 seconds for a check and 20 in all. Cancelling it ends it at once and concludes
        nothing.

        Args:
            question: What it is about.
            on_finding: Told of each check as it ends; it must not raise.
            stop: Once it is set, the checks under way are given up, and what is known is concluded from.

        Raises:
            NotFound: The environment or the key is gone.
            CardDataRefused, ValueMisplaced: The device's identifier holds what it must not.
        """
        at, began = self._world.clock.now(), self._world.clock.monotonic()
        checks = await self._prepared(question, stop)
        environment, key, sale = checks.question.environment, checks.question.key, question.sale
        findings = checks.findings
        if sale is not None:
            seen, exchanges = await self._failure(sale, environment)
            silence = None if seen else Silence.NOT_TOLD
            findings[Check.FAILURE] = CheckFinding(Check.FAILURE, seen, 0.0, silence, exchanges=exchanges)
            on_finding(findings[Check.FAILURE])
        left_s = ALL_S - (self._world.clock.monotonic() - began)
        made = CheckRun(self._world.clock, checks.steps(), checks.asked, findings, on_finding)
        await made.make(left_s, stop)
        if Check.ELSEWHERE not in findings and await self._siblings(question):
            findings[Check.ELSEWHERE] = CheckFinding(Check.ELSEWHERE, silence=Silence.NOT_ASKED)
            on_finding(findings[Check.ELSEWHERE])
        ordered = tuple(findings[check] for check in Check if check in findings)
        return Diagnosis(
            at=at,
            took_s=self._world.clock.monotonic() - began,
            environment=environment.name,
            kind=environment.kind,
            host=urlsplit(checks.base_url or environment.base_url).hostname or "",
            key_name=key.name if key else sale.key_name if sale else "",
            fingerprint=key.fingerprint if key else "",
            device=question.device_id,
            findings=ordered,
            conclusion=conclude(ordered),
            reference=sale.reference if sale else "",
            request_id=sale.request_id if sale else "",
        )

    async def elsewhere(self, question: Question) -> Sequence[Environment]:
        """Return the person's own other environments of the same gateway, to which the key may belong."""
        if question.key is None:
            return ()
        environments = await self._world.journal.environments()
        here = question.environment
        stored = next((one for one in environments if one.id == here.id), here)
        return [one for one in environments if one.id != stored.id and same_gateway(stored, one)]

    async def at_failure(self, sale: Sale) -> Conclusion:
        """Conclude why a sale came to nothing from what is known of it, without any request.

        `Conclusion.suspects` has the causes, the likeliest first; none for an approved sale. It takes some
        milliseconds, and raises nothing.
        """
        if sale.verdict is None or sale.outcome in APPROVALS:
            return conclude(())
        past: Past | None = None
        with suppress(JournalError, TimeoutError):
            past = await limited(self._world.clock, self._past_of(sale), _AT_ONCE_S)
        failed, _ = await self._failure(sale, past.environment if past else None)
        return await self._from_what_is_known(failed, past)

    async def at_error(
        self,
        error: KeybenchError,
        environment: Environment | None = None,
        key: SecurityKey | None = None,
        exchanges: Sequence[Exchange] = (),
    ) -> Conclusion:
        """Conclude in the same way why the test of a key failed, or a sale before there was one."""
        past = Past(environment, key) if environment else None
        return await self._from_what_is_known(observations_of_error(error, exchanges), past)

    # --- what it is made on ------------------------------------------------------------------------------

    async def _prepared(self, question: Question, stop: asyncio.Event | None) -> Checks:
        """Read environment and key as they are stored, and find the gateway.

        The environment is read anew because a command may have moved it, and a key must not go where it was.
        """
        refuse_card_data("device", question.device)
        asked, is_stored = replace(question, elsewhere=()), False
        with suppress(JournalError, TimeoutError):
            asked = await limited(self._world.clock, self._stored(question), CHECK_S, stop)
            is_stored = True
        base_url = asked.environment.base_url
        if asked.environment.kind is EnvironmentKind.PRACTICE:
            base_url = ""
            with suppress(GatewayError, TimeoutError):
                coming_up = self._calling.base_url(asked.environment)
                base_url = await limited(self._world.clock, coming_up, _COMING_UP_S, stop)
        return Checks(self._world, self._calling, asked, base_url, is_stored=is_stored)

    async def _stored(self, question: Question) -> Question:
        await refuse_values(self._world, [("device", question.device)])
        environment, key = await self._world.stored(question.environment), question.key
        if key is not None:
            key = await self._calling.key(environment.id, key.id)
        wanted = {one.id for one in question.elsewhere}
        siblings = await self.elsewhere(question) if wanted else ()
        elsewhere = tuple(one for one in siblings if one.id in wanted)
        return replace(question, environment=environment, key=key, elsewhere=elsewhere)

    async def _siblings(self, question: Question) -> Sequence[Environment]:
        with suppress(JournalError, TimeoutError):
            return await limited(self._world.clock, self.elsewhere(question), _AT_ONCE_S)
        return ()

    # --- what is known already ---------------------------------------------------------------------------

    async def _past_of(self, sale: Sale) -> Past | None:
        """Return whose history matters to a sale; None where its environment is gone."""
        try:
            environment = await self._calling.environment(sale.environment_id)
        except NotFound:
            return None
        keys = await self._world.journal.keys(environment.id)
        key = next((one for one in keys if one.id == sale.key_id), None)
        return Past(environment, key, failed_at(sale))

    async def _failure(
        self, sale: Sale, environment: Environment | None
    ) -> tuple[tuple[Observation, ...], tuple[Exchange, ...]]:
        """Return what a sale that failed shows, and its last exchange."""
        events: Sequence[SaleEvent] = ()
        exchanges: Sequence[Exchange] = ()
        with suppress(JournalError, TimeoutError):
            events, exchanges = await limited(self._world.clock, self._trail(sale), _AT_ONCE_S)
        facts = facts_or_trouble(self._world, environment)[0] if environment else None
        seen = observations_of_sale(
            sale,
            events,
            exchanges,
            kind=environment.kind if environment else None,
            declined_amounts=facts.declined_amounts if facts else (),
        )
        return seen, tuple(exchanges[-1:])

    async def _trail(self, sale: Sale) -> tuple[Sequence[SaleEvent], Sequence[Exchange]]:
        journal, pending = self._world.journal, self._log.pending
        events = await journal.sale_events(sale.reference)
        exchanges = await journal.exchanges(sale.reference)
        return (
            (*events, *pending.events_of(sale.reference)),
            (*exchanges, *pending.exchanges_of(sale.reference)),
        )

    async def _from_what_is_known(self, failed: Sequence[Observation], past: Past | None) -> Conclusion:
        seen = [CheckFinding(Check.FAILURE, tuple(failed))]
        if not failed or past is None:
            return conclude(seen)
        environment, key = past.environment, past.key
        facts, _ = facts_or_trouble(self._world, environment)
        if environment.base_url:
            told = base_url_seen(environment, environment.base_url, facts)
            seen.append(CheckFinding(Check.BASE_URL, tuple(told)))
        if key is not None and key.kind is KeyKind.PUBLIC:
            seen.append(CheckFinding(Check.VALUE, (saw(Sign.KIND_PUBLIC),)))
        with suppress(JournalError, TimeoutError):
            known, met = await limited(self._world.clock, self._known(past), _AT_ONCE_S)
            seen += [CheckFinding(Check.HISTORY, tuple(known)), CheckFinding(Check.RATE, tuple(met))]
        return conclude(seen)

    async def _known(self, past: Past) -> tuple[Sequence[Observation], Sequence[Observation]]:
        known = await known_of(self._world, past)
        return known, await rate_met(self._world, self._calling, past)
