"""Keys that are to be added, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from keybench.core.errors import NotFound
from keybench.core.planned_key import KeyPlan
from keybench.core.ports import Activity
from keybench.core.security_key import SecurityKey
from keybench.journal.documents import read_document, write_document
from keybench.journal.environments import require_environment
from keybench.journal.keys import Keys
from keybench.journal.register_tables import key_plans
from keybench.journal.trail import Trail


class KeyPlans:
    """What the journal does with plans of keys; see `core.ports.Register`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, environment_id: str | None) -> Sequence[KeyPlan]:
        """Return those of one environment, or all, the oldest first."""
        chosen = select(key_plans.c.document).order_by(key_plans.c.number)
        if environment_id is not None:
            chosen = chosen.where(key_plans.c.environment_id == environment_id)
        return [read_document(KeyPlan, kept) for kept in self._connection.execute(chosen).scalars()]

    def add(self, plan: KeyPlan) -> None:
        """Add one; NotFound for its environment."""
        require_environment(self._connection, plan.environment_id)
        row = {"key_id": plan.making.key_id, "environment_id": plan.environment_id}
        self._connection.execute(insert(key_plans).values(row | {"document": write_document(plan)}))

    def update(self, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
        """Apply `move` to one; NotFound."""
        is_it = key_plans.c.key_id == key_id
        kept = self._connection.execute(select(key_plans.c.document).where(is_it).with_for_update()).scalar()
        if kept is None:
            raise NotFound("key", key_id)
        before = read_document(KeyPlan, kept)
        moved = move(before)
        if moved != before:
            self._connection.execute(update(key_plans).where(is_it).values(document=write_document(moved)))
        return moved

    def end(self, key_id: str, add_key: SecurityKey | None, activity: Activity | None) -> None:
        """Take one away, and add what it led to; NotFound, or NameTaken by another key."""
        gone = delete(key_plans).where(key_plans.c.key_id == key_id)
        if self._connection.execute(gone).rowcount == 0:
            raise NotFound("key", key_id)
        if add_key:
            Keys(self._connection).add(add_key)
        if activity:
            Trail(self._connection).record(activity)
