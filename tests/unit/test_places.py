"""Where things are: the data folder and the files that come with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from keybench.runtime.data_folder import data_folder, resource_path


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
