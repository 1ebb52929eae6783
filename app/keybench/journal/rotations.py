"""Rotations, and what changes together with a step of one, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Connection, insert, select, update

from keybench.core.application import ApplicationMove
from keybench.core.errors import NotFound, RotationUnderWay
from keybench.core.ports import Activity
from keybench.core.rotation import Rotation
from keybench.core.security_key import KeyMove, SecurityKey
from keybench.journal.applications import Applications
from keybench.journal.environments import require_environment
from keybench.journal.keys import Keys
from keybench.journal.register_tables import IS_OPEN, rotations
from keybench.journal.rows import Values
from keybench.journal.tables import security_keys
from keybench.journal.trail import Trail
from keybench.runtime.documents import read_document, write_document


class Rotations:
    """What the journal does with rotations; see `core.ports.Register`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, environment_id: str | None) -> Sequence[Rotation]:
        """Return those of one environment, or all, the newest first."""
        newest_first = rotations.c.started_at.desc(), rotations.c.number.desc()
        chosen = select(rotations.c.document).order_by(*newest_first)
        if environment_id is not None:
            chosen = chosen.where(rotations.c.environment_id == environment_id)
        return [read_document(Rotation, kept) for kept in self._connection.execute(chosen).scalars()]

    def one(self, rotation_id: str, *, for_update: bool = False) -> Rotation:
        """Return one, its row held until the commit if it is `for_update`; NotFound."""
        chosen = select(rotations.c.document).where(rotations.c.id == rotation_id)
        if for_update:  # for databases that lock rows; SQLite's writers take turns
            chosen = chosen.with_for_update()
        kept = self._connection.execute(chosen).scalar()
        if kept is None:
            raise NotFound("rotation", rotation_id)
        return read_document(Rotation, kept)

    def start(self, rotation: Rotation, activity: Activity) -> None:
        """Add one; RotationUnderWay, or NotFound for its environment."""
        require_environment(self._connection, rotation.environment_id)
        old_key = rotation.old.key_id
        # Two programs that rotate one key at once take turns at its row.
        self._connection.execute(
            select(security_keys.c.id).where(security_keys.c.id == old_key).with_for_update()
        )
        under_way = select(rotations.c.id).where(rotations.c.old_key_id == old_key, IS_OPEN)
        if self._connection.execute(under_way).first() is not None:
            raise RotationUnderWay(rotation.old.name)
        self._connection.execute(insert(rotations), _values(rotation))
        Trail(self._connection).record(activity)

    def advance(
        self,
        rotation_id: str,
        move: Callable[[Rotation], Rotation],
        *,
        add_key: SecurityKey | None,
        remove_key: str,
        keys: Mapping[str, KeyMove],
        applications: Mapping[str, ApplicationMove],
        activity: Activity | None,
    ) -> Rotation:
        """Apply `move` to what is stored, and change with it what belongs to the step."""
        before = self.one(rotation_id, for_update=True)
        moved = move(before)
        if moved != before:
            changed = update(rotations).where(rotations.c.id == rotation_id)
            self._connection.execute(changed.values(_values(moved)))
        known, register = Keys(self._connection), Applications(self._connection)
        if remove_key:
            known.remove(remove_key)
        if add_key:
            known.add(add_key)
        for key_id, key_move in keys.items():
            known.update_if_there(key_id, key_move)
        for application_id, application_move in applications.items():
            register.update_if_there(application_id, application_move)
        if activity and moved != before:
            Trail(self._connection).record(activity)
        return moved


def _values(rotation: Rotation) -> Values:
    return {
        "id": rotation.id,
        "environment_id": rotation.environment_id,
        "old_key_id": rotation.old.key_id,
        "is_open": rotation.is_open,
        "compromised": rotation.compromised,
        "started_at": rotation.started_at,
        "document": write_document(rotation),
    }
