"""Saving whole or not at all, in one piece or piece by piece."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from keybench.core.errors import FileNotSaved
from keybench.runtime.saving import UTF_8_MARKED, WholeFile, save, save_here


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


async def test_a_text_is_saved_as_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("older")
    await save(path, "one\r\ntwo\nünï")
    assert path.read_bytes() == "one\r\ntwo\nünï".encode()
    assert names_in(tmp_path) == ["a.txt"]


def test_spreadsheets_get_their_mark_and_half_letters_a_question_mark(tmp_path: Path) -> None:
    save_here(tmp_path / "a.csv", "a;\ud83d", UTF_8_MARKED)
    assert (tmp_path / "a.csv").read_bytes() == b"\xef\xbb\xbfa;?"


async def test_bytes_are_saved_as_they_are(tmp_path: Path) -> None:
    content = bytes(range(256))
    await save(tmp_path / "a.pdf", content)
    assert (tmp_path / "a.pdf").read_bytes() == content
    with pytest.raises(FileNotSaved):
        await save(tmp_path / "none" / "a.pdf", content)
    assert names_in(tmp_path) == ["a.pdf"]


def test_pieces_appear_when_they_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("older")
    file = WholeFile(path)
    file.write("one")
    file.write(" two")
    assert path.read_text() == "older"
    file.finish()
    file.give_up()
    assert path.read_text() == "one two"
    assert names_in(tmp_path) == ["a.txt"]


def test_what_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    file = WholeFile(tmp_path / "a.txt")
    file.give_up()
    file.write("one")
    for _ in range(2):
        file.give_up()
    assert names_in(tmp_path) == []


def test_two_that_are_written_at_once_are_both_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    one, two = WholeFile(path), WholeFile(path)
    one.write("one")
    two.write("two")
    two.finish()
    one.finish()
    assert path.read_text() == "one"
    assert names_in(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["missing/a.txt", "folder", f"{'n' * 300}.txt"])
def test_what_cannot_be_saved_says_where_and_leaves_no_draft(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotSaved) as told:
        save_here(tmp_path / name, "x")
    assert told.value.path == str(tmp_path / name)
    assert told.value.reason
    assert names_in(tmp_path) == ["folder"]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_a_new_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    await save(tmp_path / "a.csv", "one")
    assert mode_of(tmp_path / "a.csv") == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600, 0o666])
async def test_a_file_that_is_there_keeps_its_rights(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text("older")
    path.chmod(mode)
    before = path.stat()
    await save(path, "one")
    assert path.read_text() == "one"
    assert (mode_of(path), path.stat().st_uid, path.stat().st_gid) == (mode, before.st_uid, before.st_gid)


async def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "a.csv").write_text("older")
    link = tmp_path / "a.csv"
    link.symlink_to(folder / "a.csv")
    await save(link, "one")
    assert link.is_symlink()
    assert (folder / "a.csv").read_text() == "one"
    assert names_in(folder) == ["a.csv"]


async def test_what_is_no_ordinary_file_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    with pytest.raises(FileNotSaved):
        await save(pipe, "one")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names_in(tmp_path) == ["a.csv"]
