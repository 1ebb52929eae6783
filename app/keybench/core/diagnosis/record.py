"""A diagnosis as it is shown, copied into a ticket and put into a support bundle."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from keybench.core.diagnosis.checks import Check, Finding
from keybench.core.diagnosis.reasoning import Conclusion
from keybench.core.environment import EnvironmentKind
from keybench.core.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a diagnosis was about, what it saw and what that comes to. Nothing secret is in it.

    Attributes:
        at: When it was begun, UTC.
        took_s: How long it took so far, in seconds.
        environment: The environment's name.
        host: The gateway's host.
        key_name: The key's name; empty where it was about none.
        fingerprint: The key's four words; empty where there are none.
        device: The device's identifier; empty where it was about none.
        findings: In the order of `Check`.
        offered: The checks that can still be made, or made again.
        exchanges: What was asked of the gateway meanwhile, redacted, in order.
        reference: The reference of the sale that failed; empty where it was about none.
        request_id: The gateway's identifier of that sale; empty where it is not known.
    """

    at: datetime
    took_s: float
    environment: str
    kind: EnvironmentKind
    host: str
    key_name: str
    fingerprint: str
    device: str
    findings: tuple[Finding, ...]
    conclusion: Conclusion
    offered: tuple[Check, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    reference: str = ""
    request_id: str = ""

    def finding(self, check: Check) -> Finding | None:
        """Return how a check ended; None where it wasn't made."""
        return next((one for one in self.findings if one.check is check), None)
