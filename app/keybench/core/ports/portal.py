"""The portal's key flow as a protocol, for gateways that offer it as calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from keybench.core.environment import Environment
from keybench.core.secret import Secret
from keybench.core.security_key import KeyDraft


@dataclass(frozen=True, slots=True)
class PortalUser:
    """A user of the account, as the portal lists them."""

    username: str
    full_name: str
    permissions: tuple[str, ...]
    enabled: bool


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A key the gateway has just made; its value is shown this once."""

    gateway_id: str
    value: Secret = field(repr=False)


class Portal(Protocol):
    """The portal's key flow, for gateways that offer it as calls. May raise a GatewayError, nothing else."""

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        """List the account's users."""
        ...

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        """Make a key; `request_id` keeps a repeated call from making a second one.

        Raises:
            NameTaken: The gateway has an active key of that name.
            KeyMadeBefore: This request made a key before, whose value isn't told again.
        """
        ...

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        """Delete a key; no error if it is gone already."""
        ...
