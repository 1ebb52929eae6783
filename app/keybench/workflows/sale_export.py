"""What a file of sales says of each of them."""

from __future__ import annotations

from typing import Final

from keybench.core.history import state_of
from keybench.core.sale import Sale
from keybench.workflows.record_file import Record

COLUMNS: Final = (
    "noted",
    "environment",
    "device",
    "amount",
    "currency",
    "key",
    "state",
    "reason",
    "message",
    "elapsed_s",
    "reference",
    "request_id",
    "transaction",
    "authorisation",
    "mode",
    "polls",
    "status",
)


def record_of(sale: Sale, environment: str) -> Record:
    """Return a sale as it is exported.

    Args:
        sale: Which.
        environment: The name of its environment, or ``removed``.
    """
    verdict = sale.verdict
    return {
        "noted": sale.noted_at.isoformat(),
        "environment": environment,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "key": sale.key_name,
        "state": str(state_of(sale)),
        "reason": verdict.reason if verdict else "",
        "message": verdict.message if verdict else "",
        "elapsed_s": None if sale.elapsed_s is None else round(sale.elapsed_s, 3),
        "reference": sale.reference,
        "request_id": sale.request_id,
        "transaction": verdict.transaction_id if verdict else "",
        "authorisation": verdict.authorisation if verdict else "",
        "mode": sale.mode.value,
        "polls": sale.polls,
        "status": verdict.status if verdict else None,
    }
