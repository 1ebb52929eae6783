"""A bundle's file: what is read of one that somebody sent, however hostile it is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from fakes.scripted_gateway import PARTLY_APPROVED
from keybench.core.bundle import Bundle, BundleSettings, Versions, bundled_sale
from keybench.core.errors import BundleInvalid
from keybench.core.money import Money
from keybench.core.sale import Sale, SaleMode, SaleStage
from keybench.words.bundle_page import bundle_page
from keybench.workflows.bundle_file import (
    FILES,
    HAR,
    MANIFEST,
    PAGE,
    SETTINGS,
    TIMELINE,
    files_of,
    packed,
    read_bundle,
)

MOMENT = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
EMPTY = Bundle(MOMENT, Versions("1", "3.11", "Linux"), BundleSettings())


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
    bundle = replace(EMPTY, sales=(bundled_sale(partly, "Shop", "<key:Till>", ()),))
    page = bundle_page(bundle)
    (read,) = read_bundle(packed(files_of(bundle, page), MOMENT)).sales
    assert read.sale().verdict == partly.verdict
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
    bomb = zipped({**texts(), TIMELINE: b'{"sales": [' + b" " * 70_000_000 + b"]}"})
    assert len(bomb) < 200_000
    assert reason_of(bomb) == BundleInvalid.TOO_LARGE


def test_a_bomb_that_lies_about_its_size_is_refused() -> None:
    bomb = bytearray(zipped({**texts(), TIMELINE: b" " * 70_000_000}))
    real = (70_000_000).to_bytes(4, "little")
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


def test_a_sale_is_read() -> None:
    sale = read_bundle(zipped({**texts(), TIMELINE: _timeline()})).sales[0]
    assert str(sale.sale().money) == "1.00 USD"


@pytest.mark.parametrize(
    "files",
    [
        {TIMELINE: b"[" * 100_000},
        {TIMELINE: b'{"sales": [NaN]}'},
        {TIMELINE: b'{"sales": [1e999]}'},
        {TIMELINE: b'{"sales": 7}'},
        {TIMELINE: _timeline(amount="NaN")},
        {TIMELINE: _timeline(amount="lots")},
        {TIMELINE: _timeline(outcome="partly_approved", approved_amount="NaN")},
        {TIMELINE: _timeline(outcome="partly_approved", approved_amount="9E+9999999999")},
        {TIMELINE: _timeline(polls=10**15)},
        {TIMELINE: _timeline(polls="4")},
        {TIMELINE: _timeline(mode="by mail")},
        {TIMELINE: _timeline(noted_at="0001-01-01T00:00:00+00:00")},
        {TIMELINE: _timeline(noted_at="2026-03-01T08:00:00")},
        {TIMELINE: _timeline(surprise=True)},
        {HAR: b'{"log": {"entries": [{}]}}'},
        {HAR: b'{"log": []}'},
        {SETTINGS: b"null"},
        {MANIFEST: b'{"keybench_bundle": 1}'},
    ],
    ids=str,
)
def test_a_file_of_the_wrong_form_is_refused(files: dict[str, bytes]) -> None:
    assert reason_of(zipped({**texts(), **files})) == BundleInvalid.DAMAGED


@pytest.mark.parametrize("change", [lambda data: data + b"tail", lambda data: b"head" + data])
def test_what_stands_around_a_zip_changes_nothing_that_is_read(change: Callable[[bytes], bytes]) -> None:
    assert read_bundle(change(zipped(texts()))) == EMPTY
