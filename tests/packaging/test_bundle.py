"""The one-folder bundle: what is in it, that it runs without Python, and what is left of one that fails."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PyInstaller.archive.readers import CArchiveReader

import bill
import bundle
import debian_files
import elf
import languages
import left_out
import licences
from messages import SetupError

CONTENTS = Path(bundle.CONTENTS)
FACTS = bundle.Source("1.2.3", "abc", 1_700_000_000)
MOST_MB = 150
LIBRARIES = {
    *("Core", "DBus", "Gui", "Network", "Svg", "WaylandClient", "Widgets"),
    *("WlShellIntegration", "XcbQpa"),
}
PLUGINS = {
    *("iconengines/libqsvgicon", "imageformats/libqicns", "imageformats/libqico", "imageformats/libqsvg"),
    "platforminputcontexts/libcomposeplatforminputcontextplugin",
    "platforminputcontexts/libibusplatforminputcontextplugin",
    *("platforms/libqoffscreen", "platforms/libqwayland", "platforms/libqxcb"),
    *("platformthemes/libqgtk3", "platformthemes/libqxdgdesktopportal"),
    *("wayland-decoration-client/libadwaita", "wayland-decoration-client/libbradient"),
    *("wayland-shell-integration/libqt-shell", "wayland-shell-integration/libxdg-shell"),
}


def whole(test: object) -> object:
    """Mark a test of a whole bundle: packing takes a minute, and ten where the machine is busy."""
    test = pytest.mark.skipif(sys.platform != "linux", reason="the paths are those of Linux")(test)
    return pytest.mark.sweep(pytest.mark.timeout(900)(test))


@whole
def test_no_part_of_qt_no_gtk_and_no_language_comes_in_that_is_not_wanted(made: Path) -> None:
    qt = made / CONTENTS / "PySide6" / "Qt"
    assert {path.name.split(".")[0].removeprefix("libQt6") for path in qt.glob("lib/libQt*")} == LIBRARIES
    found = {
        path.relative_to(qt / "plugins").with_suffix("").as_posix() for path in qt.glob("plugins/**/*.so")
    }
    assert found == PLUGINS
    names = {path.name for path in made.rglob("*")}
    assert not {one for one in names if one.startswith(("libgtk", "libgdk", "libcairo", "libglib"))}
    assert not {one for one in names if one.endswith((".qml", ".pyi", ".po"))}
    spoken = {one.stem for one in languages.folder().glob("*.po")}
    assert {one for one in names if one.endswith(".qm")} == {f"qtbase_{one}.qm" for one in (*spoken, "en")}
    data = (made / CONTENTS / "babel" / "locale-data").glob("*.dat")
    assert {path.stem.partition("_")[0] for path in data} == {"en", "root", *spoken}
    compiled = (made / CONTENTS / "keybench" / "resources" / "languages").glob("*/*/keybench.mo")
    assert {path.parent.parent.name for path in compiled} == spoken
    assert bundle.size_of(made) / 1e6 <= MOST_MB


@whole
def test_all_that_is_linked_is_in_it_or_in_a_package_of_debian_s(made: Path) -> None:
    assert "ca-certificates" in debian_files.dependencies(elf.needs(made))


@whole
def test_its_packages_are_the_program_s_own_and_each_is_in_its_bill(made: Path, root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    wanted = {"pyinstaller", "pyinstaller-hooks-contrib"}
    waiting = [Requirement(one) for one in project["project"]["dependencies"]]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        extras = ({"extra": each} for each in ("", "binary"))  # psycopg's has PostgreSQL's client in it
        if name not in wanted and (one.marker is None or any(map(one.marker.evaluate, extras))):
            wanted.add(name)
            waiting += [Requirement(each) for each in metadata.distribution(name).requires or ()]
    packages = bill.packages_of(made)
    assert packages <= wanted
    text = (made / bill.BILL).read_text("utf-8")
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415 - takes a second, in each process

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    told = json.loads(text)
    listed = {canonicalize_name(one["name"]): one.get("version", "") for one in told["components"]}
    assert packages <= listed.keys()
    known = {name: listed[name] for name in ("cpython", "qt", "icu", "openssl", "sqlite")}
    assert all(known.values()), known
    assert known["cpython"] == sys.version.split()[0]


@whole
def test_it_has_the_licence_of_all_that_is_in_it(made: Path) -> None:
    folder = made / licences.FOLDER
    listed = json.loads((folder / "licences.json").read_text("utf-8"))
    assert len(listed) == len(json.loads((made / bill.BILL).read_bytes())["components"])
    for one in listed:
        assert one.keys() == {"name", "version", "licence", "text", "notice"}
        assert len((folder / one["text"]).read_text("utf-8")) > len("Permission is hereby granted")
    assert "{" not in (folder / "qt-notice.txt").read_text("utf-8")


@whole
def test_it_tells_nothing_of_where_it_was_made(made: Path, root: Path) -> None:
    places = [str(root).encode(), str(made.parents[1]).encode()]
    for name, content in contents(made):
        assert not [place for place in places if place in content], name


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file and every packed module, by name."""
    for path in (one for one in folder.rglob("*") if one.is_file()):
        yield path.relative_to(folder).as_posix(), path.read_bytes()
    modules = CArchiveReader(str(folder / bundle.NAME)).open_embedded_archive("PYZ.pyz")
    for name in modules.toc:
        yield name, modules.extract(name, raw=True) or b""


