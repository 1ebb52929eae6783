"""When a sale under way is asked for again, and why then, in one line."""

from __future__ import annotations

from typing import Final

from keybench.core.poll_plan import Why
from keybench.words.times import roughly

#: An answer that takes longer than this is waited for; quicker ones aren't worth other words.
_QUICK_S: Final = 1.0


def next_poll(left_s: float, why: Why) -> str:
    """Return when a sale is asked for again and why, such as ``Asking again in 2 s: …``.

    Args:
        left_s: How long until then, in seconds; below zero when it was asked for and there is no answer yet.
        why: Why the pause is as long as it is.
    """
    if left_s > -_QUICK_S:
        return f"Asking again in {roughly(left_s)}: {why}."
    return f"Asked: {why}." if why is Why.HELD else "Asked, and waiting for the answer."
