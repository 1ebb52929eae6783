"""The installer for Windows, run by Wine: installing, upgrading and removing leave what they should.

It takes a minute and Debian's package `wine`, so it runs when it is asked for:
`KEYBENCH_WINE=1 python3 packaging/test.py --only tests -- -n 0 tests/packaging/test_windows_installer.py`.
Wine has one user, who is an administrator, and refuses writing to a program that runs as Windows does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import product
import windows

pytestmark = [
    pytest.mark.skipif("KEYBENCH_WINE" not in os.environ, reason="asked for by KEYBENCH_WINE=1"),
    pytest.mark.timeout(900),
]

MADE_AT = 1_700_000_000
UNINSTALL = rf"Software\Microsoft\Windows\CurrentVersion\Uninstall\{product.ID}"
APP_PATHS = rf"Software\Microsoft\Windows\CurrentVersion\App Paths\{product.COMMAND}.exe"
ENVIRONMENT = {
    "HKCU": "HKCU\\Environment",
    "HKLM": r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
}
IN_USE, TOO_OLD = 32, 1150
#: A program that stays for a minute, in NSIS's language: what else makes one for Windows here?
STAYS = """
Unicode true
{target}
SilentInstall silent
RequestExecutionLevel user
OutFile "{output}"
Section
  System::Call 'kernel32::Sleep(i 60000)'
SectionEnd
"""


@dataclass
class Wine:
    """A Windows of its own.

    Attributes:
        prefix: The folder of its disk and its registry.
        target: What it can run, as NSIS names it; empty for what NSIS makes by itself.
    """

    prefix: Path
    target: str

    @property
    def variables(self) -> dict[str, str]:
        # Its menus and its mono and browser would go into the person's own desktop, or be downloaded.
        off = "winemenubuilder.exe=d;mscoree=d;mshtml=d"
        own = {"WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": off}
        return {**os.environ, **own}

    def run(self, *command: str | Path) -> tuple[int, str]:
        """Run a program and what it starts to the end; return its status's lowest byte and its output."""
        done = subprocess.run(
            [loader(), *map(str, command)],
            env=self.variables,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=300,
        )
        subprocess.run([server(), "-w"], env=self.variables, check=True, timeout=300)
        return done.returncode, done.stdout

    def started(self, *command: str | Path) -> int:
        """Run a program beside others and return its status's lowest byte."""
        done = subprocess.run([loader(), *map(str, command)], env=self.variables, check=False, timeout=300)
        return done.returncode

    def set_version(self, name: str) -> None:
        self.run("winecfg", "-v", name)

    def value(self, key: str, name: str) -> tuple[str, str] | None:
        """Return the kind and the text of a value in the registry, or None; "" is the key's own."""
        which = ["/v", name] if name else ["/ve"]
        _, told = self.run("reg", "query", key, *which, "/reg:64")
        for line in told.splitlines():
            parts = line.strip().split("    ", 2)
            if parts[0].lower() == (name or "(Default)").lower():
                return parts[1], parts[2] if len(parts) > 2 else ""
        return None

    def set_value(self, key: str, name: str, kind: str, text: str) -> None:
        self.run("reg", "add", key, "/v", name, "/t", kind, "/d", text, "/f", "/reg:64")

    def has_key(self, key: str) -> bool:
        return self.run("reg", "query", key, "/reg:64")[0] == 0

    def path(self, place: str) -> Path:
        """Return where a path of Windows is here."""
        drive, _, rest = place.partition(":\\")
        assert drive == "C"
        return self.prefix / "drive_c" / rest.replace("\\", "/")

    def name_of(self, path: Path) -> str:
        """Return what Windows calls a path of its disk."""
        return "C:\\" + str(path.relative_to(self.prefix / "drive_c")).replace("/", "\\")

    def files(self) -> set[str]:
        """Return what programs put on the disk, Wine's own and temporary files aside."""
        disk = self.prefix / "drive_c"
        found = {str(path.relative_to(disk)) for path in disk.rglob("*") if not path.is_dir()}
        return {one for one in found if not one.startswith("windows/") and "/Temp/" not in one}

    @contextmanager
    def running(self, program: Path) -> Iterator[None]:
        process = subprocess.Popen([loader(), str(program)], env=self.variables)
        try:
            yield
        finally:
            subprocess.run([server(), "-k"], env=self.variables, check=False)
            process.wait(60)


def loader() -> str:
    return shutil.which("wine64") or "/usr/lib/wine/wine64"


def server() -> str:
    return shutil.which("wineserver64") or "/usr/lib/wine/wineserver64"


