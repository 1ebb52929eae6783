"""Gateway and portal that are made when they are first asked: the window's keys are listed before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keybench.core.environment import Environment
    from keybench.core.outcome import Verdict
    from keybench.core.ports import (
        Accepted,
        Caller,
        ContractFacts,
        CreatedKey,
        Device,
        PortalUser,
        SaleOrder,
        StatusReading,
    )
    from keybench.core.proof import Expectation
    from keybench.core.security_key import KeyDraft
    from keybench.gateway.client import HttpGateway
    from keybench.gateway.portal import HttpPortal


class LateGateway:
    """Implements `core.ports.Gateway` by one that is made at the first call; see there.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], HttpGateway]) -> None:
        self._make = make
        self._made: HttpGateway | None = None

    @property
    def _gateway(self) -> HttpGateway:
        if self._made is None:
            self._made = self._make()
        return self._made

    def facts(self, contract: str) -> ContractFacts:
        """Return what a contract says the gateway can do."""
        return self._gateway.facts(contract)

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose for an environment."""
        return self._gateway.contracts()

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        """Send a sale once."""
        return await self._gateway.start_sale(caller, order)

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        """Ask for a sale's status."""
        return await self._gateway.sale_status(caller, order, request_id)

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        """Find a sale by our reference."""
        return await self._gateway.look_up(caller, order)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel."""
        await self._gateway.cancel(caller, device, request_id)

    async def probe_key(self, caller: Caller) -> int:
        """Make the contract's harmless call."""
        return await self._gateway.probe_key(caller)

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        """Make a call of the same-permission proof."""
        return await self._gateway.proof_status(caller, expected)

    async def devices(self, caller: Caller) -> Sequence[Device]:
        """List the account's devices."""
        return await self._gateway.devices(caller)

    async def close(self) -> None:
        """Close connections; safe to call twice, and when there was never a call."""
        if self._made:
            await self._made.close()


class LatePortal:
    """Implements `core.ports.Portal` by one that is made at the first call; see there.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], HttpPortal]) -> None:
        self._make = make
        self._made: HttpPortal | None = None

    @property
    def _portal(self) -> HttpPortal:
        if self._made is None:
            self._made = self._make()
        return self._made

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        """List the account's users."""
        return await self._portal.users(environment, base_url)

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        """Make a key."""
        return await self._portal.create_key(environment, base_url, draft, request_id)

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        """Delete a key."""
        await self._portal.delete_key(environment, base_url, gateway_id)

    async def close(self) -> None:
        """Close connections; safe to call twice, and when there was never a call."""
        if self._made:
            await self._made.close()
