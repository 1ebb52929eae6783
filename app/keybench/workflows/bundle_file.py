"""The ZIP that a support bundle is: how it is made, searched once more, and read where it was sent to."""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, Final

from keybench.core.bundle import (
    CARD,
    VERSION,
    Bundle,
    BundleDiagnosis,
    BundleExchange,
    BundleSale,
    BundleSettings,
    TakenOut,
    Versions,
)
from keybench.core.bundle_masking import Names
from keybench.core.card_data import holds_card_data
from keybench.core.errors import BundleInvalid
from keybench.core.exchange import Exchange, Timings, as_har
from keybench.core.value_finder import Tree, ValueFinder, unescaped
from keybench.runtime.documents import UnreadableDocument, from_plain, to_plain

PAGE: Final = "read-me-first.html"
MANIFEST: Final = "bundle.json"
TIMELINE: Final = "timeline.json"
HAR: Final = "exchanges.har"
DIAGNOSIS: Final = "diagnosis.json"
VERSIONS: Final = "versions.json"
SETTINGS: Final = "settings.json"
#: Every file of a bundle, in its order.
FILES: Final = (PAGE, TIMELINE, HAR, DIAGNOSIS, VERSIONS, SETTINGS, MANIFEST)
_MARK: Final = "keybench_bundle"
#: HAR lets programs add fields of this form; what it has no field for is there.
_OURS: Final = "_keybench"
#: What is read of a file at the most, packed, each of its files, and all of them.
MOST_BYTES: Final = 32_000_000
MOST_OF_A_FILE: Final = 64_000_000
MOST_OF_ALL: Final = 128_000_000
#: What Python's reader of ZIPs raises at files that are damaged, or made to harm.
_UNZIPPING: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, NotImplementedError),
    *(RuntimeError, EOFError, OSError, ValueError),
)
_PACKINGS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_LEVEL: Final = 6
#: An ordinary file that everybody may read.
_RIGHTS: Final = 0o100644 << 16
_FIRST_YEAR: Final = 1971
_LAST_YEAR: Final = 9000
#: No figure of a console is larger.
_HIGHEST: Final = 1e12
_CARD_RUN: Final = re.compile(
    r"[0-9A-Za-z-]{0,64}(?<![0-9])[0-9](?:[ ,._/*-]{0,3}[0-9]){12,}[0-9A-Za-z-]{0,64}"
    r"|%B[0-9 ]{12,22}\^|;[0-9]{12,19}=[0-9]{4}"
)


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """What it says; all of them are texts."""
        return self.data.decode("utf-8", "replace")


def files_of(bundle: Bundle, page: str) -> tuple[BundleFile, ...]:
    """Return the files of a bundle, in their order.

    Args:
        bundle: What they tell.
        page: The page for people.
    """
    plain = to_plain(bundle)
    manifest = {
        _MARK: VERSION,
        "saved_at": plain["saved_at"],
        "about": bundle.about,
        "taken_out": plain["taken_out"],
    }
    texts = {
        PAGE: page,
        TIMELINE: _json({"sales": list(map(_brief, plain["sales"]))}),
        HAR: _har(bundle),
        DIAGNOSIS: _json(plain["diagnosis"]),
        VERSIONS: _json(plain["versions"]),
        SETTINGS: _json(plain["settings"]),
        MANIFEST: _json(manifest),
    }
    return tuple(BundleFile(name, texts[name].encode("utf-8", "replace")) for name in FILES)


