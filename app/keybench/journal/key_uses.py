"""Counts the sales sent with each key, group by group, in the index that keeps a group's sales in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, or_, select

from keybench.core.outcome import Outcome
from keybench.core.ports import KeyUse
from keybench.journal.tables import sale_groups, sales


def key_uses(connection: Connection, since: datetime) -> Sequence[KeyUse]:
    """Return what was sold since a moment, UTC, with each key that sold anything, by the key's identifier."""
    rows = connection.execute(by_key(since)).all()
    # Sums come as whole numbers from one database and as decimals from another.
    found = [KeyUse(key_id, int(sold), int(refused), last_at) for key_id, sold, refused, last_at in rows]
    return sorted(found, key=lambda use: use.key_id)


def by_key(since: datetime) -> Select[Any, Any, Any, Any]:
    """Return the statement: each key with its sales, the refused ones, and the newest one's time."""
    was_sent = or_(sales.c.outcome.is_(None), sales.c.outcome != Outcome.NOT_SENT)
    its_new_sales = and_(sales.c.group_id == sale_groups.c.id, sales.c.noted_at >= since, was_sent)
    refused = case((sales.c.outcome == Outcome.REFUSED, 1), else_=0)
    groups = (
        select(
            sale_groups.c.key_id,
            func.count(sales.c.noted_at).label("sold"),
            func.sum(refused).label("refused"),
            func.max(sales.c.noted_at).label("last_at"),
        )
        # An outer join keeps SQLite on the way from the groups to their sales; all sales of the time would be
        # looked up one by one otherwise.
        .outerjoin(sales, its_new_sales)
        .group_by(sale_groups.c.id, sale_groups.c.key_id)
        .subquery()
    )
    each = groups.c
    return (
        select(each.key_id, func.sum(each.sold), func.sum(each.refused), func.max(each.last_at))
        .where(each.sold > 0)
        .group_by(each.key_id)
    )
