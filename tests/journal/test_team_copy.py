"""A desk's copy of a team's journal, and its queue: cut off and back again, on a real server."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from contracts.journal_samples import APPROVED, NOW, a_key, a_point, a_sale, an_environment, an_exchange, note
from contracts.register_samples import a_plan, a_rotation, an_application, start
from fakes.clock import MovedClock
from journal.postgres import Server, a_desk
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalAway, JournalError
from keybench.core.input_errors import InputInvalid
from keybench.core.ports import Activity, Device, JournalStanding, PollNote
from keybench.core.sales.sale import IllegalTransition, Mark, Outcome, Verdict
from keybench.core.team.edits import Edit, Edited
from keybench.journal import SqlJournal, copying
from keybench.journal.columns import metadata
from keybench.journal.edits import edit_late
from keybench.journal.sqlite.opening import FileStore, open_store
from keybench.journal.team_journal import EVERY_S, TeamJournal

# A server comes and goes.
pytestmark = pytest.mark.sweep

WAIT_S = 30.0


async def until(is_so: Callable[[], bool], journal: TeamJournal | None = None) -> None:
    """Wait for what happens on other threads; a journal's clock goes on meanwhile."""
    async with asyncio.timeout(WAIT_S):
        while not is_so():
            await asyncio.sleep(0.01)
            if journal:
                journal._clock.move(1)  # type: ignore[attr-defined]  # a test's own


def everything(connection: Connection) -> dict[str, list[Any]]:
    """Return all rows but those of the large tables' older part, as the database has them."""
    whole = [one for one in metadata.sorted_tables if one.name not in {"meta", "settings"}]
    return {one.name: sorted(map(tuple, connection.execute(select(copying._plain(one))))) for one in whole}


@pytest.fixture
async def copy(journal: SqlJournal, tmp_path: Path) -> AsyncIterator[FileStore]:
    """An empty copy, on the journal's thread."""
    path = tmp_path / "copy" / "team.sqlite3"
    made, _ = await journal._worker.run(lambda: open_store(path, lambda: NOW, 5.0))
    await journal._worker.run(made.hold_no_rule)
    yield made
    await journal._worker.run(made.close)


