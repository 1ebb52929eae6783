"""How every journal erases a text: subclass it and give it a `journal` fixture, open and fresh."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import pytest

from contracts.journal_samples import (
    APPROVED,
    NOW,
    a_key,
    a_point,
    a_sale,
    an_environment,
    an_exchange,
    note,
)
from contracts.register_samples import a_plan, a_rotation, abandoned, an_application, start
from fakes.spelled import SPELLINGS
from keybench.core.environment import PRACTICE_ID
from keybench.core.input_errors import TextNotErasable
from keybench.core.ports import Activity, Device, Journal
from keybench.core.sale import Mark, Outcome, SaleEvent, Verdict
from keybench.core.secret import MASK, Secret

TEXT: Final = "Tr0ub4dor+and=3/of-them"


def a_line(places: int) -> Activity:
    return Activity(NOW, "text erased", "", "", f"{places}, by Mira")


async def erase(journal: Journal, text: str = TEXT) -> int:
    """Erase a text and return in how many places it stood."""
    found = await journal.find_text(Secret(text))
    erased = await journal.erase_text(Secret(text), a_line)
    assert found.occurrences == erased.occurrences
    return erased.occurrences


async def record(journal: Journal, subject: str, result: str = "") -> None:
    await journal.record_activity(Activity(NOW, "key added", PRACTICE_ID, subject, result))


async def finished(journal: Journal, verdict: Verdict = APPROVED) -> None:
    await journal.note_sale(replace(a_sale(), device=TEXT, key_name=TEXT), a_point(a_sale()))
    said = an_exchange(f"https://gateway.example/devices/{TEXT}")
    said = replace(said, request_headers=(("X-Device", TEXT),), response_body=f'{{"device": "{TEXT}"}}')
    point = SaleEvent("KB-1", NOW, Mark.OUTCOME, f"said {TEXT}")
    await journal.advance_sale("KB-1", lambda sale: sale.finish(verdict, NOW), [point], [said])


class ErasingContract:
    """The suite."""

    async def test_a_mark_stands_in_its_place_and_a_line_says_so(self, journal: Journal) -> None:
        await record(journal, "Till", "kept")
        await record(journal, f"my {TEXT}!", TEXT)

        assert await erase(journal) == 2

        lines = await journal.activities(9)
        assert [(line.action, line.subject, line.result) for line in lines] == [
            ("text erased", "", "2, by Mira"),
            ("key added", "my [erased #3]!", "[erased #3]"),
            ("key added", "Till", "kept"),
        ]
        assert lines[0].number == 3
        assert await erase(journal) == 0

    @pytest.mark.parametrize("spelling", SPELLINGS)
    async def test_it_is_found_in_every_spelling(self, journal: Journal, spelling: str) -> None:
        await record(journal, f"<{SPELLINGS[spelling](TEXT)}>")

        assert await erase(journal) >= 1

        assert "[erased #2]" in (await journal.activities(9))[1].subject
        assert (await journal.find_text(Secret(TEXT))).occurrences == 0

    async def test_a_key_and_its_application_are_told_by_the_mark(self, journal: Journal) -> None:
        await journal.add_key(replace(a_key(), name=TEXT, username=TEXT, purpose=f"x {TEXT}", owner=TEXT))
        await journal.add_key(a_key("Till 4"))
        await journal.add_application(replace(an_application(), name=TEXT, instructions=f"set\n{TEXT}"))

        assert await erase(journal) == 6

        mark = "[erased #1]"
        shop, till = await journal.keys(PRACTICE_ID)
        assert shop == replace(a_key(), name=mark, username=mark, purpose=f"x {mark}", owner=mark)
        assert till == a_key("Till 4")
        (application,) = await journal.applications()
        assert application == replace(an_application(), name=mark, instructions=f"set\n{mark}")

    async def test_names_that_differed_still_differ(self, journal: Journal) -> None:
        await journal.remember_devices(PRACTICE_ID, [Device(TEXT), Device(TEXT.lower()), Device("D-1")])

        assert await erase(journal) == 2

        devices = await journal.devices(PRACTICE_ID)
        assert {device.id for device in devices} == {"[erased #1]", "[erased #1.2]", "D-1"}

    async def test_a_settled_sale_loses_its_device_and_nothing_else(self, journal: Journal) -> None:
        await finished(journal)
        before = await journal.sale("KB-1")

        assert await erase(journal) == 6

        mark = "[erased #1]"
        assert await journal.sale("KB-1") == replace(before, device=mark, key_name=mark)
        assert (await journal.sale_events("KB-1"))[-1].detail == f"said {mark}"
        (said,) = await journal.exchanges("KB-1")
        assert said.url == f"https://gateway.example/devices/{mark}"
        assert said.request_headers == (("X-Device", mark),)
        assert json.loads(said.response_body) == {"device": mark}

    async def test_an_unsettled_sale_keeps_its_device(self, journal: Journal) -> None:
        await finished(journal, Verdict(Outcome.UNKNOWN))
        before = await journal.sale("KB-1")

        await self._refused(journal, TextNotErasable.SALE, "KB-1")

        assert await journal.sale("KB-1") == before

    async def test_what_is_not_needed_of_an_unsettled_sale_is_erased(self, journal: Journal) -> None:
        await note(journal, replace(a_sale(), key_name=TEXT))

        await erase(journal)

        assert (await journal.unfinished_sales())[0].key_name == "[erased #1]"

    async def test_a_rotation_is_read_as_before(self, journal: Journal) -> None:
        rotation = replace(a_rotation(), reason=f'"{TEXT}"', old=replace(a_rotation().old, name=TEXT))
        await start(journal, abandoned(rotation))

        assert await erase(journal) == 2

        (kept,) = await journal.rotations()
        mark = "[erased #2]"
        assert kept == abandoned(
            replace(a_rotation(), reason=f'"{mark}"', old=replace(a_rotation().old, name=mark))
        )

    async def test_an_open_rotation_keeps_what_it_is_done_with(self, journal: Journal) -> None:
        await start(journal, replace(a_rotation(), old=replace(a_rotation().old, name=TEXT)))
        await self._refused(journal, TextNotErasable.ROTATION, "R-1")

        await journal.advance_rotation("R-1", lambda _: replace(a_rotation(), reason=TEXT))
        await erase(journal)
        assert (await journal.rotation("R-1")).reason == "[erased #3]"

    async def test_a_key_that_is_being_added_stays(self, journal: Journal) -> None:
        await journal.add_key_plan(a_plan(TEXT))
        await self._refused(journal, TextNotErasable.KEY_PLAN)

    async def test_an_environments_address_stays(self, journal: Journal) -> None:
        shop = replace(an_environment("Shop"), base_url=f"https://gateway.example/{TEXT}")
        await journal.add_environment(shop)
        await self._refused(journal, TextNotErasable.ENVIRONMENT, "Shop")

    async def test_an_environments_name_is_erased(self, journal: Journal) -> None:
        await journal.add_environment(replace(an_environment("Shop"), name=f"at {TEXT}"))
        await erase(journal)
        assert {one.name for one in await journal.environments()} == {"practice", "at [erased #1]"}

    @pytest.mark.parametrize("name", ["id", "fingerprint", "folded_fingerprint", "gateway_id"])
    async def test_what_a_key_is_found_by_stays(self, journal: Journal, name: str) -> None:
        key = replace(a_key(), **{name: f"a{TEXT}"})  # type: ignore[arg-type]  # texts alone
        await journal.add_key(key)
        await self._refused(journal, TextNotErasable.IDENTIFIER, "security_keys")
        assert list(await journal.keys(PRACTICE_ID)) == [key]

    async def test_a_sales_reference_and_request_id_stay(self, journal: Journal) -> None:
        await note(journal, a_sale("KB-2"))
        await journal.advance_sale(
            "KB-2", lambda sale: sale.accept("request-of-2", NOW).finish(APPROVED, NOW)
        )
        for text in ("request-of-2", "id-of-Till 3"):
            await self._refused(journal, TextNotErasable.IDENTIFIER, "sales", text)

    async def test_words_in_a_document_are_erased_and_it_stays_one(self, journal: Journal) -> None:
        was = json.dumps([{"finding": "old", "reason": f'say "{TEXT}" \\ ü'}])
        await journal.update_setting("dismissed", lambda _: was)
        await journal.update_setting("overlap", lambda _: "30")

        assert await erase(journal) == 1

        kept = json.loads(await journal.setting("dismissed"))
        assert kept == [{"finding": "old", "reason": 'say "[erased #1]" \\ ü'}]
        assert await journal.setting("overlap") == "30"

    async def test_a_setting_that_is_no_document_stays(self, journal: Journal) -> None:
        await journal.update_setting("keystores", lambda _: f"GNOME Keyring\n{TEXT}")
        await self._refused(journal, TextNotErasable.SETTING)

    @pytest.mark.parametrize("text", ["Till", "", "12345"])
    async def test_a_short_text_is_refused(self, journal: Journal, text: str) -> None:
        with pytest.raises(TextNotErasable) as raised:
            await journal.find_text(Secret(text))
        assert raised.value.reason == TextNotErasable.TOO_SHORT

    @pytest.mark.parametrize("text", ["[erased #", "erased", "KEYBENCH", "text erased"])
    async def test_the_programs_own_words_are_refused(self, journal: Journal, text: str) -> None:
        await record(journal, text)
        await self._refused(journal, TextNotErasable.OWN_WORD, text=text, stands=False)

    async def test_the_line_itself_does_not_hold_it(self, journal: Journal) -> None:
        await journal.add_key(replace(a_key(), owner="Mira Lind"))
        await journal.erase_text(
            Secret("mira lind"), lambda places: Activity(NOW, "text erased", "", "", f"{places}, Mira Lind")
        )
        assert [line.result for line in await journal.activities(2)] == [MASK]
        assert (await journal.find_text(Secret("Mira Lind"))).occurrences == 0

    async def _refused(
        self, journal: Journal, reason: str, where: str = "", text: str = "", *, stands: bool = True
    ) -> None:
        await record(journal, text or TEXT)
        text = text or TEXT
        for erases in (False, True):
            with pytest.raises(TextNotErasable) as raised:
                await (
                    journal.erase_text(Secret(text), a_line) if erases else journal.find_text(Secret(text))
                )
            assert (raised.value.reason, raised.value.where) == (reason, where)
            assert TEXT not in f"{raised.value} {vars(raised.value)}"
        if stands:
            assert [line.subject for line in await journal.activities(1)] == [text]
