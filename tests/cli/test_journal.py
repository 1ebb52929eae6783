"""The command `journal`: where it is, moving it, and joining a team."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fakes.moves import FOUND, FakeMoves
from keybench.cli import exits
from keybench.core.errors import KeystoreLocked
from keybench.core.ports import JournalPlace
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk
from keybench.core.team.joining import PASSWORD_ENTRY, SECRET_ENTRY, new_team_secret
from keybench.runtime.desk_file import settle_desk, update_desk
from keybench.workflows.console import Console

from .conftest import CommandLine

URL = "postgresql://ana@db.example/keybench"


@pytest.fixture
def moves(keybench: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMoves:
    moves = FakeMoves()
    bench = keybench.bench
    monkeypatch.setattr(type(bench.journal), "place", JournalPlace(str(tmp_path)), raising=False)
    bench.console = Console(replace(bench.console.world, moves=moves))
    return moves


def kept(keybench: CommandLine, entry: str) -> Secret:
    value = keybench.do(keybench.bench.keystore.read(entry))
    assert isinstance(value, Secret)
    return value


def test_where_it_is_tells_without_opening_it(keybench: CommandLine, tmp_path: Path) -> None:
    told = keybench("journal", "where", "--data-dir", str(tmp_path), "--json")
    assert told.records == [
        {"journal": "file", "place": str(tmp_path / "journal.sqlite3"), "desk": "", "desk_id": ""}
    ]
    assert not list(tmp_path.iterdir())
    settle_desk(tmp_path)
    update_desk(tmp_path, lambda desk: replace(desk, journal=URL, name="stock room"))
    told = keybench("journal", "where", "--data-dir", str(tmp_path))
    assert URL in told.out
    assert "stock room" in told.out


def test_the_first_desk_moves_its_journal_and_makes_the_secret(
    keybench: CommandLine, moves: FakeMoves
) -> None:
    ended = keybench("journal", "move", "--to", URL, "--name", "stock room", "--json", stdin="hidden\n")
    assert ended.status == 0
    assert (ended.records[0]["journal"], ended.records[0]["desk"]) == ("team", "stock room")
    assert "hidden" not in ended.out + ended.err
    assert moves.desk.journal == URL
    assert moves.secret
    assert kept(keybench, SECRET_ENTRY).matches(moves.secret)
    assert kept(keybench, PASSWORD_ENTRY).matches(Secret("hidden"))


def test_a_later_desk_joins_by_the_code(keybench: CommandLine, moves: FakeMoves) -> None:
    moves.found, moves.secret = replace(FOUND, has_team=True, schema=14), new_team_secret()
    for code, reason in (("", "team code"), (new_team_secret().reveal(), "another team")):
        ended = keybench("journal", "move", "--to", URL, stdin=f"hidden\n{code}\n")
        assert ended.status == exits.WRONG_USE
        assert reason in ended.err
    assert not moves.desk.journal
    assert keybench("journal", "move", "--to", URL, stdin=f"hidden\n{moves.secret.reveal()}\n").status == 0
    assert moves.desk.journal == URL


def test_of_the_team_it_is_in_a_desk_keeps_a_new_password(keybench: CommandLine, moves: FakeMoves) -> None:
    moves.desk = Desk("i", "d", "front office", journal=URL)
    assert keybench("journal", "move", "--to", URL, stdin="other\n").status == 0
    assert kept(keybench, PASSWORD_ENTRY).matches(Secret("other"))
    assert "has none of it" in keybench("journal", "move", "--to", f"{URL}2", stdin="other\n").err


def test_what_is_refused(keybench: CommandLine, moves: FakeMoves, tmp_path: Path) -> None:
    assert "command line" in keybench("journal", "move", "--to", "postgresql://ana:x@db/keys").err
    assert "data folder" in keybench("journal", "move", "--to", "/elsewhere").err
    keybench.bench.keystore.failure = KeystoreLocked()
    assert keybench("journal", "move", "--to", URL, stdin="hidden\n").status == exits.NO_KEYSTORE
    assert not moves.looked
    keybench.bench.keystore.failure = None
    moves.desk = Desk("i", "d", "front office", journal=URL)
    assert keybench("journal", "move", "--to", str(tmp_path)).status == 0
    assert not moves.desk.journal
