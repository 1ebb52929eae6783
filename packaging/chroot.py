"""A small Debian in a folder, fresh for every trial, in which nothing of this computer is installed.

The base is fetched once, by debootstrap, and kept under the cache of whoever runs this; so are the packages
that trials put in. Only root can change into it.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import system_parts
import tools
from messages import SetupError, last_lines, say

_PARTS: Final = """
debootstrap             debootstrap         debootstrap             debootstrap             debootstrap
unshare                 util-linux          util-linux              util-linux              util-linux
"""
#: Who runs programs in it, as a person does.
PERSON: Final = "anna"
_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
#: Processes and mounts of a run are its own, and end with it.
_ENTER: Final = (
    'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && '
    'mount --bind "$2" "$1/var/cache/apt/archives" && shift 2 && exec "$@"'
)


class Chroot:
    """A Debian in a folder.

    Args:
        folder: Its top.
        archives: Where it keeps the packages that it fetches.
    """

    def __init__(self, folder: Path, archives: Path) -> None:
        self.folder = folder
        self._archives = archives

    @property
    def home(self) -> Path:
        """The person's home, seen from outside."""
        return self.folder / "home" / PERSON

    def run(
        self, *command: str, user: str = PERSON, variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it, with nothing of this computer's environment, and return what it said."""
        home = "/root" if user == "root" else f"/home/{user}"
        told = {"PATH": _PATH, "HOME": home, "LC_ALL": "C.UTF-8", "USER": user, **(variables or {})}
        return subprocess.run(
            [
                *("unshare", "--mount", "--pid", "--fork", "--kill-child"),
                *("sh", "-c", _ENTER, "sh", os.fspath(self.folder), os.fspath(self._archives)),
                *("chroot", f"--userspec={user}:{user}", os.fspath(self.folder)),
                *("env", "-i", *(f"{name}={value}" for name, value in told.items()), *command),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )

    def apt(self, *words: str) -> None:
        """Run apt-get in it as root.

        Raises:
            SetupError: it fails; the text has its last lines.
        """
        done = self.run(
            "apt-get", "-qy", *words, user="root", variables={"DEBIAN_FRONTEND": "noninteractive"}
        )
        if done.returncode:
            raise SetupError(f"apt-get {' '.join(words)} failed:\n{last_lines(done.stdout)}")

    def put(self, path: str, content: bytes) -> None:
        """Write a file of the person's into their home."""
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        self.run("chown", "-R", f"{PERSON}:{PERSON}", f"/home/{PERSON}", user="root")


@contextmanager
def fresh(release: str, mirror: str | None) -> Iterator[Chroot]:
    """Give a Debian of that release, without anything but its base, and take it away afterwards.

    Raises:
        SetupError: this isn't run by root, or the base can't be fetched.
    """
    if os.geteuid() != 0:
        raise SetupError("A trial in a clean Debian has to change its root folder: start it with sudo.")
    system_parts.ensure(system_parts.parse_parts(_PARTS))
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keybench" / "debian"
    base = _base(place, release, mirror)
    archives = place / f"{release}-archives"
    (archives / "partial").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{release}-", dir=place, ignore_cleanup_errors=True) as work:
        folder = Path(work) / "root"
        done = subprocess.run(
            ["cp", "-a", "--reflink=auto", base, folder], stderr=subprocess.PIPE, text=True, check=False
        )
        if done.returncode:
            raise SetupError(f"The base could not be copied:\n{last_lines(done.stderr)}")
        shutil.copyfile("/etc/resolv.conf", folder / "etc" / "resolv.conf")
        # Nobody is there whose services could be started.
        (folder / "usr" / "sbin" / "policy-rc.d").write_text("#!/bin/sh\nexit 101\n", "utf-8")
        (folder / "usr" / "sbin" / "policy-rc.d").chmod(0o755)
        inside = Chroot(folder, archives)
        inside.run("useradd", "--create-home", PERSON, user="root")
        inside.apt("update")
        yield inside


def _base(place: Path, release: str, mirror: str | None) -> Path:
    base = place / release
    if base.exists():
        return base
    say(f"Fetching a small Debian ({release}), once …")
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{release}-", dir=place) as work:
        made = Path(work) / "base"
        tools.run("debootstrap", "--variant=minbase", release, made, *([mirror] if mirror else []))
        return made.rename(base)
