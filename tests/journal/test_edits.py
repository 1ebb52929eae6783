"""Edits by people who don't see each other: nobody's is lost, on both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.journal_samples import NOW, a_key
from contracts.register_samples import an_application
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.input_errors import NameTaken, NotFound
from keybench.core.ports import Activity, Device
from keybench.core.team.edits import Edit, Edited, merge
from keybench.journal import SqlJournal
from keybench.journal.edits import edit_late

TEXTS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["", "x", "y"]))
ALL = st.fixed_dictionaries(dict.fromkeys("abc", st.sampled_from(["", "x", "y"])))


@given(ALL, TEXTS, TEXTS)
def test_each_field_is_as_the_person_left_it_or_another_did_or_there_are_two(
    stored: Mapping[str, str], seen: Mapping[str, str], wanted: Mapping[str, str]
) -> None:
    changes, others = merge(stored, seen, wanted)
    assert changes.keys().isdisjoint(others)
    for name, text in wanted.items():
        was, now = seen.get(name, ""), {**stored, **changes}[name]
        if name in others:
            assert text not in {was, stored[name]}
            assert stored[name] != was
        elif text == was:
            assert now == stored[name]
        else:
            assert now == text
    again = merge({**stored, **changes}, seen, wanted)
    assert again == ({}, others)


@pytest.fixture(params=["file", "team"])
def shared(request: pytest.FixtureRequest) -> SqlJournal:
    """A journal that two people share."""
    journal: SqlJournal = request.getfixturevalue("journal" if request.param == "file" else "team_journal")
    return journal


KEY = a_key()
SHOP = an_application()
SEEN = {one: getattr(SHOP, one) for one in ("name", "owner", "contact", "place", "instructions", "key_id")}


def an_edit(
    who: str, seen: dict[str, str], wanted: dict[str, str], what: Edited = Edited.KEY, record: str = KEY.id
) -> Edit:
    line = Activity(NOW + timedelta(seconds=len(who)), "key edited", PRACTICE_ID, "Till 3", "", who)
    return Edit(what, PRACTICE_ID, record, seen, wanted, line)


async def late(journal: SqlJournal, edit: Edit) -> None:
    await journal.run(lambda connection: edit_late(connection, edit), writes=True)


async def test_two_people_change_one_field_and_both_are_shown(shared: SqlJournal) -> None:
    await shared.add_key(replace(KEY, owner="Jo"))
    await shared.edit(
        an_edit("Ana", {"owner": "Jo", "purpose": KEY.purpose}, {"owner": "Ana", "purpose": KEY.purpose})
    )
    await shared.edit(
        an_edit("Bob", {"owner": "Jo", "purpose": KEY.purpose}, {"owner": "Bob", "purpose": "shop"})
    )
    (key,) = await shared.all_keys()
    assert (key.owner, key.purpose) == ("Ana", "shop")
    (found,) = await shared.contradictions()
    assert (found.record, found.field, found.kept, found.other) == (KEY.name, "owner", "Ana", "Bob")
    assert (await shared.activities(1))[0].result == "contradicts another: owner"
    await shared.edit(an_edit("Eve", {"owner": "Ana"}, {"owner": "Eve"}))
    await shared.settle(found.number, take_other=True)
    (again,) = await shared.contradictions()
    assert (again.kept, again.other) == ("Eve", "Bob")
    await shared.settle(again.number, take_other=True)
    await shared.settle(again.number, take_other=True)
    assert (await shared.all_keys())[0].owner == "Bob"
    assert not await shared.contradictions()


async def test_a_queued_edit_is_applied_once_and_a_taken_name_gets_who_wanted_it(shared: SqlJournal) -> None:
    await shared.add_key(KEY)
    await shared.add_key(a_key("Till 9"))
    renaming = an_edit("Ana", {"name": KEY.name}, {"name": "till 9"})
    with pytest.raises(NameTaken):
        await shared.edit(renaming)
    for _ in range(2):
        await late(shared, renaming)
    await shared.edit(an_edit("Bobby", {"name": "till 9 (Ana)"}, {"name": "Till 3"}))
    await late(shared, renaming)
    assert [key.name for key in await shared.all_keys()] == ["Till 3", "Till 9"]
    assert not await shared.contradictions()
    assert len(await shared.activities(9)) == 2
    await late(shared, an_edit("nobody else", {"owner": ""}, {"owner": "Jo"}, record="gone"))
    assert (await shared.activities(1))[0].result == "not done: it is gone"


async def test_removing_and_editing_an_application_contradict(shared: SqlJournal) -> None:
    await shared.add_application(SHOP)
    of = Edited.APPLICATION, SHOP.id
    await shared.edit(an_edit("Ana", SEEN, {**SEEN, "owner": "Ana"}, *of))
    await shared.edit(an_edit("Bobby", SEEN, {}, *of))
    (found,) = await shared.contradictions()
    assert (found.record, found.field, found.kept, found.other) == (SHOP.name, "", SHOP.name, "")
    await shared.settle(found.number, take_other=True)
    assert not await shared.applications()
    with pytest.raises(NotFound):
        await shared.edit(an_edit("Evelyn", SEEN, {**SEEN, "owner": "Evelyn"}, *of))
    await late(shared, an_edit("Evelyn", SEEN, {**SEEN, "owner": "Evelyn"}, *of))
    (found,) = await shared.contradictions()
    assert (found.record, found.kept, found.other) == (SHOP.name, "", SHOP.name)
    await shared.settle(found.number, take_other=True)
    (back,) = await shared.applications()
    assert (back.id, back.owner, back.seen_at) == (SHOP.id, "Evelyn", None)


async def test_a_key_and_a_nickname_are_words_in_a_contradiction(shared: SqlJournal) -> None:
    for key in (KEY, a_key("Till 8"), a_key("Till 9")):
        await shared.add_key(key)
    await shared.add_application(SHOP)
    of = Edited.APPLICATION, SHOP.id
    await shared.edit(an_edit("Ana", SEEN, {**SEEN, "key_id": a_key("Till 8").id}, *of))
    assert (await shared.applications())[0].seen_at is None
    await shared.edit(an_edit("Bobby", SEEN, {**SEEN, "key_id": a_key("Till 9").id}, *of))
    (found,) = await shared.contradictions()
    assert (found.kept, found.other) == ("Till 8", "Till 9")
    await shared.remember_devices(PRACTICE_ID, [Device("D-1", "Bar", "wifi")])
    for who in ("Ana", "Eve1"):
        await shared.edit(an_edit(who, {"nickname": "Bar"}, {"nickname": who}, Edited.DEVICE, "D-1"))
    assert list(await shared.devices(PRACTICE_ID)) == [Device("D-1", "Ana", "wifi")]
    assert [one.record for one in await shared.contradictions()] == [SHOP.name, "Ana"]
    assert (await shared.attention()).contradictions == 2
    await shared.remove_application(SHOP.id)  # and nobody has to choose any more
    assert [one.record for one in await shared.contradictions()] == ["Ana"]
    assert (await shared.attention()).contradictions == 1
