"""Try a package where nobody has Python: `sudo python3 packaging/install_test.py deb [--package FILE]`.

The package is made if none is given. In a fresh, minimal Debian it is put in over a lower version with an
older journal, checked by the program's own self-test without and with a keystore, then removed and purged. It
takes some three minutes, and a good minute more for the first time, when Debian is fetched.
"""

import argparse
import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import chroot
import deb
import product
from chroot import Chroot
from command_line import telling_trouble
from messages import SetupError, last_lines, say

ROOT: Final = Path(__file__).resolve().parents[1]
#: A journal that an older Keybench kept.
_JOURNAL: Final = ROOT / "tests" / "journal" / "kept" / "schema-2.sqlite3.gz"
_DATA: Final = Path(".local", "share", product.NAME)
_OLDER: Final = "0.0.1"
#: What only the older package has.
_FORMER: Final = Path("usr", "lib", product.COMMAND, "_internal", "only-in-the-older-one.txt")
#: A session with a keystore that is open, and in it what follows.
_SESSION: Final = (
    *("dbus-run-session", "--", "sh", "-c"),
    'printf made-up | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"',
    "sh",
)
_DONE: Final = 0
_NO_KEYSTORE: Final = 40


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Try the package and return the exit status."""
    parser = argparse.ArgumentParser(prog="install_test.py", description="Try a package in a clean system.")
    parser.add_argument("kind", choices=["deb"], help="what kind of package it is")
    parser.add_argument("--package", metavar="FILE", type=Path, help="try this one (without it, one is made)")
    parser.add_argument("--release", default="bookworm", help="Debian's release (default bookworm)")
    parser.add_argument("--mirror", metavar="URL", help="where from (default: where debootstrap looks)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="keybench-trial-") as work:
        package = options.package or _made(Path(work))
        with chroot.fresh(options.release, options.mirror) as inside:
            Trial(inside, package, Path(work)).run()
    return 0


def _made(out: Path) -> Path:
    """Make the package by its own command, which needs another Python than this may be."""
    if subprocess.run([sys.executable, deb.__file__, "--out", out], check=False).returncode:
        raise SetupError("There is no package to try.")
    return next(out.glob("*.deb"))


class Trial:
    """A package's way from being put in to being purged.

    Args:
        inside: The Debian it is tried in.
        package: The .deb.
        work: A folder for what the trial makes.
    """

    def __init__(self, inside: Chroot, package: Path, work: Path) -> None:
        self._inside = inside
        self._package = package
        self._work = work
        self._tree = work / "tree"
        self._kept: dict[str, bytes] = {}

    def run(self) -> None:
        """Take all steps in their order, and tell how each ended.

        Raises:
            SetupError: a step failed; the text says how.
        """
        steps: dict[str, Callable[[], None]] = {
            "an older version is put in": self._put_in_older,
            "without a keystore the self-test says so": self._test_without_keystore,
            "the newer version replaces it": self._upgrade,
            "the older journal is brought up to date, whole": self._read_journal,
            "with a keystore the self-test passes": self._test_with_keystore,
            "menu, icon, man page and completion are found": self._look_around,
            "an unpacked folder works beside it": self._run_folder,
            "removing leaves the person's files alone": self._remove,
            "purging leaves nothing else": self._purge,
        }
        for name, step in steps.items():
            began = time.monotonic()
            try:
                step()
            except SetupError as error:
                say(f"FAILED  {name}")
                raise SetupError(str(error)) from None
            say(f"ok      {name} ({time.monotonic() - began:.0f} s)")

    def _put_in_older(self) -> None:
        """Make a package of a lower version, and put it in where an older Keybench left a journal."""
        _tool("dpkg-deb", "--raw-extract", self._package, self._tree)
        control = self._tree / "DEBIAN" / "control"
        told = control.read_text("utf-8")
        version = f"Version: {_field(self._package, 'Version')}\n"
        control.write_text(told.replace(version, f"Version: {_OLDER}\n"), "utf-8")
        (self._tree / _FORMER).touch()
        older = self._inside.folder / "older.deb"
        _tool("dpkg-deb", "--root-owner-group", "-Zxz", "-z0", "--build", self._tree, older)
        self._inside.put(str(_DATA / "journal.sqlite3"), gzip.decompress(_JOURNAL.read_bytes()))
        self._inside.apt("install", "--no-install-recommends", "/older.deb")
        _expect(self._version() == _OLDER, f"version {self._version()} is installed")
        found = self._inside.run("sh", "-c", "command -v python3 python perl5")
        _expect(found.returncode != 0, f"a Python came with it: {found.stdout}")

    def _test_without_keystore(self) -> None:
        self._self_test(_NO_KEYSTORE, "keybench", "--self-test")

    def _upgrade(self) -> None:
        shutil.copyfile(self._package, self._inside.folder / "newer.deb")
        self._inside.apt("install", "--no-install-recommends", "/newer.deb")
        _expect(self._version() == _field(self._package, "Version"), f"{self._version()} is installed")
        _expect(not (self._inside.folder / _FORMER).exists(), "a file of the older version is still there")
        verified = self._inside.run("dpkg", "--verify", product.COMMAND, user="root").stdout
        _expect(not verified, f"files differ from the package's:\n{verified}")

    def _read_journal(self) -> None:
        old = self._work / "old.sqlite3"
        old.write_bytes(gzip.decompress(_JOURNAL.read_bytes()))
        with closing(sqlite3.connect(old)) as rows:
            wanted = {reference for (reference,) in rows.execute("SELECT reference FROM sales")}
        done = self._inside.run("keybench", "history", "--json", "--limit", "1000")
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found = {line.get("reference") for line in lines}
        _expect(done.returncode == _DONE, f"history ended with {done.returncode}:\n{done.stdout}")
        _expect(bool(wanted) and wanted <= found, f"history has {found}, not {wanted}")
        self._kept = self._files_of_person()

    def _test_with_keystore(self) -> None:
        self._inside.apt("install", "--no-install-recommends", "dbus-daemon", "gnome-keyring")
        self._self_test(_DONE, *_SESSION, "keybench", "--self-test")

    def _look_around(self) -> None:
        self._inside.apt("install", "--no-install-recommends", "man-db", "bash-completion")
        shown = self._inside.run("man", "keybench")
        _expect(shown.returncode == 0 and "KEYBENCH(1)" in shown.stdout, f"man says: {shown.stdout[:200]}")
        script = (
            ". /usr/share/bash-completion/bash_completion; _completion_loader keybench; complete -p keybench"
        )
        completed = self._inside.run("bash", "-c", script)
        _expect("_shtab_keybench" in completed.stdout, f"bash says: {completed.stdout}")
        shared = self._inside.folder / "usr" / "share"
        for path in (
            shared / "applications" / f"{product.ID}.desktop",
            shared / "metainfo" / f"{product.ID}.metainfo.xml",
            shared / "icons" / "hicolor" / "48x48" / "apps" / f"{product.ID}.png",
        ):
            _expect(path.is_file(), f"{path} isn't there")

    def _run_folder(self) -> None:
        """Unpack the bundle into a folder of the person's and run it, beside the package."""
        folder = self._inside.home / "Zürich 東京"
        shutil.copytree(self._tree / "usr" / "lib" / product.COMMAND, folder, symlinks=True)
        program = f"/home/{chroot.PERSON}/Zürich 東京/{product.COMMAND}"
        self._self_test(_NO_KEYSTORE, program, "--self-test")
        self._self_test(_NO_KEYSTORE, "keybench", "--self-test")

    def _remove(self) -> None:
        paths = self._inside.run("dpkg", "--listfiles", product.COMMAND).stdout.splitlines()
        self._inside.apt("remove", product.COMMAND)
        left = [
            path
            for path in paths
            if product.COMMAND in path.lower() and (self._inside.folder / path.lstrip("/")).exists()
        ]
        _expect(not left, f"these are still there: {left}")
        _expect(self._files_of_person() == self._kept, "the person's files have changed")
        program = f"/home/{chroot.PERSON}/Zürich 東京/{product.COMMAND}"
        self._self_test(_NO_KEYSTORE, program, "--self-test")

    def _purge(self) -> None:
        # It has no settings of its own under /etc, so what was removed is gone and can't be purged as well.
        self._inside.apt("install", "--no-install-recommends", "/newer.deb")
        self._inside.apt("purge", product.COMMAND)
        _expect(self._files_of_person() == self._kept, "the person's files have changed")
        places = ("/usr", "/etc", "/var", "/opt", "/root", "/run")
        found = self._inside.run("find", *places, "-iname", "*keybench*", user="root")
        _expect(not found.stdout, f"these are still there: {found.stdout}")
        status = self._inside.run("dpkg-query", "--status", product.COMMAND)
        _expect(status.returncode != 0, f"dpkg still knows it:\n{status.stdout}")

    def _self_test(self, wanted: int, *command: str) -> None:
        done = self._inside.run(*command)
        _expect(done.returncode == wanted, f"it ended with {done.returncode}, not {wanted}:\n{done.stdout}")

    def _version(self) -> str:
        return self._inside.run("dpkg-query", "--show", "--showformat", "${Version}", product.COMMAND).stdout

    def _files_of_person(self) -> dict[str, bytes]:
        """Return what the person has in the program's data folder, but for the log."""
        data = self._inside.home / _DATA
        return {
            str(path.relative_to(data)): path.read_bytes()
            for path in data.rglob("*")
            if path.is_file() and path.suffix != ".log"
        }


def _expect(fine: bool, told: str) -> None:  # noqa: FBT001 - what is expected stands in the call
    if not fine:
        raise SetupError(told)


def _field(package: Path, name: str) -> str:
    return _tool("dpkg-deb", "--field", package, name).strip()


def _tool(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise SetupError(f"{command[0]} failed:\n{last_lines(done.stderr)}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
