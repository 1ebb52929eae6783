"""Programs and libraries of Linux: what they need of a system, and how they are made fit for any."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tools
from messages import SetupError

_MAGIC: Final = b"\x7fELF"
_FORMAT: Final = re.compile(r"file format elf64-(\S+)$", re.MULTILINE)
_NEEDED: Final = re.compile(r"^ +NEEDED +(\S+)$", re.MULTILINE)
_GLIBC: Final = re.compile(r" GLIBC_(\d+)\.(\d+)\b")
#: What binutils and Debian call machines.
_ARCHITECTURES: Final = {"x86-64": "amd64", "littleaarch64": "arm64"}


@dataclass(frozen=True)
class Needs:
    """What a folder's programs and libraries need from outside it.

    Attributes:
        libraries: The libraries' names, such as `libX11.so.6`, with the files that link each, as paths in it.
        glibc: The oldest C library that has all they ask of it.
        architecture: The machine, by Debian's name.
    """

    libraries: dict[str, list[Path]]
    glibc: tuple[int, int]
    architecture: str


def needs(folder: Path) -> Needs:
    """Return what everything in `folder` needs."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    shipped = {path.name for path in files}
    libraries: dict[str, list[Path]] = {}
    glibc, machines = (0, 0), set[str]()
    for path in files:
        if path.is_symlink() or not _is_elf(path):
            continue
        told = tools.run("objdump", "-p", path)
        machines.update(_FORMAT.findall(told))
        glibc = max([glibc, *((int(one), int(two)) for one, two in _GLIBC.findall(told))])
        for name in _NEEDED.findall(told):
            if name not in shipped:
                libraries.setdefault(name, []).append(path.relative_to(folder))
    architectures = {_ARCHITECTURES.get(machine, "") for machine in machines}
    if len(architectures) != 1 or "" in architectures:
        told = ", ".join(sorted(machines)) or "none"
        raise SetupError(f"{folder} has programs of these machines, of which one was expected: {told}.")
    return Needs(dict(sorted(libraries.items())), glibc, architectures.pop())


def tidy(path: Path) -> None:
    """Take out of a library what is of no use elsewhere: debugging symbols, and this computer's folders.

    Some builds of CPython and some wheels have the first. Some of CPython look for their libraries in the
    folder that they were put in; in a bundle the launcher says where these are.
    """
    tools.run("strip", "--strip-unneeded", path)
    if tools.run("patchelf", "--print-rpath", path).startswith("/"):
        tools.run("patchelf", "--remove-rpath", path)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
