"""The register of applications: added, changed, seen, removed and put back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fakes.world import Bench
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.events import ActivityRecorded, ApplicationsChanged
from keybench.core.input_errors import CardDataRefused, NameInvalid, NameTaken, NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.text import NOTE_LIMIT
from keybench.workflows.keys.applications import (
    ApplicationDraft,
    Applications,
    draft_of,
)

WHERE = Environment(
    PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", datetime(2026, 1, 1, tzinfo=UTC)
)
SHOP = ApplicationDraft("Web shop", "Jo", "jo@shop.example", "PAYMENT_KEY on web-1", "Set it.\nRestart.")


async def added_to(register: Applications, key: SecurityKey, draft: ApplicationDraft = SHOP) -> Application:
    return await register.add(WHERE, key.id, draft)


@pytest.fixture
async def key(bench: Bench) -> SecurityKey:
    return await bench.add_key(await bench.practice_environment())


@pytest.fixture
def register(bench: Bench) -> Applications:
    return Applications(bench.console)


async def test_an_application_is_added_to_its_key(
    bench: Bench, register: Applications, key: SecurityKey
) -> None:
    heard: list[object] = []
    bench.events.subscribe(ApplicationsChanged, heard.append)
    bench.events.subscribe(ActivityRecorded, heard.append)
    added = await added_to(
        register, key, ApplicationDraft(" Web shop ", "Jo", "", "", "\n Set it. \n\nRestart.\n")
    )
    assert (added.name, added.instructions) == ("Web shop", "Set it.\n\nRestart.")
    assert (added.environment_id, added.key_id) == (key.environment_id, key.id)
    assert list(await register.of_key(key)) == [added]
    assert list(await register.listed(key.environment_id)) == [added]
    assert list(await register.of_key(replace(key, id="another"))) == []
    assert heard == [ActivityRecorded(), ApplicationsChanged(key.environment_id)]
    (line,) = await bench.journal.activities(1)
    assert (line.action, line.subject, line.result) == ("application added", "Web shop", "uses Till")


@pytest.mark.parametrize(
    ("draft", "error"),
    [
        (ApplicationDraft(""), NameInvalid),
        (ApplicationDraft("Shop", owner="x" * 101), NameInvalid),
        (ApplicationDraft("Shop", instructions="a b\n" * NOTE_LIMIT), NameInvalid),
        (ApplicationDraft("Shop", instructions="tab\x07"), NameInvalid),
        (ApplicationDraft("Shop", contact="4111 1111 1111 1111"), CardDataRefused),
        (ApplicationDraft("Shop", instructions="4111 1111\n1111 1111"), CardDataRefused),
        (ApplicationDraft("Shop", place="cvv=123"), CardDataRefused),
    ],
)
async def test_texts_that_cant_be_used(
    register: Applications, key: SecurityKey, draft: ApplicationDraft, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await added_to(register, key, draft)
    assert list(await register.listed()) == []


async def test_a_name_is_a_keys_once(register: Applications, key: SecurityKey) -> None:
    await added_to(register, key, SHOP)
    with pytest.raises(NameTaken):
        await added_to(register, key, ApplicationDraft("WEB SHOP"))
    assert (await register.named(key, "web SHOP")).name == "Web shop"
    with pytest.raises(NotFound):
        await register.named(key, "kiosk")


async def test_editing_keeps_what_was_seen(bench: Bench, register: Applications, key: SecurityKey) -> None:
    added = await added_to(register, key, SHOP)
    seen = await register.note_seen(await register.note_changed(added, "Jo"), "Ana")
    assert (seen.changed_by, seen.seen_by, seen.seen_at) == ("Jo", "Ana", bench.clock.now())
    edited = await register.update(added, ApplicationDraft("Shop", "Li"))
    assert (edited.name, edited.owner, edited.instructions) == ("Shop", "Li", "")
    assert (edited.seen_by, edited.changed_by) == ("Ana", "Jo")
    before = len(await bench.journal.activities(99))
    assert await register.update(edited, draft_of(edited)) == edited
    assert len(await bench.journal.activities(99)) == before


async def test_with_another_key_nobody_has_seen_it_working(
    bench: Bench, register: Applications, key: SecurityKey
) -> None:
    seen = await register.note_seen(await register.note_changed(await added_to(register, key), "Jo"), "Ana")
    other = await bench.add_key(await bench.practice_environment(), "Other")
    moved = await register.update(seen, draft_of(seen), key_id=other.id)
    assert (moved.key_id, moved.changed_at, moved.seen_at, moved.seen_by) == (other.id, None, None, "")
    assert list(await register.of_key(other)) == [moved]
    (line,) = await bench.journal.activities(1)
    assert line.result == "uses Other"
    with pytest.raises(NotFound):
        await register.update(moved, draft_of(moved), key_id="gone")


async def test_a_change_has_to_be_seen_working_again(register: Applications, key: SecurityKey) -> None:
    seen = await register.note_seen(await added_to(register, key, SHOP), "Ana")
    changed = await register.note_changed(seen, "Jo")
    assert (changed.seen_at, changed.seen_by, changed.changed_by) == (None, "", "Jo")
    with pytest.raises(NameInvalid):
        await register.note_seen(changed, " ")


async def test_a_removed_one_can_be_put_back(bench: Bench, register: Applications, key: SecurityKey) -> None:
    added = await added_to(register, key, SHOP)
    await register.remove(added)
    assert list(await register.listed()) == []
    for work in (register.update(added, SHOP), register.note_seen(added, "Jo")):
        with pytest.raises(NotFound):
            await work
    await register.put_back(added)
    assert list(await register.listed()) == [added]
    assert [line.action for line in await bench.journal.activities(3)] == [
        "application put back",
        "application removed",
        "application added",
    ]
    await register.remove(added)
    await added_to(register, key, SHOP)
    with pytest.raises(NameTaken):
        await register.put_back(added)