def packed(files: Sequence[BundleFile], saved_at: datetime) -> bytes:
    """Return the files as a ZIP: the same bytes for the same files and date."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, saved_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            entry.external_attr = _RIGHTS
            archive.writestr(entry, file.data)
    return out.getvalue()


def unsafe_places(
    data: bytes, finder: ValueFinder, names: Names, own_words: Collection[str] = ()
) -> list[tuple[str, str, str]]:
    """Look finished bytes through for what must not be in them.

    Args:
        data: The ZIP.
        finder: Looks for the values.
        names: The computer's and the user's.
        own_words: Names that are words of this program too; they can't be told from those here.

    Returns:
        The placeholder of each thing that was found, the file in which it is, and where there.
    """
    found: dict[tuple[str, str, str], None] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            text = archive.read(entry).decode("utf-8", "replace")
            for what, where in _unsafe_in(f"{entry.filename}\n{text}", finder, names, own_words):
                found[what, entry.filename, where] = None
            if not entry.filename.endswith(".html"):
                for hit in finder.in_tree(Tree([json.loads(text)])):
                    found[hit.label, entry.filename, hit.where] = None
    for hit in finder.in_text(data.decode("latin-1")):
        found[hit.label, "", hit.where] = None
    return list(found)


def _unsafe_in(
    text: str, finder: ValueFinder, names: Names, own_words: Collection[str]
) -> Iterator[tuple[str, str]]:
    for hit in finder.in_text(text):
        yield hit.label, hit.where
    for run in _CARD_RUN.finditer(text):
        if holds_card_data(run[0]):
            yield CARD, _line(text, run.start())
    read = unescaped(text)
    for name in names.found(read):
        if name[0].lower() not in own_words:
            yield names.mark_of(name), _line(read, name.start())


def _line(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at)}"  # the file's name stands before its first


def read_bundle(data: bytes) -> Bundle:
    """Return what a support bundle tells. Nothing is unpacked to the disk.

    Raises:
        BundleInvalid: It isn't one, is a newer Keybench's, or is larger than any bundle.
    """
    if len(data) > MOST_BYTES:
        raise BundleInvalid(BundleInvalid.TOO_LARGE)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = _texts(archive)
    except _UNZIPPING:
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE) from None
    manifest = _read_json(texts[MANIFEST])
    version = manifest.get(_MARK) if isinstance(manifest, dict) else None
    if type(version) is not int or version < 1:
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
    if version > VERSION:
        raise BundleInvalid(BundleInvalid.NEWER)
    try:
        bundle = _bundle(manifest, texts)
    except (UnreadableDocument, LookupError, TypeError, ValueError, AttributeError):
        raise BundleInvalid(BundleInvalid.DAMAGED) from None
    _check_times(bundle)
    return bundle


def _texts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the texts of the files that a bundle has; anything else makes it none."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if sorted(names) != sorted(FILES):
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
    texts: dict[str, str] = {}
    room = MOST_OF_ALL
    for entry in entries:
        if entry.compress_type not in _PACKINGS or entry.flag_bits & 1:
            raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
        # What it says of its size may be a lie, so no more is read than that.
        most = min(MOST_OF_A_FILE, room)
        with archive.open(entry) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise BundleInvalid(BundleInvalid.TOO_LARGE)
        room -= len(data)
        texts[entry.filename] = data.decode("utf-8")
    return texts


def _read_json(text: str) -> Any:
    def no_number(_name: str) -> float:
        raise ValueError

    try:
        plain = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise BundleInvalid(BundleInvalid.DAMAGED) from None
    todo = [plain]
    while todo:
        one = todo.pop()
        if isinstance(one, (int, float)) and not (math.isfinite(one) and abs(one) <= _HIGHEST):
            raise BundleInvalid(BundleInvalid.DAMAGED)
        todo += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return plain


def _bundle(manifest: dict[str, Any], texts: dict[str, str]) -> Bundle:
    taken = tuple(from_plain(TakenOut, one) for one in manifest["taken_out"])
    sales = tuple(from_plain(BundleSale, one) for one in _read_json(texts[TIMELINE])["sales"])
    for sale in sales:
        sale.sale()  # an amount may be no figure
    exchanges = tuple(map(_exchange, _read_json(texts[HAR])["log"]["entries"]))
    head = from_plain(_Head, {"saved_at": manifest["saved_at"], "about": manifest["about"]})
    return Bundle(
        saved_at=head.saved_at,
        versions=from_plain(Versions, _read_json(texts[VERSIONS])),
        settings=from_plain(BundleSettings, _read_json(texts[SETTINGS])),
        sales=sales,
        exchanges=exchanges,
        diagnosis=from_plain(BundleDiagnosis, _read_json(texts[DIAGNOSIS])),
        about=head.about,
        taken_out=taken,
    )


@dataclass(frozen=True, slots=True)
class _Head:
    saved_at: datetime
    about: str


def _har(bundle: Bundle) -> str:
    about = f"sale {bundle.about}" if bundle.about else "the newest sales"
    plain = json.loads(as_har([one.exchange for one in bundle.exchanges], f"Support bundle: {about}"))
    for entry, told in zip(plain["log"]["entries"], bundle.exchanges, strict=True):
        exchange = told.exchange
        entry[_OURS] = {
            "sale": told.sale,
            "at": exchange.at.isoformat(),
            "failure": exchange.failure,
            "timings": to_plain(exchange.timings),
        }
    return _json(plain)


def _exchange(entry: dict[str, Any]) -> BundleExchange:
    request, response, ours = entry["request"], entry["response"], entry[_OURS]
    exchange = {
        "at": ours["at"],
        "method": request["method"],
        "url": request["url"],
        "request_headers": [[one["name"], one["value"]] for one in request["headers"]],
        "request_body": request["postData"]["text"] if "postData" in request else "",
        "status": response["status"],
        "response_headers": [[one["name"], one["value"]] for one in response["headers"]],
        "response_body": response["content"]["text"],
        "failure": ours["failure"],
        "timings": to_plain(from_plain(Timings, ours["timings"])),
    }
    return BundleExchange(from_plain(_Named, {"sale": ours["sale"]}).sale, from_plain(Exchange, exchange))


@dataclass(frozen=True, slots=True)
class _Named:
    sale: str


def _check_times(record: object) -> None:
    """Refuse a time that can't be shown in every zone.

    Raises:
        BundleInvalid: There is one.
    """
    if isinstance(record, datetime):
        if not _FIRST_YEAR <= record.year <= _LAST_YEAR:
            raise BundleInvalid(BundleInvalid.DAMAGED)
    elif isinstance(record, tuple):
        for one in record:
            _check_times(one)
    elif is_dataclass(record):
        for one in fields(record):
            _check_times(getattr(record, one.name))


_LEFT_OUT: Final = {one.name: one.default for one in fields(BundleSale) if one.default is not MISSING}


def _brief(sale: dict[str, Any]) -> dict[str, Any]:
    """Return a sale without the fields that say nothing; they are read as they are left out."""
    return {
        name: value
        for name, value in sale.items()
        if name not in _LEFT_OUT or (value and value != _LEFT_OUT[name]) or isinstance(value, float)
    }


def _json(plain: Any) -> str:
    # ASCII, so that a lone surrogate in a hostile answer can't spoil the file.
    return json.dumps(_to_microseconds(plain), indent=1) + "\n"


def _to_microseconds(plain: Any) -> Any:
    """Return the same with every duration as exact as a clock is: further figures read as a card number."""
    match plain:
        case float():
            return round(plain, 6)
        case dict():
            return {name: _to_microseconds(value) for name, value in plain.items()}
        case list() | tuple():
            return [_to_microseconds(one) for one in plain]
        case _:
            return plain
