"""Environments and their devices, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from keybench.core.environment import PRACTICE_ID, Environment
from keybench.core.errors import EnvironmentBuiltIn, NameTaken, NotFound
from keybench.core.ports import Device
from keybench.journal import tables
from keybench.journal.rows import build, fold, named_values, values_of

_environments = tables.environments
_devices = tables.devices


def require_environment(connection: Connection, environment_id: str) -> None:
    """Raise NotFound if there is no such environment (another program may have removed it)."""
    found = connection.execute(select(_environments.c.id).where(_environments.c.id == environment_id))
    if found.first() is None:
        raise NotFound("environment", environment_id)


class Environments:
    """What the journal does with environments and devices; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> Sequence[Environment]:
        """Return all, practice first, then by name."""
        rows = self._connection.execute(select(_environments)).mappings()
        found = [build(Environment, row) for row in rows]
        # Sorted here because databases disagree about the order of letters.
        return sorted(found, key=lambda e: (e.id != PRACTICE_ID, fold(e.name), e.name))

    def add(self, environment: Environment) -> None:
        """Add one; NameTaken if another has its name."""
        taken = select(_environments.c.id).where(_environments.c.folded_name == fold(environment.name))
        if self._connection.execute(taken).first() is not None:
            raise NameTaken("environment", environment.name)
        self._connection.execute(insert(_environments), named_values(environment))

    def update(self, environment_id: str, move: Callable[[Environment], Environment]) -> Environment:
        """Apply `move` to one; NotFound if it isn't there."""
        is_it = _environments.c.id == environment_id
        chosen = select(_environments).where(is_it).with_for_update()
        row = self._connection.execute(chosen).mappings().first()
        if row is None:
            raise NotFound("environment", environment_id)
        before = build(Environment, row)
        moved = replace(move(before), id=before.id, name=before.name, kind=before.kind)
        if moved != before:
            self._connection.execute(update(_environments).where(is_it).values(named_values(moved)))
        return moved

    def remove(self, environment_id: str) -> None:
        """Remove one; its keys, devices and applications go with it by the tables' own rule."""
        if environment_id == PRACTICE_ID:
            raise EnvironmentBuiltIn(environment_id)
        self._connection.execute(delete(_environments).where(_environments.c.id == environment_id))

    def devices(self, environment_id: str) -> Sequence[Device]:
        """Return an environment's devices by nickname and identifier."""
        chosen = select(_devices).where(_devices.c.environment_id == environment_id)
        found = [build(Device, row) for row in self._connection.execute(chosen).mappings()]
        return sorted(found, key=lambda d: (fold(d.nickname), d.id))

    def remember_devices(self, environment_id: str, devices: Sequence[Device]) -> None:
        """Add or renew devices; of two with one identifier the later counts."""
        require_environment(self._connection, environment_id)
        latest = {device.id: device for device in devices}
        if not latest:
            return
        old = delete(_devices).where(
            _devices.c.environment_id == environment_id, _devices.c.id == bindparam("old")
        )
        self._connection.execute(old, [{"old": device_id} for device_id in latest])
        new = [
            values_of(device) | {"environment_id": environment_id, "folded_nickname": fold(device.nickname)}
            for device in latest.values()
        ]
        self._connection.execute(insert(_devices), new)
