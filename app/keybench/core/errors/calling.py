"""A call to the gateway did not give its answer."""

from __future__ import annotations

from typing import Final

from keybench.core.errors.root import KeybenchError

#: The reasons of refusals that a gateway's own words or codes tell apart, whatever their status.
RATE_LIMIT: Final = "rate limit"
DEVICE_OFFLINE: Final = "device offline"
DEVICE_BUSY: Final = "device busy"
#: The gateway knows no such payment request, which says nothing of what became of it.
REQUEST_UNKNOWN: Final = "request unknown"


class GatewayError(KeybenchError):
    """A call that did not give its answer.

    Attributes:
        reason: A stable word for what happened on the wire (``connect refused``, ``tls``, ``timeout``, …).
        message: The gateway's own words, redacted; empty if it had none.
        status: The HTTP status, 0 when there was no answer.
        reference: The gateway's own reference for the failure (`ref_id`), if it gave one.
        retry_after_s: How long it asked us to wait, in seconds, or None.
    """

    def __init__(
        self,
        reason: str,
        *,
        message: str = "",
        status: int = 0,
        reference: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(f"{reason} {status}".strip() if status else reason)
        self.reason = reason
        self.message = message
        self.status = status
        self.reference = reference
        self.retry_after_s = retry_after_s

    @property
    def asks_to_wait(self) -> bool:
        """Whether the gateway wants to be called less often, which tells nothing of the key or the call."""
        return self.reason == RATE_LIMIT or self.retry_after_s is not None


class NotSent(GatewayError):
    """For certain nothing reached the gateway."""


class AnswerLost(GatewayError):
    """The request may have reached the gateway, and no answer came."""


class AnswerUnreadable(GatewayError):
    """There was an answer, and it isn't one the contract understands."""


class Refused(GatewayError):
    """The gateway answered no: nothing was done."""


class KeyRefused(Refused):
    """401: the key isn't accepted here."""


class Forbidden(Refused):
    """403: the key's user may not, the account is restricted, or the rate limit was exceeded."""


class KeyMadeBefore(Refused):
    """409: the same wish made a key before. The gateway shows a value once, so nobody can have it again.

    Attributes:
        gateway_id: The gateway's identifier of that key; empty if it didn't say.
    """

    def __init__(self, gateway_id: str, *, status: int = 409) -> None:
        super().__init__("repeated", status=status)
        self.gateway_id = gateway_id


class GatewayFailed(GatewayError):
    """5xx or 408: the gateway itself failed, and what it did before that is unknown."""


class PracticeUnavailable(GatewayError):
    """The practice gateway can't be started."""


class KeyUnsettled(KeybenchError):
    """A key that was to be added may be at the gateway; its plan is noted and leads to it.

    Attributes:
        name: The key's.
        key_id: Ours, which its plan is found by.
        cause: What went wrong.
        is_made: Whether the gateway did make it; then its value couldn't be kept, and it isn't deleted yet.
    """

    def __init__(self, name: str, key_id: str, cause: KeybenchError, *, is_made: bool) -> None:
        super().__init__(f"{name}: {cause}")
        self.name = name
        self.key_id = key_id
        self.cause = cause
        self.is_made = is_made
