"""Moves a journal to another database: every row, with its ids and numbers, counted and compared.

A file is locked against writing meanwhile, and the target gets all rows in one transaction. The desk's file
tells of it last, so that a move that breaks off leaves the journal where it was.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, text

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalDamaged, JournalError, JournalMoveBarred
from keybench.core.ports import Clock, Told
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk, TeamLook
from keybench.journal.columns import metadata
from keybench.journal.installation import programs
from keybench.journal.rotations import key_plans
from keybench.journal.sales import unfinished_sales
from keybench.journal.schema import facts_of
from keybench.journal.sql_journal import WAIT_S, SqlJournal
from keybench.journal.sqlite.engine import COMPANIONS, file_errors
from keybench.journal.sqlite.opening import open_store
from keybench.journal.store import this_desk
from keybench.journal.tables import TEAM_CHECK, desks, environments, meta
from keybench.journal.tables import programs as _programs
from keybench.runtime.desk_file import update_desk
from keybench.runtime.worker import run_in_thread

_TABLES: Final = [table for table in metadata.sorted_tables if table not in (meta, _programs)]
_BATCH: Final = 500
#: In `meta`: the desk whose move here isn't over, so that its file may still name the old place.
_MOVING: Final = "team_moving"


def move_rows(source: Connection, target: Connection, told: Told = lambda _done, _of: None) -> None:
    """Copy every row but the programs' to a journal that was just made; JournalMoveBarred if it wasn't.

    JournalDamaged if the target gives back anything else than it was given.
    """
    others = select(environments.c.id).where(environments.c.id != PRACTICE_ID)
    counted = [_count(target, table) for table in _TABLES if table not in (environments, desks)]
    if any(counted) or target.execute(others).first():
        raise JournalMoveBarred(JournalMoveBarred.NOT_EMPTY)
    for table in (environments, desks):
        target.execute(delete(table))
    done, of, sums = 0, sum(_count(source, table) for table in _TABLES), []
    for table in _TABLES:
        sums.append(0)
        for batch in _batches(source, table):
            target.execute(insert(table), [row._asdict() for row in batch])
            done += len(batch)
            sums[-1] += _sum(batch)
            told(done, of)
        _count_on(target, table)
    if done != of or sums != _sums(target):
        raise JournalDamaged("")


def _batches(connection: Connection, table: Table) -> Iterator[Sequence[Row[Any]]]:
    with connection.execute(select(table).execution_options(yield_per=_BATCH)) as rows:
        yield from rows.partitions()


def _sum(rows: Sequence[Row[Any]]) -> int:
    """Return a sum in which the rows' order makes no difference; within one process alone."""
    return sum(hash(repr(tuple(row))) for row in rows)


def _sums(connection: Connection) -> list[int]:
    return [sum(map(_sum, _batches(connection, table))) for table in _TABLES]


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _count_on(target: Connection, table: Table) -> None:
    """Have PostgreSQL number the next row after the last; SQLite does so by itself."""
    key = table.primary_key.columns.values()[0]
    if target.dialect.name == "postgresql" and key.type.python_type is int:
        last = target.execute(select(func.max(key))).scalar()
        sequence = text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)")
        if last is not None:
            target.execute(sequence, {"table": table.name, "column": key.name, "last": last})


def _expect_settled(source: Connection, mine: Collection[str]) -> None:
    """Raise JournalMoveBarred unless nothing is under way but at other desks."""
    running = programs(source)
    others = {one.id for one in running if one.desk_id != this_desk(source)}
    if any(sale.owner not in others for sale in unfinished_sales(source)):
        raise JournalMoveBarred(JournalMoveBarred.SALES)
    if any(plan.making.owner not in others for plan in key_plans(source)):
        raise JournalMoveBarred(JournalMoveBarred.KEYS)
    if {one.id for one in running} - others - {*mine}:
        raise JournalMoveBarred(JournalMoveBarred.PROGRAMS)


