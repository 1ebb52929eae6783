"""Taking over a list of keys that exist elsewhere: their descriptions, never their values."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.csv_lists import MOST_BYTES, DateForm, KeyList, ListedKey, WrongRow, read_key_list
from keybench.core.environments.environment import Environment
from keybench.core.events import KeysChanged
from keybench.core.input_errors import InputInvalid, KeyListInvalid, NameTaken, NotFound, ValueMisplaced
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.text import clean_text
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import Progress, save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.guard import KeptValues, guarded
from keybench.workflows.world import World

#: The first line tells spreadsheets the separator, which is another one in half of the world.
TEMPLATE: Final = """\
sep=,\r
name,username,permission,kind,purpose,owner,environment,created\r
Till 1,mira,API,private,Sells at till 1,Shop floor,practice,2026-03-31\r
"""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A key that would be imported, without a value; it stands on this line of the file, counted from 1."""

    line: int
    key: SecurityKey
    environment: Environment


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What a list would bring, before anything is imported."""

    source: str
    rows: tuple[ImportRow, ...]
    wrong: tuple[WrongRow, ...]


@guarded
class KeyImport:
    """The use case."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def read(self, path: Path, usual: Environment, dates: DateForm | None = None) -> ImportPlan:
        """Read a list and say what it would bring."""
        found = await run_in_thread("keybench key list", partial(_read_file, path, dates))
        places = {one.name.casefold(): one for one in await self._world.journal.environments()}
        known = await self._world.journal.all_keys()
        taken, held = {(key.environment_id, key.name.casefold()) for key in known}, KeptValues(known)
        good: list[ImportRow] = []
        wrong: list[WrongRow] = list(found.wrong)
        for row in found.rows:
            try:
                _refuse_values(row, held)
                environment = places.get(row.environment.casefold()) if row.environment else usual
                if environment is None:
                    raise NotFound("environment", row.environment)
                name = environment.id, row.name.casefold()
                if name in taken:
                    raise NameTaken("key", row.name)
            except InputInvalid as error:
                wrong.append(WrongRow(row.line, error))
            else:
                taken.add(name)
                good.append(ImportRow(row.line, self._key(row, environment), environment))
        return ImportPlan(path.name, tuple(good), tuple(sorted(wrong, key=lambda one: one.line)))

    async def save_template(self, path: Path) -> None:
        """Save a list with one key, to be filled in."""
        await save(path, TEMPLATE)

    async def take_over(self, plan: ImportPlan, by: str, progress: Progress | None = None) -> int:
        """Add the plan's keys and return how many; the ones added before a failure stay."""
        who = clean_text("your name", by, required=False)
        result = f"from {plan.source}"
        added: set[str] = set()
        try:
            for count, one in enumerate(plan.rows, 1):
                await self._world.journal.add_key(one.key)
                added.add(one.environment.id)
                await self._world.note_activity(
                    "key imported", one.environment.id, one.key.name, result, by=who
                )
                if progress:
                    progress(count, len(plan.rows))
        finally:
            for environment_id in sorted(added):
                self._world.events.publish(KeysChanged(environment_id))
        return len(plan.rows)

    def _key(self, row: ListedKey, environment: Environment) -> SecurityKey:
        now = self._world.clock.now()
        return SecurityKey(
            id=uuid.uuid4().hex,
            environment_id=environment.id,
            name=row.name,
            username=row.username,
            permission=row.permission,
            kind=row.kind,
            purpose=row.purpose,
            fingerprint="",
            created_at=min(row.created_at or now, now),
            state=KeyState.NO_VALUE,
            owner=row.owner,
            imported_at=now,
        )


def _refuse_values(row: ListedKey, held: KeptValues) -> None:
    for where in ("name", "username", "permission", "purpose", "owner", "environment"):
        if held.are_in(getattr(row, where)):
            raise ValueMisplaced(where)


def _read_file(path: Path, dates: DateForm | None = None) -> KeyList:
    data = read_file(path, MOST_BYTES, KeyListInvalid(KeyListInvalid.UNREADABLE))
    refuse_card_data("file name", path.name)
    return read_key_list(data, dates)
