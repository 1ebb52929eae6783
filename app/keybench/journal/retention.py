"""Deletes what is older than people want to keep it, in steps that hold up nobody for long.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each. A sale that isn't
settled is kept whole, however old it is: somebody may have to look for its money.
"""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import Connection, Select, Table, delete, exists, func, select, union

from keybench.core.ports import Older
from keybench.core.sales.sale import Outcome
from keybench.journal.tables import older_exchanges, sale_events, sale_exchanges, sale_groups, sales

#: For how long a step goes on to the next rows, in seconds.
HOLD_S: Final = 0.025
#: So many rows are deleted before the clock is looked at again; the largest take a millisecond each.
_AT_A_TIME: Final = 10

_SETTLED: Final = sales.c.outcome.in_([one for one in Outcome if one is not Outcome.UNKNOWN])
_EXCHANGES: Final = (older_exchanges, sale_exchanges)


def count_older(connection: Connection, before: datetime) -> Older:
    """Return what is older than `before`."""
    noted = select(func.count()).select_from(sales).where(sales.c.noted_at < before)
    settled = connection.execute(noted.where(_SETTLED)).scalar_one()
    known = union(*(_references(table, before) for table in _EXCHANGES)).subquery()
    return Older(
        sales=settled,
        with_exchanges=connection.execute(select(func.count()).select_from(known)).scalar_one(),
        unsettled=connection.execute(noted).scalar_one() - settled,
    )


def delete_some(connection: Connection, before: datetime, *, with_sales: bool) -> bool:
    """Delete some of what is older than `before`, for a moment; return whether there is more."""
    end = time.monotonic() + HOLD_S
    steps = [partial(_delete_exchanges, connection, table, before) for table in _EXCHANGES]
    if with_sales:
        steps.append(partial(_delete_sales, connection, before))
    for step in steps:
        while step():
            if time.monotonic() >= end:
                return True
    if with_sales:
        connection.execute(delete(sale_groups).where(~exists().where(sales.c.group_id == sale_groups.c.id)))
    return False


def _references(table: Table, before: datetime) -> Select[tuple[str]]:
    """Return what selects the settled sales that have an exchange of before then in a table."""
    is_settled = exists().where(sales.c.reference == table.c.reference, _SETTLED)
    return select(table.c.reference).where(table.c.at < before, is_settled)


def _delete_exchanges(connection: Connection, table: Table, before: datetime) -> bool:
    """Delete some rows of the sale with the oldest exchange, that one last; return whether there were any."""
    first = _references(table, before).order_by(table.c.at).limit(1)
    reference = connection.execute(first).scalar()
    if reference is None:
        return False
    newest = select(table.c.number).where(table.c.reference == reference).order_by(table.c.number.desc())
    connection.execute(delete(table).where(table.c.number.in_(newest.limit(_AT_A_TIME))))
    return True


def _delete_sales(connection: Connection, before: datetime) -> bool:
    """Delete some sales with all that belongs to them; return whether there were any."""
    chosen = select(sales.c.reference).where(sales.c.noted_at < before, _SETTLED).limit(_AT_A_TIME)
    references = connection.execute(chosen).scalars().all()
    for table in (*_EXCHANGES, sale_events, sales):
        connection.execute(delete(table).where(table.c.reference.in_(references)))
    return bool(references)
