"""A network and a gateway to look at without either: all is well, but for what a test sets."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from keybench.core.diagnosis.checks import Check, Observation, Sign, saw
from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import Caller, ExchangeSink
from keybench.core.secret import MASK, Secret

AT: Final = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)
#: What each check sees where all is well.
WELL: Final[Mapping[Check, Sequence[Observation]]] = {
    Check.NAME: (saw(Sign.NAME_FOUND, host="gateway.example", address="192.0.2.1", took_s=0.01),),
    Check.CONNECT: (saw(Sign.CONNECTED, host="gateway.example", port=443, address="192.0.2.1", took_s=0.02),),
    Check.PROXY: (saw(Sign.PROXY_NONE, host="gateway.example"),),
    Check.TLS: (
        saw(
            Sign.TLS_TRUSTED,
            host="gateway.example",
            port=443,
            version="TLSv1.3",
            subject="gateway.example",
            issuer="Example Trust Services",
            names="gateway.example",
            begins=datetime(2026, 2, 1, tzinfo=UTC),
            ends=datetime(2026, 5, 2, tzinfo=UTC),
            days=59,
            took_s=0.04,
        ),
    ),
    Check.CLOCK: (saw(Sign.CLOCK_RIGHT, offset_s=0, at=AT),),
    Check.GATEWAY: (saw(Sign.GATEWAY_ASKS_FOR_KEY, status=401, code="E_UNAUTHORIZED"),),
    Check.CALL: (saw(Sign.CALL_ACCEPTED, status=200),),
    Check.FORMS: (saw(Sign.MADE_UP_KEY_REFUSED, status=401),),
}
#: What a key that nobody has meets.
REFUSED: Final[Mapping[Check, Sequence[Observation]]] = {
    Check.CALL: (
        saw(Sign.CALL_UNAUTHORISED, status=401, code="E_UNAUTHORIZED", message="The key is not known"),
    ),
    Check.FORMS: (
        saw(Sign.OTHER_FORMS_REFUSED, form="Bearer, Basic, X-Api-Key"),
        saw(Sign.LIKE_A_MADE_UP_KEY, status=401),
    ),
}


class FakeProbing:
    """Implements `core.ports.Probing`.

    Attributes:
        sees: What a check sees instead of what it sees where all is well.
        values: The values that the gateway knows; every value if None.
        raises: What a check raises.
        held: Checks that end only when they are cancelled, or taken out of here and `let_go` is called.
        asked: The checks that were made, in order.
        stopped: The checks that were cancelled.
        closed: How often it was closed.
    """

    def __init__(self, values: Collection[Secret] | None = None) -> None:
        self.sees: dict[Check, Sequence[Observation]] = {}
        self.values = values
        self.raises: dict[Check, GatewayError | Exception] = {}
        self.held: set[Check] = set()
        self.asked: list[Check] = []
        self.stopped: list[Check] = []
        self.closed = 0
        self._let_go = asyncio.Event()

    def let_go(self) -> None:
        """Let the checks end that are held."""
        self.held.clear()
        self._let_go.set()

    async def name(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        return await self._seen(Check.NAME)

    async def connect(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        return await self._seen(Check.CONNECT)

    async def proxy(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        return await self._seen(Check.PROXY)

    async def tls(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        return await self._seen(Check.TLS)

    async def clock(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        return await self._seen(Check.CLOCK)

    async def gateway(
        self, environment: Environment, base_url: str, on_exchange: ExchangeSink
    ) -> Sequence[Observation]:
        seen = await self._seen(Check.GATEWAY)
        on_exchange(_exchange(base_url, keyed=False, status=401))
        return seen

    async def call(self, caller: Caller) -> Sequence[Observation]:
        return await self._called(Check.CALL, caller)

    async def forms(self, caller: Caller) -> Sequence[Observation]:
        return await self._called(Check.FORMS, caller)

    async def close(self) -> None:
        self.closed += 1

    async def _called(self, check: Check, caller: Caller) -> Sequence[Observation]:
        seen = await self._seen(check)
        is_known = self.values is None or any(one.matches(caller.value) for one in self.values)
        caller.on_exchange(_exchange(caller.base_url, keyed=True, status=200 if is_known else 401))
        return seen if is_known or check in self.sees else REFUSED[check]

    async def _seen(self, check: Check) -> Sequence[Observation]:
        self.asked.append(check)
        try:
            while check in self.held:
                await self._let_go.wait()
        except asyncio.CancelledError:
            self.stopped.append(check)
            raise
        if check in self.raises:
            raise self.raises[check]
        return self.sees.get(check, WELL[check])


def _exchange(base_url: str, *, keyed: bool, status: int) -> Exchange:
    return Exchange(
        at=AT,
        method="GET",
        url=f"{base_url}/api/v5/devices",
        request_headers=(("Authorization", MASK),) if keyed else (),
        request_body="",
        status=status,
        response_headers=(),
        response_body="{}",
        failure="",
        timings=Timings(total_s=0.1),
    )
