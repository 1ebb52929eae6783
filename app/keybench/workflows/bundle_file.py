"""The ZIP that a support bundle is: how it is made, searched once more, and read where it was sent to."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from keybench.core.bundle import CARD, FILES, FORM, MANIFEST, PAGE, VERSION, Documents
from keybench.core.card_data import holds_card_data
from keybench.core.errors import BundleInvalid
from keybench.core.value_finder import ValueFinder

#: What is read of a file at the most, packed, and of all its files.
MOST_BYTES: Final = 32_000_000
_MOST_OF_ALL: Final = 128_000_000
#: What Python's reader of ZIPs raises at files that are damaged, or made to harm.
_UNZIPPING: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, NotImplementedError),
    *(RuntimeError, EOFError, OSError, ValueError),
)
_PACKINGS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_LEVEL: Final = 6
#: An ordinary file that everybody may read.
_RIGHTS: Final = 0o100644 << 16
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


def files_of(documents: Documents, page: str) -> tuple[BundleFile, ...]:
    """Return the files of a bundle with its page for people, in their order."""
    # ASCII, so that a lone surrogate in a hostile answer can't spoil the file.
    texts = {name: json.dumps(plain, indent=1) + "\n" for name, plain in documents.items()}
    texts[PAGE] = page
    return tuple(BundleFile(name, texts[name].encode("utf-8", "replace")) for name in FILES)


def packed(files: tuple[BundleFile, ...], saved_at: datetime) -> bytes:
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


def unsafe_places(data: bytes, finder: ValueFinder) -> list[tuple[str, str, str]]:
    """Return what a finished ZIP holds of values and card numbers, in which file, and where."""
    found: dict[tuple[str, str, str], None] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            text = archive.read(name)
            for what, at in _unsafe_in(text, finder):
                line = text.count(b"\n", 0, at) + 1
                found[what, name, f"line {line}"] = None
    return list(found)


def _unsafe_in(text: bytes, finder: ValueFinder) -> Iterator[tuple[str, int]]:
    yield from ((label, start) for start, _end, label in sorted(finder.spans(text)))
    for run in _CARD_RUN.finditer(text.decode("latin-1")):
        if holds_card_data(run[0]):
            yield CARD, run.start()


def read_bundle(data: bytes) -> Documents:
    """Return the documents of a support bundle; its page isn't trusted. Nothing is unpacked to the disk."""
    if len(data) > MOST_BYTES:
        raise BundleInvalid(BundleInvalid.TOO_LARGE)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = _texts(archive)
    except _UNZIPPING:
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE) from None
    try:
        documents = {name: json.loads(text, parse_constant=_no_number) for name, text in texts.items()}
    except (ValueError, RecursionError):
        raise BundleInvalid(BundleInvalid.DAMAGED) from None
    manifest = documents[MANIFEST]
    version = manifest.get(FORM) if isinstance(manifest, dict) else None
    if type(version) is not int or version < 1:
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
    if version > VERSION:
        raise BundleInvalid(BundleInvalid.NEWER)
    return documents


def _texts(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Return the texts of the documents; a ZIP with other files than a bundle's is none."""
    entries = archive.infolist()
    if sorted(entry.filename for entry in entries) != sorted(FILES):
        raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
    texts: dict[str, bytes] = {}
    room = _MOST_OF_ALL
    for entry in entries:
        if entry.compress_type not in _PACKINGS or entry.flag_bits & 1:
            raise BundleInvalid(BundleInvalid.NOT_A_BUNDLE)
        if entry.filename != PAGE:
            with archive.open(entry) as file:
                # What it says of its size may be a lie, so no more is read than there is room for.
                texts[entry.filename] = file.read(room + 1)
            room -= len(texts[entry.filename])
        if room < 0:
            raise BundleInvalid(BundleInvalid.TOO_LARGE)
    return texts


def _no_number(_name: str) -> Any:
    raise ValueError