@whole
def test_its_self_test_is_ok_wherever_it_is_without_python_and_leaves_nothing(
    made: Path, tmp_path: Path
) -> None:
    """A changed build of Qt is used in its place, too, as the LGPL asks for."""
    place, temporary, empty = (tmp_path / name for name in ("Ключи und Spaß", "temporary", "empty"))
    shutil.copytree(made, place, symlinks=True, copy_function=os.link)
    library = place / CONTENTS / "PySide6" / "Qt" / "lib" / "libQt6Core.so.6"
    library.unlink()  # it is the bundle's own file
    (tmp_path / "mark").write_text("a build of our own")
    change = ["objcopy", "--add-section", f".note.ours={tmp_path / 'mark'}"]
    subprocess.run([*change, made / library.relative_to(place), library], check=True)
    temporary.mkdir()
    empty.mkdir()
    without = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "PYTHONPATH", "PATH"}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    done = subprocess.run(
        [place / "keybench", "--self-test", "--json"],
        env=kept | {"TMPDIR": str(temporary), "PATH": str(empty)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    *checks, verdict = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["check"]: one["message"] for one in checks if one["result"] != "ok"} == {}
    assert (done.returncode, verdict["verdict"]) == (0, "ok")
    assert list(temporary.iterdir()) == []


def test_nothing_is_imported_that_is_left_out() -> None:
    """Every module of the program, and what it imports by a text, without what stays out of the bundle."""
    source = (
        "import importlib, pkgutil, sys, keybench, sqlalchemy\n"
        f"left_out = {left_out.MODULES}\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if any(name == one or name.startswith(one + '.') for one in left_out):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "names = [one.name for one in pkgutil.walk_packages(keybench.__path__, 'keybench.')]\n"
        f"for name in [*names, *{left_out.IMPORTED_BY_NAME}, 'alembic.operations']:\n"
        "    if not name.endswith('__main__'):\n"
        "        importlib.import_module(name)\n"
        "sqlalchemy.create_engine('sqlite://').connect().close()\n"
    )
    command = [sys.executable, "-W", "error", "-c", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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


def test_where_two_bundles_differ_is_told(small: Path, tmp_path: Path) -> None:
    other = shutil.copytree(small, tmp_path / "other")
    bundle.compare(small, other)
    (other / CONTENTS / "a").write_text("A")
    with pytest.raises(SetupError, match=r"differ in: _internal/a\."):
        bundle.compare(small, other)


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
