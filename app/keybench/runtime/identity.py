"""What this computer and the person at it are called, so that files that leave it can be free of that."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from keybench.runtime.data_folder import person_name


def computer_names() -> Sequence[str]:
    """Return the computer's names: as the network knows it, and the part before the first point."""
    names = [platform.node()]
    with suppress(OSError):
        names.append(socket.gethostname())
    names += [os.environ.get("COMPUTERNAME", ""), os.environ.get("HOSTNAME", "")]
    return _distinct([*names, *(name.partition(".")[0] for name in names)])


def user_names() -> Sequence[str]:
    """Return the user's names: of the account, of the home folder, and the full name as the system has it."""
    names = [person_name()]
    with suppress(RuntimeError, OSError):
        names.append(Path.home().name)
    if sys.platform != "win32":
        import pwd  # noqa: PLC0415 - isn't everywhere

        with suppress(KeyError, OSError):
            names.append(pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0])
    return _distinct(names)


def system_name() -> str:
    """Return the operating system with its version, such as ``Linux 6.8 (x86_64)``, without its name."""
    return f"{platform.system()} {platform.release()} ({platform.machine()})"


def library_versions(names: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Return the versions of the libraries that are installed, each with its name."""
    found = []
    for name in names:
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append((name, importlib.metadata.version(name)))
    return found


def _distinct(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys(name for name in names if name))
