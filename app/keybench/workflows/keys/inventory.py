"""The inventory of every environment's keys: seen without one keystore call, exported, put right."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.environment import Environment
from keybench.core.errors import JournalError
from keybench.core.events import KeysChanged
from keybench.core.input_errors import NotFound
from keybench.core.keys.admin_settings import FIGURES, AdminSettings, parse_days, stored_settings, texts_of
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey, tidy_value
from keybench.core.keys.review import Snapshot
from keybench.core.ports import entry_of
from keybench.core.secret import fingerprint, folded_fingerprint
from keybench.core.team.edits import Contradiction, Edit, Edited
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.saving import Record, write_records
from keybench.workflows.calling import value_changed
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.keys.add import AddedKey
from keybench.workflows.world import CHANGED, World


@guarded
class SettingsOfKeys:
    """The use cases about these settings; every method may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def read(self) -> AdminSettings:
        """Return the settings in force."""
        journal = self._world.journal
        return stored_settings({name: await journal.setting(f"keys.{name}") for name in FIGURES})

    async def save(self, entered: Mapping[str, str]) -> AdminSettings:
        """Keep the settings a person entered, usual where left out; nothing is kept if one can't be used."""
        for text in entered.values():
            refuse_card_data("setting", text)
        wanted = AdminSettings(**{name: parse_days(name, entered.get(name, "")) for name in FIGURES})
        before = texts_of(await self.read())
        for name, text in texts_of(wanted).items():
            if text != before[name]:
                await self._keep(name, text)
        return wanted

    async def _keep(self, name: str, text: str) -> None:
        await self._world.journal.update_setting(f"keys.{name}", lambda _stored: text)
        await self._world.note_activity("key limit set", "", name.replace("_", " "), text)


COLUMNS: Final = (
    *("environment", "environment_kind", "name", "username", "permission", "kind", "purpose", "owner"),
    *("created", "tested", "tried", "trial", "used", "state", "status", "fingerprint", "applications"),
    *("rotating", "compromised", "held_at"),
)


@guarded
class Inventory:
    """The use cases."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._world = console.world
        self._settings = SettingsOfKeys(console.world)

    async def rows(self, environment: Environment | None = None) -> Sequence[InventoryRow]:
        """Return the keys of every environment, or of one, without a call to the keystore."""
        world, where = self._world, environment.id if environment else None
        rows = await self.keys_alone(environment)
        known = Snapshot(
            now=world.clock.now(),
            environments=tuple({row.environment.id: row.environment for row in rows}.values()),
            keys=[row.key for row in rows],
            applications=await world.journal.applications(where),
            rotations=await world.journal.rotations(where),
            settings=await self._settings.read(),
        )
        held_at = (await self._console.look_at_team()).held_at
        return [
            replace(row, marks=known.marks(row.key, row.environment), held_at=held_at(row.key))
            for row in rows
        ]

    async def keys_alone(self, environment: Environment | None = None) -> Sequence[InventoryRow]:
        """Return the rows without what the register says of them, which takes a third as long as `rows`."""
        if environment:
            return [InventoryRow(key, environment) for key in await self._world.journal.keys(environment.id)]
        by_id = {one.id: one for one in await self._world.journal.environments()}
        keys = await self._world.journal.all_keys()
        return [InventoryRow(key, by_id[key.environment_id]) for key in keys if key.environment_id in by_id]

    async def export(self, path: Path, rows: Sequence[InventoryRow]) -> int:
        """Write keys to a file, without their values, and return how many."""

        async def page() -> AsyncIterator[Sequence[Record]]:
            yield [record_of(row) for row in rows]

        return await write_records(path, COLUMNS, page())

    async def give_value(self, environment: Environment, key: SecurityKey, pasted: str) -> AddedKey:
        """Keep a pasted value for a key that has none here, or no longer the right one."""
        known = await self._console.calling.key(environment.id, key.id)
        value = tidy_value(pasted, known.kind)
        words, folded = fingerprint(value.value), folded_fingerprint(value.value)
        async with value_changed(self._world.keystore, entry_of(known), value.value):
            given = await self._world.journal.update_key(known.id, lambda stored: stored.given(words, folded))
        with suppress(JournalError, NotFound):  # what its last test was answered is another value's now
            await self._world.journal.keep_key_exchanges(known.id, ())
        change = f"{known.fingerprint} → {given.fingerprint}" if known.fingerprint else given.fingerprint
        await self._noted("value given", given, change, given.fingerprint)
        return AddedKey(given, value.hint)

    async def edit(self, key: SecurityKey, owner: str, purpose: str) -> SecurityKey:
        """Change who answers for a key, as the person saw it, and what it is for; return it as it then is."""
        who = clean_text("owner", owner, required=False)
        what_for = clean_text("purpose", purpose, limit=PURPOSE_LIMIT, required=False)
        known = await self._console.calling.key(key.environment_id, key.id)
        seen, wanted = {"owner": key.owner, "purpose": key.purpose}, {"owner": who, "purpose": what_for}
        changed = [name for name, text in wanted.items() if text not in {seen[name], getattr(known, name)}]
        if not changed:
            return known
        line = self._world.line("key edited", known.environment_id, known.name, " and ".join(changed))
        await self._world.edit(Edit(Edited.KEY, known.environment_id, known.id, seen, wanted, line))
        return await self._console.calling.key(key.environment_id, key.id)

    async def contradictions(self) -> Sequence[Contradiction]:
        """Return the edits of keys, applications and devices that contradict, the oldest first."""
        return await self._world.journal.contradictions()

    async def settle(self, found: Contradiction, *, take_other: bool) -> None:
        """Keep what stands, or take what the other person wrote."""
        await self._world.journal.settle(found.number, take_other=take_other)
        chosen = f"{found.field or 'removal'}: {'other taken' if take_other else 'kept'}"
        await self._world.note_activity("contradiction settled", found.environment_id, found.record, chosen)
        self._world.events.publish(CHANGED[found.what](found.environment_id))

    async def _noted(self, action: str, key: SecurityKey, result: str, fingerprint: str = "") -> None:
        await self._world.note_activity(action, key.environment_id, key.name, result, fingerprint=fingerprint)
        self._world.events.publish(KeysChanged(key.environment_id))


def record_of(row: InventoryRow) -> Record:
    """Return a key as it is exported: nothing of its value but the fingerprint."""
    key = row.key
    return {
        "environment": row.environment.name,
        "environment_kind": row.environment.kind.value,
        "name": key.name,
        "username": key.username,
        "permission": key.permission,
        "kind": key.kind.value,
        "purpose": key.purpose,
        "owner": key.owner,
        "created": key.created_at.isoformat(),
        "tested": key.tested_at.isoformat() if key.tested_at else "",
        "tried": key.tried_at.isoformat() if key.tried_at else "",
        "trial": key.trial.value if key.trial else "",
        "used": row.last_use.isoformat() if row.last_use else "",
        "state": key.standing,
        "status": key.status or "",
        "fingerprint": key.fingerprint,
        "applications": len(row.applications),
        "rotating": "yes" if row.rotating else "no",
        "compromised": "yes" if key.compromised else "no",
        "held_at": ", ".join(row.held_at),
    }
