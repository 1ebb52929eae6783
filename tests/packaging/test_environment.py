"""The environment's stamp and pins: what makes a second start quick, and a broken environment noticed."""

import importlib.metadata
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import environment
from environment import Stamp


@pytest.fixture
def checkout(tmp_path: Path, root: Path) -> Path:
    """The files an environment is made from, and an environment that looks whole."""
    (tmp_path / "packaging").mkdir()
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copy(root / "packaging" / "constraints.txt", tmp_path / "packaging")
    folder = tmp_path / ".venv"
    python = environment.interpreter(folder)
    python.parent.mkdir(parents=True)
    python.touch()
    for record in ("httpx-1.dist-info", "keybench-1.dist-info"):
        (environment.packages_folder(folder) / record).mkdir(parents=True)
    stamp = Stamp(
        environment.place_fingerprint(tmp_path),
        environment.pins_fingerprint(tmp_path),
        ["window"],
        ["httpx-1.dist-info", "keybench-1.dist-info"],
    )
    environment.write_stamp(folder, stamp)
    return tmp_path


def test_a_whole_environment_is_taken_as_it_is(checkout: Path) -> None:
    assert environment.is_current(checkout, "window")
    assert environment.ensure(checkout, "window") == environment.interpreter(checkout / ".venv")


def test_the_tests_need_more_than_the_window(checkout: Path) -> None:
    assert not environment.is_current(checkout, "tests")


@pytest.mark.parametrize("changed", ["pyproject.toml", "packaging/constraints.txt"])
def test_other_pins_are_noticed(checkout: Path, changed: str) -> None:
    with (checkout / changed).open("a") as file:
        file.write("# another version\n")
    assert not environment.is_current(checkout, "window")


@pytest.mark.parametrize("lost", ["bin/python", "keybench-setup.json", "httpx-1.dist-info"])
def test_a_lost_piece_is_noticed(checkout: Path, lost: str) -> None:
    folder = checkout / ".venv"
    piece = next(folder.rglob(Path(lost).name))
    piece.rmdir() if piece.is_dir() else piece.unlink()
    assert not environment.is_current(checkout, "window")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"place": "x"}', "\x00"])
def test_a_stamp_that_cannot_be_read_counts_as_none(checkout: Path, text: str) -> None:
    (checkout / ".venv" / "keybench-setup.json").write_text(text)
    assert environment.read_stamp(checkout / ".venv") is None


def test_a_moved_folder_is_another_place(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    moved = tmp_path_factory.mktemp("moved") / "checkout"
    checkout.rename(moved)
    assert not environment.is_current(moved, "window")


def test_what_is_asked_for_holds_the_back_end_and_for_the_tests_their_tools(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    for_window = environment.requirements(project, "window")
    for_tests = environment.requirements(project, "tests")
    assert "editables" in for_window
    assert for_tests[: len(for_window)] == for_window
    assert any(each.startswith("pytest>") for each in for_tests)
    assert not any(each.startswith("pytest>") for each in for_window)


def closure(wanted: Iterable[str]) -> dict[str, str]:
    """Everything the wanted packages bring along on this system, with the versions that are in."""
    found: dict[str, str] = {}
    waiting = [Requirement(each) for each in wanted]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        distribution = importlib.metadata.distribution(name)
        found[name] = distribution.version
        waiting += [Requirement(each) for each in distribution.requires or ()]
    return found


def test_every_package_that_is_put_in_is_pinned_and_in_its_pinned_version(root: Path) -> None:
    lines = (root / "packaging" / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.partition("==") for line in lines)
    pinned = {canonicalize_name(name): version for name, mark, version in pairs if mark}
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    there = closure(environment.requirements(project, "tests"))
    assert {name: version for name, version in there.items() if pinned.get(name) != version} == {}


def test_no_address_of_a_package_index_stands_in_the_pins(root: Path) -> None:
    for path in ("pyproject.toml", "packaging/constraints.txt"):
        assert "://" not in (root / path).read_text("utf-8")
