"""Rotations and what changes with a step of one, keys that are to be added, and what waits for people.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each. A rotation
and a plan of a key are each one whole, see `runtime.documents`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, delete, func, insert, or_, select, update

from keybench.core.input_errors import NotFound, RotationUnderWay
from keybench.core.keys.application import ApplicationMove
from keybench.core.keys.key import KeyMove, KeyPlan, SecurityKey
from keybench.core.ports import NOTHING, Activity
from keybench.core.ports.journal import Attention
from keybench.core.rotations.moves import key_renamed
from keybench.core.rotations.rotation import Rotation
from keybench.core.sales.sale import Outcome
from keybench.journal import activities as _activities
from keybench.journal import keys as _keys
from keybench.journal import tables
from keybench.journal.keys import COMPROMISED
from keybench.journal.rows import Values, require_environment
from keybench.journal.store import take_turns
from keybench.journal.tables import IS_OPEN, sales, security_keys
from keybench.runtime.documents import read_document, write_document

_rotations: Final = tables.rotations
_plans: Final = tables.key_plans
_DOCUMENTS: Final = select(_rotations.c.document).order_by(
    _rotations.c.started_at.desc(), _rotations.c.number.desc()
)
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

_edits: Final = tables.contradictions
#: Which contradicting edits wait for a choice: of a record that was removed, only whether it comes back.
CONTRADICTS: Final = or_(
    and_(_edits.c.field == "", _edits.c.kept == ""),
    *(
        _edits.c.record_id.in_(select(one.c.id))
        for one in (security_keys, tables.applications, tables.devices)
    ),
)


def rotations(connection: Connection, environment_id: str | None = None) -> Sequence[Rotation]:
    """Return the rotations of one environment, or all, the newest first."""
    chosen = _DOCUMENTS
    if environment_id is not None:
        chosen = chosen.where(_rotations.c.environment_id == environment_id)
    return [read_document(Rotation, stored) for stored in connection.execute(chosen).scalars()]


def rotation(connection: Connection, rotation_id: str, *, for_update: bool = False) -> Rotation:
    """Return a rotation, its row held until the commit if it is `for_update`; NotFound."""
    chosen = select(_rotations.c.document).where(_rotations.c.id == rotation_id)
    if for_update:  # for databases that lock rows; SQLite's writers take turns
        chosen = chosen.with_for_update()
    stored = connection.execute(chosen).scalar()
    if stored is None:
        raise NotFound("rotation", rotation_id)
    return read_document(Rotation, stored)


def start_rotation(connection: Connection, rotation: Rotation, activity: Activity) -> None:
    """Add a rotation; RotationUnderWay, or NotFound for its environment."""
    require_environment(connection, rotation.environment_id)
    old_key = rotation.old.key_id
    take_turns(connection, f"{_rotations.name}\n{old_key}")
    under_way = select(_rotations.c.id).where(_rotations.c.old_key_id == old_key, IS_OPEN)
    if connection.execute(under_way).first() is not None:
        raise RotationUnderWay(rotation.old.name)
    connection.execute(insert(_rotations), _values(rotation))
    _activities.record_activity(connection, activity)


def advance_rotation(
    connection: Connection,
    rotation_id: str,
    move: Callable[[Rotation], Rotation],
    *,
    add_key: SecurityKey | None = None,
    remove_key: str = "",
    keys: Mapping[str, KeyMove] = NOTHING,
    applications: Mapping[str, ApplicationMove] = NOTHING,
    activity: Activity | None = None,
) -> Rotation:
    """Apply `move` to what is stored, and change with it what belongs to the step."""
    before = rotation(connection, rotation_id, for_update=True)
    moved = move(before)
    if moved != before:
        changed = update(_rotations).where(_rotations.c.id == rotation_id)
        connection.execute(changed.values(_values(moved)))
    if remove_key:
        _keys.KEYS.remove(connection, remove_key)
    if add_key:
        _keys.KEYS.add(connection, add_key)
    for key_id, key_move in keys.items():
        with suppress(NotFound):  # what is gone stays gone
            _keys.KEYS.update(connection, key_id, key_move)
    for application_id, application_move in applications.items():
        with suppress(NotFound):
            _keys.APPLICATIONS.update(connection, application_id, application_move)
    if activity and moved != before:
        _activities.record_activity(connection, activity)
    return moved


def rename_in_rotations(
    connection: Connection, environment_id: str, key_id: str, name: str, line: Activity
) -> None:
    """Call a key by another name in its open rotations, as a line of the activity says."""
    here = select(_rotations.c.document).where(_rotations.c.environment_id == environment_id, IS_OPEN)
    for stored in connection.execute(here.with_for_update()).scalars().all():
        before = read_document(Rotation, stored)
        moved = key_renamed(before, key_id, name, line.at, line.who)
        if moved != before:
            changed = update(_rotations).where(_rotations.c.id == before.id)
            connection.execute(changed.values(_values(moved)))


def key_plans(connection: Connection, environment_id: str | None = None) -> Sequence[KeyPlan]:
    """Return the plans of one environment, or all, the oldest first."""
    chosen = select(_plans.c.document).order_by(_plans.c.number)
    if environment_id is not None:
        chosen = chosen.where(_plans.c.environment_id == environment_id)
    return [read_document(KeyPlan, stored) for stored in connection.execute(chosen).scalars()]


def add_key_plan(connection: Connection, plan: KeyPlan) -> None:
    """Add a plan; NotFound for its environment."""
    require_environment(connection, plan.environment_id)
    row = {"key_id": plan.making.key_id, "environment_id": plan.environment_id}
    connection.execute(insert(_plans).values(row | {"document": write_document(plan)}))


def update_key_plan(connection: Connection, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
    """Apply `move` to a plan; NotFound."""
    is_it = _plans.c.key_id == key_id
    stored = connection.execute(select(_plans.c.document).where(is_it).with_for_update()).scalar()
    if stored is None:
        raise NotFound("key", key_id)
    before = read_document(KeyPlan, stored)
    moved = move(before)
    if moved != before:
        connection.execute(update(_plans).where(is_it).values(document=write_document(moved)))
    return moved


def end_key_plan(
    connection: Connection,
    key_id: str,
    *,
    add_key: SecurityKey | None = None,
    activity: Activity | None = None,
) -> None:
    """Remove a plan, and add what it led to; NotFound, or NameTaken by another key."""
    gone = delete(_plans).where(_plans.c.key_id == key_id)
    if connection.execute(gone).rowcount == 0:
        raise NotFound("key", key_id)
    if add_key:
        _keys.KEYS.add(connection, add_key)
    if activity:
        _activities.record_activity(connection, activity)


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


def attention(connection: Connection) -> Attention:
    """Return what waits for a person; each count is found through an index."""
    documents = connection.execute(_DOCUMENTS.where(IS_OPEN)).scalars()
    return Attention(
        compromised=_counts(connection, _COMPROMISED),
        unknown=_counts(connection, _UNKNOWN),
        open_rotations=tuple(read_document(Rotation, document) for document in documents),
        contradictions=connection.execute(select(func.count()).where(CONTRADICTS)).scalar_one(),
    )


def _counts(connection: Connection, chosen: Select[tuple[Any, int]]) -> dict[str, int]:
    return dict(connection.execute(chosen).all())
