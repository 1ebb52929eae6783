"""Takes settings, environments and devices to another computer, in a file without values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

from keybench.core.addresses import has_user, parse_base_url, parse_portal_url, parse_proxy
from keybench.core.admin_settings import BUSY_TIMES, parse_days, texts_of, tidy_busy_times
from keybench.core.card_data import refuse_card_data
from keybench.core.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import ContractInvalid, KeybenchError
from keybench.core.input_errors import InputInvalid, NameTaken, SettingsFileInvalid, ValueMisplaced
from keybench.core.kept_values import KeptValues
from keybench.core.money import parse_limit
from keybench.core.ports import Device
from keybench.core.settings_file import (
    MOST_BYTES,
    DeviceEntry,
    EnvironmentEntry,
    SettingsFile,
    read_settings,
    write_settings,
)
from keybench.core.text import clean_text
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.admin_settings import SettingsOfKeys
from keybench.workflows.environments import ENVIRONMENT_NAME_LIMIT, Environments
from keybench.workflows.guard import guarded, refuse_values
from keybench.workflows.world import World

#: What a change is about; `name` and `place` of a `Change` say which one.
Subject = Literal["environment", "limit", "proxy", "portal", "device", "nickname", "review", "window"]
_ADDS: Final = frozenset({"environment", "device"})


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that importing a file would change.

    Attributes:
        subject: What it is about.
        name: The environment's or device's name, or the setting's id.
        before: As it is here; empty for what isn't here yet.
        after: As the file has it.
        place: The environment that a device belongs to; else empty.
        entry: The environment as the file describes it, for one that is added; else None.
    """

    subject: Subject
    name: str
    before: str
    after: str
    place: str = ""
    entry: EnvironmentEntry | None = None

    @property
    def adds(self) -> bool:
        """Whether something comes that wasn't here."""
        return self.subject in _ADDS


@dataclass(frozen=True, slots=True)
class Unusable:
    """An entry that can't be imported, and why."""

    name: str
    error: KeybenchError


@dataclass(frozen=True, slots=True)
class SettingsPlan:
    """What importing a file would change, before anything is changed.

    Attributes:
        source: The file's name.
        changes: In the order in which they are made.
        unusable: Entries that stay out.
        unknown: What this version doesn't know, as paths in the file.
    """

    source: str
    changes: tuple[Change, ...]
    unusable: tuple[Unusable, ...]
    unknown: tuple[str, ...]


