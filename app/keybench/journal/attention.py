"""What waits for a person, counted in the database; functions on a connection."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Select, func, select

from keybench.core.attention import Attention
from keybench.core.rotations.rotation import Rotation
from keybench.core.sales.sale import Outcome
from keybench.journal.keys import COMPROMISED
from keybench.journal.tables import IS_OPEN, rotations, sales, security_keys
from keybench.runtime.documents import read_document

_COMPROMISED: Final = (
    select(security_keys.c.environment_id, func.count())
    .where(COMPROMISED)
    .group_by(security_keys.c.environment_id)
)
_UNKNOWN: Final = (
    select(sales.c.environment_id, func.count())
    .where(sales.c.outcome == Outcome.UNKNOWN)
    .group_by(sales.c.environment_id)
)
_OPEN: Final = (
    select(rotations.c.document)
    .where(IS_OPEN)
    .order_by(rotations.c.started_at.desc(), rotations.c.number.desc())
)


def attention(connection: Connection) -> Attention:
    """Return what waits for a person; each count is found through an index."""
    documents = connection.execute(_OPEN).scalars()
    return Attention(
        compromised=_counts(connection, _COMPROMISED),
        unknown=_counts(connection, _UNKNOWN),
        open_rotations=tuple(read_document(Rotation, document) for document in documents),
    )


def _counts(connection: Connection, chosen: Select[tuple[Any, int]]) -> dict[str, int]:
    return dict(connection.execute(chosen).all())
