"""Whose every file and every packed module of a one-folder bundle is, and what was built into them.

What the environment, CPython's folders and the system's package database tell of a file is only believed
where the shipped file is the same, on Linux after the same tidying.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from packaging.utils import canonicalize_name
from PyInstaller.archive.readers import CArchiveReader
from PyInstaller.loader.pyimod01_archive import PYZ_ITEM_NSPKG

import elf
import origins
from messages import SetupError
from origins import Component
from sbom import BILL
from shipped_parts import Parts

CONTENTS: Final = "_internal"
#: The program, on Windows both of them.
PROGRAMS: Final = frozenset({origins.OURS, f"{origins.OURS}.exe", f"{origins.OURS}.com"})
#: Where the program's own data are, below CONTENTS.
RESOURCES: Final = f"{origins.OURS}/resources"
_BINARY: Final = (".so", ".pyd", ".dll", ".dylib")


@dataclass
class Inventory:
    """What a bundle has.

    Attributes:
        folder: The bundle.
        ours: The program itself, by its `ref`.
        components: All, by their `ref`.
        files: The owner of each file, by its path in the bundle.
        modules: The owner of each module that is packed into the program, by its name.
        needs: What each component needs, as far as known.
    """

    folder: Path
    ours: str
    components: dict[str, Component] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    needs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def files_of(self, ref: str) -> list[str]:
        """Return the paths of a component's files."""
        return [path for path, owner in self.files.items() if owner == ref]

    def add(self, component: Component) -> str:
        """Add a component, if it isn't there, and return its `ref`."""
        self.components.setdefault(component.ref, component)
        return component.ref


def take(folder: Path, parts: Parts | None = None) -> Inventory:
    """Return what is in a bundle.

    Args:
        folder: The bundle.
        parts: What is known of libraries; all of `shipped_parts.toml` by default.

    Raises:
        SetupError: Something is nobody's, or not what its owner brought; the text names all of that.
    """
    if not (folder / CONTENTS).is_dir():
        raise SetupError(f"{folder} is no bundle: it has no folder {CONTENTS}.")
    return _Stocktaking(folder, parts or Parts()).done()


