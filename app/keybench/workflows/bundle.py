"""Support bundles: collected from the journal, freed of what must not leave, searched, saved and opened."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from keybench import __version__
from keybench.core.addresses import has_user, proxy_entry
from keybench.core.admin_settings import texts_of
from keybench.core.bundle import (
    Bundle,
    BundleDevice,
    BundleDiagnosis,
    BundleEnvironment,
    BundleEvent,
    BundleExchange,
    BundleKey,
    BundleSale,
    BundleSettings,
    TakenOut,
    Versions,
    bundled_exchange,
    bundled_sale,
    placeholder_of,
    placeholders,
)
from keybench.core.bundle_masking import Masking, Names, where_words
from keybench.core.card_data import refuse_card_data
from keybench.core.environment import NO_PROXY, SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.errors import BundleInvalid, BundleUnsafe, ValueLost
from keybench.core.exchange import Exchange, Timings
from keybench.core.history import SaleFilter
from keybench.core.ports import entry_of
from keybench.core.sale import Mark, Outcome, Sale, SaleMode, SaleStage
from keybench.core.secret import Secret
from keybench.core.security_key import KeyKind, KeyState, SecurityKey
from keybench.core.value_finder import ValueFinder
from keybench.runtime.documents import from_plain, write_document
from keybench.runtime.file_system import read_file
from keybench.runtime.identity import computer_names, library_versions, system_name, user_names
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.admin_settings import SettingsOfKeys
from keybench.workflows.bundle_file import (
    MOST_BYTES,
    BundleFile,
    files_of,
    packed,
    read_bundle,
    unsafe_places,
)
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.history import REMOVED

#: Makes the page for people.
Page = Callable[[Bundle], str]
#: Given a stable word of what is done just now, and how much of it is done of how much; 0 of 0 is unknown.
Progress = Callable[[str, int, int], None]

#: So many sales are listed, the newest, and so many of them are told in full.
MOST_SALES: Final = 10_000
MOST_TOLD: Final = 200
#: Requests and answers of more characters than these together stay out, the oldest first.
_MOST_OF_EXCHANGES: Final = 12_000_000
_PAGE: Final = 250
LIBRARIES: Final = (
    "PySide6-Essentials",
    "qasync",
    "httpx",
    "httpcore",
    "keyring",
    "SQLAlchemy",
    "truststore",
)
#: Stable words of what is left out, see `words.bundle`.
OLDER_SALES: Final = "older sales"
OLDER_EXCHANGES: Final = "exchanges of older sales"
LONG_EXCHANGES: Final = "exchanges beyond the size"
VALUES: Final = "values of keys"
NOT_HELD: Final = "value isn't here"
OWN_WORD: Final = "a name that is a word"
NEVER: Final = "never in a bundle"
READING_KEYS: Final = "reading keys"
READING_SALES: Final = "reading sales"
SEARCHING: Final = "searching"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bundle that is ready to be saved: it was looked through, and nothing that must not leave was found.

    Attributes:
        files: What is in the ZIP, in order.
        data: The ZIP, byte for byte as it is saved.
    """

    bundle: Bundle
    files: tuple[BundleFile, ...]
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Collected:
    """What was read, before anything is taken out."""

    bundle: Bundle
    values: Sequence[tuple[str, Secret]] = field(repr=False)


def usual_names(person: str = "") -> Names:
    """Return by which names this computer and the person at it are known.

    Args:
        person: What the person is called in Keybench; empty if nothing was entered.
    """
    return Names(computer_names(), [*user_names(), person])