async def both(journal: SqlJournal, copy: FileStore) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Bring the copy up to date, and return what both hold."""

    def take(source: Connection) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        copy.run(lambda target: copying.refresh(source, target), writes=True)
        return everything(source), copy.run(everything, writes=False)

    return await journal.run(take, writes=False)


# --- the copy --------------------------------------------------------------------------------------


async def test_the_copy_is_what_its_source_is_after_each_change(journal: SqlJournal, copy: FileStore) -> None:
    chance = random.Random(29)
    sandbox = an_environment()
    keys = [a_key(name, environment_id=where) for name in "abc" for where in (PRACTICE_ID, sandbox.id)]
    keys = [replace(key, id=f"{key.name} {key.environment_id}") for key in keys]
    sales = [a_sale(f"KB-{number}") for number in range(6)]

    async def renamed_all() -> None:  # names go round, which no single row may do alone
        for name in ("x", "a", "b"):
            one = next((key for key in await journal.keys(PRACTICE_ID) if key.name != name), None)
            if one and name not in {key.name for key in await journal.keys(PRACTICE_ID)}:
                await journal.update_key(one.id, lambda stored, name=name: replace(stored, name=name))

    async def polled() -> None:
        sale = chance.choice(sales)
        await journal.note_polls([PollNote(a_point(sale, Mark.STATUS), (an_exchange(),))])

    changes: list[Callable[[], Any]] = [
        lambda: journal.add_environment(sandbox),
        lambda: journal.remove_environment(sandbox.id),
        lambda: journal.add_key(chance.choice(keys)),
        lambda: journal.remove_key(chance.choice(keys).id),
        lambda: journal.keep_key_exchanges(chance.choice(keys).id, [an_exchange()] * chance.randrange(3)),
        lambda: journal.add_application(an_application(chance.choice("xyz"), key_id=chance.choice(keys).id)),
        lambda: journal.remember_devices(PRACTICE_ID, [Device(chance.choice("de"), chance.choice("no"))]),
        lambda: journal.forget_device(PRACTICE_ID, chance.choice("de")),
        lambda: start(journal, a_rotation(chance.choice("rs"), key=chance.choice("ab"))),
        lambda: journal.add_key_plan(a_plan(chance.choice("pq"))),
        lambda: note(journal, chance.choice(sales)),
        lambda: journal.advance_sale(
            chance.choice(sales).reference, lambda sale: sale.finish(APPROVED, NOW), [], [an_exchange()]
        ),
        lambda: journal.delete_older(NOW + timedelta(days=1), with_sales=chance.random() < 0.5),
        lambda: journal.record_activity(Activity(NOW, "noted", PRACTICE_ID, "", "")),
        polled,
        renamed_all,
    ]
    for _ in range(150):
        with suppress(InputInvalid, JournalError, IllegalTransition):  # much can't be done at that moment
            await chance.choice(changes)()
        source, copied_rows = await both(journal, copy)
        assert copied_rows == source


async def test_of_sales_the_newest_are_copied_and_all_that_wait(
    journal: SqlJournal, copy: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        sale = await note(journal, a_sale(f"KB-{number}", minutes=number))
        if number != 1:
            verdict = Verdict(Outcome.UNKNOWN) if number == 2 else APPROVED
            await journal.advance_sale(sale.reference, lambda one, v=verdict: one.finish(v, NOW))
    monkeypatch.setattr(copying, "SALES", 3)
    monkeypatch.setattr(copying, "LINES", 2)
    for number in range(5):
        await journal.record_activity(Activity(NOW, f"line {number}", PRACTICE_ID, "", ""))
    for _ in range(2):
        _, rows = await both(journal, copy)
        assert [row[1] for row in rows["sales"]] == ["KB-1", "KB-2", "KB-5", "KB-6", "KB-7"]
        assert {row[1] for row in rows["sale_events"]} == {row[1] for row in rows["sales"]}
        assert [row[2] for row in rows["activities"]] == ["line 3", "line 4"]


# --- away and back ---------------------------------------------------------------------------------


class Link:
    """The connection to a database, cut and mended by the server."""

    def __init__(self, server: Server, database: str) -> None:
        self._server, self._database = server, database

    def cut(self) -> None:
        self._server.execute(f"ALTER DATABASE {self._database} ALLOW_CONNECTIONS false")
        gone = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
        self._server.execute(f"{gone}'{self._database}'")

    def mend(self) -> None:
        self._server.execute(f"ALTER DATABASE {self._database} ALLOW_CONNECTIONS true")


@pytest.fixture
def link(server: Server, database: str) -> Link:
    return Link(server, database)


class Heard:
    def __init__(self, journal: TeamJournal) -> None:
        self.notices: list[str] = []
        self.standings: list[JournalStanding] = []
        journal.listen(self.notices.append, self.standings.append)


def a_team_journal(server: Server, database: str, folder: Path, clock: MovedClock, name: str) -> TeamJournal:
    folder.mkdir(parents=True, exist_ok=True)
    return TeamJournal(folder / "journal.sqlite3", clock, desk=a_desk(server.url(database), name))


@pytest.fixture
async def mine(server: Server, database: str, tmp_path: Path) -> AsyncIterator[TeamJournal]:
    clock = MovedClock(NOW)
    journal = a_team_journal(server, database, tmp_path / "mine", clock, "front office")
    await journal.open()
    await until(lambda: journal._copied_at is not None, journal)
    yield journal
    await journal.close()


KEY = a_key()


def an_edit(field: str, seen: str, wanted: str, at: int = 0) -> Edit:
    line = Activity(NOW + timedelta(seconds=at), "key edited", PRACTICE_ID, KEY.name, field, "Ana")
    return Edit(Edited.KEY, PRACTICE_ID, KEY.id, {field: seen}, {field: wanted}, line)


async def copied(journal: TeamJournal) -> None:
    """Bring the copy up to date now."""
    await journal._worker.run(lambda: journal._bring_up_to_date(None))


async def test_cut_off_one_reads_the_copy_and_notes_wait_and_are_written_on_return(
    mine: TeamJournal, link: Link, server: Server, database: str, tmp_path: Path
) -> None:
    await mine.add_key(KEY)
    await copied(mine)
    heard = Heard(mine)
    theirs = a_team_journal(server, database, tmp_path / "theirs", MovedClock(NOW), "stock room")
    await theirs.open()
    await theirs.edit(an_edit("purpose", KEY.purpose, "shop", at=1))
    await until(lambda: any(one.startswith("security_keys\t") for one in heard.notices))
    await theirs.close()
    link.cut()
    assert [key.name for key in await mine.all_keys()] == [KEY.name]
    await until(lambda: bool(heard.standings) and heard.standings[-1].is_away)
    await mine.edit(an_edit("owner", "", "Ana", at=2))
    await mine.edit(an_edit("purpose", KEY.purpose, "office", at=3))
    await mine.record_activity(
        Activity(NOW + timedelta(minutes=1), "value copied", PRACTICE_ID, KEY.name, "", "Ana")
    )
    (key,) = await mine.all_keys()
    assert (key.owner, key.purpose) == ("Ana", "office")
    assert [one.action for one in await mine.activities(3)] == ["value copied", "key edited", "key edited"]
    assert (mine.standing.queued, mine.standing.edited) == (3, {KEY.id})
    sale = a_sale()
    with pytest.raises(JournalAway):
        await mine.note_sale(sale, a_point(sale))
    with pytest.raises(JournalAway):
        await mine.sale("KB-unknown")
    link.mend()
    await until(lambda: not mine.standing.is_away, mine)
    assert not await mine.queued()
    (key,) = await mine.all_keys()
    assert (key.owner, key.purpose) == ("Ana", "shop")
    (found,) = await mine.contradictions()
    assert (found.field, found.kept, found.other) == ("purpose", "shop", "office")
    assert len(await mine.activities(9)) == 4
    await until(lambda: heard.standings[-1] == JournalStanding(), mine)


async def test_the_queue_outlives_the_program_and_is_written_once(
    mine: TeamJournal, link: Link, server: Server, database: str, tmp_path: Path
) -> None:
    await mine.add_key(KEY)
    await copied(mine)
    link.cut()
    for _ in range(2):  # of one moment, as with a clock that stands
        await mine.record_activity(
            Activity(NOW + timedelta(minutes=1), "value copied", PRACTICE_ID, KEY.name, "", "Ana")
        )
    await mine.edit(an_edit("name", KEY.name, "Till 9"))
    waiting = await mine.queued()
    await mine.close()

    again = a_team_journal(server, database, tmp_path / "mine", MovedClock(NOW), "front office")
    await again.open()
    assert again.standing.is_away
    assert await again.queued() == waiting
    assert [key.name for key in await again.all_keys()] == ["Till 9"]
    await again.close()
    another = TeamJournal(again._path, MovedClock(NOW), desk=a_desk(server.url(database, "agent")))
    with pytest.raises(JournalAway):  # what was copied is another journal's, as far as anybody knows
        await another.open()
    await another.close()
    link.mend()

    # What was written when the program was killed is still in the queue.
    direct = SqlJournal(
        tmp_path / "x" / "journal.sqlite3", MovedClock(NOW), desk=a_desk(server.url(database))
    )
    await direct.open()
    for edit in waiting[1:]:
        await direct.run(lambda connection, edit=edit: edit_late(connection, edit), writes=True)
    last = a_team_journal(server, database, tmp_path / "mine", MovedClock(NOW), "front office")
    await last.open()
    await until(lambda: not last.standing.queued, last)
    told = [one.action for one in await direct.activities(9)]
    assert sorted(told) == ["key edited", "value copied", "value copied"]
    assert [key.name for key in await direct.all_keys()] == ["Till 9"]
    await last.close()
    await direct.close()


async def test_what_a_role_may_not_write_is_told_and_holds_nothing_up(
    link: Link, server: Server, database: str, tmp_path: Path
) -> None:
    owner = SqlJournal(tmp_path / "x" / "journal.sqlite3", MovedClock(NOW), desk=a_desk(server.url(database)))
    await owner.open()
    await owner.add_key(KEY)
    await owner.close()
    clock = MovedClock(NOW)
    (tmp_path / "mine").mkdir()
    desk = a_desk(server.url(database, "trainer"))
    journal = TeamJournal(tmp_path / "mine" / "journal.sqlite3", clock, desk=desk)
    await journal.open()
    await until(lambda: journal._copied_at is not None, journal)
    link.cut()
    await until(lambda: journal.standing.is_away)
    await journal.edit(an_edit("owner", "", "Ana"))
    await journal.record_activity(Activity(NOW, "value copied", PRACTICE_ID, KEY.name, "", "trainer"))
    link.mend()
    await until(lambda: not journal.standing.is_away, journal)
    assert not await journal.queued()
    assert [key.owner for key in await journal.all_keys()] == [""]
    told = {one.action: one.result for one in await journal.activities(9)}
    assert told == {"key edited": "not done: the role has no right to it", "value copied": ""}
    await journal.close()


async def test_what_this_desk_changes_is_copied_too_and_not_at_once(mine: TeamJournal) -> None:
    await mine.add_key(KEY)
    chosen = select(metadata.tables["security_keys"].c.name)

    async def names() -> list[str]:
        copy = mine._copied
        return await mine._worker.run(lambda: copy.run(lambda one: list(one.scalars(chosen)), writes=False))

    assert await names() == []
    clock = mine._clock
    assert isinstance(clock, MovedClock)
    await clock.advance(EVERY_S)
    assert await names() == [KEY.name]


async def test_without_a_copy_a_server_that_is_away_is_told(
    link: Link, server: Server, database: str, tmp_path: Path
) -> None:
    journal = a_team_journal(server, database, tmp_path / "new", MovedClock(NOW), "front office")
    await journal.open()
    link.cut()
    with pytest.raises(JournalAway):
        await journal.all_keys()
    with pytest.raises(JournalAway):
        await journal.edit(an_edit("owner", "", "Ana"))
    await journal.close()
    again = a_team_journal(server, database, tmp_path / "new", MovedClock(NOW), "front office")
    with pytest.raises(JournalAway):
        await again.open()
    await again.close()
    link.mend()


async def test_a_role_that_is_let_in_no_more_reads_the_copy(
    mine: TeamJournal, server: Server, database: str, tmp_path: Path
) -> None:
    await mine.add_key(KEY)
    server.execute("CREATE ROLE late LOGIN IN ROLE keybench_agent")
    path, desk = tmp_path / "late" / "journal.sqlite3", a_desk(server.url(database, "late"))
    path.parent.mkdir()
    for let_in in (True, False):
        journal = TeamJournal(path, MovedClock(NOW), desk=desk)
        await journal.open()
        if let_in:
            await copied(journal)
        assert journal.standing.is_away == (not let_in)
        assert [key.name for key in await journal.all_keys()] == [KEY.name]
        await journal.close()
        server.execute("ALTER ROLE late NOLOGIN")
