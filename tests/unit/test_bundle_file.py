"""A bundle's file: what is read of one that somebody sent, however hostile it is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from fakes.scripted_gateway import PARTLY_APPROVED
from fakes.world import Bench
from keybench.core.bundle import (
    DIAGNOSIS,
    FILES,
    FORM,
    HAR,
    MANIFEST,
    PAGE,
    SETTINGS,
    TIMELINE,
    VERSION,
    VERSIONS,
    Documents,
    diagnosis_record,
    sale_record,
)
from keybench.core.errors import BundleInvalid
from keybench.core.money import Money
from keybench.core.sale import Sale, SaleMode, SaleStage
from keybench.words.bundle_page import bundle_page
from keybench.workflows.bundle import Bundles
from keybench.workflows.bundle_file import files_of, packed, read_bundle

MOMENT = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
EMPTY: Documents = {
    TIMELINE: {"sales": []},
    HAR: {"log": {"version": "1.2", "entries": []}},
    DIAGNOSIS: diagnosis_record([]),
    VERSIONS: {"keybench": "1", "python": "3.11", "system": "Linux", "libraries": []},
    SETTINGS: {"environments": [], "devices": [], "keys": [], "review": [], "window": []},
    MANIFEST: {FORM: VERSION, "saved_at": MOMENT.isoformat(), "about": "", "taken_out": []},
}


def texts() -> dict[str, bytes]:
    return {file.name: file.data for file in files_of(EMPTY, bundle_page(EMPTY))}


def zipped(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def reason_of(data: bytes) -> str:
    with pytest.raises(BundleInvalid) as raised:
        read_bundle(data)
    return raised.value.reason


def test_a_bundle_that_was_made_is_read_and_has_its_page_first() -> None:
    data = packed(files_of(EMPTY, bundle_page(EMPTY)), MOMENT)
    assert read_bundle(data) == EMPTY
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == list(FILES)
        assert archive.namelist()[0] == PAGE


def test_a_part_that_was_approved_is_read_again_and_stands_on_the_page() -> None:
    money = Money(Decimal("10.00"), "USD")
    sale = Sale("KB-1", "e", "k", "Till", "D-1", money, SaleMode.ASYNCHRONOUS, SaleStage.FINISHED, MOMENT)
    partly = replace(sale, verdict=PARTLY_APPROVED)
    documents = EMPTY | {TIMELINE: {"sales": [sale_record(partly, "Shop", "<key:Till>", ())]}}
    page = bundle_page(documents)
    (read,) = read_bundle(packed(files_of(documents, page), MOMENT))[TIMELINE]["sales"]
    assert (read["outcome"], read["approved_amount"]) == ("partly_approved", "7.50")
    assert "7.50 of 10.00 USD" in page


def test_the_page_needs_nothing_else() -> None:
    page = bundle_page(EMPTY)
    assert "default-src 'none'" in page
    assert not any(word in page for word in ("<script", "<link", "<img", "src=", "@import", "url("))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK\x05\x06" + bytes(18), b"no zip at all" * 10, zipped({"a.txt": b"a"}), zipped({})],
    ids=["nothing", "an empty zip", "no zip", "another zip", "no files"],
)
def test_what_is_no_bundle_is_refused(data: bytes) -> None:
    assert reason_of(data) == BundleInvalid.NOT_A_BUNDLE


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "a/b.json", "C:\\evil"])
def test_a_path_that_leads_elsewhere_is_refused(name: str) -> None:
    assert reason_of(zipped({**texts(), name: b"x"})) == BundleInvalid.NOT_A_BUNDLE


def test_two_files_of_one_name_are_refused() -> None:
    out = io.BytesIO(zipped(texts()))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(out, "a") as archive:
        archive.writestr(MANIFEST, b"{}")
    assert reason_of(out.getvalue()) == BundleInvalid.NOT_A_BUNDLE


def test_a_packing_that_is_not_ours_is_refused() -> None:
    assert reason_of(zipped(texts(), zipfile.ZIP_BZIP2)) == BundleInvalid.NOT_A_BUNDLE


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped({**texts(), TIMELINE: b'{"sales": [' + b" " * 140_000_000 + b"]}"})
    assert len(bomb) < 400_000
    assert reason_of(bomb) == BundleInvalid.TOO_LARGE


def test_a_bomb_that_lies_about_its_size_is_refused() -> None:
    bomb = bytearray(zipped({**texts(), TIMELINE: b" " * 140_000_000}))
    real = (140_000_000).to_bytes(4, "little")
    assert real in bomb
    assert reason_of(bytes(bomb).replace(real, (100).to_bytes(4, "little"))) in {
        BundleInvalid.NOT_A_BUNDLE,
        BundleInvalid.TOO_LARGE,
    }


def test_a_file_that_is_cut_or_changed_is_refused() -> None:
    data = zipped(texts())
    assert reason_of(data[: len(data) // 2]) == BundleInvalid.NOT_A_BUNDLE
    middle = data.index(b"exchanges.har") + 20
    assert reason_of(data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]) in {
        BundleInvalid.NOT_A_BUNDLE,
        BundleInvalid.DAMAGED,
    }


def test_a_newer_form_is_refused_as_that() -> None:
    manifest = json.loads(texts()[MANIFEST]) | {"keybench_bundle": 2}
    assert reason_of(zipped({**texts(), MANIFEST: json.dumps(manifest).encode()})) == BundleInvalid.NEWER


def _timeline(**changed: object) -> bytes:
    sale = {
        "reference": "KB-1",
        "environment": "Practice",
        "key": "<key:Till>",
        "key_name": "Till",
        "device": "D-1",
        "amount": "1.00",
        "currency": "USD",
        "mode": "async",
        "stage": "finished",
        "noted_at": "2026-03-01T08:00:00+00:00",
    }
    return json.dumps({"sales": [sale | changed]}).encode()


async def opened(tmp_path: Path, files: dict[str, bytes]) -> tuple[Documents, str]:
    (tmp_path / "bundle.zip").write_bytes(zipped(files))
    return await Bundles(Bench().console, bundle_page).open(tmp_path / "bundle.zip")


async def test_its_page_is_made_again_from_what_it_says(tmp_path: Path) -> None:
    """Whatever page came with it."""
    hostile = b"<script>alert(1)</script>"
    _documents, page = await opened(
        tmp_path, {**texts(), PAGE: hostile, TIMELINE: _timeline(device="<b>D</b>")}
    )
    assert "<script" not in page
    assert "&lt;b&gt;D&lt;/b&gt;" in page
    assert "1.00 USD" in page


@pytest.mark.parametrize(
    "files",
    [
        {TIMELINE: b"[" * 100_000},
        {TIMELINE: b'{"sales": [NaN]}'},
        {TIMELINE: b'{"sales": [1e999]}'},
        {TIMELINE: b'{"sales": 7}'},
        {TIMELINE: _timeline(outcome="perhaps")},
        {TIMELINE: _timeline(reference=7)},
        {TIMELINE: _timeline(noted_at="yesterday")},
        {TIMELINE: b'{"sales": [{}]}'},
        {HAR: b'{"log": {"entries": [{}]}}'},
        {HAR: b'{"log": []}'},
        {SETTINGS: b"null"},
        {MANIFEST: b'{"keybench_bundle": 1}'},
    ],
    ids=str,
)
async def test_a_file_of_the_wrong_form_is_refused(tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(BundleInvalid) as raised:
        await opened(tmp_path, {**texts(), **files})
    assert raised.value.reason == BundleInvalid.DAMAGED


@pytest.mark.parametrize("change", [lambda data: data + b"tail", lambda data: b"head" + data])
def test_what_stands_around_a_zip_changes_nothing_that_is_read(change: Callable[[bytes], bytes]) -> None:
    assert read_bundle(change(zipped(texts()))) == EMPTY
