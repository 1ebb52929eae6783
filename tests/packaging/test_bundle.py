"""The one-folder bundle: what is in it, that two builds are the same, and what is left of one that fails."""

import importlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import allow_list
import bundle
from allow_list import AllowList
from messages import SetupError

CONTENTS = Path(bundle.CONTENTS)
#: Packing takes most of a minute of processor; a busy machine may take ten times as long, in seconds.
_LONG = 900
FACTS = bundle.Source("1.2.3", "abc", 1_700_000_000)


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
@pytest.mark.skipif(sys.platform != "linux", reason="the paths are those of Linux")
def test_what_is_not_listed_and_what_is_missing_is_told(made: Path, tmp_path: Path) -> None:
    # The copy shares its files with the bundle, so they may be taken away and not changed.
    copy = shutil.copytree(made, tmp_path / bundle.NAME, copy_function=os.link, symlinks=True)
    strangers = [
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/qml/QtQuick/qmldir",
        "PySide6/Qt/translations/qtbase_de.qm",
        "libgtk-3.so.0",
        "pytest/py.typed",
    ]
    for name in strangers:
        (copy / CONTENTS / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / CONTENTS / name).touch()
    taken = [
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "iso4217/table.xml",
        "keybench/resources/changes.md",
        "keybench/resources/contracts/v5.toml",
    ]
    for name in [*taken, "libxcb-cursor.so.0"]:
        (copy / CONTENTS / name).unlink()
    told = set(AllowList(bundle.ROOT).problems(copy))
    assert {f"not listed: {name}" for name in strangers} <= told
    assert {f"missing: {name}" for name in taken} <= told
    needs = {line for line in told if "needs libxcb-cursor.so.0" in line}
    assert len(told) == len(strangers) + len(taken) + len(needs)
    assert needs


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
def test_a_whole_bundle_has_no_problems(made: Path) -> None:
    assert list(AllowList(bundle.ROOT).problems(made)) == []


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
def test_two_builds_are_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again = bundle.make(bundle.ROOT, tmp_path / "a folder, über")
    assert _digests(again) == _digests(made)


def _digests(folder: Path) -> dict[str, object]:
    return {
        path.relative_to(folder).as_posix(): (path.lstat().st_mode, path.lstat().st_mtime, _content(path))
        for path in sorted(folder.rglob("*"))
    }


def _content(path: Path) -> object:
    if path.is_symlink():
        return path.readlink()
    return hash(path.read_bytes()) if path.is_file() else None


def test_nothing_is_imported_that_is_left_out() -> None:
    """Every module of the program, and what it imports by a text, without what stays out of the bundle."""
    source = (
        "import importlib, pkgutil, sys, keybench, sqlalchemy\n"
        f"left_out = {allow_list.LEFT_OUT}\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if any(name == one or name.startswith(one + '.') for one in left_out):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "names = [one.name for one in pkgutil.walk_packages(keybench.__path__, 'keybench.')]\n"
        f"for name in [*names, *{allow_list.IMPORTED_BY_NAME}, 'alembic.operations']:\n"
        "    if not name.endswith('__main__'):\n"
        "        importlib.import_module(name)\n"
        "sqlalchemy.create_engine('sqlite://').connect().close()\n"
    )
    command = [sys.executable, "-W", "error", "-c", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_modules_that_are_left_out_are_there_to_be_left_out() -> None:
    """A name that nobody has any more would hide a mistake."""
    own = (name for name in allow_list.LEFT_OUT if name.partition(".")[0] not in sys.stdlib_module_names)
    for name in own:
        assert importlib.util.find_spec(name.partition(".")[0]) is not None, name


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small" / bundle.NAME
    (folder / CONTENTS).mkdir(parents=True)
    for name in ("b", "a", "ü c"):
        (folder / CONTENTS / name).write_text(name)
    return folder


def test_two_archives_are_the_same_bytes_and_tell_nothing_of_who_made_them(
    small: Path, tmp_path: Path
) -> None:
    first = bundle.archive(small, tmp_path, FACTS).read_bytes()
    os.utime(small / CONTENTS / "a")
    packed = bundle.archive(small, tmp_path, FACTS)
    assert packed.read_bytes() == first
    with tarfile.open(packed) as tar:
        assert [one.name for one in tar] == [
            "keybench",
            *(f"keybench/{CONTENTS}{name}" for name in ("", "/a", "/b", "/ü c")),
        ]
        assert {(one.uid, one.uname, one.mtime) for one in tar} == {(0, "root", FACTS.made_at)}


def test_the_time_of_a_build_can_be_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name in ("app/keybench/__init__.py", "resources/changes.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(bundle.ROOT / name, tmp_path / name)
    released = bundle.source(tmp_path)
    assert released.commit == ""
    assert released.made_at % 86_400 == 0, "without git it is the newest version's day"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert bundle.source(tmp_path).made_at == 1_700_000_000


def test_a_build_that_fails_leaves_the_one_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = tmp_path / bundle.NAME / "before"
    before.mkdir(parents=True)

    def fail(_python: Path, work: Path, _facts: bundle.Source, _package: str) -> Path:
        (work / "dist").mkdir()
        raise SetupError("PyInstaller could not pack the program.")

    monkeypatch.setattr(bundle, "_freeze", fail)
    with pytest.raises(SetupError):
        bundle.make(bundle.ROOT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [bundle.NAME]
    assert before.exists()
