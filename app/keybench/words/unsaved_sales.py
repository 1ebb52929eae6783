"""What a person reads of sales whose ends the journal hasn't taken yet."""

from __future__ import annotations

from typing import Final

from keybench.core.events import SalesUnkept
from keybench.core.outcome import Outcome
from keybench.core.sale import Sale
from keybench.words.explain import explain
from keybench.words.formats import number
from keybench.words.language import ngettext
from keybench.words.outcomes import outcome_word

KEPT_AGAIN: Final = "The journal has everything again."
#: This many sales are named; the rest are counted.
_MOST_NAMED: Final = 3
_NOTHING_SOLD: Final = {Outcome.NOT_SENT, Outcome.REFUSED, Outcome.DECLINED}


def unsaved_sales_words(unkept: SalesUnkept) -> tuple[str, str]:
    """Return what is wrong with the journal, and what is true of the sales it hasn't taken.

    Args:
        unkept: At least one sale, and an error.
    """
    assert unkept.error  # noqa: S101 - see Args
    sales = unkept.sales
    missing = ngettext(
        "What became of a sale isn't in the journal yet; Keybench keeps trying.",
        "What became of {count} sales isn't in the journal yet; Keybench keeps trying.",
        len(sales),
    )
    parts = [missing.format(count=number(len(sales))), *map(_fact, sales[:_MOST_NAMED])]
    if len(sales) > _MOST_NAMED:
        parts.append(f"And {number(len(sales) - _MOST_NAMED)} more.")
    if any(sale.outcome not in _NOTHING_SOLD for sale in sales):
        parts.append(ngettext("Don't send it again for that.", "Don't send them again for that.", len(sales)))
    return explain(unkept.error).title, " ".join(parts)


def _fact(sale: Sale) -> str:
    state = outcome_word(sale.verdict.outcome).lower() if sale.verdict else "under way at the gateway"
    if sale.request_id:
        return f"{sale.reference}, payment request {sale.request_id}: {state}."
    return f"{sale.reference}: {state}."
