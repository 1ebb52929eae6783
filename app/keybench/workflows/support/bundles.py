"""Support bundles: collected from the journal, freed of what must not leave, searched and saved."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from keybench import __version__
from keybench.core.card_data import refuse_card_data
from keybench.core.environments.addresses import has_user, proxy_entry
from keybench.core.environments.environment import Environment
from keybench.core.errors import BundleUnsafe, ValueLost
from keybench.core.exchange import Exchange
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import entry_of
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Sale
from keybench.core.secret import Secret
from keybench.core.support.bundle import (
    DIAGNOSIS,
    FORM,
    HAR,
    MANIFEST,
    SETTINGS,
    TIMELINE,
    VERSION,
    VERSIONS,
    BundleFile,
    Documents,
    diagnosis_record,
    environment_record,
    exchange_entry,
    files_of,
    key_record,
    packed,
    placeholder_of,
    placeholders,
    sale_record,
    taken_out,
)
from keybench.core.support.masking import Names, ValueFinder, mask, unsafe_places
from keybench.runtime.identity import computer_names, library_versions, system_name, user_names
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.sales.history import REMOVED

#: Makes the page for people.
Page = Callable[[Documents], str]

#: So many sales are in one, the newest.
MOST_SALES: Final = 200
#: Requests and answers of more characters than these together stay out, the oldest first.
_MOST_OF_EXCHANGES: Final = 12_000_000
LIBRARIES: Final = (
    "PySide6-Essentials",
    "qasync",
    "httpx",
    "httpcore",
    "keyring",
    "SQLAlchemy",
    "truststore",
)
#: Stable words of what is left out, see `words.support.bundle`.
OLDER_SALES: Final = "older sales"
LONG_EXCHANGES: Final = "exchanges beyond the size"
VALUES: Final = "values of keys"
NOT_HELD: Final = "value isn't here"
NEVER: Final = "never in a bundle"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bundle that is ready to be saved: the ZIP byte for byte, looked through and found clean."""

    documents: Documents
    files: tuple[BundleFile, ...]
    data: bytes = field(repr=False)


def usual_names(person: str = "") -> Names:
    """Return by which names this computer, its user and the person, as entered in Keybench, are known."""
    return Names(computer_names(), [*user_names(), person])


