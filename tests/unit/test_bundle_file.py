"""A bundle's file and its page."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from fakes.scripted_gateway import PARTLY_APPROVED
from keybench.core.money import Money
from keybench.core.sales.sale import Sale, SaleMode, SaleStage
from keybench.core.support.bundle import (
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
    files_of,
    packed,
    sale_record,
)
from keybench.words.support.page import bundle_page

MOMENT = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
EMPTY: Documents = {
    TIMELINE: {"sales": []},
    HAR: {"log": {"version": "1.2", "entries": []}},
    DIAGNOSIS: diagnosis_record([]),
    VERSIONS: {"keybench": "1", "python": "3.11", "system": "Linux", "libraries": []},
    SETTINGS: {"environments": [], "devices": [], "keys": []},
    MANIFEST: {FORM: VERSION, "saved_at": MOMENT.isoformat(), "about": "", "taken_out": []},
}


def test_a_bundle_has_its_page_first_and_says_all_of_its_documents() -> None:
    data = packed(files_of(EMPTY, bundle_page(EMPTY)), MOMENT)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [PAGE, *FILES[1:]]
        assert {name: json.loads(archive.read(name)) for name in FILES[1:]} == EMPTY


def test_a_part_that_was_approved_stands_on_the_page() -> None:
    money = Money(Decimal("10.00"), "USD")
    sale = Sale("KB-1", "e", "k", "Till", "D-1", money, SaleMode.ASYNCHRONOUS, SaleStage.FINISHED, MOMENT)
    partly = replace(sale, verdict=PARTLY_APPROVED)
    documents = EMPTY | {TIMELINE: {"sales": [sale_record(partly, "Shop", "<key:Till>", ())]}}
    (told,) = documents[TIMELINE]["sales"]
    assert (told["outcome"], told["approved_amount"]) == ("partly_approved", "7.50")
    assert "7.50 of 10.00 USD" in bundle_page(documents)


def test_the_page_needs_nothing_else() -> None:
    page = bundle_page(EMPTY)
    assert "default-src 'none'" in page
    assert not any(word in page for word in ("<script", "<link", "<img", "src=", "@import", "url("))


def test_what_people_and_gateways_wrote_stays_text_on_the_page() -> None:
    money = Money(Decimal("1.00"), "USD")
    device = "<b>D</b><script>alert(1)</script>"
    sale = Sale("KB-1", "e", "k", "Till", device, money, SaleMode.ASYNCHRONOUS, SaleStage.NOTED, MOMENT)
    page = bundle_page(EMPTY | {TIMELINE: {"sales": [sale_record(sale, "Shop", "<key:Till>", ())]}})
    assert "<script" not in page
    assert "&lt;b&gt;D&lt;/b&gt;" in page
