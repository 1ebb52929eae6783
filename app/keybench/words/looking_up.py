"""What asking again about an unknown sale brought, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core import errors as e
from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, Sale, SaleEvent
from keybench.words.explain import explain
from keybench.words.times import clock_time
from keybench.workflows.resume import NOT_FOUND_YET

LOOK_AGAIN: Final = "Look it up again in six minutes to be sure."


def last_look_up(sale: Sale, events: Sequence[SaleEvent]) -> str:
    """Return when an unknown sale was last looked up in vain, or nothing."""
    if sale.outcome is not Outcome.UNKNOWN:
        return ""
    looks = [event for event in events if event.mark is Mark.LOOKED_UP and event.detail]
    if not looks:
        return ""
    said = f"Looked up at {clock_time(looks[-1].at)}: {looks[-1].detail}."
    return f"{said} {LOOK_AGAIN}" if looks[-1].detail == NOT_FOUND_YET else said


def is_not_found_yet(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    """Tell whether the last thing that is known of an unknown sale is that the gateway knows nothing of it."""
    return sale.outcome is Outcome.UNKNOWN and bool(events) and events[-1].detail == NOT_FOUND_YET


def in_vain(error: e.KeybenchError, sale: Sale) -> str:
    """Return why a look-up told nothing; what it means for the money is the sale's own to say.

    Args:
        error: What the look-up raised.
        sale: The sale that was looked up.
    """
    match error:
        case e.NotFound(what="key"):
            return f"The key “{sale.key_name}” was forgotten, so the gateway can't be asked."
        case e.NotFound():
            return "The sale's environment was removed, so its gateway can't be asked."
        case e.NotSent(reason="not offered"):
            return "This gateway can't find a sale by its reference. Look for it in the gateway's portal."
        case e.NotSent() | e.PracticeUnavailable():
            return f"The gateway couldn't be asked. {explain(error).title}"
        case e.GatewayError():
            return f"The gateway was asked in vain. {explain(error).title}"
        case _:
            return f"The gateway couldn't be asked. {explain(error).title}"
