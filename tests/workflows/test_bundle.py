"""Support bundles: what is in one, what never is, and when none is written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import update

from fakes.echoing import BEGAN, SAID, Echoing, echoing
from fakes.own_search import leaks, rezipped, zip_texts
from fakes.spelled import SPELLINGS
from fakes.world import MADE_UP, Bench
from keybench.core.errors import BundleUnsafe, KeystoreError, KeystoreLocked, KeystoreSilent
from keybench.core.ports import entry_of
from keybench.core.sales.sale import Outcome, Verdict
from keybench.core.support.bundle import (
    DIAGNOSIS,
    FILES,
    HAR,
    MANIFEST,
    PAGE,
    SETTINGS,
    TIMELINE,
    Documents,
    diagnosis_record,
)
from keybench.core.support.masking import Names
from keybench.journal.tables import sale_events
from keybench.words.support.bundle import taken_out_words
from keybench.words.support.page import bundle_page
from keybench.workflows.support.bundles import Bundles, Page, Prepared

NAMES = Names(["workbench-7"], ["astrid", "Astrid Berg"])


def bundles_of(bench: Bench, page: Page = bundle_page, names: Names = NAMES) -> Bundles:
    return Bundles(bench.console, page, lambda: names)


#: The long form takes a minute: `KEYBENCH_BUNDLE_SEEDS=50`.
SEEDS: Final = int(os.environ.get("KEYBENCH_BUNDLE_SEEDS", "6"))


def sales_of(prepared: Prepared) -> list[dict[str, Any]]:
    sales: list[dict[str, Any]] = prepared.documents[TIMELINE]["sales"]
    return sales


async def prepared_of(made: Echoing, page: Page = bundle_page) -> Prepared:
    await made.bench.journal.open()
    return await bundles_of(made.bench, page).prepare()


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_bundle_holds_no_value_whatever_a_gateway_echoes(seed: int) -> None:
    made = echoing(seed, keys=50, sales=60, told=12)
    prepared = await prepared_of(made)
    assert leaks(prepared.data, made.values) == []


async def test_the_search_of_these_tests_finds_what_is_there() -> None:
    """Or the tests above would prove nothing."""
    made = echoing(3, keys=3, sales=5, told=5)
    value = made.values[1]
    prepared = await prepared_of(made)
    for spelling in SAID:
        texts = dict(zip_texts(prepared.data))
        texts[PAGE] += f"<p>{SPELLINGS[spelling](value)}</p>"
        assert leaks(rezipped(texts), made.values), spelling


async def test_of_an_honest_gateway_nothing_is_taken_out_for_nothing() -> None:
    made = echoing(14, keys=50, sales=400, told=100, says=False)
    prepared = await prepared_of(made)
    listed = {one["what"] for one in prepared.documents[MANIFEST]["taken_out"]}
    assert listed == {"values of keys", "never in a bundle", "older sales"}


# --- the second look: it refuses what the first has let through ---------------------------------------


@pytest.mark.parametrize("spelling", SAID)
async def test_a_page_that_says_a_value_is_not_written_and_it_is_said_where(spelling: str) -> None:
    made = echoing(5, keys=4, sales=3, told=2)
    value = made.values[2]

    def telltale(documents: Documents) -> str:
        return bundle_page(documents).replace("</body>", f"\n<p>{SPELLINGS[spelling](value)}</p></body>")

    with pytest.raises(BundleUnsafe) as raised:
        await prepared_of(made, telltale)
    assert {(what, file) for what, file, _where in raised.value.places} == {("<key:Till 2>", PAGE)}
    assert all(where.startswith("line ") for *_rest, where in raised.value.places)
    assert value not in str(raised.value)


@pytest.mark.parametrize("said", ["4111 1111 1111 1111", ";4111111111111111=2512"])
async def test_a_card_in_the_finished_bytes_keeps_it_from_being_written(said: str) -> None:
    made = echoing(7, keys=1, sales=1, told=1)
    with pytest.raises(BundleUnsafe) as raised:
        await prepared_of(made, lambda documents: bundle_page(documents) + f"<p>{said}</p>")
    assert [what for what, *_rest in raised.value.places] == ["<card number>"]


# --- the first look: an honest bundle is written whatever was said --------------------------------------


async def one_sale(bench: Bench, **message: str) -> str:
    """Make a key and a sale on the bench, and let its verdict say something."""
    await bench.journal.open()
    draft = await bench.draft()
    reference = (await bench.carry(bench.console.sell.note(draft))).reference
    verdict = Verdict(Outcome.DECLINED, status=200, response_code="100", **message)
    await bench.journal.advance_sale(
        reference, lambda sale: replace(sale, verdict=verdict, finished_at=BEGAN)
    )
    return reference


async def test_values_become_placeholders_that_name_the_key_and_are_listed() -> None:
    bench = Bench()
    reference = await one_sale(bench, message=f"no such key: {MADE_UP}")
    prepared = await bundles_of(bench).prepare(reference)
    assert sales_of(prepared)[0]["message"] == "no such key: <key:Till>"
    lines = [f"{what}: {where}" for what, where in taken_out_words(prepared.documents)]
    assert "The value of the key “Till”: timeline/message" in lines
    assert [file.name for file in prepared.files] == list(FILES)


async def test_names_and_cards_become_placeholders() -> None:
    bench = Bench()
    said = "astrid at workbench-7 paid with 4111 1111 1111 1111; Astridson stays"
    reference = await one_sale(bench, message=said)
    prepared = await bundles_of(bench).prepare(reference)
    assert sales_of(prepared)[0]["message"] == "<user> at <computer> paid with <card number>; Astridson stays"


async def test_a_name_that_is_a_word_of_ours_keeps_no_bundle_from_being_written() -> None:
    bench = Bench()
    reference = await one_sale(bench, message="paid by sale")
    prepared = await bundles_of(bench, names=Names([], ["sale", "practice", "approved"])).prepare(reference)
    assert sales_of(prepared)[0]["message"] == "paid by <user>"
    assert prepared.documents[SETTINGS]["environments"][0]["kind"] == "practice"


async def test_a_name_in_a_keys_name_is_in_no_placeholder() -> None:
    bench = Bench()
    reference = await one_sale(bench, message=f"no such key: {MADE_UP}")
    prepared = await bundles_of(bench, names=Names([], ["till"])).prepare(reference)
    assert sales_of(prepared)[0]["message"] == "no such key: <key:user>"
    assert not any("till" in text.lower() for text in zip_texts(prepared.data).values())


async def test_the_key_stands_as_its_placeholder_where_it_was_sent() -> None:
    made = echoing(8, keys=1, sales=2, told=2)
    prepared = await prepared_of(made)
    for entry in prepared.documents[HAR]["log"]["entries"]:
        headers = {one["name"]: one["value"] for one in entry["request"]["headers"]}
        assert headers["authorization"] == "<key:Till 0>"


async def test_what_was_collected_is_in_the_file() -> None:
    made = echoing(9, keys=5, sales=40, told=8)
    prepared = await prepared_of(made)
    texts = zip_texts(prepared.data)
    assert {name: json.loads(texts[name]) for name in FILES[1:]} == prepared.documents
    sale = sales_of(prepared)[0]
    kept = await made.bench.console.sale(sale["reference"])
    assert (sale["amount"], sale["outcome"]) == (kept.money.figure, kept.outcome)
    assert datetime.fromisoformat(sale["noted_at"]) == kept.noted_at


async def test_a_duration_as_a_real_clock_measures_it_is_no_card_number() -> None:
    made = echoing(9, keys=1, sales=1, told=1)
    took_s = 3.607422037916308  # its figures pass the check of a card number
    made.bench.journal.change(
        lambda connection: connection.execute(update(sale_events).values(took_s=took_s))
    )
    prepared = await prepared_of(made)
    assert sales_of(prepared)[0]["events"][0]["took_s"] == round(took_s, 6)


async def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = [await prepared_of(echoing(10, keys=5, sales=40, told=8)) for _ in range(2)]
    assert first.data == second.data


async def test_of_many_sales_the_newest_are_told_and_how_many_are_not_is_said() -> None:
    made = echoing(11, keys=2, sales=230, told=0)
    prepared = await prepared_of(made)
    assert [sale["reference"] for sale in sales_of(prepared)] == made.references[:29:-1]
    assert ("30 older sales", "only the newest are in it") in taken_out_words(prepared.documents)


async def test_a_diagnosis_goes_along() -> None:
    bench = Bench()
    reference = await one_sale(bench)
    lines = [
        {
            "check": "key",
            "result": "fault",
            "evidence": f"401 for {MADE_UP}",
            "rules_out": "network",
            "took_s": 1,
        },
        {
            "verdict": "ours",
            "causes": [{"cause": "key_invalid", "standing": "likely", "because": "401", "x": 1}],
        },
    ]
    prepared = await bundles_of(bench).prepare(reference, diagnosis=diagnosis_record(lines))
    told = prepared.documents[DIAGNOSIS]
    assert (told["verdict"], told["causes"][0]["cause"]) == ("ours", "key_invalid")
    assert told["checks"][0]["evidence"] == "401 for <key:Till>"
    assert "x" not in told["causes"][0]


# --- when none is written ------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [KeystoreLocked(), KeystoreSilent()])
async def test_no_bundle_is_made_while_a_value_cannot_be_searched_for(failure: KeystoreError) -> None:
    bench = Bench()
    reference = await one_sale(bench)
    key = (await bench.journal.all_keys())[0]
    bench.keystore.failures[entry_of(key)] = failure
    with pytest.raises(type(failure)):
        await bundles_of(bench).prepare(reference)


async def test_a_key_whose_value_is_not_here_is_told() -> None:
    bench = Bench()
    reference = await one_sale(bench)
    bench.keystore.lose(entry_of((await bench.journal.all_keys())[0]))
    prepared = await bundles_of(bench).prepare(reference)
    assert not prepared.documents[SETTINGS]["keys"][0]["has_value"]
    assert ("Not searched for: the value of the key “Till”", "it isn't on this computer") in (
        taken_out_words(prepared.documents)
    )


async def test_it_is_saved_and_the_activity_says_so(tmp_path: Path) -> None:
    bench = Bench()
    reference = await one_sale(bench)
    bundles = bundles_of(bench)
    prepared = await bundles.prepare(reference)
    await bundles.save(prepared, tmp_path / "bundle.zip")
    assert (tmp_path / "bundle.zip").read_bytes() == prepared.data
    newest = (await bench.journal.activities(1))[0]
    assert (newest.action, newest.subject) == ("support bundle saved", reference)


async def test_the_values_are_read_for_the_search_and_not_kept() -> None:
    made = echoing(13, keys=3, sales=2, told=1)
    prepared = await prepared_of(made)
    assert MADE_UP not in repr(prepared)
    assert not any(value in repr(prepared) for value in made.values)
    assert '"log"' in zip_texts(prepared.data)[HAR]
    assert '"sales"' in zip_texts(prepared.data)[TIMELINE]
