"""Sentences that say why an end of the overlap is badly chosen."""

from __future__ import annotations

from typing import Final

from keybench.core.overlap import LEAD, Caution, OverlapWarning

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def overlap_warning(warning: OverlapWarning) -> str:
    """Return one sentence for a warning."""
    day = _DAYS[warning.weekday]
    match warning.caution:
        case Caution.WEEKEND:
            return f"That is a {day}, when few people are there to help an application that was forgotten."
        case Caution.EVE:
            return f"That is a {day} afternoon: what was forgotten would stand still over the weekend."
        case Caution.BUSY:
            return f"You named that time as busy ({warning.busy})."
        case Caution.BUSY_SOON:
            hours = int(LEAD.total_seconds() // 3600)
            return f"A time you named as busy begins within {hours} hours of it ({warning.busy})."