def _arrive(source: Connection, target: Connection, desk: Desk, secret: Secret, told: Told) -> bool:
    """Make the target a team's journal, with the source's rows, or join it; return whether rows moved."""
    facts = facts_of(target)
    if TEAM_CHECK not in facts:
        move_rows(source, target, told)
        salt = secrets.token_bytes(16)
        check = f"{salt.hex()} {secret.keyed_hash(salt).hex()}"
        new = [{"name": TEAM_CHECK, "value": check}, {"name": _MOVING, "value": desk.id}]
        target.execute(insert(meta), new)
        return True
    salted, _, hashed = facts[TEAM_CHECK].partition(" ")
    if secret.keyed_hash(bytes.fromhex(salted)).hex() != hashed:
        raise JournalMoveBarred(JournalMoveBarred.OTHER_TEAM)
    if facts.get(_MOVING) != desk.id:
        return False
    if _sums(source) != _sums(target):  # this desk's move broke off when all but its file was written
        raise JournalMoveBarred(JournalMoveBarred.DIFFERS)
    return True


class SqlMoves:
    """Implements `core.ports.JournalMoves` for an open journal whose data folder is that of `path`."""

    def __init__(self, journal: SqlJournal, path: Path, clock: Clock) -> None:
        self._journal, self._path, self._clock = journal, path, clock
        self.desk = journal.desk

    async def look(self, url: str, password: Secret) -> TeamLook:
        """Look at a team's database, in which nothing is changed."""
        from keybench.journal.postgres.opening import look_at  # noqa: PLC0415 - needed with a team alone

        return await run_in_thread("keybench team", lambda: look_at(url, password or None))

    async def to_team(
        self, url: str, password: Secret, secret: Secret, name: str, mine: Collection[str], told: Told
    ) -> bool:
        """Move the journal to a database, or leave it and join the team that is there."""
        from keybench.journal.postgres.opening import open_team  # noqa: PLC0415 - needed with a team alone

        desk = replace(self.desk, journal=url, name=name)

        def move(source: Connection) -> bool:
            _expect_settled(source, mine)
            if not self.desk.journal:
                for copy in self._path.parent.glob("team.sqlite3*"):  # of another team
                    copy.unlink()
            store = open_team(url, password or None, self.desk, self._clock.now, WAIT_S)
            try:
                arrive = partial(_arrive, source, desk=desk, secret=secret, told=told)
                moved = store.run(arrive, writes=True)
                self._note(desk)
                with suppress(JournalError):  # only this desk would ever ask
                    over = delete(meta).where(meta.c.name == _MOVING)
                    store.run(lambda target: moved and target.execute(over), writes=True)
            finally:
                store.close()
            return moved

        return await self._journal.leave(move)

    async def to_file(self, mine: Collection[str], told: Told) -> None:
        """Copy a team's journal into the data folder; a file that was there gets another name."""
        path, desk = self._path, replace(self.desk, journal="")
        draft = path.parent / "moving" / path.name
        earlier = f"{path.name}.{self._clock.now():%Y%m%d-%H%M%S}"

        def move(source: Connection) -> None:
            _expect_settled(source, mine)
            with file_errors(path):
                shutil.rmtree(draft.parent, ignore_errors=True)
                store, _ = open_store(draft, self._clock.now, WAIT_S)
                try:
                    store.run(partial(move_rows, source, told=told), writes=True)
                finally:
                    store.close()
                for ending in (*COMPANIONS, ""):
                    if (old := path.with_name(path.name + ending)).exists():
                        old.replace(path.with_name(earlier + ending))
                draft.replace(path)
                self._note(desk)
                shutil.rmtree(draft.parent, ignore_errors=True)

        await self._journal.leave(move)

    def _note(self, desk: Desk) -> None:
        def noted(stored: Desk) -> Desk:
            return replace(stored, journal=desk.journal, name=desk.name)

        with file_errors(self._path):
            self.desk = update_desk(self._path.parent, noted)
