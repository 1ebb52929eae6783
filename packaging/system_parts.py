"""Find the system libraries and programs Keybench needs on Linux, and put them in where that is allowed.

The libraries of the window are those that PySide6's own files name as needed (`readelf -d` on `libQt6Core`,
`libQt6Gui`, `libQt6Network`, `libQt6DBus` and the `xcb` platform plugin of 6.11); a font so that text is more
than boxes. Each has the package that brings it on each family of distributions.

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

import tools
from messages import SetupError, last_lines, say

COLUMNS = ("apt-get", "dnf", "zypper", "pacman")

# The program reads it too, to say what is missing.
WINDOW_PARTS = (Path(__file__).resolve().parents[1] / "resources" / "window-libraries.txt").read_text("utf-8")

# What packs the program: the linker's tools, which tell what a library needs and take its symbols away, and
# what takes this computer's folders out of it.
BUNDLE_PARTS = """
objdump                 binutils            binutils            binutils                binutils
strip                   binutils            binutils            binutils                binutils
patchelf                patchelf            patchelf            patchelf                patchelf
"""

# What makes a package for Debian from that.
DEB_PARTS = """
dpkg-deb                dpkg                dpkg                dpkg                    dpkg
"""

# A private session bus, the keystores of Linux desktops, a screen of the tests' own, window managers and a
# Wayland compositor with what works them, an inspecting proxy, PostgreSQL, the accessibility bus and its
# client. Then what reads the files that packages bring: validators, man, shells, Debian's critic; what makes
# and signs the installer for Windows. Where a family has no package (-), the tests that need it are left out.
TEST_PARTS = """
dbus-run-session        dbus                dbus-daemon         dbus-1-daemon           dbus
gnome-keyring-daemon    gnome-keyring       gnome-keyring       gnome-keyring           gnome-keyring
/gcr-prompter           gcr                 gcr3                gcr3-prompter           gcr
keepassxc               keepassxc           keepassxc           keepassxc               keepassxc
kwalletd5               libkf5wallet-bin    kf5-kwallet         kwalletd5               kwallet5
Xvfb                    xvfb                xorg-x11-server-Xvfb xorg-x11-server-Xvfb   xorg-server-xvfb
openbox                 openbox             openbox             openbox                 openbox
metacity                metacity            metacity            metacity                metacity
wmctrl                  wmctrl              wmctrl              wmctrl                  wmctrl
xdotool                 xdotool             xdotool             xdotool                 xdotool
xprop                   x11-utils           xprop               xprop                   xorg-xprop
wtype                   wtype               wtype               wtype                   wtype
sway                    sway                sway                sway                    sway
mitmdump                mitmproxy           mitmproxy           mitmproxy               mitmproxy
/initdb                 postgresql          postgresql-server   postgresql-server       postgresql
/a11y-bus               at-spi2-core        at-spi2-core        at-spi2-core            at-spi2-core
/a11y-types             gir1.2-atspi-2.0    at-spi2-core        typelib-1_0-Atspi-2_0   at-spi2-core
/pyatspi                python3-pyatspi     python3-pyatspi     python3-pyatspi         python-atspi
desktop-file-validate   desktop-file-utils  desktop-file-utils  desktop-file-utils      desktop-file-utils
appstreamcli            appstream           appstream           AppStream               appstream
appstream-util          appstream-util      libappstream-glib   appstream-glib          appstream-glib
man                     man-db              man-db              man                     man-db
zsh                     zsh                 zsh                 zsh                     zsh
fish                    fish                fish                fish                    fish
lintian                 lintian             -                   -                       -
makensis                nsis                mingw32-nsis        -                       -
osslsigncode            osslsigncode        osslsigncode        -                       -
"""

# Where the distributions keep one and the same thing: a probe of the lists -> the patterns that prove it.
ALTERNATIVES = {
    "/usr/share/fonts": tuple(
        f"{folder}/**/*.{ending}"
        for folder in ("/usr/share/fonts", "/usr/local/share/fonts")
        for ending in ("ttf", "otf", "ttc")
    ),
    "/initdb": ("/usr/lib/postgresql*/**/bin/initdb", "/usr/bin/initdb", "/usr/local/bin/initdb"),
    "/gcr-prompter": ("/usr/libexec/gcr-prompter", "/usr/lib/gcr*/gcr-prompter"),
    "/a11y-bus": ("/usr/share/dbus-1/services/org.a11y.Bus.service",),
    "/a11y-types": (
        "/usr/lib/*/girepository-1.0/Atspi-2.0.typelib",
        "/usr/lib*/girepository-1.0/Atspi-2.0.typelib",
    ),
    "/pyatspi": ("/usr/lib*/python3*/dist-packages/pyatspi", "/usr/lib*/python3*/site-packages/pyatspi"),
}

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


def ensure_for(what: str) -> None:
    """See to all that `what` needs: `tools` (of Python alone), `window`, `bundle`, `deb` or `tests`.

    A SetupError has the command to type where something is missing and can't be put in from here.
    """
    if sys.platform == "linux":  # PySide6 brings everything on macOS and Windows
        tables = WINDOW_PARTS, BUNDLE_PARTS, DEB_PARTS, TEST_PARTS
        wanted = "".join(tables[: ("tools", "window", "bundle", "deb", "tests").index(what)])
        ensure([*parse_parts(wanted), _venv_part()])


def ensure(parts: Sequence[Part]) -> None:
    """Put in those of the parts that are missing."""
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
    updated = tools.attempt([*apt, "apt-get", *_APT_WAITS_FOR_ITS_LOCK, "update"])
    installed = tools.attempt([*apt, *INSTALL_COMMANDS["apt-get"], *_APT_WAITS_FOR_ITS_LOCK, *packages])
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
