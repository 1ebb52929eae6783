"""Keeping that a gateway took a sale, unless it gave the sale another one's identifier."""

from __future__ import annotations

from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Accepted
from keybench.core.sale import RequestIdTaken, Sale
from keybench.workflows.sale_log import SaleLog


async def keep_accepted(log: SaleLog, sale: Sale, answer: Accepted, took_s: float | None = None) -> Sale:
    """Write that the gateway took a sale; nobody can tell what becomes of it under another one's identifier.

    Args:
        log: Where to.
        sale: Which.
        answer: The gateway's.
        took_s: How long the call that brought it took, in seconds.

    Returns:
        The sale as stored: accepted; `UNKNOWN` if another sale of the environment has the identifier; with
        its outcome if it was settled meanwhile.

    Raises:
        JournalError: It couldn't be written.
    """
    try:
        return await log.accepted(sale, answer, took_s)
    except RequestIdTaken:
        return await log.finished(sale, Verdict(Outcome.UNKNOWN, reason="identifier given twice"), took_s)
