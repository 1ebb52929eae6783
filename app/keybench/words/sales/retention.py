"""Deleting what is older than a day, in words."""

from __future__ import annotations

from keybench.core.ports import Older
from keybench.words.language import ngettext


def older_sentence(found: Older, day: str, *, with_sales: bool) -> str:
    """Return what would be deleted of before a day, and what stays."""
    if with_sales:
        gone = ngettext(
            "{count:,} sale from before {day}, with its timeline and exchanges.",
            "{count:,} sales from before {day}, with their timelines and exchanges.",
            found.sales,
        ).format(day=day)
    else:
        gone = ngettext(
            "The exchanges of {count:,} sale from before {day}; the sale stays.",
            "The exchanges of {count:,} sales from before {day}; the sales stay.",
            found.with_exchanges,
        ).format(day=day)
    if not found.unsettled:
        return gone
    stays = ngettext(
        "{count:,} sale stays whole, because its outcome isn't known.",
        "{count:,} sales stay whole, because their outcomes aren't known.",
        found.unsettled,
    )
    return f"{gone} {stays}"
