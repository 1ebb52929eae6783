"""What is handed to a gateway with a call, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from keybench.core.environment import Environment
from keybench.core.exchange import Exchange
from keybench.core.money import Money
from keybench.core.outcome import Verdict
from keybench.core.sale import Sale, SaleMode
from keybench.core.secret import Secret

ExchangeSink = Callable[[Exchange], None]


def _drop(_exchange: Exchange) -> None:
    """Take an exchange nobody wants to keep."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls which gateway.

    Attributes:
        environment: Names the contract.
        base_url: Where the gateway is now.
        value: The key's value.
        on_exchange: Given every redacted exchange as soon as it is over, also the failed ones.
    """

    environment: Environment
    base_url: str
    value: Secret = field(repr=False)
    on_exchange: ExchangeSink = _drop


@dataclass(frozen=True, slots=True)
class SaleOrder:
    """What is asked for with a sale: sent once, and compared with what answers say they are about."""

    reference: str
    device: str
    money: Money
    mode: SaleMode

    @classmethod
    def of(cls, sale: Sale) -> SaleOrder:
        """Return what was asked for with a sale."""
        return cls(sale.reference, sale.device, sale.money, sale.mode)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The gateway took the sale and will tell its outcome later.

    Attributes:
        request_id: Its identifier for it.
        gateway_status: The first status word, if it came with one.
    """

    request_id: str
    gateway_status: str = ""


@dataclass(frozen=True, slots=True)
class StatusReading:
    """What a poll or a look-up found.

    Attributes:
        gateway_status: The status word as it came.
        verdict: The outcome if it is there, else None.
        request_id: The gateway's identifier, where the answer named it.
        next_s: When the gateway suggests to ask again, in seconds; None where it suggests nothing.
    """

    gateway_status: str
    verdict: Verdict | None = None
    request_id: str = ""
    next_s: float | None = None
