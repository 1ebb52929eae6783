"""What a window shows of a team's journal: that it is away, what is queued, and edits that contradict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from fakes.clock import START, MovedClock
from fakes.journal import MemoryJournal, put_key
from fakes.waiting import until
from fakes.world import MADE_UP
from keybench.core.events import JournalStood
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import JournalStanding
from keybench.core.team.edits import Contradiction, Edited
from keybench.runtime.supervisor import Supervisor
from keybench.words.team.edits import contradiction_words
from keybench.workflows.world import World

from .inventory_support import make_stage, press
from .opened_window import Opened


async def test_a_journal_that_is_away_is_told_for_as_long_as_it_is(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    opened = Opened(qtbot, world)
    await opened.settled(clock)
    bar = opened.window.notice_bar
    away = JournalStanding(is_away=True, since=START, copied_at=START)
    world.events.publish(JournalStood(away))
    assert bar.shown
    assert bar.shown.title.startswith("The team's journal can't be reached. You see this desk's copy of ")
    assert bar.shown.text == "Sales and rotations wait until it is back."
    world.events.publish(JournalStood(replace(away, queued=3, edited=frozenset({"k"}))))
    assert (len(bar.waiting), bar.shown.text) == (1, "3 edits wait to be written.")
    world.events.publish(JournalStood(JournalStanding(queued=1)))
    assert bar.shown.title == "1 edit waits to be written."
    world.events.publish(JournalStood(JournalStanding()))
    assert bar.shown is None
    assert await opened.closed() == 0


async def test_a_new_contradiction_is_told_until_it_is_settled(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    opened = Opened(qtbot, world)
    await opened.settled(clock)
    session, bar = opened.window.session, opened.window.notice_bar
    assert session
    where, draft = session.environment, KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE)
    seen = (await opened.console.add_key.keep(where, draft, MADE_UP)).key
    for owner in ("Ana", "Bob"):
        await session.administration.inventory.edit(seen, owner, "")
    await until(lambda: bar.shown is not None and bar.shown.title == "An edit contradicts another's.")
    (found,) = await session.administration.inventory.contradictions()
    await session.administration.inventory.settle(found, take_other=False)
    await until(lambda: bar.shown is None)
    assert await opened.closed() == 0


async def test_edits_that_contradict_are_chosen_from_and_queued_ones_counted(
    qtbot: QtBot, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await make_stage(qtbot, supervisor)
    inventory = stage.session.administration.inventory
    listed = stage.view.contradictions
    assert not listed.isVisible()
    seen = stage.view.model.items[0].key
    await put_key(stage.bench.journal, replace(seen, owner="Ana"))
    await inventory.edit(seen, "Bob", "")
    await until(listed.isVisible)
    told = f"Owner of “{seen.name}”: “Ana” stands there, and {stage.bench.console.world.who()} wrote “Bob”."
    names = {one.accessibleName() for one in listed.findChildren(QPushButton)}
    assert names == {f"Keep “Ana”: {told}", f"Take “Bob”: {told}"}
    press(listed, f"Take “Bob”: {told}")
    await until(lambda: not listed.isVisible())
    (key,) = [one for one in await stage.bench.journal.all_keys() if one.id == seen.id]
    assert key.owner == "Bob"
    assert (await stage.bench.journal.activities(1))[0].result == "owner: other taken"

    standing = JournalStanding(is_away=True, queued=1, edited=frozenset({key.id, "gone"}))
    monkeypatch.setattr(MemoryJournal, "standing", standing)
    stage.bench.events.publish(JournalStood(standing))
    await until(lambda: stage.view.status.text().endswith(" · 1 queued"))


def test_a_record_that_one_removed_is_told_as_such() -> None:
    found = Contradiction(1, START, Edited.APPLICATION, "a", "e", "Shop", "", "Shop", "", "Ana")
    told, *ways = contradiction_words(found)
    assert (told, ways) == ("“Shop” was changed, and Ana removed it.", ["Keep it", "Remove it"])
    told, *ways = contradiction_words(replace(found, kept="", other="Shop"))
    assert (told, ways) == ("“Shop” was removed, and Ana changed it.", ["Leave it removed", "Put it back"])
