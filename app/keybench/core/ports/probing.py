"""What a diagnosis asks of the network and of a gateway, one method for each check; none of them sells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from keybench.core.diagnosis.checks import Observation
from keybench.core.environments.environment import Environment
from keybench.core.ports.gateway import Caller, ExchangeSink


class Probing(Protocol):
    """Looks at the way to a gateway, and makes harmless calls. The caller limits the time.

    Each method returns what it saw, nothing where it can't tell. A method that is cancelled stops at once and
    leaves nothing open. None raises anything but a `GatewayError`, and that only where the contract can't be
    used.
    """

    async def name(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Look the host's name up; left to the proxy where there is one."""

    async def connect(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Connect to the host, or to the proxy where there is one, by the first address that answers."""

    async def proxy(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Ask the proxy to lead on, and see whether it is needed."""

    async def tls(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Shake hands, and read the certificate also where it can't be trusted. Nothing is sent then."""

    async def clock(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Compare this computer's clock with the `Date` of an answer to a call without a key."""

    async def gateway(
        self, environment: Environment, base_url: str, on_exchange: ExchangeSink
    ) -> Sequence[Observation]:
        """Make the harmless call without a key."""

    async def call(self, caller: Caller) -> Sequence[Observation]:
        """Make the harmless call with the bare key, as the contract has it."""

    async def forms(self, caller: Caller) -> Sequence[Observation]:
        """Make it with the key in the forms that people mix up, and with a value that was made up."""

    async def close(self) -> None:
        """Close what is open; safe to call twice."""
