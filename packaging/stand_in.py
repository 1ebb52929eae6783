"""A stand-in for freedesktop.org's runtime and SDK, of Debian's packages, to try the Flatpak without them.

Nothing is shipped of it. It has what Keybench uses of the runtime, and not what the runtime lacks.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import allow_list
import flatpak
import tools
from messages import SetupError, last_lines, say

#: What starts programs and finds libraries; the libraries that a desktop has; those of printing and GTK; what
#: flatpak-builder calls.
_PACKAGES: Final = (
    *("bash", "coreutils", "dash", "libc-bin", "ca-certificates", "xkb-data", "fonts-dejavu-core"),
    *("libdbus-1-3", "libegl1", "libfontconfig1", "libfreetype6", "libgl1", "libglib2.0-0", "libstdc++6"),
    *("libwayland-client0", "libwayland-cursor0", "libx11-6", "libx11-xcb1", "libxcb1", "libxkbcommon0"),
    *("libcups2", "libgtk-3-0"),
    *("appstream-compose", "appstream-util"),
)
_LINKED: Final = ("bin", "lib", "lib64", "sbin")
#: Nothing looks into these.
_SPARED: Final = ("doc", "icons", "info", "locale", "man", "perl")
_OPTIONS: Final = ("-q", "-y", "-o", "APT::Install-Recommends=0", "-o", "Debug::NoLocking=1")


def make(work: Path) -> Path:
    """Make the stand-ins in a folder, and return the repository that they can be installed from.

    Raises:
        SetupError: A tool is missing or fails.
        OSError: The folder can't be written.
    """
    if shutil.which("apt-get") is None:
        raise SetupError("The stand-in for the runtime is made with apt-get, which isn't here.")
    say("Making a stand-in for the runtime of Debian's packages …")
    top, repository = work / "system", work / "stand-in"
    unpack(_fetch(work / "apt", _PACKAGES), top)
    # None of the packages' own scripts ran, and this one's work is needed: by it icons are known as pictures.
    tools.run(
        *("bwrap", "--bind", os.fspath(top), "/", "--dev", "/dev", "--proc", "/proc"),
        *("update-mime-database", "/usr/share/mime"),
    )
    (top / "etc").rename(top / "usr" / "etc")
    for name in _SPARED:
        shutil.rmtree(top / "usr" / "share" / name, ignore_errors=True)
    (top / "files").mkdir()
    _export(top, flatpak.SDK, repository)
    for library in top.glob("usr/lib/*/*"):
        if library.name.startswith(allow_list.SHIPPED_IN[flatpak.PACKAGE]):
            library.unlink()
    _export(top, flatpak.RUNTIME, repository)
    tools.run("flatpak", "build-update-repo", os.fspath(repository))
    return repository


def _export(top: Path, name: str, repository: Path) -> None:
    ids = [
        f"{one}/{platform.machine()}/{flatpak.runtime_version()}" for one in (flatpak.RUNTIME, flatpak.SDK)
    ]
    (top / "metadata").write_text(f"[Runtime]\nname={name}\nruntime={ids[0]}\nsdk={ids[1]}\n", "utf-8")
    folders = (os.fspath(repository), os.fspath(top))
    tools.run("flatpak", "build-export", "--runtime", *folders, flatpak.runtime_version())


def _fetch(state: Path, packages: Sequence[str]) -> list[Path]:
    """Fetch packages with all that they need, as for a system that has nothing, and return their files."""
    for folder in ("state/lists/partial", "archives/partial"):
        (state / folder).mkdir(parents=True)
    (state / "status").touch()
    options = [
        *_OPTIONS,
        *("-o", f"Dir::State={state / 'state'}", "-o", f"Dir::State::status={state / 'status'}"),
        *("-o", f"Dir::Cache={state}", "-o", f"Dir::Cache::archives={state / 'archives'}"),
        *("-o", "APT::Sandbox::User="),
    ]
    tools.run("apt-get", *options, "update")
    tools.run("apt-get", *options, "--download-only", "install", *packages)
    return sorted((state / "archives").glob("*.deb"))


def unpack(files: Sequence[Path], top: Path) -> None:
    """Unpack packages into a folder, without running anything of theirs.

    Raises:
        SetupError: One can't be unpacked.
    """
    for name in _LINKED:
        (top / "usr" / name).mkdir(parents=True)
        (top / name).symlink_to(f"usr/{name}")
    for file in files:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE) as packed:
            done = subprocess.run(
                ["tar", "--extract", "--keep-directory-symlink", "--no-same-owner", "--directory", top],
                stdin=packed.stdout,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        if done.returncode or packed.returncode:
            raise SetupError(f"{file.name} could not be unpacked:\n{last_lines(done.stderr)}")
