"""Counts what each key sold, group by group, in the index that keeps a group's sales in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Select, case, func, select

from keybench.core.outcome import Outcome
from keybench.core.ports import KeyUse
from keybench.journal.tables import sale_groups, sales


def key_uses(connection: Connection, since: datetime) -> Sequence[KeyUse]:
    """Return what was sold since a moment, UTC, with each key that sold anything, by the key's identifier."""
    found = [KeyUse(*row) for row in connection.execute(grouped_by_key(since)).all()]
    return sorted(found, key=lambda use: use.key_id)


def grouped_by_key(since: datetime) -> Select[str, int, int, datetime]:
    """Return the statement."""
    refused = func.sum(case((sales.c.outcome == Outcome.REFUSED, 1), else_=0))
    return (
        select(sale_groups.c.key_id, func.count(), refused, func.max(sales.c.noted_at))
        .join(sales, sales.c.group_id == sale_groups.c.id)
        .where(sales.c.noted_at >= since)
        .group_by(sale_groups.c.key_id)
    )
