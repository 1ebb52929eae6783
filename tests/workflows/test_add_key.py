"""Add a New Key: made or pasted, and nothing half-made left behind when a step fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import MADE_UP, TILL_KEY, Bench
from keybench.core.errors import JournalUnwritable, KeystoreDenied, KeystoreLocked, NotSent
from keybench.core.events import KeysChanged
from keybench.core.input_errors import KeyValueInvalid, NameInvalid, NameTaken
from keybench.core.keys.key import HINT_LOOKS_PRIVATE, KeyDraft, KeyKind
from keybench.core.ports import Activity, entry_of
from keybench.core.secret import Secret, fingerprint


async def nothing_is_left(bench: Bench) -> bool:
    where = await bench.practice_environment()
    kept = [await bench.journal.keys(where.id), await bench.journal.key_plans(), bench.keystore.entries]
    return not (any(kept) or bench.portal.active)


async def test_a_key_the_gateway_makes_is_kept_under_its_fingerprint(bench: Bench) -> None:
    where = await bench.practice_environment()
    heard: list[KeysChanged] = []
    bench.events.subscribe(KeysChanged, heard.append)
    added = await bench.console.add_key.create(where, replace(TILL_KEY, name="  Till  "))
    assert added.key.name == "Till"
    assert added.key.gateway_id in bench.portal.active
    assert added.key.fingerprint == fingerprint(Secret(MADE_UP))
    assert (await bench.keystore.read(entry_of(added.key))).matches(Secret(MADE_UP))
    assert list(await bench.journal.keys(where.id)) == [added.key]
    assert heard == [KeysChanged(where.id)]
    words = added.key.fingerprint
    expected = Activity(bench.clock.now(), "key added", where.id, "Till", words, "Ann", number=1)
    assert list(await bench.journal.activities(10)) == [expected]


async def test_a_pasted_key_is_tidied_and_hinted_at(bench: Bench) -> None:
    where = await bench.add()
    draft = replace(TILL_KEY, kind=KeyKind.PUBLIC)
    added = await bench.console.add_key.keep(where, draft, f" {MADE_UP}\n")
    assert added.hint == HINT_LOOKS_PRIVATE
    assert not added.key.gateway_id
    assert (await bench.keystore.read(entry_of(added.key))).matches(Secret(MADE_UP))


@pytest.mark.parametrize(
    ("draft", "error"),
    [
        (replace(TILL_KEY, name=""), NameInvalid),
        (replace(TILL_KEY, name="x" * 300), NameInvalid),
        (replace(TILL_KEY, username=" "), NameInvalid),
        (replace(TILL_KEY, permission=""), NameInvalid),
        (replace(TILL_KEY, purpose="x" * 300), NameInvalid),
    ],
)
async def test_a_field_that_cannot_be_used_makes_nothing(
    bench: Bench, draft: KeyDraft, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await bench.console.add_key.create(await bench.practice_environment(), draft)
    assert not bench.portal.request_ids
    assert await nothing_is_left(bench)


async def test_a_second_key_of_a_name_is_refused_before_anything_is_made(bench: Bench) -> None:
    where = await bench.practice_environment()
    await bench.console.add_key.create(where, TILL_KEY)
    with pytest.raises(NameTaken):
        await bench.console.add_key.create(where, replace(TILL_KEY, name="TILL"))
    assert len(bench.portal.active) == len(bench.keystore.entries) == 1


@pytest.mark.parametrize("error", [NotSent("connection refused"), NameTaken("key", "Till")])
async def test_a_gateway_that_does_not_make_it_leaves_nothing(bench: Bench, error: Exception) -> None:
    bench.portal.failure = error  # type: ignore[assignment]  # each is one of ours
    with pytest.raises(type(error)):
        await bench.console.add_key.create(await bench.practice_environment(), TILL_KEY)
    bench.portal.failure = None
    assert await nothing_is_left(bench)


async def test_a_keystore_that_cannot_be_used_is_found_out_before_a_key_is_made(bench: Bench) -> None:
    bench.keystore.failure = KeystoreDenied()
    with pytest.raises(KeystoreDenied):
        await bench.console.add_key.create(await bench.practice_environment(), TILL_KEY)
    assert not bench.portal.request_ids
    assert await nothing_is_left(bench)


async def test_memory_that_a_person_chose_over_a_locked_keystore_takes_a_new_key(bench: Bench) -> None:
    environment = await bench.practice_environment()
    bench.keystore.failure = KeystoreLocked("locked")
    assert bench.console.keep_in_memory().trouble
    added = await bench.console.add_key.create(environment, TILL_KEY)
    assert bench.keystore.entries == (entry_of(added.key),)


@pytest.mark.parametrize("call", ["add_key_plan", "update_key_plan"])
async def test_a_plan_the_journal_does_not_take_makes_nothing(bench: Bench, call: str) -> None:
    async def fail(*_arguments: object) -> None:
        raise JournalUnwritable("the disk", "full")

    setattr(bench.journal, call, fail)
    with pytest.raises(JournalUnwritable):
        await bench.console.add_key.create(await bench.practice_environment(), TILL_KEY)
    assert not bench.portal.request_ids
    assert await nothing_is_left(bench)


@pytest.mark.parametrize("text", ["", "k" * 5000, "two\nlines"])
async def test_a_pasted_text_that_is_no_key_is_not_kept(bench: Bench, text: str) -> None:
    where = await bench.add()
    with pytest.raises(KeyValueInvalid):
        await bench.console.add_key.keep(where, TILL_KEY, text)
    assert not bench.keystore.calls
    assert not await bench.journal.keys(where.id)


async def test_users_are_listed_only_where_the_gateway_names_them(bench: Bench) -> None:
    users = await bench.console.add_key.users(await bench.practice_environment())
    assert [user.username for user in users] == ["mira"]
    bench.portal.failure = NotSent("connection refused")
    assert not await bench.console.add_key.users(await bench.add())
    with pytest.raises(NotSent):
        await bench.console.add_key.users(await bench.practice_environment())
