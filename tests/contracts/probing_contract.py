"""What every `Probing` must do: subclass `ProbingContract` and give it a `looked` fixture.

It is a gateway where all is well, and what looks at it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Result, Sign
from keybench.core.diagnosis.conclusion import Standing, conclude
from keybench.core.diagnosis.rules import result_of
from keybench.core.environments.environment import Environment
from keybench.core.exchange import Exchange
from keybench.core.ports import Caller
from keybench.core.ports.gateway import Probing
from keybench.core.secret import Secret

#: The checks that a port makes, in the order in which they are listed.
CHECKS = (
    Check.NAME,
    Check.CONNECT,
    Check.PROXY,
    Check.TLS,
    Check.CLOCK,
    Check.GATEWAY,
    Check.CALL,
    Check.FORMS,
)
NOBODYS = Secret("MadeUpValueThatNobodyHas00000000")


@dataclass
class Looked:
    """A gateway where all is well, and what looks at it.

    Attributes:
        value: A key that the gateway knows.
        exchanges: What was exchanged with it, as it was told.
    """

    probing: Probing
    environment: Environment
    base_url: str
    value: Secret
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def caller(self) -> Caller:
        return Caller(self.environment, self.base_url, self.value, self.exchanges.append)

    def check(self, check: Check, value: Secret | None = None) -> Awaitable[Sequence[Observation]]:
        """Return what makes a check, with another key if one is given."""
        caller = replace(self.caller, value=value or self.value)
        where = self.environment, self.base_url
        made: dict[Check, Callable[[], Awaitable[Sequence[Observation]]]] = {
            Check.NAME: lambda: self.probing.name(*where),
            Check.CONNECT: lambda: self.probing.connect(*where),
            Check.PROXY: lambda: self.probing.proxy(*where),
            Check.TLS: lambda: self.probing.tls(*where),
            Check.CLOCK: lambda: self.probing.clock(*where),
            Check.GATEWAY: lambda: self.probing.gateway(*where, self.exchanges.append),
            Check.CALL: lambda: self.probing.call(caller),
            Check.FORMS: lambda: self.probing.forms(caller),
        }
        return made[check]()

    async def findings(self, value: Secret | None = None) -> list[CheckFinding]:
        """Make all checks, those that can be beside one another, as a diagnosis does."""
        first = [one for one in CHECKS if one is not Check.FORMS]
        seen = await asyncio.gather(*(self.check(one, value) for one in first))
        found = [CheckFinding(check, tuple(told)) for check, told in zip(first, seen, strict=True)]
        return [*found, CheckFinding(Check.FORMS, tuple(await self.check(Check.FORMS, value)))]


class ProbingContract:
    @pytest.mark.parametrize("check", CHECKS)
    async def test_each_check_sees_what_is_its_own(self, looked: Looked, check: Check) -> None:
        seen = await looked.check(check)
        assert seen
        assert {one.seen.check for one in seen} == {check}

    async def test_where_all_is_well_nothing_is_wrong(self, looked: Looked) -> None:
        findings = await looked.findings()
        wrong = {one.check: one.observations for one in findings if result_of(one) is Result.FAULT}
        assert wrong == {}
        seen = {one.seen for finding in findings for one in finding.observations}
        assert {Sign.PROXY_NONE, Sign.CLOCK_RIGHT, Sign.GATEWAY_ASKS_FOR_KEY, Sign.CALL_ACCEPTED} <= seen
        assert not conclude(findings).likely

    async def test_a_key_that_nobody_has_is_refused_and_its_invalidity_not_ruled_out(
        self, looked: Looked
    ) -> None:
        findings = await looked.findings(NOBODYS)
        seen = {one.seen for finding in findings for one in finding.observations}
        assert {Sign.CALL_UNAUTHORISED, Sign.OTHER_FORMS_REFUSED, Sign.LIKE_A_MADE_UP_KEY} <= seen
        standing = {one.cause: one.standing for one in conclude(findings).causes}
        for cause in (Cause.KEY_INVALID, Cause.KEY_EXPIRED_OR_DELETED, Cause.KEY_WRONG_ENVIRONMENT):
            assert standing[cause] is not Standing.RULED_OUT

    async def test_nothing_secret_is_told(self, looked: Looked) -> None:
        value = looked.value.reveal()
        told = [repr(finding) for finding in await looked.findings()]
        assert not any(value in one for one in (*told, repr(looked.exchanges)))

    async def test_the_calls_are_told_as_exchanges_the_one_without_a_key_too(self, looked: Looked) -> None:
        await looked.check(Check.GATEWAY)
        await looked.check(Check.CALL)
        keyed = [any(name == "Authorization" for name, _ in one.request_headers) for one in looked.exchanges]
        assert keyed == [False, True]
        assert {one.method for one in looked.exchanges} == {"GET"}

    async def test_it_can_be_closed_twice(self, looked: Looked) -> None:
        await looked.check(Check.GATEWAY)
        await looked.probing.close()
        await looked.probing.close()
