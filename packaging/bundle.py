"""Make the one-folder bundle, for people without Python: `python3 packaging/bundle.py [--out DIR]`.

It writes `DIR/keybench/`, which has the program `keybench` and what that needs in `_internal/`, and
`DIR/keybench-VERSION-SYSTEM-MACHINE.tar.xz`, the same folder packed. Two runs on one commit give the same
bytes, which `--twice` proves. `--no-archive` leaves the packed one out.
"""

import argparse
import json
import lzma
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path

import elf
import environment
import product
import system_parts
import tools
from command_line import telling_trouble
from messages import SetupError, say

ROOT = Path(__file__).resolve().parent.parent
NAME = "keybench"
#: The folder in the bundle that holds everything but the program.
CONTENTS = "_internal"
#: Windows' program for terminals and scripts, and what PyInstaller calls it; see windows.py.
FOR_TERMINALS = f"{NAME}.com"
MADE_FOR_TERMINALS = f"{NAME}-terminal.exe"
#: macOS's app, and where in it the program's own files are.
APP = "Keybench.app"
APP_RESOURCES = Path("Contents", "Resources", "keybench", "resources")
_SPEC = Path(__file__).with_name("keybench.spec")
# Most of it is machine code, which packs better when its jumps are made absolute first.
_JUMPS = [{"id": lzma.FILTER_X86}] if platform.machine().lower() in {"x86_64", "amd64"} else []
_FILTERS = [*_JUMPS, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
# What would change the bytes that PyInstaller writes, or lead past the environment.
_LEFT_OUT = ("PYTHON", "PYINSTALLER", "LD_", "QT_")


@dataclass(frozen=True)
class Source:
    """What a bundle is made from.

    Attributes:
        version: The program's version.
        commit: The commit, with `-dirty` where files differ from it; empty where there is no git.
        made_at: When that was, in seconds since 1970; every file of the bundle has this time.
    """

    version: str
    commit: str
    made_at: int


@telling_trouble(stopped="Stopped. What was there before is as it was.")
def main(arguments: list[str]) -> int:
    """Make the bundle and its archive and return the exit status."""
    parser = argparse.ArgumentParser(prog="bundle.py", description="Make the one-folder bundle of Keybench.")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", help="write to this folder (default dist/)"
    )
    parser.add_argument("--no-archive", action="store_true", help="make the folder alone")
    parser.add_argument("--twice", action="store_true", help="make it twice and compare the bytes")
    options = parser.parse_args(arguments)
    folder = make(ROOT, options.out)
    say(f"{folder}: {size_of(folder) / 1e6:.1f} MB")
    if options.twice:
        with tempfile.TemporaryDirectory(prefix="a folder, über ") as other:
            compare(folder, make(ROOT, Path(other)))
    if not options.no_archive:
        packed = archive(folder, options.out, source(ROOT))
        say(f"{packed}: {packed.stat().st_size / 1e6:.1f} MB")
    return 0


def make(root: Path, out: Path, package: str = "folder") -> Path:
    """Make the bundle of the checkout at `root` and return its folder, `out/keybench`.

    `package` is what the program is told that it came in, such as `deb`. A folder that was there before is
    replaced when the new one is whole. On macOS `out/Keybench.app` is made, too, of the same files.
    """
    system_parts.ensure_for("bundle")
    python = environment.ensure(root, "build")
    facts = source(root)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{NAME}-", dir=out, ignore_cleanup_errors=True) as work:
        folder = _freeze(python, Path(work), facts, package)
        build = {"version": facts.version, "commit": facts.commit, "package": package}
        resources = folder / CONTENTS / "keybench" / "resources"
        (resources / "build.json").write_text(json.dumps(build, indent=1), "utf-8")
        _tidy(folder)
        _describe(python, folder, facts)
        _level(folder, facts.made_at)
        app = folder.with_name(APP)
        if app.exists():
            shutil.copytree(resources, app / APP_RESOURCES, dirs_exist_ok=True)
            _move_into_place(app, out / APP, Path(work))
        return _move_into_place(folder, out / NAME, Path(work))


