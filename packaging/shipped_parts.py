"""What `shipped_parts.toml` tells of libraries and of code that is built into others."""

import platform
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

_TOLD = Path(__file__).with_name("shipped_parts.toml")


@dataclass(frozen=True)
class Part:
    """Code of one origin.

    Attributes:
        name: What it is called.
        files: Patterns of the files that it is, or that it is built into.
        licence: An SPDX expression.
        version: What finds its version in a file; None where that can't be told.
        package: The Python package whose wheel brings it; empty where it comes from elsewhere.
        inside: The component that it is built into; empty where its files are its own.
        copyright: Whose it is, a line each.
        cpe: Vendor and product, as in the National Vulnerability Database.
        text: A file in `licences/` to be used as its licence's text; empty for SPDX's.
        notice: A file to be read with it; empty for none.
        machines: The processors that it is for; empty for all.
    """

    name: str
    files: tuple[str, ...] = ()
    licence: str = ""
    version: re.Pattern[bytes] | None = None
    package: str = ""
    inside: str = ""
    copyright: tuple[str, ...] = ()
    cpe: str = ""
    text: str = ""
    notice: str = ""
    machines: tuple[str, ...] = ()

    def fits(self, path: str) -> bool:
        """Tell whether a file is this part or holds it, by its path or name."""
        here = not self.machines or platform.machine().lower() in self.machines
        return here and any(fnmatch(path, pattern) for pattern in self.files)

    def version_in(self, files: Iterable[Path]) -> str | None:
        """Return the version that the first of the files tells; empty where none can be told.

        None means that it should be told and isn't: the files don't hold this part.
        """
        if self.version is None:
            return ""
        found = (self.version.search(path.read_bytes()) for path in files)
        return next((one[1].decode("ascii") for one in found if one), None)


class Parts:
    """All parts that are known.

    Args:
        path: The file that tells of them.
    """

    def __init__(self, path: Path = _TOLD) -> None:
        self._told: Mapping[str, Any] = tomllib.loads(path.read_text("utf-8"))

    @cached_property
    def packages(self) -> Mapping[str, Part]:
        """Python packages whose licence their metadata doesn't tell."""
        return {one.name: one for one in map(_part, self._told["package"])}

    @cached_property
    def libraries(self) -> tuple[Part, ...]:
        """Libraries in files of their own."""
        return tuple(map(_part, self._told["library"]))

    @cached_property
    def built_in(self) -> tuple[Part, ...]:
        """Code that is built into other libraries."""
        return tuple(map(_part, self._told["part"]))

    def library_of(self, path: str, package: str = "") -> Part | None:
        """Return the library that a file is: by its path in a package's wheel, else by its name."""
        fitting = (one for one in self.libraries if one.package == package and one.fits(path))
        return next(fitting, None)


def _part(told: Mapping[str, Any]) -> Part:
    version = re.compile(told["version"].encode()) if "version" in told else None
    lists = {key: tuple(told.get(key, ())) for key in ("files", "copyright", "machines")}
    return Part(**{**told, **lists, "version": version})
