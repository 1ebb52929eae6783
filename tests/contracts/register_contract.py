"""How every journal keeps what administering keys needs: subclass it and give it a `journal` fixture.

The fixture yields an open, fresh journal, and closes it afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from contracts.journal_samples import NOW, a_key, a_sale, an_environment, note
from contracts.register_samples import (
    STARTED,
    a_plan,
    a_rotation,
    abandoned,
    an_application,
    documented,
    start,
    with_evidence,
)
from fakes.journal import put_key
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalError
from keybench.core.input_errors import KeyUnderWay, NameTaken, NotFound, RotationBarred, RotationUnderWay
from keybench.core.keys.application import Application, ApplicationMove
from keybench.core.keys.key import KeyPlan, SecurityKey, Trial
from keybench.core.ports import Activity, Journal
from keybench.core.ports.journal import Attention
from keybench.core.rotations.rotation import Deletion, Rotation
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.core.team.edits import Edit, Edited


async def end(journal: Journal, reference: str, outcome: Outcome) -> None:
    """Give a sale an outcome."""
    await journal.advance_sale(reference, lambda stored: stored.finish(Verdict(outcome), stored.noted_at))


async def sold(journal: Journal, sale: Sale, outcome: Outcome = Outcome.APPROVED) -> None:
    """Note a sale and give it an outcome."""
    await note(journal, sale)
    await end(journal, sale.reference, outcome)


def to_the_new_key(stored: Application) -> Application:
    """Have an application use another key."""
    return replace(stored, key_id="new")


class RegisterContract:
    """The suite."""

    # --- keys ------------------------------------------------------------------------------------

    async def test_all_keys_come_by_environment_and_name(self, journal: Journal) -> None:
        for environment in ("Zoo", "alpha"):
            await journal.add_environment(an_environment(environment))
        wanted = [(PRACTICE_ID, "b"), ("id-of-alpha", "A"), ("id-of-alpha", "c"), ("id-of-Zoo", "a")]
        for environment_id, name in reversed(wanted):
            key = a_key(name, environment_id=environment_id, identifier=f"{environment_id} {name}")
            await journal.add_key(key)
        assert [(key.environment_id, key.name) for key in await journal.all_keys()] == wanted

    async def test_a_sale_notes_when_its_key_was_used(self, journal: Journal) -> None:
        await journal.add_key(a_key("Till 3"))
        await journal.add_key(a_key("Till 4"))
        for minutes in (5, 3):
            await sold(journal, a_sale(f"KB-{minutes}", minutes=minutes))
        await sold(journal, replace(a_sale("KB-0"), key_id="a key that is gone"))
        used = [key.used_at for key in await journal.all_keys()]
        assert used == [NOW + timedelta(minutes=5), None]

    async def test_a_sale_that_was_not_sent_is_no_use_of_its_key(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await sold(journal, a_sale("KB-1", minutes=1), Outcome.REFUSED)
        await note(journal, a_sale("KB-2", minutes=2))
        await sold(journal, a_sale("KB-3", minutes=3), Outcome.NOT_SENT)
        assert [key.used_at for key in await journal.all_keys()] == [NOW + timedelta(minutes=1)]
        await sold(journal, a_sale("KB-4", minutes=4), Outcome.UNKNOWN)
        assert [key.used_at for key in await journal.all_keys()] == [NOW + timedelta(minutes=4)]
        await end(journal, "KB-4", Outcome.NOT_SENT)  # a look-up found that it was never received
        assert [key.used_at for key in await journal.all_keys()] == [NOW + timedelta(minutes=1)]

    async def test_a_key_is_compromised_as_long_as_it_is_there(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await journal.add_key(a_key("Till 4"))
        rotation = await start(journal)

        def leak(stored: Rotation) -> Rotation:
            return replace(stored, compromised=True)

        await journal.advance_rotation(rotation.id, leak)
        for _ in range(2):
            assert [key.compromised for key in await journal.all_keys()] == [True, False]
            assert [key.compromised for key in await journal.keys(PRACTICE_ID)] == [True, False]
            await put_key(journal, replace(a_key(), purpose="x", compromised=False))
            await journal.advance_rotation(rotation.id, abandoned)
        await journal.remove_key(a_key().id)
        await journal.add_key(a_key(identifier="another"))
        assert [key.compromised for key in await journal.all_keys()] == [False, False]

    async def test_a_key_with_the_value_of_a_compromised_one_is_compromised_too(
        self, journal: Journal
    ) -> None:
        shop = an_environment("shop")
        await journal.add_environment(shop)
        await journal.add_key(a_key())
        same = a_key().fingerprint
        for number, (where, words) in enumerate(
            ((PRACTICE_ID, same), (PRACTICE_ID, ""), (PRACTICE_ID, ""), (shop.id, same))
        ):
            await journal.add_key(replace(a_key(f"{number}", environment_id=where), fingerprint=words))
        for leaked in ("Till 3", "1"):
            await start(journal, replace(a_rotation(f"R-{leaked}", key=leaked), compromised=True))
        found = {key.name: key.compromised for key in await journal.all_keys()}
        assert found == {"Till 3": True, "0": True, "1": True, "2": False, "3": False}
        assert dict((await journal.attention()).compromised) == {PRACTICE_ID: 3}
        await journal.remove_key(a_key().id)
        assert [key.name for key in await journal.all_keys() if key.compromised] == ["1"]

    async def test_what_waits_for_a_person_is_counted_over_all_environments(self, journal: Journal) -> None:
        assert await journal.attention() == Attention()
        shop = an_environment("shop")
        await journal.add_environment(shop)
        for environment_id, names in ((PRACTICE_ID, ("a", "b", "c")), (shop.id, ("d",))):
            for name in names:
                await journal.add_key(a_key(name, environment_id=environment_id))
        leaked = [
            replace(a_rotation(f"R-{key}", key=key, environment_id=where, minutes=minutes), compromised=True)
            for minutes, (key, where) in enumerate((("a", PRACTICE_ID), ("b", PRACTICE_ID), ("d", shop.id)))
        ]
        for rotation in leaked:
            await start(journal, rotation)
        await journal.advance_rotation("R-b", abandoned)
        for number, (where, outcome) in enumerate(
            ((shop.id, Outcome.UNKNOWN), (shop.id, Outcome.UNKNOWN), (PRACTICE_ID, Outcome.APPROVED))
        ):
            await sold(journal, a_sale(f"KB-{number}", environment_id=where), outcome)
        await note(journal, a_sale("KB-under-way"))
        found = await journal.attention()
        assert dict(found.compromised) == {PRACTICE_ID: 2, shop.id: 1}
        assert dict(found.unknown) == {shop.id: 2}
        assert [one.id for one in found.open_rotations] == ["R-d", "R-a"]

    async def test_a_rotation_is_overdue_from_its_planned_end_until_the_old_key_is_deleted(
        self, journal: Journal
    ) -> None:
        late, later = a_rotation("R-1"), replace(a_rotation("R-2", key="b"), overlap_ends_at=NOW)
        for rotation in (late, later):
            await start(journal, rotation)
        found = await journal.attention()
        end = late.overlap_ends_at
        assert found.overdue(NOW - timedelta(seconds=1), {PRACTICE_ID}) == []
        assert [one.id for one in found.overdue(end, {PRACTICE_ID})] == ["R-2", "R-1"]
        assert found.overdue(end, {"another"}) == []
        assert not replace(late, deletion=Deletion(NOW, "Mira", deleted_at=NOW)).is_overdue(end)
        assert not abandoned(late).is_overdue(end)

    async def test_only_a_sale_changes_when_a_key_was_used(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await sold(journal, a_sale())
        await put_key(journal, replace(a_key(), owner="Ada", used_at=None))
        await put_key(journal, replace(a_key(), owner="Ada", used_at=NOW + timedelta(days=1)))
        assert list(await journal.all_keys()) == [replace(a_key(), owner="Ada", used_at=NOW)]
        tried = replace(a_key(), used_at=NOW).tried(Trial.NO_ANSWER, NOW)
        await put_key(journal, tried)
        assert list(await journal.all_keys()) == [tried]

    # --- applications ----------------------------------------------------------------------------

    async def test_applications_come_by_name_of_one_environment_or_all(self, journal: Journal) -> None:
        await journal.add_environment(an_environment())
        elsewhere = an_application("Kiosk", environment_id=an_environment().id, key_id="other")
        shop, app = an_application("Web shop"), an_application("app")
        for application in (shop, elsewhere, app):
            await journal.add_application(application)
        assert list(await journal.applications()) == [app, elsewhere, shop]
        assert list(await journal.applications(PRACTICE_ID)) == [app, shop]
        assert list(await journal.applications("nowhere")) == []

    async def test_an_application_is_changed_and_removed(self, journal: Journal) -> None:
        await journal.add_application(an_application())
        changed = replace(an_application(), key_id="another", owner="", seen_at=None, seen_by="")
        assert await journal.update_application(changed.id, lambda _stored: changed) == changed
        assert list(await journal.applications()) == [changed]
        for _ in range(2):
            await journal.remove_application(changed.id)
        assert list(await journal.applications()) == []

    async def test_changes_of_one_application_are_all_kept(self, journal: Journal) -> None:
        await journal.add_application(an_application())
        moves: list[ApplicationMove] = [
            lambda stored: replace(stored, owner="Ada"),
            lambda stored: replace(stored, seen_at=NOW, seen_by="Bob"),
            lambda stored: replace(stored, place="web-7"),
        ]
        await asyncio.gather(*(journal.update_application(an_application().id, move) for move in moves))
        (one,) = await journal.applications()
        assert (one.owner, one.seen_at, one.seen_by, one.place) == ("Ada", NOW, "Bob", "web-7")

    async def test_an_application_s_name_is_taken_for_its_key(self, journal: Journal) -> None:
        await journal.add_application(an_application("Web shop"))
        other = an_application("WEB SHOP")

        def renamed(stored: Application) -> Application:
            return replace(stored, name="web shop")

        with pytest.raises(NameTaken):
            await journal.add_application(other)
        await journal.add_application(replace(other, key_id="another"))
        with pytest.raises(NameTaken):
            await journal.update_application(other.id, lambda _stored: other)
        await journal.update_application(an_application("Web shop").id, renamed)

        assert [a.name for a in await journal.applications()] == ["WEB SHOP", "web shop"]

    async def test_an_application_needs_its_environment_and_to_be_there(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.add_application(an_application(environment_id="nowhere"))
        with pytest.raises(NotFound):
            await journal.update_application(an_application().id, lambda stored: stored)
        await journal.add_application(an_application())
        with pytest.raises(JournalError):
            await journal.add_application(replace(an_application(), name="another"))
        assert list(await journal.applications()) == [an_application()]

    # --- rotations -------------------------------------------------------------------------------

    async def test_a_started_rotation_is_there_with_its_line(self, journal: Journal) -> None:
        rotation = await start(journal)
        await journal.close()
        await journal.open()
        assert await journal.rotation(rotation.id) == rotation
        assert list(await journal.activities(10)) == [replace(STARTED, number=1)]

    async def test_rotations_come_newest_first_of_one_environment_or_all(self, journal: Journal) -> None:
        await journal.add_environment(an_environment())
        where = an_environment().id
        first = await start(journal, a_rotation("R-1", key="a", minutes=1))
        second = await start(journal, a_rotation("R-2", key="b", minutes=2, environment_id=where))
        third = await start(journal, a_rotation("R-3", key="c", minutes=1))
        assert list(await journal.rotations()) == [second, third, first]
        assert list(await journal.rotations(PRACTICE_ID)) == [third, first]
        assert list(await journal.rotations("nowhere")) == []

    async def test_a_key_is_rotated_once_at_a_time(self, journal: Journal) -> None:
        await start(journal, a_rotation("R-1"))
        with pytest.raises(RotationUnderWay) as raised:
            await start(journal, a_rotation("R-2"))
        assert raised.value.name == "Till 3"
        await start(journal, a_rotation("R-3", key="Till 4"))
        await journal.advance_rotation("R-1", documented)
        await start(journal, a_rotation("R-4"))
        await journal.advance_rotation("R-4", abandoned)
        await start(journal, a_rotation("R-5"))
        assert [r.id for r in await journal.rotations()] == ["R-5", "R-4", "R-3", "R-1"]
        assert len(await journal.activities(10)) == 4

    async def test_a_rotation_needs_its_environment_and_an_identifier(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await start(journal, a_rotation(environment_id="nowhere"))
        await start(journal)
        with pytest.raises(JournalError):
            await start(journal, a_rotation(key="Till 4"))
        with pytest.raises(NotFound):
            await journal.rotation("R-0")
        with pytest.raises(NotFound):
            await journal.advance_rotation("R-0", with_evidence, add_key=a_key())
        assert list(await journal.all_keys()) == []
        assert len(await journal.activities(10)) == 1

    async def test_moves_are_applied_to_what_is_stored(self, journal: Journal) -> None:
        rotation = await start(journal)
        await asyncio.gather(*(journal.advance_rotation(rotation.id, with_evidence) for _ in range(20)))
        told = await journal.advance_rotation(rotation.id, abandoned)
        assert len(told.evidence) == 20
        assert await journal.rotation(rotation.id) == told

    async def test_what_belongs_to_a_step_is_kept_with_it(self, journal: Journal) -> None:
        rotation = await start(journal)
        for key in (a_key("Till 3"), a_key("Till 4")):
            await journal.add_key(key)
        gone, stays = an_application("gone"), an_application("stays")
        await journal.add_application(stays)
        # The name of a key that goes is free for the one that comes.
        new = replace(a_key("Till 4"), id="new")
        moves = dict.fromkeys((gone.id, stays.id), to_the_new_key)
        told = await journal.advance_rotation(
            rotation.id,
            with_evidence,
            add_key=new,
            remove_key="id-of-Till 4",
            applications=moves,
            activity=replace(STARTED, action="application changed"),
        )
        assert told == with_evidence(rotation)
        assert list(await journal.all_keys()) == [a_key("Till 3"), new]
        assert list(await journal.applications()) == [to_the_new_key(stays)]
        assert [line.action for line in await journal.activities(1)] == ["application changed"]

    async def test_a_key_that_is_known_is_changed_with_its_use_left(self, journal: Journal) -> None:
        rotation = await start(journal)
        await journal.add_key(a_key())
        await sold(journal, a_sale())

        def move(stored: SecurityKey) -> SecurityKey:
            return replace(stored, purpose=f"{stored.purpose}!", used_at=None)

        moves = {a_key().id: move, "gone": move}
        for _ in range(2):
            await journal.advance_rotation(rotation.id, with_evidence, keys=moves)

        assert list(await journal.all_keys()) == [
            replace(a_key(), purpose=f"{a_key().purpose}!!", used_at=NOW)
        ]

    async def test_a_key_is_renamed_with_its_open_rotations_and_a_line(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await journal.add_key(a_key("taken"))
        rotation = await start(journal, a_rotation(key=a_key().name))
        other = await start(journal, a_rotation("R-2", key="another"))
        line = Activity(NOW, "key renamed", PRACTICE_ID, "Till 9", "Till 3 → Till 9")

        def renaming(key_id: str, name: str) -> Edit:
            return Edit(Edited.KEY, PRACTICE_ID, key_id, {"name": a_key().name}, {"name": name}, line)

        await journal.edit(renaming(a_key().id, "Till 9"))
        assert [key.name for key in await journal.keys(PRACTICE_ID)] == ["taken", "Till 9"]
        followed = await journal.rotation(rotation.id)
        assert followed.old == replace(rotation.old, name="Till 9")
        assert followed.evidence[-1].what == "key renamed"
        assert await journal.rotation(other.id) == other
        told = (await journal.activities(1))[0]
        assert (told.action, told.result) == (line.action, line.result)
        for key_id, name, error in ((a_key().id, "TAKEN", NameTaken), ("gone", "new", NotFound)):
            with pytest.raises(error):
                await journal.edit(replace(renaming(key_id, name), seen={"name": "Till 9"}))
        assert await journal.rotation(rotation.id) == followed
        assert (await journal.activities(1))[0] == told

    async def test_a_move_that_changes_nothing_leaves_no_line_and_one_that_raises_nothing(
        self, journal: Journal
    ) -> None:
        rotation = await start(journal)
        told = await journal.advance_rotation(rotation.id, lambda r: r, add_key=a_key(), activity=STARTED)
        assert told == rotation

        def barred(_: Rotation) -> Rotation:
            raise RotationBarred(RotationBarred.OVER)

        with pytest.raises(RotationBarred):
            await journal.advance_rotation(rotation.id, barred, add_key=a_key("Till 4"), activity=STARTED)

        assert list(await journal.all_keys()) == [a_key()]
        assert len(await journal.activities(10)) == 1

    async def test_a_taken_name_undoes_the_whole_step(self, journal: Journal) -> None:
        rotation = await start(journal)
        for key in (a_key("Till 3"), a_key("Till 4")):
            await journal.add_key(key)
        await journal.add_application(an_application())
        with pytest.raises(NameTaken):
            await journal.advance_rotation(
                rotation.id,
                with_evidence,
                add_key=replace(a_key("till 3"), id="new"),
                remove_key="id-of-Till 4",
                applications={an_application().id: to_the_new_key},
                activity=STARTED,
            )
        assert await journal.rotation(rotation.id) == rotation
        assert [key.name for key in await journal.all_keys()] == ["Till 3", "Till 4"]
        assert list(await journal.applications()) == [an_application()]
        assert len(await journal.activities(10)) == 1

    async def test_applications_of_one_name_do_not_come_to_one_key(self, journal: Journal) -> None:
        rotation = await start(journal)
        old = [an_application("Web shop", key_id=key_id) for key_id in ("a", "b")]
        for application in old:
            await journal.add_application(application)
        with pytest.raises(NameTaken):
            await journal.advance_rotation(
                rotation.id, with_evidence, applications={a.id: to_the_new_key for a in old}
            )
        assert list(await journal.applications()) == old
        assert await journal.rotation(rotation.id) == rotation

    async def test_a_removed_environment_leaves_its_rotations_to_read(self, journal: Journal) -> None:
        where = an_environment().id
        await journal.add_environment(an_environment())
        rotation = await start(journal, a_rotation(environment_id=where))
        ended = await journal.advance_rotation(rotation.id, documented)
        await journal.add_application(an_application(environment_id=where))
        await journal.add_application(an_application("Kiosk"))
        await journal.remove_environment(where)
        assert await journal.rotation(rotation.id) == ended
        assert list(await journal.rotations(where)) == [ended]
        assert list(await journal.applications()) == [an_application("Kiosk")]

    # --- settings --------------------------------------------------------------------------------

    async def test_a_setting_is_what_was_set_last(self, journal: Journal) -> None:
        assert not await journal.setting("limits")
        for value in ("90", "", "30\n60"):
            assert await journal.update_setting("limits", lambda _stored, value=value: value) == value
            assert await journal.setting("limits") == value
        await journal.update_setting("busy", lambda stored: f"{stored}Fri")
        assert (await journal.setting("limits"), await journal.setting("busy")) == ("30\n60", "Fri")

    async def test_changes_of_one_setting_are_all_kept(self, journal: Journal) -> None:
        def add(letter: str) -> Callable[[str], str]:
            return lambda stored: stored + letter

        await asyncio.gather(*(journal.update_setting("letters", add(letter)) for letter in "abcdefgh"))

        assert sorted(await journal.setting("letters")) == list("abcdefgh")

    # --- plans of keys ---------------------------------------------------------------------------

    async def test_plans_are_kept_whole_the_oldest_first_and_go_with_their_environment(
        self, journal: Journal
    ) -> None:
        await journal.add_environment(an_environment("Zoo"))
        plans = [a_plan("b"), a_plan("a", environment_id="id-of-Zoo"), a_plan("c")]
        for plan in plans:
            await journal.add_key_plan(plan)
        assert list(await journal.key_plans()) == plans
        assert list(await journal.key_plans(PRACTICE_ID)) == [plans[0], plans[2]]
        await journal.remove_environment("id-of-Zoo")
        assert list(await journal.key_plans()) == [plans[0], plans[2]]

    async def test_a_plan_needs_its_environment_and_an_identifier_of_its_own(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.add_key_plan(a_plan(environment_id="none"))
        await journal.add_key_plan(a_plan())
        with pytest.raises(JournalError):
            await journal.add_key_plan(a_plan())
        assert len(await journal.key_plans()) == 1

    async def test_a_plan_is_moved_where_it_is_stored(self, journal: Journal) -> None:
        await journal.add_key_plan(a_plan())
        moved = await journal.update_key_plan("id-of-Till 9", lambda stored: stored.unwanted("K-2"))
        assert moved == a_plan().unwanted("K-2")
        assert list(await journal.key_plans()) == [moved]
        with pytest.raises(NotFound):
            await journal.update_key_plan("none", lambda stored: stored)

        def refuse(_stored: KeyPlan) -> KeyPlan:
            raise KeyUnderWay("Till 9")

        with pytest.raises(KeyUnderWay):
            await journal.update_key_plan("id-of-Till 9", refuse)
        assert list(await journal.key_plans()) == [moved]

    async def test_a_plan_ends_once_with_its_key_and_a_line_of_the_activity(self, journal: Journal) -> None:
        await journal.add_key_plan(a_plan())
        line = Activity(NOW, "key added", PRACTICE_ID, "Till 3", "four plain words")
        await journal.end_key_plan("id-of-Till 9", add_key=a_key(), activity=line)
        assert list(await journal.key_plans()) == []
        assert [key.id for key in await journal.keys(PRACTICE_ID)] == [a_key().id]
        assert [one.action for one in await journal.activities(5)] == ["key added"]
        with pytest.raises(NotFound):
            await journal.end_key_plan("id-of-Till 9", add_key=a_key("Till 4"), activity=STARTED)
        assert [key.id for key in await journal.keys(PRACTICE_ID)] == [a_key().id]
        assert len(await journal.activities(5)) == 1

    async def test_a_plan_whose_keys_name_is_taken_stays(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await journal.add_key_plan(a_plan())
        another = a_key(a_key().name.upper(), identifier="another")
        with pytest.raises(NameTaken):
            await journal.end_key_plan("id-of-Till 9", add_key=another, activity=STARTED)
        assert list(await journal.key_plans()) == [a_plan()]
        assert [key.id for key in await journal.keys(PRACTICE_ID)] == [a_key().id]
        assert list(await journal.activities(5)) == []
