"""A journal moves whole, to a team's database and back, and however a move ends, nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, select

from contracts.history_contract import finish
from contracts.journal_samples import NOW, a_key, a_sale, an_environment, an_exchange, note
from journal.postgres import Server
from keybench.core.errors import JournalError, JournalMoveBarred, JournalUnwritable
from keybench.core.keys.key import KeyDraft, KeyKind, KeyPlan, PlannedKey
from keybench.core.ports import Activity, Clock, Device, RunningProgram
from keybench.core.secret import Secret
from keybench.core.team.joining import new_team_secret, team_address, team_secret
from keybench.journal import SqlJournal, moving
from keybench.journal.columns import metadata
from keybench.journal.moving import SqlMoves
from keybench.runtime.desk_file import read_desk
from sweeps import every

# Whole journals are moved, and moves killed.
pytestmark = pytest.mark.sweep

NO_PASSWORD = Secret("")
CODE = new_team_secret()
PROGRAMS = metadata.tables["programs"], metadata.tables["meta"]
LINES = 510


def told(_done: int, _of: int) -> None:
    """Listen to nothing."""


async def rows_of(journal: SqlJournal) -> Mapping[str, list[str]]:
    """Return every row of a journal but its programs', by table."""
    tables = [table for table in metadata.sorted_tables if table not in PROGRAMS]
    return await journal.run(
        lambda connection: {one.name: sorted(map(repr, connection.execute(select(one)))) for one in tables},
        writes=False,
    )


def line(number: int = 0) -> Activity:
    return Activity(NOW, "key added", "practice", f"Till {number} \N{SNOWMAN}", "")


@pytest.fixture
async def full(journal: SqlJournal) -> SqlJournal:
    await journal.add_environment(an_environment())
    await journal.add_key(a_key())
    await finish(journal, await note(journal, a_sale()))
    await journal.advance_sale("KB-1", lambda stored: stored, exchanges=[an_exchange()])
    await journal.remember_devices("practice", [Device("D-1", "Till")])
    await journal.update_setting("idle_days", lambda _stored: "30")
    for number in range(LINES):
        await journal.record_activity(line(number))
    return journal


@pytest.fixture
def url(server: Server) -> str:
    """An empty database: no tables are there."""
    return server.url(server.database())


async def move(journal: SqlJournal, path: Path, url: str, code: Secret = CODE) -> bool:
    moves = SqlMoves(journal, path, journal._clock)
    return await moves.to_team(url, NO_PASSWORD, code, "stock room", (), told)


async def opened(path: Path, clock: Clock) -> SqlJournal:
    """Return the journal as the program's next start opens it."""
    desk = read_desk(path.parent)
    journal = SqlJournal(path, clock, desk=desk if desk and desk.journal else None)
    await journal.open()
    return journal


async def test_all_of_it_goes_to_a_team_and_back(
    full: SqlJournal, path: Path, url: str, clock: Clock
) -> None:
    before, steps = await rows_of(full), list[tuple[int, int]]()
    moves = SqlMoves(full, path, clock)
    assert await moves.to_team(
        url, NO_PASSWORD, CODE, "stock room", (), lambda done, of: steps.append((done, of))
    )
    assert (moves.desk.journal, moves.desk.name) == (url, "stock room")
    assert read_desk(path.parent) == moves.desk
    with pytest.raises(JournalError, match="moved"):
        await full.record_activity(line())
    found = await moves.look(url, NO_PASSWORD)
    assert (found.rights, found.has_team) == ("owner", True)
    assert steps[-1][0] == steps[-1][1] > LINES
    await full.close()

    team = await opened(path, clock)
    assert await rows_of(team) == before
    await team.record_activity(line(LINES))
    assert [one.number for one in await team.activities(2)] == [LINES + 1, LINES]
    await finish(team, await note(team, a_sale("KB-2")))
    before = await rows_of(team)
    await SqlMoves(team, path, clock).to_file((), told)
    await team.close()

    here = await opened(path, clock)
    assert await rows_of(here) == before
    assert read_desk(path.parent) == replace(moves.desk, journal="")
    await here.close()
    assert [one.name for one in path.parent.glob("journal.sqlite3.2026*")] == [
        "journal.sqlite3.20260301-123015"
    ]
    assert not (path.parent / "moving").exists()