@guarded
class Bundles:
    """The use cases.

    Args:
        console: What is bundled.
        page: Makes the page for people.
        names: Returns the names that must not be in a bundle.
    """

    def __init__(self, console: Console, page: Page, names: Callable[[], Names] = usual_names) -> None:
        self._console = console
        self._world = console.world
        self._page = page
        self._names = names

    async def prepare(
        self,
        reference: str = "",
        *,
        diagnosis: BundleDiagnosis | None = None,
        asked: Sequence[Exchange] = (),
        window: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Prepared:
        """Collect a bundle, take out what must not be in it, and look the finished bytes through.

        Every value that is held is read from the keystore for that, and not kept.

        Args:
            reference: Of the sale it is about; empty for the newest sales.
            diagnosis: Goes along if there is one.
            asked: What the diagnosis asked of the gateway, redacted.
            window: The window's settings by their ids.
            progress: Told how far it is.

        Raises:
            NotFound: There is no such sale.
            KeystoreError: A value can't be read, so nobody could search for it; there is no bundle then.
            BundleUnsafe: Something was found in the finished bytes.
            JournalError: What happened can't be read.
        """
        told = progress or _quiet
        keys = await self._world.journal.all_keys()
        environments = await self._console.environments.all()
        names = {one.id: one.name for one in environments}
        marks = placeholders(keys, names)
        values, lost = await self._values(keys, environments, marks, told)
        settings = await self._settings(keys, environments, marks, lost, window or {})
        bundle = Bundle(
            saved_at=self._world.clock.now().astimezone(UTC).replace(microsecond=0),
            versions=Versions(
                __version__, platform.python_version(), system_name(), tuple(library_versions(LIBRARIES))
            ),
            settings=settings,
            diagnosis=diagnosis or BundleDiagnosis(),
            about=reference,
        )
        bundle = await self._with_sales(bundle, reference, marks, names, told)
        bundle = replace(
            bundle, exchanges=(*bundle.exchanges, *(bundled_exchange(one, "", "") for one in asked))
        )
        told(SEARCHING, 0, 0)
        return await run_in_thread(
            "keybench bundle", partial(_finished, _Collected(bundle, values), self._names(), self._page)
        )

    async def save(self, prepared: Prepared, path: Path) -> None:
        """Write a bundle that was prepared to a file.

        Raises:
            FileNotSaved: There is no right or no room to; what stood there before is untouched.
            CardDataRefused: The file's name holds card data.
        """
        refuse_card_data("file name", path.name)
        await save(path, prepared.data)
        about = prepared.bundle.about or "newest sales"
        await self._world.note_activity("support bundle saved", "", about, f"{len(prepared.files)} files")

    async def open(self, path: Path) -> Bundle:
        """Return what a bundle's file tells; nothing of it is kept.

        Raises:
            BundleInvalid: It isn't one.
        """
        return await run_in_thread("keybench bundle", partial(_read_file, path))

    # --- collecting ----------------------------------------------------------------------------------

    async def _values(
        self,
        keys: Sequence[SecurityKey],
        environments: Sequence[Environment],
        marks: Mapping[str, str],
        told: Progress,
    ) -> tuple[list[tuple[str, Secret]], set[str]]:
        """Return every value that is held with its placeholder, and the ids of keys that have none here.

        Raises:
            KeystoreError: One can't be read.
        """
        entries = [(entry_of(key), marks[key.id], key.id) for key in keys]
        making = [(plan.environment_id, plan.making) for plan in await self._world.journal.key_plans()]
        making += [
            (rotation.environment_id, rotation.making)
            for rotation in await self._world.journal.rotations()
            if rotation.is_open and rotation.making
        ]
        entries += [(f"{where}/{one.key_id}", placeholder_of(one.draft.name), "") for where, one in making]
        entries += [
            (proxy_entry(one.id), f"<proxy password:{one.name}>", "")
            for one in environments
            if has_user(one.proxy)
        ]
        values: list[tuple[str, Secret]] = []
        lost: set[str] = set()
        for number, (entry, mark, key_id) in enumerate(entries):
            told(READING_KEYS, number, len(entries))
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
        window: Mapping[str, str],
    ) -> BundleSettings:
        names = {one.id: one.name for one in environments}
        devices = [
            BundleDevice(one.name, device.id, device.nickname, device.connection)
            for one in environments
            for device in await self._world.journal.devices(one.id)
        ]
        review = texts_of(await SettingsOfKeys(self._world).read())
        return BundleSettings(
            environments=tuple(
                BundleEnvironment(
                    one.name,
                    one.kind,
                    one.base_url,
                    one.contract,
                    "" if one.amount_limit is None else str(one.amount_limit),
                    one.proxy if one.proxy in {SYSTEM_PROXY, NO_PROXY} else "its own",
                )
                for one in environments
            ),
            devices=tuple(devices),
            keys=tuple(
                BundleKey(
                    marks[key.id],
                    names.get(key.environment_id, REMOVED),
                    key.name,
                    key.username,
                    key.permission,
                    key.kind.value,
                    key.fingerprint,
                    key.state.value,
                    key.status,
                    key.tested_at,
                    key.id not in lost,
                )
                for key in keys
            ),
            review=tuple(sorted(review.items())),
            window=tuple(sorted(window.items())),
        )

    async def _with_sales(
        self,
        bundle: Bundle,
        reference: str,
        marks: Mapping[str, str],
        names: Mapping[str, str],
        told: Progress,
    ) -> Bundle:
        sales = [await self._console.sale(reference)] if reference else await self._newest(told)
        places = await self._world.environment_names({sale.environment_id for sale in sales})
        in_full = {sale.reference for sale in sales[:MOST_TOLD]}
        kept: list[BundleSale] = []
        exchanges: list[BundleExchange] = []
        room = _MOST_OF_EXCHANGES
        too_long = 0
        for number, sale in enumerate(sales):
            place = names.get(sale.environment_id) or places.get(sale.environment_id, REMOVED)
            mark = marks.get(sale.key_id, placeholder_of(sale.key_name))
            if sale.reference not in in_full:
                kept.append(bundled_sale(sale, place, mark, None))
                continue
            told(READING_SALES, number, len(in_full))
            kept.append(bundled_sale(sale, place, mark, await self._console.timeline(sale.reference)))
            found = await self._console.exchanges(sale.reference)
            room -= sum(len(one.request_body) + len(one.response_body) + 500 for one in found)
            if room < 0:
                too_long += len(found)
            else:
                exchanges += [bundled_exchange(one, sale.reference, mark) for one in found]
        left = [TakenOut(VALUES, "", len(bundle.settings.keys)), TakenOut(NEVER)]
        left += [TakenOut(NOT_HELD, one.placeholder) for one in bundle.settings.keys if not one.has_value]
        if not reference:
            total = await self._console.history.count(SaleFilter())
            older, untold = total - len(sales), len(sales) - len(in_full)
            left += [TakenOut(OLDER_SALES, "", older)] if older > 0 else []
            left += [TakenOut(OLDER_EXCHANGES, "", untold)] if untold > 0 else []
        left += [TakenOut(LONG_EXCHANGES, "", too_long)] if too_long else []
        return replace(bundle, sales=tuple(kept), exchanges=tuple(exchanges), taken_out=tuple(left))

    async def _newest(self, told: Progress) -> list[Sale]:
        await self._console.log.write_polls()
        sales: list[Sale] = []
        full = True
        while full and len(sales) < MOST_SALES:
            told(READING_SALES, 0, 0)
            after = sales[-1].reference if sales else ""
            page = await self._console.history.page(SaleFilter(), after=after, limit=_PAGE)
            sales += map(self._console.log.pending.latest, page)
            full = len(page) == _PAGE
        return sales


