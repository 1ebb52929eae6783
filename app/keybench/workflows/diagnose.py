"""Why something fails: runs a diagnosis, makes one more check, and concludes from what is known already."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from keybench.core.diagnosis.checks import Check, Finding, Seen
from keybench.core.diagnosis.reasoning import Conclusion
from keybench.core.diagnosis.record import Diagnosis
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.sale import Sale
from keybench.core.security_key import SecurityKey
from keybench.workflows.world import World

OnFinding = Callable[[Finding], None]
#: What a person can answer who looked into the portal.
PORTAL_ANSWERS = (Seen.PORTAL_LISTED, Seen.PORTAL_NOT_LISTED, Seen.PORTAL_USER_OFF)


def _drop(_finding: Finding) -> None:
    """Take a finding nobody waits for."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a diagnosis is about.

    Attributes:
        key: With which key; None where only the way to the gateway matters.
        device: The device's identifier; empty where it is about none.
        sale: The sale that failed; None where it is about none.
        elsewhere: The person's other environments of the same gateway that the key may be tried in. Naming
            one is the consent to send this key's value to its gateway, with one harmless call.
    """

    environment: Environment
    key: SecurityKey | None
    device: str = ""
    sale: Sale | None = None
    elsewhere: tuple[Environment, ...] = ()


class Diagnose:
    """Diagnoses; none of them ever starts a sale."""

    def __init__(self, world: World) -> None:
        self._world = world

    def checks(self, question: Question) -> tuple[Check, ...]:
        """Return the checks that `run` makes, in the order in which they are listed."""
        raise NotImplementedError

    async def run(
        self, question: Question, on_finding: OnFinding = _drop, *, stop: asyncio.Event | None = None
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
        raise NotImplementedError

    async def check(self, diagnosis: Diagnosis, question: Question, check: Check) -> Diagnosis:
        """Make one more check, or one again, with what it needs, and conclude anew.

        Raises:
            NotFound: The environment or the key is gone.
        """
        raise NotImplementedError

    def answer(self, diagnosis: Diagnosis, seen: Seen) -> Diagnosis:
        """Conclude anew with what a person saw in the portal.

        Args:
            diagnosis: So far.
            seen: One of `PORTAL_ANSWERS`; it takes the place of an earlier answer.
        """
        raise NotImplementedError

    async def elsewhere(self, question: Question) -> Sequence[Environment]:
        """Return the person's own other environments of the same gateway, to which the key may belong.

        Raises:
            JournalError: They can't be read.
        """
        raise NotImplementedError

    async def at_failure(self, sale: Sale) -> Conclusion:
        """Conclude why a sale came to nothing from what is known of it, without any request.

        `Conclusion.suspects` has the causes, the likeliest first; none for an approved sale. It takes some
        milliseconds, and raises nothing.
        """
        raise NotImplementedError

    async def at_error(
        self, error: KeybenchError, environment: Environment, key: SecurityKey | None
    ) -> Conclusion:
        """Conclude why a test of a key failed in the same way."""
        raise NotImplementedError
