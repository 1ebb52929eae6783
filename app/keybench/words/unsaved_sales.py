"""What a person reads of sales whose ends the journal hasn't taken yet."""

from __future__ import annotations

from typing import Final

from keybench.core.events import SalesUnkept
from keybench.core.outcome import Outcome
from keybench.core.sale import Sale
from keybench.words.explain import explain
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
    count = "a sale isn't" if len(sales) == 1 else f"{len(sales):,} sales isn't"
    facts = [_fact(sale) for sale in sales[:_MOST_NAMED]]
    if more := len(sales) - len(facts):
        facts.append(f"And {more:,} more.")
    if any(sale.outcome not in _NOTHING_SOLD for sale in sales):
        facts.append(f"Don't send {'it' if len(sales) == 1 else 'them'} again for that.")
    text = f"What became of {count} in the journal yet; Keybench keeps trying. {' '.join(facts)}"
    return explain(unkept.error).title, text


def _fact(sale: Sale) -> str:
    known = f", payment request {sale.request_id}" if sale.request_id else ""
    state = outcome_word(sale.verdict.outcome).lower() if sale.verdict else "under way at the gateway"
    return f"{sale.reference}{known}: {state}."