def source(root: Path) -> Source:
    """Return what a bundle of the checkout at `root` is made from.

    SOURCE_DATE_EPOCH gives the time (https://reproducible-builds.org/specs/source-date-epoch/), else the
    commit, else the newest version in `resources/changes.md`.
    """
    newest = product.releases(root)[0]
    day = datetime.combine(newest.day, time(), UTC)
    made_at = (
        os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct") or day.timestamp()
    )
    return Source(newest.version, _git(root, "describe", "--always", "--dirty", "--abbrev=12"), int(made_at))


def archive(folder: Path, out: Path, facts: Source) -> Path:
    """Pack the bundle's folder as .tar.xz into `out` and return the file.

    The same folder gives the same bytes.
    """
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    packed = out / f"{NAME}-{facts.version}-{system}-{platform.machine().lower()}.tar.xz"
    draft = packed.with_name(f"{packed.name}.new")

    def levelled(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = facts.made_at
        return info

    try:
        with (
            lzma.open(draft, "wb", filters=_FILTERS) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for path in (folder, *sorted(folder.rglob("*"))):
                tar.add(path, path.relative_to(folder.parent).as_posix(), recursive=False, filter=levelled)
        draft.replace(packed)
    finally:
        draft.unlink(missing_ok=True)
    return packed


def compare(one: Path, other: Path) -> None:
    """Do nothing if two bundles are the same, byte by byte, with their files' rights and times."""
    there = [
        {
            path.relative_to(folder): (
                path.lstat().st_mode,
                path.lstat().st_mtime,
                path.read_bytes() if path.is_file() else b"",
            )
            for path in sorted(folder.rglob("*"))
        }
        for folder in (one, other)
    ]
    differing = [str(name) for name in {**there[0], **there[1]} if there[0].get(name) != there[1].get(name)]
    if differing:
        raise SetupError(f"Two bundles of one commit differ in: {', '.join(differing)}.")
    say("Made a second time it has the same bytes.")


def size_of(folder: Path) -> int:
    """Return how many bytes the files of a folder have."""
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def _freeze(python: Path, work: Path, facts: Source, package: str) -> Path:
    say("Packing the program (half a minute) …")
    tools.run(
        *(python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
        *("--distpath", work / "dist", "--workpath", work / "build", _SPEC),
        trouble="PyInstaller could not pack the program.",
        variables={**_environment(work, facts), "KEYBENCH_PACKAGE": package},
    )
    folder = work / "dist" / NAME
    if (folder / MADE_FOR_TERMINALS).exists():  # PyInstaller gives each program the ending .exe
        (folder / MADE_FOR_TERMINALS).rename(folder / FOR_TERMINALS)
    return folder


def _environment(work: Path, facts: Source) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    if os.name == "nt":  # the C library that came with CPython is taken, not another one on the way
        kept["PATH"] = os.pathsep.join([sys.base_prefix, kept.get("PATH", "")])
    # https://pyinstaller.org/en/stable/advanced-topics.html#creating-a-reproducible-build
    return kept | {
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE_DATE_EPOCH": str(facts.made_at),
        "PYINSTALLER_CONFIG_DIR": os.fspath(work / "cache"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def _tidy(folder: Path) -> None:
    """Take out of the libraries what is of no use elsewhere."""
    if sys.platform == "linux":
        for path in sorted((folder / CONTENTS).rglob("*.so*")):
            if path.is_file() and not path.is_symlink():
                elf.tidy(path)


def _describe(python: Path, folder: Path, facts: Source) -> None:
    """Put the bill of materials and the licences of all that is in the bundle into it."""
    say("Listing what is in it …")
    told = subprocess.run(
        [python, Path(__file__).with_name("bill.py"), folder],
        env=os.environ | {"SOURCE_DATE_EPOCH": str(facts.made_at)},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if told.returncode:
        raise SetupError(told.stderr.strip())


def _level(folder: Path, made_at: int) -> None:
    """Give every file the same time and rights, whoever made it and when."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            program = path.is_dir() or path == folder / NAME
            path.chmod(0o755 if program else 0o644)
            os.utime(path, (made_at, made_at))
    folder.chmod(0o755)
    os.utime(folder, (made_at, made_at))


def _move_into_place(folder: Path, place: Path, work: Path) -> Path:
    if place.exists():
        place.rename(work / f"before-{place.name}")
    folder.rename(place)
    return place


def _git(root: Path, *words: str) -> str:
    if shutil.which("git") is None or not (root / ".git").exists():
        return ""
    told = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    return told.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