@guarded
class SettingsTransfer:
    """The use case."""

    def __init__(self, world: World, environments: Environments, settings: SettingsOfKeys) -> None:
        self._world = world
        self._environments = environments
        self._settings = settings

    async def export(self, path: Path, window: Mapping[str, str]) -> None:
        """Write everything but values to a file. The practice environment is everywhere and stays out.

        Args:
            path: The file.
            window: The window's settings by their ids.

        Raises:
            SettingsFileInvalid, CardDataRefused: A setting looks like a secret; then no file is written.
            FileNotSaved: There is no right or no room to.
        """
        environments = [one for one in await self._environments.all() if one.id != PRACTICE_ID]
        devices = [
            DeviceEntry(environment.name, device.id, device.nickname)
            for environment in environments
            for device in await self._world.journal.devices(environment.id)
        ]
        settings = SettingsFile(
            tuple(map(entry_of_environment, environments)),
            tuple(devices),
            texts_of(await self._settings.read()),
            window,
        )
        await save(path, write_settings(settings, self._world.clock.now()))

    async def read(
        self, path: Path, window: Mapping[str, str], allowed: Mapping[str, Collection[str]]
    ) -> SettingsPlan:
        """Read a file and say what it would change.

        Args:
            path: The file.
            window: The window's settings by their ids, as they are.
            allowed: The values that each of them can have.

        Raises:
            SettingsFileInvalid, CardDataRefused, ValueMisplaced: It can't be used, or holds what must not be
                in a file.
        """
        found = await run_in_thread("keybench settings file", partial(_read_file, path))
        await refuse_values(self._world, _texts_of(found))
        here = {one.name.casefold(): one for one in await self._environments.all()}
        unusable: list[Unusable] = []
        changes = self._environments_in(found, here, unusable)
        coming = {change.name.casefold() for change in changes if change.subject == "environment"}
        changes += await self._devices_in(found, here, coming, unusable)
        changes += await self._limits_in(found, unusable)
        strange = [name for name, value in found.window.items() if value not in allowed.get(name, ())]
        changes += [
            Change("window", name, window[name], value)
            for name, value in found.window.items()
            if name not in strange and value != window[name]
        ]
        unknown = *found.unknown, *(f"window.{name}" for name in strange)
        return SettingsPlan(path.name, tuple(changes), tuple(unusable), unknown)

    async def carry_out(self, plan: SettingsPlan) -> dict[str, str]:
        """Make the changes of a plan, those made before a failure stay.

        Returns:
            The window's settings that change, by their ids; to set them is the window's.

        Raises:
            InputInvalid: Something has changed meanwhile, so that one of them can't be made.
            JournalError: They can't be kept.
        """
        for change in plan.changes:
            await self._make(change)
        review = {change.name: change.after for change in plan.changes if change.subject == "review"}
        if review:
            await self._settings.save(texts_of(await self._settings.read()) | review)
        return {change.name: change.after for change in plan.changes if change.subject == "window"}

    async def _make(self, change: Change) -> None:
        match change.subject:
            case "environment" if change.entry:
                entry = change.entry
                await self._environments.add(
                    entry.name,
                    EnvironmentKind(entry.kind),
                    entry.base_url,
                    entry.contract,
                    limit=entry.amount_limit,
                    proxy=entry.proxy,
                    portal_url=entry.portal_url,
                )
            case "limit":
                await self._environments.set_limit(await self._named(change.name), change.after)
            case "proxy":
                await self._environments.set_proxy(await self._named(change.name), change.after)
            case "portal":
                await self._environments.edit(await self._named(change.name), portal_url=change.after)
            case "device" | "nickname":
                environment = await self._named(change.place)
                known = {one.id: one for one in await self._world.journal.devices(environment.id)}
                before = known.get(change.name)
                device = Device(change.name, change.after, before.connection if before else "")
                await self._world.journal.remember_devices(environment.id, [device])

    async def _named(self, name: str) -> Environment:
        return await self._environments.named(name)

    def _environments_in(
        self, found: SettingsFile, here: Mapping[str, Environment], unusable: list[Unusable]
    ) -> list[Change]:
        changes: list[Change] = []
        coming: set[str] = set()
        for number, entry in enumerate(found.environments, 1):
            name = entry.name.strip().casefold()
            try:
                if name in coming:
                    raise NameTaken("environment", entry.name)
                changes += self._environment_changes(entry, here.get(name))
            except (InputInvalid, ContractInvalid) as error:
                unusable.append(Unusable(entry.name or f"environments[{number}]", error))
            else:
                coming.add(name)
        return changes

    async def _devices_in(
        self,
        found: SettingsFile,
        here: Mapping[str, Environment],
        coming: Collection[str],
        unusable: list[Unusable],
    ) -> list[Change]:
        changes: list[Change] = []
        held = KeptValues(await self._world.journal.all_keys())
        for device in found.devices:
            try:
                if held.are_in(device.identifier):
                    raise ValueMisplaced("device")
                changes += await self._device_changes(device, here, coming)
            except InputInvalid as error:
                unusable.append(Unusable(device.nickname or device.environment, error))
        return changes

    async def _limits_in(self, found: SettingsFile, unusable: list[Unusable]) -> list[Change]:
        changes: list[Change] = []
        now = texts_of(await self._settings.read())
        for name, text in found.review.items():
            try:
                after = tidy_busy_times(text) if name == BUSY_TIMES else str(parse_days(name, text))
            except InputInvalid as error:
                unusable.append(Unusable(name, error))
            else:
                if after != now[name]:
                    changes.append(Change("review", name, now[name], after))
        return changes

    def _environment_changes(self, entry: EnvironmentEntry, known: Environment | None) -> list[Change]:
        name = clean_text("environment name", entry.name, limit=ENVIRONMENT_NAME_LIMIT)
        if entry.kind not in {EnvironmentKind.TEST, EnvironmentKind.LIVE}:
            raise SettingsFileInvalid(SettingsFileInvalid.KIND)
        address, limit = parse_base_url(entry.base_url), parse_limit(entry.amount_limit)
        proxy, portal = parse_proxy(entry.proxy), parse_portal_url(entry.portal_url)
        if has_user(proxy) and not (known and known.proxy == proxy):
            raise SettingsFileInvalid(SettingsFileInvalid.PROXY_PASSWORD)
        self._world.gateway.facts(entry.contract)
        if known is None:
            told = [entry.kind.upper(), address, entry.contract, *([str(limit)] if limit else [])]
            return [Change("environment", name, "", " · ".join(told), entry=entry)]
        if (known.kind, known.base_url, known.contract) != (entry.kind, address, entry.contract):
            raise SettingsFileInvalid(SettingsFileInvalid.DIFFERS)
        changes: list[Change] = []
        if limit != known.amount_limit:
            changes.append(Change("limit", known.name, _limit(known), "" if limit is None else str(limit)))
        if proxy != known.proxy:
            changes.append(Change("proxy", known.name, known.proxy, proxy))
        if portal not in {"", known.portal_url}:
            changes.append(Change("portal", known.name, known.portal_url, portal))
        return changes

    async def _device_changes(
        self, entry: DeviceEntry, here: Mapping[str, Environment], coming: Collection[str]
    ) -> list[Change]:
        identifier = clean_text("device", entry.identifier)
        nickname = clean_text("nickname", entry.nickname, required=False)
        place = entry.environment.casefold()
        if place not in here and place not in coming:
            raise SettingsFileInvalid(SettingsFileInvalid.NO_ENVIRONMENT)
        known = await self._world.journal.devices(here[place].id) if place in here else ()
        before = next((one for one in known if one.id == identifier), None)
        if before is None:
            return [Change("device", identifier, "", nickname, entry.environment)]
        if nickname in {"", before.nickname}:
            return []
        return [Change("nickname", identifier, before.nickname, nickname, entry.environment)]


def entry_of_environment(environment: Environment) -> EnvironmentEntry:
    """Return an environment as the file describes it."""
    return EnvironmentEntry(
        environment.name,
        environment.kind,
        environment.base_url,
        environment.contract,
        _limit(environment),
        environment.proxy,
        environment.portal_url,
    )


def _limit(environment: Environment) -> str:
    return "" if environment.amount_limit is None else str(environment.amount_limit)


def _texts_of(found: SettingsFile) -> list[tuple[str, str]]:
    """Return every text of a file but the devices' identifiers, with where it stands."""
    texts = [*found.review.items(), *found.window.items()]
    for entry in found.environments:
        texts += [("environment name", entry.name), ("base_url", entry.base_url), ("proxy", entry.proxy)]
        texts.append(("portal_url", entry.portal_url))
    return [*texts, *(("nickname", device.nickname) for device in found.devices)]


def _read_file(path: Path) -> SettingsFile:
    data = read_file(path, MOST_BYTES, SettingsFileInvalid(SettingsFileInvalid.UNREADABLE))
    refuse_card_data("file name", path.name)
    return read_settings(data)