@guarded
class Bundles:
    """The use cases; `page` makes the page for people, `names` returns what must not be in a bundle."""

    def __init__(self, console: Console, page: Page, names: Callable[[], Names] = usual_names) -> None:
        self._console = console
        self._world = console.world
        self._page = page
        self._names = names

    async def prepare(
        self,
        reference: str = "",
        *,
        diagnosis: Mapping[str, Any] | None = None,
        asked: Sequence[Exchange] = (),
    ) -> Prepared:
        """Collect a bundle about one sale or the newest, free it of what must not leave, and look it through.

        Every value that is held is read for the search; where one can't be, there is no bundle.
        """
        names = self._names()
        keys = await self._world.journal.all_keys()
        environments = await self._console.environments.all()
        # A placeholder holds no name that must not be there either.
        marks = placeholders({key.id: names.replaced(key.name)[0] for key in keys})
        values, lost = await self._values(keys, environments, marks, names)
        left = [taken_out(VALUES, count=len(keys)), taken_out(NEVER)]
        left += [taken_out(NOT_HELD, marks[key.id]) for key in keys if key.id in lost]
        sales = [await self._console.sale(reference)] if reference else await self._newest()
        if not reference:
            older = await self._console.history.count(SaleFilter()) - len(sales)
            left += [taken_out(OLDER_SALES, count=older)] if older > 0 else []
        told, entries, too_long = await self._sales(sales, environments, marks, names)
        left += [taken_out(LONG_EXCHANGES, count=too_long)] if too_long else []
        saved_at = self._world.clock.now().astimezone(UTC).replace(microsecond=0)
        log = {"version": "1.2", "creator": {"name": "Keybench", "version": __version__}}
        documents: Documents = {
            TIMELINE: {"sales": told},
            HAR: {"log": {**log, "entries": [*entries, *(exchange_entry(one, "", "") for one in asked)]}},
            DIAGNOSIS: dict(diagnosis or diagnosis_record([])),
            VERSIONS: {
                "keybench": __version__,
                "python": platform.python_version(),
                "system": system_name(),
                "libraries": list(map(list, library_versions(LIBRARIES))),
            },
            SETTINGS: await self._settings(keys, environments, marks, lost),
            MANIFEST: {
                FORM: VERSION,
                "saved_at": saved_at.isoformat(),
                "about": reference,
                "taken_out": left,
            },
        }
        work = partial(_finished, documents, saved_at, values, names, self._page)
        return await run_in_thread("keybench bundle", work)

    async def save(self, prepared: Prepared, path: Path) -> None:
        """Write a bundle that was prepared to a file."""
        refuse_card_data("file name", path.name)
        await save(path, prepared.data)
        about = prepared.documents[MANIFEST]["about"] or "newest sales"
        await self._world.note_activity("support bundle saved", "", about, f"{len(prepared.files)} files")

    # --- collecting ----------------------------------------------------------------------------------

    async def _values(
        self,
        keys: Sequence[SecurityKey],
        environments: Sequence[Environment],
        marks: Mapping[str, str],
        names: Names,
    ) -> tuple[list[tuple[str, Secret]], set[str]]:
        """Return every value that is held with its placeholder, and the ids of keys that have none here."""
        entries = [(entry_of(key), marks[key.id], key.id) for key in keys]
        making = [(plan.environment_id, plan.making) for plan in await self._world.journal.key_plans()]
        making += [
            (rotation.environment_id, rotation.making)
            for rotation in await self._world.journal.rotations()
            if rotation.is_open and rotation.making
        ]
        entries += [
            (f"{where}/{one.key_id}", placeholder_of(names.replaced(one.draft.name)[0]), "")
            for where, one in making
        ]
        entries += [
            (proxy_entry(one.id), f"<proxy password:{names.replaced(one.name)[0]}>", "")
            for one in environments
            if has_user(one.proxy)
        ]
        values: list[tuple[str, Secret]] = []
        lost: set[str] = set()
        for entry, mark, key_id in entries:
            try:
                values.append((mark, await self._world.keystore.read(entry)))
            except ValueLost:
                lost.add(key_id)
        return values, lost

    async def _settings(
        self,
        keys: Sequence[SecurityKey],
        environments: Sequence[Environment],
        marks: Mapping[str, str],
        lost: set[str],
    ) -> dict[str, Any]:
        names = {one.id: one.name for one in environments}
        devices = [
            {
                "environment": one.name,
                "identifier": device.id,
                "nickname": device.nickname,
                "connection": device.connection,
            }
            for one in environments
            for device in await self._world.journal.devices(one.id)
        ]
        return {
            "environments": list(map(environment_record, environments)),
            "devices": devices,
            "keys": [
                key_record(
                    key,
                    marks[key.id],
                    names.get(key.environment_id, REMOVED),
                    has_value=key.id not in lost,
                )
                for key in keys
            ],
        }

    async def _sales(
        self,
        sales: Sequence[Sale],
        environments: Sequence[Environment],
        marks: Mapping[str, str],
        names: Names,
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
        """Return sales and their exchanges as they are bundled, and how many exchanges stay out."""
        places = await self._world.environment_names({sale.environment_id for sale in sales})
        places |= {one.id: one.name for one in environments}
        told: list[dict[str, Any]] = []
        entries: list[dict[str, Any]] = []
        room, too_long = _MOST_OF_EXCHANGES, 0
        for sale in sales:
            place = places.get(sale.environment_id, REMOVED)
            mark = marks.get(sale.key_id, placeholder_of(names.replaced(sale.key_name)[0]))
            told.append(sale_record(sale, place, mark, await self._console.timeline(sale.reference)))
            found = await self._console.exchanges(sale.reference)
            room -= sum(len(one.request_body) + len(one.response_body) + 500 for one in found)
            if room < 0:
                too_long += len(found)
            else:
                entries += [exchange_entry(one, sale.reference, mark) for one in found]
        return told, entries, too_long

    async def _newest(self) -> list[Sale]:
        await self._console.log.write_polls()
        page = await self._console.history.page(SaleFilter(), limit=MOST_SALES)
        return list(map(self._console.log.pending.latest, page))


def _finished(
    documents: Documents, saved_at: datetime, values: Iterable[tuple[str, Secret]], names: Names, page: Page
) -> Prepared:
    """Take out what must not leave, make the file and look it through; takes seconds, so on a thread."""
    finder = ValueFinder(values)
    documents[MANIFEST]["taken_out"] += mask(documents, finder, names)
    files = files_of(documents, page(documents))
    if places := unsafe_places(files, finder):
        raise BundleUnsafe(places)
    return Prepared(documents, files, packed(files, saved_at))