class _Stocktaking:
    """Makes one inventory."""

    def __init__(self, folder: Path, parts: Parts) -> None:
        self._folder = folder
        self._parts = parts
        self._packages = origins.Packages(parts)
        self._stock = Inventory(folder, self._packages.ours.ref)
        self._problems: list[str] = []
        #: Where files come from that must be the same there.
        self._sources: dict[str, Path] = {}
        #: Files by their library and the package, Python's or Debian's, that brings it: of one version.
        self._libraries: dict[tuple[str, str], list[str]] = defaultdict(list)

    def done(self) -> Inventory:
        self._stock.add(self._packages.ours)
        for path in own_files(self._folder):
            self._find_owner(path)
        self._add_libraries()
        self._find_owners_of_modules()
        self._compare()
        if self._problems:
            told = "\n".join(f"    {one}" for one in sorted(self._problems))
            raise SetupError(f"It can't be said what these of the bundle are:\n{told}")
        self._add_built_in()
        self._add_needs()
        return self._stock

    def _find_owner(self, path: str) -> None:
        inner = path.removeprefix(f"{CONTENTS}/")
        if path in PROGRAMS or inner.startswith(f"{origins.OURS}-"):
            self._stock.files[path] = self._stock.ours
        elif inner.startswith(f"{RESOURCES}/"):
            source = origins.in_checkout(inner.removeprefix(f"{RESOURCES}/"))
            self._take(path, source, lambda: self._packages.ours)
        elif (package := self._packages.of_file(inner)) is not None:
            self._sources[path] = self._packages.folder / inner
            library = self._parts.library_of(inner, package)
            if library is None:
                self._stock.files[path] = self._stock.add(self._packages.component(package))
            else:
                self._libraries[library.name, package].append(path)
        else:
            self._find_outside(path, inner)

    def _find_outside(self, path: str, inner: str) -> None:
        """Find what comes with CPython or from the system."""
        name = PurePosixPath(inner).name
        library = self._parts.library_of(name)
        source = origins.in_cpython(inner)
        if library is None:
            self._take(path, source, lambda: self._cpython)
        elif found := source or origins.in_system(name):
            self._sources[path] = found
            package = "" if source else origins.debian_owner(found)
            self._libraries[library.name, f"deb:{package}" if package else ""].append(path)
        else:
            self._problems.append(f"{path}: neither CPython nor the system brings it")

    def _take(self, path: str, source: Path | None, owner: Callable[[], Component]) -> None:
        """Give a file to its owner, if it comes from there."""
        if source is None:
            self._problems.append(f"{path}: nobody is known to bring it (see shipped_parts.toml)")
            return
        self._stock.files[path] = self._stock.add(owner())
        if source.is_absolute():
            self._sources[path] = source

    @property
    def _cpython(self) -> Component:
        known = (one for one in self._stock.components.values() if one.name == origins.CPYTHON)
        return next(known, None) or origins.cpython(self._folder)

    def _add_libraries(self) -> None:
        for (name, package), paths in self._libraries.items():
            files = [self._folder / path for path in paths]
            told = [(one, one.version_in(files)) for one in self._parts.libraries if one.name == name]
            # Of parts with one name those come first whose version is there; not each file tells it.
            part, version = next((one for one in told if one[1] is not None), told[0])
            if package.startswith("deb:"):
                component = origins.of_debian(part, package.removeprefix("deb:"))
                if version and version not in component.version:
                    self._problems.append(f"{paths[0]}: it tells {version}, its package {component.version}")
            elif version is None:
                self._problems.append(f"{paths[0]}: the version of {name} can't be read from it")
                continue
            else:
                component = origins.of_part(part, version)
                if package:
                    component = replace(component, texts=self._packages.texts(package))
            for path in paths:
                self._stock.files[path] = self._stock.add(component)

    def _find_owners_of_modules(self) -> None:
        for name in packed_modules(self._folder):
            top = name.partition(".")[0]
            if top in {origins.OURS, "__main__"}:
                self._stock.modules[name] = self._stock.ours
            elif (package := self._packages.of_module(name)) is not None:
                self._stock.modules[name] = self._stock.add(self._packages.component(package))
            elif top in sys.stdlib_module_names or top.startswith("_sysconfigdata_"):
                self._stock.modules[name] = self._stock.add(self._cpython)
            else:
                self._problems.append(f"the packed module {name}: nobody is known to bring it")

    def _compare(self) -> None:
        if sys.platform == "darwin":
            return  # there PyInstaller signs each library anew and changes where it looks for others
        for path, source in self._sources.items():
            if not is_copy(self._folder / path, source):
                self._problems.append(f"{path}: it isn't the {source.name} that it was taken for")

    def _add_built_in(self) -> None:
        for holder in list(self._stock.components.values()):
            files = self._stock.files_of(holder.ref)
            for part in self._parts.built_in:
                if part.inside in {holder.name, canonicalize_name(holder.name)}:
                    there = [self._folder / path for path in files if part.fits(path)]
                    version = part.version_in(there) if there else None
                    if version is not None:
                        self._stock.add(origins.within(holder, origins.of_part(part, version)))
            if holder.purl.startswith("pkg:pypi/"):
                self._add_told_by_wheel(holder)

    def _add_told_by_wheel(self, holder: Component) -> None:
        """Add the Rust crates that a wheel's own bills list; those that only built it are left out."""
        for bill in self._packages.bills(holder.name):
            for told in bill.get("components", ()):
                purl = str(told.get("purl", "")).partition("?")[0]
                if told.get("scope") != "excluded" and purl.startswith("pkg:cargo/"):
                    authors = (f"Authors: {told['author']}",) if told.get("author") else ()
                    licence = origins.told_in_bill(told)
                    crate = Component(purl, told["name"], told["version"], purl, licence, copyright=authors)
                    self._stock.add(origins.within(holder, crate))

    def _add_needs(self) -> None:
        stock = self._stock
        packages = {
            str(canonicalize_name(one.name)): ref
            for ref, one in stock.components.items()
            if ref == stock.ours or (one.purl.startswith("pkg:pypi/") and not one.inside)
        }
        for name, ref in packages.items():
            needed = {packages.get(one, ref) for one in self._packages.requirements(name)}
            stock.needs[ref] |= needed
        # PyInstaller's loader is what starts, and it starts CPython.
        started = {origins.CPYTHON, "pyinstaller"}
        stock.needs[stock.ours] |= {one.ref for one in stock.components.values() if one.name in started}
        libraries = {PurePosixPath(path).name: ref for path, ref in stock.files.items()}
        binaries = [
            path for path in stock.files if PurePosixPath(path).name.partition(".")[0] and _is_binary(path)
        ]
        for path, linked in origins.linked_by(self._folder, binaries):
            stock.needs[stock.files[path]] |= {libraries[one] for one in linked if one in libraries}
        for ref, needed in stock.needs.items():
            needed.discard(ref)


def own_files(folder: Path) -> Iterator[str]:
    """Yield the paths of a bundle's files in their order, without links and without its bill of materials.

    Raises:
        SetupError: A link leads out of the bundle.
    """
    every = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    for name, path in sorted(every.items()):
        if path.is_symlink():
            if not path.resolve().is_relative_to(folder.resolve()):
                raise SetupError(f"{name} is a link that leads out of the bundle.")
        elif path.is_file() and name != BILL:
            yield name


def program_of(folder: Path) -> Path:
    """Return the program of a bundle.

    Raises:
        SetupError: There is none.
    """
    for name in (origins.OURS, f"{origins.OURS}.exe"):
        if (folder / name).is_file():
            return folder / name
    raise SetupError(f"{folder} is no bundle: it has no program {origins.OURS}.")


def packed_modules(folder: Path) -> list[str]:
    """Return the names of the modules and start-up scripts that are packed into a bundle's program."""
    archive = CArchiveReader(os.fspath(program_of(folder)))
    modules = archive.open_embedded_archive("PYZ.pyz").toc
    # A package without a file of its own (PEP 420) is nobody's.
    named = {name for name, (kind, *_place) in modules.items() if kind != PYZ_ITEM_NSPKG}
    started = {name for name, (*_place, kind) in archive.toc.items() if kind in {"m", "s"}}
    return sorted(named | started)


def is_copy(file: Path, source: Path) -> bool:
    """Tell whether a shipped file is the one it comes from, as it was or as bundle.py tidies it."""
    if not source.is_file():
        return False
    wanted = digest(file)
    if digest(source) == wanted:
        return True
    if sys.platform != "linux" or not _is_binary(file.name):
        return False
    with tempfile.TemporaryDirectory() as place:
        tidied = Path(shutil.copy(source, place))
        elf.tidy(tidied)
        return digest(tidied) == wanted


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_binary(path: str) -> bool:
    place = PurePosixPath(path)
    return place.suffix in _BINARY or ".so." in place.name
