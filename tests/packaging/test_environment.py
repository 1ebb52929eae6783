"""The environment's stamp and pins: what makes a second start quick, and a broken environment noticed."""

import hashlib
import importlib.metadata
import re
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import environment
from environment import Stamp
from messages import SetupError


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


@pytest.mark.parametrize("scope", environment.SCOPES)
def test_every_package_that_is_put_in_is_pinned_and_in_its_pinned_version(
    root: Path, scope: environment.Scope
) -> None:
    pins = environment.constraints(root).read_text("utf-8")
    parts = environment.up_to(scope)
    pinned = environment.pinned_versions("".join(environment.section_of(pins, part) for part in parts))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    there = closure(environment.requirements(project, scope))
    assert {name: version for name, version in there.items() if pinned.get(name) != version} == {}


def test_pip_is_the_pinned_one(root: Path) -> None:
    pins = environment.section_of(environment.constraints(root).read_text("utf-8"), "pip")
    assert environment.pinned_versions(pins) == {"pip": importlib.metadata.version("pip")}


def test_every_pin_has_the_hashes_of_its_files(root: Path) -> None:
    lines = environment.constraints(root).read_text("utf-8").splitlines()
    pins = [place for place, line in enumerate(lines) if "==" in line and line[0] not in "# "]
    assert len(pins) > 50
    for place in pins:
        assert lines[place].endswith(" \\")
        assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", lines[place + 1])


def made_wheel(folder: Path) -> str:
    """Put a wheel of one file into a folder and return its hash."""
    wheel = folder / "tiny_of_a_test-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        about = "tiny_of_a_test-1.0.dist-info"
        file.writestr("tiny_of_a_test.py", "")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-of-a-test\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


@pytest.mark.parametrize("hashed", ["", " --hash=sha256:" + "0" * 64, " --hash=sha256:{right}"])
def test_another_file_than_the_pinned_is_not_put_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hashed: str
) -> None:
    """The right hash gets as far as the project itself, of which this checkout has none."""
    right = made_wheel(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_DRY_RUN", "1")
    (tmp_path / "packaging").mkdir()
    pin = f"tiny-of-a-test==1.0{hashed.format(right=right)}"
    mark = environment.SECTION
    environment.constraints(tmp_path).write_text(f"{mark}pip\n{pin}\n{mark}window\n{pin}\n")
    with pytest.raises(SetupError) as caught:
        environment._install(Path(sys.executable), tmp_path, ["window"])
    is_about_hashes = "hash" in str(caught.value).lower()
    assert is_about_hashes is ("{right}" not in hashed), str(caught.value)


def test_no_address_of_a_package_index_stands_in_the_pins(root: Path) -> None:
    for path in ("pyproject.toml", "packaging/constraints.txt"):
        assert "://" not in (root / path).read_text("utf-8")
