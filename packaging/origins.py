"""Where a bundle's files come from (Python packages, CPython, the system's packages), and what these tell."""

import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from ctypes import CDLL, c_ulong
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from license_expression import Licensing, get_spdx_licensing
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import product
from messages import SetupError
from shipped_parts import Part, Parts

_ROOT: Final = Path(__file__).resolve().parent.parent
OURS: Final = "keybench"
CPYTHON: Final = "CPython"
_CLASSIFIERS: Final = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
#: Where modules are that PyInstaller packs: the environment, and its own folders of what it adds.
_FOLDERS: Final = (
    "",
    "PyInstaller/loader/",
    "PyInstaller/hooks/rthooks/",
    "PyInstaller/fake-modules/",
    "_pyinstaller_hooks_contrib/rthooks/",
)
_TEXTS: Final = re.compile(r"(?i)(licen[cs]e|copying|notice|copyright|authors)")
_DOCUMENTS: Final = Path("/usr/share/doc")


@dataclass(frozen=True)
class Component:
    """Something of one origin, version and licence.

    Attributes:
        ref: What it is known by in the bill; no other has it.
        name: What people call it.
        version: Empty where it can't be told from what is shipped.
        purl: Its package URL.
        licence: An SPDX expression; empty for the program itself.
        inside: The component that it is built into; empty for one with files of its own.
        texts: The files that have its licence; empty where SPDX's text of it serves.
        copyright: Whose it is, a line each.
        cpe: Its CPE 2.3; empty for none.
        text: A file in `packaging/licences/` that is its licence's text; empty for SPDX's.
        notice: The name of a file to be read with it; empty for none.
    """

    ref: str
    name: str
    version: str
    purl: str = ""
    licence: str = ""
    inside: str = ""
    texts: tuple[Path, ...] = ()
    copyright: tuple[str, ...] = ()
    cpe: str = ""
    text: str = ""
    notice: str = ""


def of_part(part: Part, version: str) -> Component:
    """Return a library in a version that was read from it, as what it is wherever it comes from."""
    slug = re.sub(r"[^a-z0-9]+", "-", part.name.lower()).strip("-")
    purl = PackageURL("generic", None, slug, version or None).to_string()
    return Component(
        purl,
        part.name,
        version,
        purl,
        part.licence,
        copyright=part.copyright,
        cpe=f"cpe:2.3:a:{part.cpe}:{version}:*:*:*:*:*:*:*" if part.cpe and version else "",
        text=part.text,
        notice=part.notice,
    )


def within(holder: Component, component: Component) -> Component:
    """Return a component as what is built into another."""
    return replace(component, ref=f"{holder.ref}#{component.ref}", inside=holder.ref)


