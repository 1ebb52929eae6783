"""Where things are: the data folder and the files that come with the program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from keybench.runtime.data_folder import data_folder, owner_behind_sudo, resource_path


def test_the_chosen_folder_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEYBENCH_DATA_DIR", str(tmp_path / "by variable"))
    assert data_folder(str(tmp_path / "by command")).root == tmp_path / "by command"
    assert data_folder().root == tmp_path / "by variable"


def test_without_a_choice_it_is_the_systems_own_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("KEYBENCH_DATA_DIR", "")
    root = data_folder().root
    assert root.is_absolute()
    assert root.name == "Keybench"


def test_a_relative_folder_is_meant_from_where_one_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert data_folder("here").root == tmp_path / "here"
    assert data_folder("~/there").root == tmp_path / "home" / "there"


def test_asking_for_places_makes_none(tmp_path: Path) -> None:
    folder = data_folder(str(tmp_path / "data"))
    places = [folder.journal, folder.window_settings, folder.log]
    assert len({place.parent for place in places}) == 1
    assert not folder.root.exists()


def test_the_programs_own_files_are_found() -> None:
    assert resource_path("contracts").is_dir()
    assert list(resource_path("contracts").glob("*.toml"))


# --- root, called by a person ---------------------------------------------------------------------


@pytest.fixture
def persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the person who calls root by `sudo`, as if that ran now."""
    person = os.getuid() or 4711
    if os.getuid() == 0:
        os.chown(tmp_path, person, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(person))
    monkeypatch.setenv("SUDO_USER", "anna")
    return tmp_path


def test_root_leaves_the_folder_of_its_caller_alone_and_one_that_would_be_made_in_it(persons: Path) -> None:
    assert owner_behind_sudo(persons) == "anna"
    assert owner_behind_sudo(persons / "new" / "data") == "anna"


def test_another_folder_is_roots_to_use(persons: Path) -> None:
    assert owner_behind_sudo(Path("/nowhere/data")) == ""


@pytest.mark.parametrize("caller", ["", "0", "4712"])
def test_so_is_one_of_somebody_elses(persons: Path, monkeypatch: pytest.MonkeyPatch, caller: str) -> None:
    monkeypatch.setenv("SUDO_UID", caller)
    assert owner_behind_sudo(persons) == ""