def _finished(collected: _Collected, names: Names, page: Page) -> Prepared:
    """Take out what must not leave, make the file and look it through; takes seconds, so on a thread.

    Raises:
        BundleUnsafe: Something was found in the finished bytes.
    """
    own = own_words(page) & set(names.by_name)
    masking = Masking(collected.values, names)
    left = collected.bundle.taken_out
    plain = json.loads(write_document(replace(collected.bundle, taken_out=())))
    taken = where_words(masking.apply(plain), plain)
    left += tuple(TakenOut(OWN_WORD, names.by_name[name]) for name in sorted(own))
    bundle = replace(from_plain(Bundle, plain), taken_out=(*left, *taken))
    files = files_of(bundle, page(bundle))
    data = packed(files, bundle.saved_at)
    places = unsafe_places(data, ValueFinder(collected.values), names, own)
    if places:
        raise BundleUnsafe(places)
    return Prepared(bundle, files, data)


_WORD: Final = re.compile(r"[^\W_]+")


def own_words(page: Page) -> set[str]:
    """Return the words that are in every bundle, whatever happened here: those of the program itself."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    sale = BundleSale(
        "KB", "", "", "", "", "1.00", "USD", SaleMode.ASYNCHRONOUS, SaleStage.FINISHED, now, is_told=True,
        events=(BundleEvent(now, Mark.NOTED),), outcome=Outcome.UNKNOWN,
    )  # fmt: skip
    exchange = Exchange(
        now, "POST", "https://h/", (("a", "b"),), "", 200, (("a", "b"),), "", "", Timings(1.0)
    )
    settings = BundleSettings(
        environments=(BundleEnvironment("", EnvironmentKind.TEST, "", ""),),
        devices=(BundleDevice("", ""),),
        keys=(BundleKey("", "", "", "", "", "", "", "", 0, None, has_value=True),),
    )
    sample = Bundle(
        now, Versions("", "", ""), settings, (sale,), (BundleExchange("KB", exchange),), about="KB",
        taken_out=(TakenOut(NEVER), TakenOut(VALUES)),
    )  # fmt: skip
    texts = [file.text for file in files_of(sample, page(sample))]
    kinds = (Outcome, SaleMode, SaleStage, Mark, EnvironmentKind, KeyKind, KeyState)
    texts += [one.value for kind in kinds for one in kind]
    return {word.lower() for text in texts for word in _WORD.findall(text)}


def _read_file(path: Path) -> Bundle:
    data = read_file(path, MOST_BYTES, BundleInvalid(BundleInvalid.UNREADABLE))
    return read_bundle(data)


def _quiet(_step: str, _done: int, _total: int) -> None:
    """Tell nobody."""
