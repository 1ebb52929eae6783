"""Find the system libraries and programs Keybench needs on Linux, and put them in where that is allowed.

A part counts as there when the library can be loaded or the file exists: asking the system itself works on
every distribution and takes a few milliseconds, so each start can afford it.
"""

import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from messages import SetupError, last_lines, say
from part_lists import ALTERNATIVES, BUNDLE_PARTS, COLUMNS, DEB_PARTS, TEST_PARTS, WINDOW_PARTS

# Package manager (a column of the part lists) -> its command that installs.
INSTALL_COMMANDS = {
    "apt-get": ("apt-get", "install", "-y", "--no-install-recommends"),
    "dnf": ("dnf", "install", "-y"),
    "zypper": ("zypper", "install", "-y"),
    "pacman": ("pacman", "-S", "--needed", "--noconfirm"),
}
#: Stands where a family of distributions has no package of a part, and goes without it.
NO_PACKAGE = "-"
_APT_WAITS_FOR_ITS_LOCK = ("-o", "DPkg::Lock::Timeout=120", "-q")


@dataclass(frozen=True)
class Part:
    """One thing the system has to provide.

    Attributes:
        probe: a library's file name (`lib….so.N`), a program's name, or a path pattern that begins with `/`.
        packages: package manager -> the package that brings it.
    """

    probe: str
    packages: dict[str, str]

    def is_there(self) -> bool:
        """Tell whether the system has this part."""
        if self.probe.startswith("/"):
            return any(_matches(pattern) for pattern in ALTERNATIVES.get(self.probe, (self.probe,)))
        if ".so." in self.probe:
            return _loads(self.probe)
        if self.probe == "ensurepip":
            return importlib.util.find_spec("ensurepip") is not None
        return shutil.which(self.probe) is not None


def parse_parts(table: str) -> list[Part]:
    """Read a part list: a line is the probe and then one package for each of `COLUMNS`."""
    rows = [line.split() for line in table.splitlines() if line.strip()]
    return [Part(row[0], dict(zip(COLUMNS, row[1:], strict=True))) for row in rows]


def ensure_for_window() -> None:
    """See to everything a real window needs.

    Raises:
        SetupError: something is missing and can't be put in from here; the text holds the command to type.
    """
    ensure(_on_linux([*parse_parts(WINDOW_PARTS), _venv_part()]))


def ensure_for_tests() -> None:
    """See to everything the tests need on top of the window.

    Raises:
        SetupError: as `ensure_for_window`.
    """
    ensure(_on_linux([*parse_parts(WINDOW_PARTS + BUNDLE_PARTS + DEB_PARTS + TEST_PARTS), _venv_part()]))


def ensure_for_bundle() -> None:
    """See to what packing the program needs: the libraries that go in, and the tools that look at them.

    Raises:
        SetupError: as `ensure_for_window`.
    """
    ensure(_on_linux([*parse_parts(WINDOW_PARTS + BUNDLE_PARTS), _venv_part()]))


def ensure_for_deb() -> None:
    """See to what making a package for Debian needs on top of the bundle.

    Raises:
        SetupError: as `ensure_for_window`.
    """
    ensure(_on_linux([*parse_parts(WINDOW_PARTS + BUNDLE_PARTS + DEB_PARTS), _venv_part()]))


def ensure_for_tools() -> None:
    """See to what making a Python environment needs, for steps that open no window.

    Raises:
        SetupError: as `ensure_for_window`.
    """
    ensure(_on_linux([_venv_part()]))


def ensure(parts: Sequence[Part]) -> None:
    """Put in those of the parts that are missing.

    Raises:
        SetupError: that can't be done from here; the text holds the command to type, or apt's last words.
    """
    missing = [part for part in parts if not part.is_there()]
    if not missing:
        return
    manager = next((name for name in INSTALL_COMMANDS if shutil.which(name)), None)
    missing = [part for part in missing if manager is None or part.packages[manager] != NO_PACKAGE]
    if not missing:
        return
    if manager is None:
        names = ", ".join(part.probe for part in missing)
        raise SetupError(
            f"Keybench needs some system parts that aren't here: {names}.\nInstall them, then start again."
        )
    packages = packages_for(missing, manager)
    prefix = _rights() if manager == "apt-get" else None
    if prefix is None:
        typed = command_to_type(manager, packages, root=os.geteuid() == 0)
        raise SetupError(
            f"Keybench needs some system packages. Type this, then start again:\n\n    {typed}\n"
        )
    _install_with_apt(prefix, packages)
    _insist(missing)


def packages_for(missing: Iterable[Part], manager: str) -> list[str]:
    """Return the packages that bring the missing parts, each once, in the order of the list."""
    return list(dict.fromkeys(part.packages[manager] for part in missing))


def command_to_type(manager: str, packages: Sequence[str], *, root: bool) -> str:
    """Return the one command line that puts the packages in, with sudo for anyone but root."""
    command = shlex.join([*INSTALL_COMMANDS[manager], *packages])
    return command if root else f"sudo {command}"


def _on_linux(parts: list[Part]) -> list[Part]:
    return parts if sys.platform == "linux" else []  # PySide6 brings everything on macOS and Windows


def _rights() -> list[str] | None:
    """Return what to put before a command so that it runs as root, or None where that needs a person."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    return ["sudo", "-n"] if allowed else None


def _install_with_apt(prefix: Sequence[str], packages: Sequence[str]) -> None:
    say(f"Putting in system packages: {' '.join(packages)} …")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    # A failed update isn't the end: one broken source needn't hold these packages.
    updated = _run([*apt, "apt-get", *_APT_WAITS_FOR_ITS_LOCK, "update"])
    installed = _run([*apt, *INSTALL_COMMANDS["apt-get"], *_APT_WAITS_FOR_ITS_LOCK, *packages])
    if installed.returncode == 0:
        return
    typed = command_to_type("apt-get", packages, root=not prefix)
    told = last_lines(updated.stdout + installed.stdout if updated.returncode else installed.stdout)
    raise SetupError(
        f"apt-get could not put in the system packages. Its last lines:\n{told}\n"
        f"When that is put right, start again, or type:\n\n    {typed}\n"
    )


def _insist(parts: Iterable[Part]) -> None:
    importlib.invalidate_caches()
    still = [part for part in parts if not part.is_there()]
    if still:
        names = ", ".join(part.probe for part in still)
        raise SetupError(
            f"The packages are in, but this Python ({sys.executable}) still doesn't find: {names}."
        )


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def _venv_part() -> Part:
    """Return the module that puts pip into a new environment; Debian keeps it in a package of its own."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Part(
        "ensurepip",
        {
            "apt-get": f"python{version}-venv",
            "dnf": "python3-pip",
            "zypper": "python3-pip",
            "pacman": "python",
        },
    )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _matches(pattern: str) -> bool:
    return next(Path("/").glob(pattern.lstrip("/")), None) is not None