class Packages:
    """The Python packages of the environment that packed the bundle.

    Args:
        parts: What is known of packages that don't tell it themselves.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, Component] = {}
        self.folder: Final = Path(sysconfig.get_path("purelib"))

    @cached_property
    def _every(self) -> Mapping[str, metadata.Distribution]:
        found = metadata.distributions(path=[os.fspath(self.folder)])
        return {canonicalize_name(one.name): one for one in found}

    @cached_property
    def _by_path(self) -> Mapping[str, str]:
        return {
            path.as_posix(): name
            for name, one in self._every.items()
            for path in one.files or ()
            if path.parts[0] != ".."
        }

    @cached_property
    def ours(self) -> Component:
        """The program itself. It has no licence that could be told."""
        version = product.version(_ROOT)
        purl = PackageURL("generic", None, OURS, version).to_string()
        return Component(purl, "Keybench", version, purl)

    def of_file(self, path: str) -> str | None:
        """Return the package that brings a file, by its path in the environment."""
        return self._by_path.get(path)

    def of_module(self, name: str) -> str | None:
        """Return the package that brings a module, by its full name."""
        path = name.replace(".", "/")
        places = (f"{folder}{path}{end}" for folder in _FOLDERS for end in (".py", "/__init__.py"))
        return next((self._by_path[one] for one in places if one in self._by_path), None)

    def component(self, name: str) -> Component:
        """Return a package, by its name in lower case with hyphens."""
        if name not in self._known:
            told = self._every[name]
            part = self._parts.packages.get(name)
            purl = PackageURL("pypi", None, name, told.version).to_string()
            licence = part.licence if part else _licence_of(told.metadata)
            authors = [*told.metadata.get_all("Author", []), *told.metadata.get_all("Author-email", [])]
            author = next(iter(authors), None)
            self._known[name] = Component(
                purl,
                told.name,
                told.version,
                purl,
                licence,
                texts=self.texts(name),
                copyright=(f"Authors: {author}",) if author else (),
                notice=part.notice if part else "",
            )
        return self._known[name]

    def texts(self, name: str) -> tuple[Path, ...]:
        """Return the files of a package that have its licence, those of its folder of licences first."""
        inside = [path for path in self._every[name].files or () if ".dist-info" in path.parts[0]]
        wanted = [path for path in inside if path.parts[1] == "licenses" or _TEXTS.match(path.name)]
        return tuple(
            Path(str(path.locate())) for path in sorted(wanted, key=lambda one: (-len(one.parts), one))
        )

    def bills(self, name: str) -> Iterator[Mapping[str, Any]]:
        """Yield the bills of materials that a package brings in its wheel (PEP 770)."""
        for path in self._every[canonicalize_name(name)].files or ():
            if path.match("*.dist-info/sboms/*.json"):
                told = json.loads(Path(str(path.locate())).read_text("utf-8"))
                if told.get("bomFormat") == "CycloneDX":
                    yield told

    def requirements(self, name: str) -> Iterator[str]:
        """Yield the packages that a package needs here, by their names in lower case with hyphens."""
        for one in map(Requirement, self._every[name].requires or ()):
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                yield canonicalize_name(one.name)


def told_in_bill(component: Mapping[str, Any]) -> str:
    """Return the licence that a bill tells of a component, as one SPDX expression; empty for none."""
    told = [
        one.get("expression") or one["license"].get("id") or one["license"].get("name", "")
        for one in component.get("licenses", ())
    ]
    return _valid(" AND ".join(f"({one})" for one in told))


def _licence_of(told: metadata.PackageMetadata) -> str:
    """Return the licence of a package: by today's rules, else by those before, else by its lists."""
    for name in ("License-Expression", "License"):
        if licence := _valid(next(iter(told.get_all(name, [])), "")):
            return licence
    listed = {_CLASSIFIERS[one] for one in told.get_all("Classifier") or () if one in _CLASSIFIERS}
    return listed.pop() if len(listed) == 1 else ""


def _valid(licence: str) -> str:
    """Return an SPDX expression in its usual form; empty for what isn't one."""
    if not licence or "\n" in licence or spdx().validate(licence).errors:
        return ""
    return str(spdx().parse(licence))


@cache
def spdx() -> Licensing:
    """Return what knows SPDX's expressions."""
    return get_spdx_licensing()


def in_checkout(path: str) -> Path | None:
    """Return the file of the checkout that one of the program's resources is, by its path among these.

    What is made for the bundle has no such file: the path itself is returned.
    """
    if path == "build.json" or path.startswith("licences/"):
        return Path(path)
    source = _ROOT / "resources" / path
    return source if source.is_file() else None


