"""What is known of this installation: its settings, and the programs at work on the journal.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from sqlalchemy import Connection, delete, select, update

from keybench.core.ports import RunningProgram
from keybench.journal import tables
from keybench.journal.rows import build, values_of
from keybench.journal.store import database_now, put, take_turns

_settings: Final = tables.settings
_programs: Final = tables.programs


def setting(connection: Connection, name: str) -> str:
    """Return what was set; empty if nothing was."""
    return connection.execute(select(_settings.c.value).where(_settings.c.name == name)).scalar() or ""


def update_setting(connection: Connection, name: str, move: Callable[[str], str]) -> str:
    """Apply `move` to what was set, empty if nothing was, and return the result."""
    is_it = _settings.c.name == name
    take_turns(connection, f"{_settings.name}\n{name}")
    stored = connection.execute(select(_settings.c.value).where(is_it)).scalar()
    moved = move(stored or "")
    if moved != stored:
        put(connection, _settings, {"name": name, "value": moved})
    return moved


def programs(connection: Connection) -> Sequence[RunningProgram]:
    """Return the programs that are noted, the oldest first."""
    now = database_now(connection)
    chosen = select(_programs).order_by(_programs.c.began_at, _programs.c.id)
    return [
        build(RunningProgram, row, silent=now - row["renewed_at"])
        for row in connection.execute(chosen).mappings()
    ]


def keep_program(connection: Connection, program: RunningProgram) -> None:
    """Note a program, in place of what was noted of it, and when, by the database's clock."""
    row = values_of(program) | {"renewed_at": database_now(connection)}
    del row["silent"]
    put(connection, _programs, row, keep=("works_on",))


def work_on(connection: Connection, program_id: str, what: str, *, take_over: bool = False) -> None:
    """Note what a person has open in a program, and with `take_over` that no other has it open."""
    is_it = _programs.c.id == program_id
    if take_over:
        others = _programs.c.works_on == what, ~is_it
        connection.execute(update(_programs).where(*others).values(works_on=""))
    connection.execute(update(_programs).where(is_it).values(works_on=what))


def remove_programs(connection: Connection, ids: Collection[str]) -> None:
    """Remove those that are there."""
    connection.execute(delete(_programs).where(_programs.c.id.in_(ids)))
