"""What a diagnosis is about, and what its checks are made on."""

from __future__ import annotations

from dataclasses import dataclass, field

from keybench.core.diagnosis.checks import Check, Silence
from keybench.core.environment import Environment
from keybench.core.errors import (
    ContractInvalid,
)
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.ports import Caller, ContractFacts
from keybench.core.sale import Sale
from keybench.core.secret import Secret
from keybench.core.security_key import (
    SecurityKey,
)
from keybench.workflows.diagnose_round import Untold
from keybench.workflows.world import World


def facts_or_trouble(world: World, environment: Environment) -> tuple[ContractFacts | None, str]:
    """Return what an environment's contract says, or None and why it can't be used."""
    try:
        return world.gateway.facts(environment.contract), ""
    except ContractInvalid as error:
        return None, str(error)
    except NotFound:
        return None, ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a diagnosis is about.

    Attributes:
        key: With which key; None where only the way to the gateway matters.
        device: The device's identifier; empty where it is about none.
        sale: The sale that failed; None where it is about none.
        elsewhere: The person's other environments of the same gateway that the key may be tried in. Naming
            one is the consent to send this key's value to its gateway, with one harmless call.
        other_forms: The consent to send it to a live gateway in the header forms that people mix up.
    """

    environment: Environment
    key: SecurityKey | None
    device: str = ""
    sale: Sale | None = None
    elsewhere: tuple[Environment, ...] = ()
    other_forms: bool = False

    @property
    def device_id(self) -> str:
        """The device asked about, else the one of the sale."""
        return self.device.strip() or (self.sale.device if self.sale else "")


@dataclass(slots=True)
class Subject:
    """What the checks of one round are made on.

    Attributes:
        question: With environment and key as they are stored, or as they were asked about where that can't be
            read, and no environments elsewhere but those of the same gateway.
        base_url: Where the gateway is; empty where the practice gateway isn't up.
        is_stored: Whether environment and key were read, so that the key may be sent.
        facts: What the contract says; None where it can't be used, for this trouble.
        value: The key's value, once it was read and is the one that was kept.
        exchanges: What was asked of the gateway.
    """

    world: World
    question: Question
    base_url: str
    is_stored: bool = False
    facts: ContractFacts | None = None
    trouble: str = ""
    value: Secret | None = field(default=None, repr=False)
    exchanges: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.facts, self.trouble = facts_or_trouble(self.world, self.question.environment)

    @property
    def environment(self) -> Environment:
        """Where."""
        return self.question.environment

    @property
    def key(self) -> SecurityKey | None:
        """With which key."""
        return self.question.key

    def caller(self, environment: Environment | None = None) -> Caller:
        """Return who calls this gateway, or another of the same kind, with the key."""
        if self.value is None:
            raise Untold(Silence.WAITS, Check.KEYSTORE)
        where = environment or self.environment
        base_url = where.base_url if environment else self.base_url
        return Caller(where, base_url, self.value, self.exchanges.append)
