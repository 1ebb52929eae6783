"""Environments and their devices.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import PRACTICE_ID, Environment
from keybench.core.input_errors import EnvironmentBuiltIn
from keybench.core.ports import Device
from keybench.journal import tables
from keybench.journal.rows import NamedTable, build, fold, require_environment, values_of
from keybench.journal.store import take_turns

_environments: Final = tables.environments
_devices: Final = tables.devices
_states: Final = tables.device_states
ENVIRONMENTS: Final = NamedTable(
    _environments, select(_environments), Environment, "environment", fixed=("id", "kind")
)


def environments(connection: Connection) -> Sequence[Environment]:
    """Return all environments, practice first, then by name."""
    found = [build(Environment, row) for row in connection.execute(ENVIRONMENTS.chosen).mappings()]
    # Sorted here because databases disagree about the order of letters.
    return sorted(found, key=lambda e: (e.id != PRACTICE_ID, fold(e.name), e.name))


def remove_environment(connection: Connection, environment_id: str) -> None:
    """Remove an environment; its keys, devices and applications go with it by the tables' own rule."""
    if environment_id == PRACTICE_ID:
        raise EnvironmentBuiltIn(environment_id)
    ENVIRONMENTS.remove(connection, environment_id)


def devices(connection: Connection, environment_id: str) -> Sequence[Device]:
    """Return an environment's devices by nickname and identifier."""
    chosen = select(_devices).where(_devices.c.environment_id == environment_id)
    found = [build(Device, row) for row in connection.execute(chosen).mappings()]
    return sorted(found, key=lambda d: (fold(d.nickname), d.id))


def remember_devices(connection: Connection, environment_id: str, devices: Sequence[Device]) -> None:
    """Add or update devices; of two with one identifier the later counts."""
    require_environment(connection, environment_id)
    latest = {device.id: device for device in devices}
    if not latest:
        return
    take_turns(connection, f"{_devices.name}\n{environment_id}")
    old = delete(_devices).where(
        _devices.c.environment_id == environment_id, _devices.c.id == bindparam("old")
    )
    connection.execute(old, [{"old": device_id} for device_id in latest])
    new = [
        values_of(device) | {"environment_id": environment_id, "folded_nickname": fold(device.nickname)}
        for device in latest.values()
    ]
    connection.execute(insert(_devices), new)


def forget_device(connection: Connection, environment_id: str, device_id: str) -> None:
    """Remove a device with its state; no error if it isn't there."""
    take_turns(connection, f"{_devices.name}\n{environment_id}")
    for table, known_by in ((_devices, _devices.c.id), (_states, _states.c.device_id)):
        connection.execute(
            delete(table).where(table.c.environment_id == environment_id, known_by == device_id)
        )


def device_states(connection: Connection, environment_id: str) -> Sequence[DeviceState]:
    """Return what was last told of an environment's devices."""
    chosen = select(_states).where(_states.c.environment_id == environment_id).order_by(_states.c.device_id)
    return [build(DeviceState, row) for row in connection.execute(chosen).mappings()]


def keep_device_states(connection: Connection, environment_id: str, states: Sequence[DeviceState]) -> None:
    """Keep states where none newer is known; a listed device has the names and words of what is kept."""
    require_environment(connection, environment_id)
    take_turns(connection, f"{_devices.name}\n{environment_id}")
    for state in sorted(states, key=lambda one: one.read_at):
        is_it = (_states.c.environment_id == environment_id, _states.c.device_id == state.device_id)
        known = connection.execute(select(_states.c.read_at).where(*is_it)).scalar_one_or_none()
        if known is not None and known > state.read_at:
            continue
        connection.execute(delete(_states).where(*is_it))
        connection.execute(insert(_states), values_of(state) | {"environment_id": environment_id})
        told = {"connection": state.connection} if state.connection else {}
        if state.nickname:
            told |= {"nickname": state.nickname, "folded_nickname": fold(state.nickname)}
        if told:
            is_listed = (_devices.c.environment_id == environment_id, _devices.c.id == state.device_id)
            connection.execute(update(_devices).where(*is_listed).values(told))
