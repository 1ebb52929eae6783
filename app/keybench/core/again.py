"""Sending again: when a sale may be repeated, and the draft that repeats it under a reference of its own."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, Sale, SaleDraft, SaleEvent


def may_send_again(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    """Tell whether nobody would be charged twice by mistake if the sale were made once more.

    Args:
        sale: A settled one may be repeated. An unknown one only after a person has checked.
        events: Its timeline in order.
    """
    return sale.is_settled or is_checked(sale, events)


def is_checked(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    """Tell whether a person has checked that an unknown sale wasn't made, since it was last seen to end."""
    if sale.outcome is not Outcome.UNKNOWN:
        return False
    marks = [event.mark for event in events]
    newest_first = marks[::-1]
    checked = Mark.CHECKED in marks
    return checked and (
        Mark.OUTCOME not in marks or newest_first.index(Mark.CHECKED) < newest_first.index(Mark.OUTCOME)
    )


def same_again(sale: Sale) -> SaleDraft:
    """Return a draft with a sale's fields; noting it gives it a reference of its own."""
    return SaleDraft(
        environment_id=sale.environment_id,
        key_id=sale.key_id,
        device=sale.device,
        amount=sale.money.figure,
        currency=sale.money.currency,
        mode=sale.mode,
    )