async def test_another_desk_joins_by_the_code_and_its_own_journal_stays(
    full: SqlJournal, path: Path, url: str, clock: Clock, tmp_path: Path
) -> None:
    await move(full, path, url)
    own = tmp_path / "other" / path.name
    other = await opened(own, clock)
    await other.add_key(a_key("Web"))
    before = await rows_of(other)
    with pytest.raises(JournalMoveBarred, match=JournalMoveBarred.OTHER_TEAM):
        await move(other, own, url, new_team_secret())
    await other.record_activity(line())  # it works on where it is
    before = await rows_of(other)
    assert not await move(other, own, url)
    assert await rows_of(other) == before
    await other.close()
    joined = await opened(own, clock)
    assert [key.name for key in await joined.all_keys()] == ["Till 3"]
    await joined.close()


class Killed(BaseException):
    """The program ends here."""


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("at", every(6, range(3, 160, 13)))
async def test_killed_at_any_statement_it_is_where_it_was_or_where_it_is_to_be(
    full: SqlJournal, path: Path, url: str, clock: Clock, at: int, *, back: bool
) -> None:
    if back:
        await move(full, path, url)
    before, journal, seen = await rows_of(full), await opened(path, clock), []

    def kill(*told: Any) -> None:
        seen.append(1)
        if len(seen) >= at and not told[4]._is_server_side:  # such a cursor would be left open
            raise Killed

    async def leave(from_here: SqlJournal) -> object:
        return await (
            SqlMoves(from_here, path, clock).to_file((), told) if back else move(from_here, path, url)
        )

    event.listen(Engine, "before_cursor_execute", kill)
    try:
        with suppress(Killed):
            await leave(journal)
    finally:
        event.remove(Engine, "before_cursor_execute", kill)
    await journal.close()
    again = await opened(path, clock)
    assert await rows_of(again) == before
    if bool(again.desk.journal) == back:
        await leave(again)
    await again.close()
    moved = await opened(path, clock)
    assert bool(moved.desk.journal) != back
    assert await rows_of(moved) == before
    await moved.close()


@pytest.mark.parametrize("went_on", [False, True])
async def test_a_move_is_over_only_when_the_desk_knows_it(
    full: SqlJournal, path: Path, url: str, clock: Clock, *, went_on: bool
) -> None:
    """Killed between the database's commit and the desk's file, it goes on where it was, and moves again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moving, "update_desk", lambda *_args: (_ for _ in ()).throw(OSError))
        with pytest.raises(JournalUnwritable):
            await move(full, path, url)
    if went_on:
        await full.record_activity(line())
        with pytest.raises(JournalMoveBarred, match=JournalMoveBarred.DIFFERS):
            await move(full, path, url)
    else:
        before = await rows_of(full)
        assert await move(full, path, url)
        team = await opened(path, clock)
        assert await rows_of(team) == before
        await team.close()


@pytest.mark.parametrize("reason", ["SALES", "KEYS", "PROGRAMS", "NOT_EMPTY"])
async def test_what_is_not_settled_bars_the_move(
    full: SqlJournal, path: Path, url: str, clock: Clock, reason: str
) -> None:
    match reason:
        case "SALES":
            await note(full, a_sale("KB-2"))
        case "KEYS":
            planned = PlannedKey("id", "request", KeyDraft("Web", "mira", "Sale", KeyKind.PRIVATE))
            await full.add_key_plan(KeyPlan("practice", planned))
        case "PROGRAMS":
            await full.keep_program(RunningProgram("other", "here", 1, NOW, NOW, full.desk.id))
        case _:
            team = SqlJournal(path.parent / "other", clock, desk=replace(full.desk, journal=url))
            await team.open()
            await team.add_key(a_key())
            await team.close()
    with pytest.raises(JournalMoveBarred, match=getattr(JournalMoveBarred, reason)):
        await move(full, path, url)
    await full.record_activity(line())


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (
            "postgres://ana:se%40cret@db.example:5433/keys",
            ("postgresql://ana@db.example:5433/keys", "se@cret"),
        ),
        ("postgresql:///keys?host=/run/pg&password=x", ("postgresql:///keys?host=/run/pg", "x")),
        (" postgresql://ana@db/keys?sslmode=require ", ("postgresql://ana@db/keys?sslmode=require", "")),
    ],
)
def test_an_address_is_kept_without_its_password(typed: str, kept: tuple[str, str]) -> None:
    assert team_address(typed) == kept


@pytest.mark.parametrize(
    "typed", ["", "keys", "mysql://db/keys", "postgresql://db", "postgresql://db:x/keys"]
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(JournalMoveBarred, match=JournalMoveBarred.ADDRESS):
        team_address(typed)


def test_a_code_is_read_however_it_is_typed() -> None:
    code = new_team_secret().reveal()
    assert team_secret(code.lower().replace("-", " ").replace("o", "0")).matches(Secret(code))
    with pytest.raises(JournalMoveBarred, match=JournalMoveBarred.CODE):
        team_secret(code[:-1])