def in_cpython(path: str) -> Path | None:
    """Return the file of CPython's installation that a file of the bundle is, by its path there.

    What PyInstaller makes of CPython's library has no such file: the path itself is returned.
    """
    if path == "base_library.zip":
        return Path(path)
    if Path(path).parent.name not in {"", "lib-dynload"} and not path.startswith("Python.framework/"):
        return None
    name = Path(path).name
    base = Path(sys.base_prefix)
    folders = [Path(sysconfig.get_path("stdlib")) / "lib-dynload", base / "DLLs", base]
    folders += [Path(one) for one in (sysconfig.get_config_var("LIBDIR"),) if one]
    if re.match(r"lib(?!python)", name) and sys.platform == "linux":
        return None  # the folder may be the system's own
    if sys.platform == "darwin":
        folders += [base / "lib", base / "Resources"]
        if name == "Python":
            return base / name
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def cpython(folder: Path) -> Component:
    """Return CPython in the version that its library in a bundle tells.

    Args:
        folder: The bundle.
    """
    names = re.compile(r"libpython3\.\d+\.(so|dylib)|python3\d+\.dll$|Python$")
    found = (path for path in sorted(folder.rglob("*")) if names.match(path.name) and path.is_file())
    library = next(found, None)
    if library is None:
        raise SetupError(f"{folder} lacks the library of CPython.")
    told = c_ulong.in_dll(CDLL(os.fspath(library)), "Py_Version").value
    version = f"{told >> 24}.{told >> 16 & 0xFF}.{told >> 8 & 0xFF}"
    purl = PackageURL("generic", None, "cpython", version).to_string()
    places = (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix))
    texts = [one / "LICENSE.txt" for one in places if (one / "LICENSE.txt").is_file()]
    texts += [_DOCUMENTS / f"python{told >> 24}.{told >> 16 & 0xFF}" / "copyright"]
    return Component(
        purl,
        CPYTHON,
        version,
        purl,
        "Python-2.0.1",
        texts=tuple(one for one in texts[:1] if one.is_file()),
        cpe=f"cpe:2.3:a:python:python:{version}:*:*:*:*:*:*:*",
    )


def in_system(name: str) -> Path | None:
    """Return where the system has a library, by its name; None where it has none."""
    machine = {"x86_64": "x86-64", "aarch64": "AArch64"}.get(platform.machine(), "")
    for line in _cached_libraries():
        told = re.match(rf"\s+{re.escape(name)} \((.*)\) => (\S+)$", line)
        if told and machine in told[1]:
            return Path(told[2]).resolve()
    return None


@cache
def _cached_libraries() -> tuple[str, ...]:
    return tuple(_said("/sbin/ldconfig", "-p").splitlines()) if sys.platform == "linux" else ()


def debian_owner(path: Path) -> str:
    """Return the Debian package that brought a file, such as `libssl3:amd64`; empty for none."""
    # It may be known by its place before /lib became a link to /usr/lib.
    names = {os.fspath(path), os.fspath(Path("/", *path.parts[2:]))}
    told = (line.partition(": ") for line in _said("dpkg-query", "--search", *names).splitlines())
    return next((package for package, _colon, name in told if name in names), "")


def of_debian(part: Part, package: str) -> Component:
    """Return a library in the version of the Debian package that brought it."""
    form = "${Package}\t${Version}\t${Architecture}"
    name, version, machine = _said("dpkg-query", "--show", f"--showformat={form}", package).split("\t")
    told = platform.freedesktop_os_release()
    system = told.get("ID", "debian")
    place = {"arch": machine, "distro": f"{system}-{told.get('VERSION_ID', '')}".rstrip("-")}
    purl = PackageURL("deb", system, name, version, place).to_string()
    text = _DOCUMENTS / name / "copyright"
    texts = (text,) if text.is_file() else ()
    return replace(of_part(part, version), ref=purl, name=name, purl=purl, cpe="", texts=texts)


def linked_by(folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield for each binary of a bundle the names of the libraries that it links."""
    from PyInstaller.depend import bindepend  # noqa: PLC0415 - slow, and needed by few

    if sys.platform != "linux":
        for path in paths:
            found = bindepend.get_imports(os.fspath(folder / path))
            yield path, frozenset(Path(name).name for name, _place in found)
        return
    told = _said("objdump", "--private-headers", *(os.fspath(folder / path) for path in paths))
    parts = re.split(r"^(.+): +file format .*$", told, flags=re.MULTILINE)
    for path, headers in zip(parts[1::2], parts[2::2], strict=True):
        linked = re.findall(r"^ +NEEDED +(\S+)$", headers, re.MULTILINE)
        yield Path(path).relative_to(folder).as_posix(), frozenset(linked)


def _said(*command: str) -> str:
    """Return what a tool printed; empty where there is no such tool."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""