@pytest.fixture(scope="module")
def made_prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not Path(loader()).exists():
        pytest.skip("Wine isn't here: apt-get install wine")
    wine = Wine(tmp_path_factory.mktemp("wine") / "prefix", "amd64-unicode")
    wine.run("wineboot", "-i")
    wine.set_version("win10")
    return wine.prefix


@pytest.fixture
def wine(made_prefix: Path, tmp_path: Path) -> Iterator[Wine]:
    """A Windows as new for each test."""
    prefix = tmp_path / "prefix"
    shutil.copytree(made_prefix, prefix, symlinks=True)
    # Wine without its 32-bit half runs installers of 64 bits alone; the script is the same.
    whole = (prefix / "drive_c/windows/syswow64/ntdll.dll").exists()
    one = Wine(prefix, "" if whole else "amd64-unicode")
    yield one
    subprocess.run([server(), "-k"], env=one.variables, check=False)
    shutil.rmtree(prefix, ignore_errors=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program for Windows that does nothing for a minute."""
    folder = tmp_path_factory.mktemp("program")
    script, output = folder / "stays.nsi", folder / "stays.exe"
    script.write_text(STAYS.format(target="Target amd64-unicode", output=output))
    subprocess.run(["makensis", "-V1", script], check=True)
    return output


def bundle_of(folder: Path, program: Path, files: dict[str, str]) -> Path:
    for name in (windows.WINDOW, windows.COMMAND):
        folder.mkdir(exist_ok=True)
        shutil.copy(program, folder / name)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


@dataclass
class Setups:
    """Installers of two versions, and what is in them."""

    first: Path
    second: Path
    in_first: dict[str, str]
    in_second: dict[str, str]


@pytest.fixture
def setups(root: Path, tmp_path: Path, program: Path, wine: Wine) -> Setups:
    first = {"_internal/python.dll": "one", "_internal/gone.dll": "one", "_internal/old/a b.txt": "one"}
    second = {"_internal/python.dll": "two", "_internal/new/c.txt": "two"}
    made = []
    for version, files in (("0.2.0", first), ("0.10.0", second)):
        folder = bundle_of(tmp_path / version, program, files)
        setup = windows.Installer(folder, version, tmp_path / f"setup-{version}.exe", wine.target)
        made.append(windows.make_installer(root, setup, MADE_AT))
    return Setups(made[0], made[1], first, second)


def installed(wine: Wine, hive: str) -> Path:
    told = wine.value(f"{hive}\\{UNINSTALL}", "InstallLocation")
    assert told is not None, "Windows knows of it"
    return wine.path(told[1])


def content_of(folder: Path) -> dict[str, str]:
    own = {windows.WINDOW, windows.COMMAND, "installed.txt", f"uninstall-{product.COMMAND}.exe"}
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert own <= found.keys()
    return {name: path.read_text() for name, path in found.items() if name not in own}


def removed(wine: Wine, hive: str) -> int:
    """Remove it as Windows' settings would, silently, and return the status."""
    told = wine.value(f"{hive}\\{UNINSTALL}", "QuietUninstallString")
    assert told is not None
    program, _, options = told[1].strip('"').partition('"')
    return wine.run(program, *options.split())[0]


@pytest.mark.parametrize(
    ("option", "hive", "place"),
    [
        ("/CurrentUser", "HKCU", "AppData/Local/Programs/Keybench"),
        ("/AllUsers", "HKLM", "Program Files/Keybench"),
    ],
)
def test_installed_upgraded_and_removed_it_leaves_nothing(
    wine: Wine, setups: Setups, option: str, hive: str, place: str
) -> None:
    before = wine.files()
    path_before = wine.value(ENVIRONMENT[hive], "Path")

    assert wine.run(setups.first, "/S", option, "/AddToPath")[0] == 0
    folder = installed(wine, hive)
    assert str(folder).endswith(place)
    assert content_of(folder) == setups.in_first
    of_windows = r"C:\users" if hive == "HKCU" else r"C:\Program Files"
    told = {
        name: wine.value(f"{hive}\\{UNINSTALL}", name)
        for name in ("DisplayVersion", "Publisher", "EstimatedSize")
    }
    assert told["DisplayVersion"] == ("REG_SZ", "0.2.0")
    assert told["Publisher"] == ("REG_SZ", product.MAINTAINER)
    assert told["EstimatedSize"] is not None
    assert int(told["EstimatedSize"][1], 16) >= 200, "two programs of 100 KB"
    app_path = wine.value(f"{hive}\\{APP_PATHS}", "")
    assert app_path is not None
    assert app_path[1].startswith(of_windows)
    assert app_path[1].endswith("\\keybench.exe")
    path = wine.value(ENVIRONMENT[hive], "Path")
    assert path is not None
    assert path[0] == "REG_EXPAND_SZ"
    assert path[1].split(";")[-1] == app_path[1].removesuffix("\\keybench.exe")
    assert any(name.endswith("Start Menu/Programs/Keybench.lnk") for name in wine.files() - before)

    (folder / "of the person.txt").write_text("mine")
    (folder / "_internal" / "mine.txt").write_text("mine")
    assert wine.run(setups.second, "/S")[0] == 0, "an upgrade needs no option"
    assert installed(wine, hive) == folder
    mine = {"of the person.txt": "mine", "_internal/mine.txt": "mine"}
    assert content_of(folder) == {**setups.in_second, **mine}
    assert not (folder / "_internal" / "old").exists()
    assert wine.value(f"{hive}\\{UNINSTALL}", "DisplayVersion") == ("REG_SZ", "0.10.0")
    assert wine.value(ENVIRONMENT[hive], "Path") == path, "once, and still"

    assert removed(wine, hive) == 0
    left = wine.files() - before
    assert {Path(name).name for name in left} == {"of the person.txt", "mine.txt"}
    assert not wine.has_key(f"{hive}\\{UNINSTALL}")
    assert not wine.has_key(f"{hive}\\{APP_PATHS}")
    assert wine.value(ENVIRONMENT[hive], "Path") == path_before


def test_a_program_that_runs_is_neither_replaced_nor_removed(wine: Wine, setups: Setups) -> None:
    assert wine.run(setups.first, "/S")[0] == 0
    folder = installed(wine, "HKCU")
    for name in (windows.WINDOW, windows.COMMAND):
        with wine.running(folder / name):
            assert wine.started(setups.second, "/S") == IN_USE, name
            assert content_of(folder) == setups.in_first
            # With _? it stays where it is, so that its status is known.
            uninstall = folder / f"uninstall-{product.COMMAND}.exe"
            assert wine.started(uninstall, "/S", f"_?={wine.name_of(folder)}") == IN_USE
            assert content_of(folder) == setups.in_first
    assert wine.run(setups.second, "/S")[0] == 0
    assert content_of(folder) == setups.in_second


def test_a_long_path_with_others_in_it_is_kept_to_the_letter(wine: Wine, setups: Setups) -> None:
    others = r"%USERPROFILE%\bin;" + ";".join(rf"C:\some tools\number {n}" for n in range(120)) + ";"
    assert len(others) > 2048, "more than a variable of NSIS holds"
    wine.set_value("HKCU\\Environment", "PATH", "REG_SZ", others)
    assert wine.run(setups.first, "/S", "/AddToPath")[0] == 0
    told = wine.value("HKCU\\Environment", "Path")
    assert told is not None
    assert told[0] == "REG_SZ"
    assert told[1].startswith(others)
    assert told[1].removeprefix(others).lower().endswith("\\appdata\\local\\programs\\keybench;")
    assert removed(wine, "HKCU") == 0
    assert wine.value("HKCU\\Environment", "Path") == ("REG_SZ", others)


def test_another_folder_can_be_chosen_and_moved_from(wine: Wine, setups: Setups) -> None:
    assert wine.run(setups.first, "/S", "/AddToPath", r"/D=C:\Программы мои\Keybench")[0] == 0
    first = installed(wine, "HKCU")
    assert content_of(first) == setups.in_first
    assert wine.run(setups.second, "/S", r"/D=C:\elsewhere")[0] == 0
    assert installed(wine, "HKCU") == wine.path(r"C:\elsewhere")
    assert content_of(wine.path(r"C:\elsewhere")) == setups.in_second
    assert not first.exists()
    assert wine.value("HKCU\\Environment", "Path") == ("REG_EXPAND_SZ", r"C:\elsewhere")


def test_a_list_that_was_edited_removes_nothing_outside(wine: Wine, setups: Setups) -> None:
    assert wine.run(setups.first, "/S")[0] == 0
    folder = installed(wine, "HKCU")
    outside = wine.path(r"C:\precious.txt")
    outside.write_text("mine")
    with (folder / "installed.txt").open("a") as listed:
        listed.write("C:\\precious.txt\r\n..\\..\\..\\..\\..\\..\\precious.txt\r\n\\precious.txt\r\n\r\n")
    assert removed(wine, "HKCU") == 0
    assert outside.exists()
    assert not folder.exists()


def test_an_older_windows_is_told_and_left_alone(wine: Wine, setups: Setups) -> None:
    wine.set_version("win7")
    before = wine.files()
    assert wine.run(setups.first, "/S")[0] == TOO_OLD % 256
    assert wine.files() == before
    assert not wine.has_key(f"HKCU\\{UNINSTALL}")
