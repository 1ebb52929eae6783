"""Takes environments and devices' names to another computer, in a TOML file without values."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import ContractInvalid
from keybench.core.input_errors import InputInvalid, SettingsFileInvalid
from keybench.core.ports import Device
from keybench.core.text import clean_text
from keybench.runtime.documents import UnreadableDocument, from_plain
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.environments.managing import Environments
from keybench.workflows.guard import guarded, refuse_values
from keybench.workflows.world import World

_MOST_BYTES: Final = 1_000_000
_HEAD: Final = "# Environments and devices of Keybench; values of keys and passwords are never in it.\n"


@dataclass(frozen=True, slots=True)
class _DeviceEntry:
    identifier: str
    nickname: str = ""


@dataclass(frozen=True, slots=True)
class _EnvironmentEntry:
    name: str
    kind: EnvironmentKind
    base_url: str
    contract: str
    limit: str = ""
    proxy: str = ""
    portal_url: str = ""
    devices: tuple[_DeviceEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class _SettingsFile:
    environments: tuple[_EnvironmentEntry, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: the names of those that stayed as they are, and what can't be used with why."""

    added: tuple[str, ...]
    kept: tuple[str, ...]
    devices: int
    left_out: tuple[tuple[str, InputInvalid | ContractInvalid], ...]


@guarded
class SettingsTransfer:
    """The use case."""

    def __init__(self, world: World, environments: Environments) -> None:
        self._world = world
        self._environments = environments

    async def export(self, path: Path) -> None:
        """Write environments and devices to a file. The practice environment is everywhere and stays out."""
        text = _HEAD
        for one in await self._environments.all():
            if one.id != PRACTICE_ID:
                limit = "" if one.amount_limit is None else str(one.amount_limit)
                entry = _EnvironmentEntry(
                    one.name, one.kind, one.base_url, one.contract, limit, one.proxy, one.portal_url
                )
                text += _table("[[environments]]", entry)
                for device in await self._world.journal.devices(one.id):
                    text += _table("[[environments.devices]]", _DeviceEntry(device.id, device.nickname))
        await save(path, text)

    async def take_in(self, path: Path) -> Imported:
        """Add what a file has and this computer hasn't; what is here stays as it is."""
        found = await run_in_thread("keybench settings file", partial(_read, path))
        texts = [text for one in found.environments for text in _texts(one).items()]
        texts += [
            text for one in found.environments for device in one.devices for text in _texts(device).items()
        ]
        await refuse_values(self._world, texts)
        here = {one.name.casefold(): one for one in await self._environments.all()}
        added: list[str] = []
        kept: list[str] = []
        left_out: list[tuple[str, InputInvalid | ContractInvalid]] = []
        devices = 0
        for entry in found.environments:
            environment = here.get(entry.name.strip().casefold())
            try:
                if environment is None:
                    environment = await self._added(entry)
                    here[environment.name.casefold()] = environment
                    added.append(environment.name)
                elif (environment.kind, environment.base_url) != (entry.kind, entry.base_url):
                    raise SettingsFileInvalid(SettingsFileInvalid.DIFFERS)
                else:
                    kept.append(environment.name)
                devices += await self._add_devices(environment, entry)
            except (InputInvalid, ContractInvalid) as error:
                left_out.append((entry.name, error))
        return Imported(tuple(added), tuple(kept), devices, tuple(left_out))

    async def _added(self, entry: _EnvironmentEntry) -> Environment:
        if entry.kind is EnvironmentKind.PRACTICE:
            raise SettingsFileInvalid(SettingsFileInvalid.KIND)
        return await self._environments.add(
            entry.name,
            entry.kind,
            entry.base_url,
            entry.contract,
            limit=entry.limit,
            proxy=entry.proxy,
            portal_url=entry.portal_url,
        )

    async def _add_devices(self, environment: Environment, entry: _EnvironmentEntry) -> int:
        known = {one.id for one in await self._world.journal.devices(environment.id)}
        new = {
            identifier: Device(identifier, clean_text("nickname", one.nickname, required=False))
            for one in entry.devices
            if (identifier := clean_text("device", one.identifier)) not in known
        }
        await self._world.journal.remember_devices(environment.id, list(new.values()))
        return len(new)


def _table(head: str, entry: _EnvironmentEntry | _DeviceEntry) -> str:
    """Return a table of the file; what is empty is left out. TOML's strings are written as JSON's."""
    lines = [
        f"{name} = {json.dumps(text, ensure_ascii=False)}\n" for name, text in _texts(entry).items() if text
    ]
    return f"\n{head}\n{''.join(lines)}"


def _texts(entry: _EnvironmentEntry | _DeviceEntry) -> dict[str, str]:
    return {one.name: str(getattr(entry, one.name)) for one in fields(entry) if one.name != "devices"}


def _read(path: Path) -> _SettingsFile:
    data = read_file(path, _MOST_BYTES, SettingsFileInvalid(SettingsFileInvalid.UNREADABLE))
    if len(data) > _MOST_BYTES:
        raise SettingsFileInvalid(SettingsFileInvalid.TOO_LARGE)
    try:
        plain: dict[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
        return from_plain(_SettingsFile, plain)
    except (ValueError, RecursionError, UnreadableDocument):
        raise SettingsFileInvalid(SettingsFileInvalid.NOT_SETTINGS) from None
