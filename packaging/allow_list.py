"""What is shipped in the one-folder bundle: an allow-list, computed from what the program imports.

Python packages are the program's dependencies and theirs. Qt's bindings are those that the program imports,
its plugins those listed here, its libraries those that these link. Of the system's libraries only those
listed are shipped; every other one that is linked must be on the list of what a desktop has.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final

import PySide6
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PyInstaller.archive.readers import CArchiveReader
from PyInstaller.depend import bindepend

#: The program's files beside its code: where they are in a checkout, and where in the bundle.
RESOURCES: Final = (
    ("resources/contracts", "keybench/resources/contracts"),
    ("resources/icons", "keybench/resources/icons"),
    ("resources/changes.md", "keybench/resources"),
    ("resources/manual", "keybench/resources/manual"),
    ("resources/window-libraries.txt", "keybench/resources"),
)

#: Modules that are imported by a text, which PyInstaller can't see.
IMPORTED_BY_NAME: Final = (
    "sqlalchemy.dialects.sqlite",
    "uvicorn.lifespan.off",
    "uvicorn.loops.asyncio",
    "uvicorn.protocols.http.h11_impl",
)

#: Modules that the program's packages can import and never do here.
LEFT_OUT: Final = (
    "alembic.testing",
    "sqlalchemy.dialects.mssql",
    "sqlalchemy.dialects.mysql",
    "sqlalchemy.dialects.oracle",
    "sqlalchemy.ext.associationproxy",
    "sqlalchemy.ext.asyncio",
    "sqlalchemy.ext.automap",
    "sqlalchemy.ext.baked",
    "sqlalchemy.ext.declarative",
    "sqlalchemy.ext.horizontal_shard",
    "sqlalchemy.ext.hybrid",
    "sqlalchemy.ext.mutable",
    "sqlalchemy.orm",
    "sqlalchemy.testing",
    "_pydecimal",
    "distutils",
    "doctest",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "readline",
    "tkinter",
    "turtle",
    "unittest",
    "venv",
)

#: Qt's plugins, by kind; a kind or name that a system doesn't have is no loss there.
PLUGINS: Final = {
    # A real screen, a Wayland compositor without X11, and the self-test.
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa"),
    # Frames where the compositor draws none; how a window becomes one.
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-shell-integration": ("xdg-shell", "qt-shell"),
    # The icons are SVG; PNG is built in.
    "iconengines": ("qsvgicon",),
    "imageformats": ("qsvg", "qico", "qicns"),
    # Composed characters, and the input methods of Chinese, Japanese and Korean.
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    # The desktop's fonts, colours and file dialogs. They load where the desktop has what they link.
    "platformthemes": ("qgtk3", "qxdgdesktopportal"),
    "printsupport": ("cupsprintersupport", "windowsprintersupport", "cocoaprintersupport"),
    "styles": ("qmodernwindowsstyle", "qmacstyle"),
}

#: Libraries that go in beside those of packages, by the start of their names; mostly the system's on Linux.
SHIPPED: Final = (
    # A minimal desktop, or one of Wayland alone, lacks some of these; Qt's X11 platform needs them all.
    "libxcb-cursor",
    "libxcb-icccm",
    "libxcb-image",
    "libxcb-keysyms",
    "libxcb-randr",
    "libxcb-render-util",
    "libxcb-render",
    "libxcb-shape",
    "libxcb-shm",
    "libxcb-sync",
    "libxcb-util",
    "libxcb-xfixes",
    "libxcb-xkb",
    "libxkbcommon-x11",
    "libxkbcommon",
    # Qt's network library links it for compressed answers.
    "libbrotlicommon",
    "libbrotlidec",
    # CPython's own, in the versions that it was built with.
    "libpython3",
    "python3",
    "msvcp140",
    "vcruntime140",
    "sqlite3",
    "libbz2",
    "libcrypto",
    "libexpat",
    "libffi",
    "liblzma",
    "libsqlite3",
    "libssl",
    "libuuid",
    "libz",
    "libzstd",
)

#: What goes in besides where a package runs on something that lacks it, by the package.
SHIPPED_IN: Final[Mapping[str, tuple[str, ...]]] = {
    # The freedesktop.org runtime has no Kerberos, which Qt's network library links.
    "flatpak": ("libcom_err", "libgssapi_krb5", "libk5crypto", "libkeyutils", "libkrb5"),
}

#: Plugins that stay out of a package.
NOT_IN: Final[Mapping[str, tuple[str, ...]]] = {
    # GTK's own file dialog shows the sandbox's folders, and GTK wants newer libraries than it would find.
    "flatpak": ("qgtk3",),
}

#: Libraries that every desktop has. They belong to its kernel, its graphics driver and its session, so copies
#: of ours would not fit; those of GTK and CUPS are used where they are.
OF_THE_SYSTEM: Final = frozenset(
    {
        "ld-linux-aarch64.so.1",
        "ld-linux-x86-64.so.2",
        "libEGL.so.1",
        "libGL.so.1",
        "libX11-xcb.so.1",
        "libX11.so.6",
        "libc.so.6",
        "libdbus-1.so.3",
        "libdl.so.2",
        "libfontconfig.so.1",
        "libfreetype.so.6",
        "libgcc_s.so.1",
        "libglib-2.0.so.0",
        "libgssapi_krb5.so.2",
        "libgthread-2.0.so.0",
        "libm.so.6",
        "libpthread.so.0",
        "libresolv.so.2",
        "librt.so.1",
        "libstdc++.so.6",
        "libutil.so.1",
        "libwayland-client.so.0",
        "libwayland-cursor.so.0",
        "libxcb.so.1",
    }
)

#: Plugins that Qt goes on without where a library that they link is missing.
_OPTIONAL: Final = ("platformthemes", "printsupport")

#: Packages' data that is used, by the start of its path; all other data stays out.
_DATA: Final = (
    "base_library.zip",
    "certifi/cacert.pem",
    "iso4217/table.xml",
    "keybench/resources/",
)
_BINARY: Final = frozenset({".so", ".pyd", ".dll", ".dylib"})
_BUNDLE: Final = "_internal"
# macOS's frameworks: their library, and what tells of them.
_FRAMEWORK_LIBRARY: Final = re.compile(r"(?:^|/)([^/]+)\.framework/Versions/[^/]+/\1$")
_FRAMEWORK_FACTS: Final = re.compile(
    r"(?P<folder>(?:.*/)?(?P<name>[^/]+)\.framework/Versions/[^/]+)/Resources/Info\.plist"
)
_PYTHON_FRAMEWORK: Final = re.compile(r"Python\.framework/Versions/[^/]+/Python")
_METADATA: Final = re.compile(r"(?P<name>[^/]+)-[^-/]+\.dist-info/METADATA")


class AllowList:
    """What may be in the bundle of a checkout.

    Args:
        root: The checkout's folder.
        package: What the bundle is for, such as `flatpak`.
    """

    def __init__(self, root: str | Path, package: str = "folder") -> None:
        self._root = Path(root)
        self._besides = SHIPPED_IN.get(package, ())
        self._without = NOT_IN.get(package, ())
        self._qt = as_on_disk(Path(PySide6.__file__).parent)

    @cached_property
    def distributions(self) -> frozenset[str]:
        """The names of the packages that the program needs, in lower case with hyphens."""
        project = tomllib.loads((self._root / "pyproject.toml").read_text("utf-8"))
        found: set[str] = {"keybench"}
        waiting = [Requirement(one) for one in project["project"]["dependencies"]]
        while waiting:
            requirement = waiting.pop()
            name = canonicalize_name(requirement.name)
            if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
                continue
            found.add(name)
            waiting += [Requirement(one) for one in metadata.distribution(name).requires or ()]
        return frozenset(found)

    @cached_property
    def packages(self) -> frozenset[str]:
        """Their top-level modules, and the folders of what these link, such as `package.libs`."""
        ours = {top for top, owners in self._installed.items() if owners & self.distributions}
        return frozenset(ours | {f"{top}.libs" for top in ours} | {"keybench"})

    @property
    def strangers(self) -> frozenset[str]:
        """The top-level modules of all other packages that are installed, such as the tests' tools."""
        return frozenset(self._installed.keys() - self.packages)

    @cached_property
    def _installed(self) -> dict[str, set[str]]:
        told = metadata.packages_distributions()
        return {top: {canonicalize_name(one) for one in owners} for top, owners in told.items()}

    @cached_property
    def bindings(self) -> frozenset[str]:
        """Qt's modules that the program imports, such as `QtCore`."""
        text = "\n".join(path.read_text("utf-8") for path in (self._root / "app").rglob("*.py"))
        ours = re.findall(r"^\s*(?:from|import) PySide6\.(Qt\w+)", text, re.MULTILINE)
        return frozenset(ours)

    @cached_property
    def qt_files(self) -> frozenset[str]:
        """The bundle's paths of Qt's bindings and plugins, and of the libraries of Qt that these link."""
        waiting = [*self._bindings_files(), *self._plugin_files()]
        found = set(waiting)
        while waiting:  # on Windows and macOS a file tells only what it links itself
            linked = bindepend.get_imports(str(waiting.pop()), [str(self._qt)])
            there = {as_on_disk(Path(path)) for _, path in linked if path} - found
            new = {path for path in there if path.is_relative_to(self._qt)}
            found |= new
            waiting += new
        return frozenset(f"PySide6/{path.relative_to(self._qt).as_posix()}" for path in found)

    def _bindings_files(self) -> Iterator[Path]:
        for path in self._qt.iterdir():
            if path.name.partition(".")[0] in self.bindings and path.suffix in _BINARY:
                yield path

    def _plugin_files(self) -> Iterator[Path]:
        for kind, names in PLUGINS.items():
            for path in self._qt.glob(f"**/plugins/{kind}/*"):
                name = path.stem.removeprefix("lib")
                if name in names and name not in self._without and path.suffix in _BINARY:
                    yield path

    def has_module(self, name: str) -> bool:
        """Tell whether a Python module may be in, by its full name."""
        top = name.partition(".")[0]
        if any(name == one or name.startswith(f"{one}.") for one in LEFT_OUT):
            return False
        # PyInstaller's own come with it, and what CPython was built with for `sysconfig`.
        own = top.startswith(("_pyi_", "_sysconfigdata_"))
        return own or top in sys.stdlib_module_names or top in self.packages

    def has_binary(self, path: str) -> bool:
        """Tell whether an extension module or a library may be in, by its path in the bundle."""
        place = PurePosixPath(path.replace("\\", "/"))
        top = place.parts[0]
        if top == "PySide6":
            return place.as_posix() in self.qt_files
        if _PYTHON_FRAMEWORK.fullmatch(place.as_posix()):
            return True
        if len(place.parts) == 1:
            return place.name.startswith((*SHIPPED, *self._besides)) or self.has_module(
                place.name.partition(".")[0]
            )
        if place.parent.name == "lib-dynload":
            return self.has_module(place.name.partition(".")[0])
        return self.has_module(".".join(place.with_suffix("").parts)) or top in self.packages

    def has_data(self, path: str) -> bool:
        """Tell whether a file that isn't a program may be in, by its path in the bundle."""
        place = path.replace("\\", "/")
        described = _METADATA.fullmatch(place)
        if described:
            return canonicalize_name(described["name"]) in self.distributions
        framework = _FRAMEWORK_FACTS.fullmatch(place)
        if framework:
            return self.has_binary(f"{framework['folder']}/{framework['name']}")
        return place.startswith(_DATA)

    def has_link(self, path: str, target: str) -> bool:
        """Tell whether a link may be in, which is so on macOS only.

        There libraries are looked for at the top, where a link for each is, and frameworks have links inside.

        Args:
            path: Its path in the bundle.
            target: What it says, from its own folder on.
        """
        framework, inside, _ = path.partition(".framework/")
        if inside:
            folder = f"{framework}.framework/"
            return folder == "Python.framework/" or any(one.startswith(folder) for one in self.qt_files)
        return "/" not in path and self.has_binary(target)

    def _is_listed(self, contents: Path, path: str) -> bool:
        if sys.platform == "darwin" and (contents / path).is_symlink():
            return self.has_link(path, str((contents / path).readlink()))
        return self.has_binary(path) if _is_binary(path) else self.has_data(path)

    def problems(self, folder: Path) -> Iterator[str]:
        """Tell what a bundle has that isn't listed, lacks that is, or links that isn't there.

        Args:
            folder: The bundle.
        """
        contents = folder / _BUNDLE
        there = {path.relative_to(contents).as_posix() for path in contents.rglob("*") if not path.is_dir()}
        for path in sorted(there):
            if not self._is_listed(contents, path):
                yield f"not listed: {path}"
        for path in sorted(self.qt_files - there):
            yield f"missing: {path}"
        for data in _DATA:
            if not any(path.startswith(data) for path in there):
                yield f"missing: {data}"
        for path in sorted(set(self._resources()) - there):
            yield f"missing: {path}"
        described = {canonicalize_name(one["name"]) for one in map(_METADATA.fullmatch, there) if one}
        for name in sorted(self.distributions - described):
            yield f"missing: the description of {name}"
        if sys.platform == "linux":
            outside = {name for name in OF_THE_SYSTEM if not name.startswith(self._besides)}
            yield from _unresolved(contents, there, outside)
        yield from self._wrong_modules(folder)

    def _resources(self) -> Iterator[str]:
        for source, target in RESOURCES:
            place = self._root / source
            for path in place.rglob("*") if place.is_dir() else [place]:
                inside = path.relative_to(place if place.is_dir() else place.parent)
                yield f"{target}/{inside.as_posix()}"

    def _wrong_modules(self, folder: Path) -> Iterator[str]:
        program = next(path for path in folder.iterdir() if path.is_file())
        modules = {*CArchiveReader(str(program)).open_embedded_archive("PYZ.pyz").toc}
        for name in sorted(modules):
            if not self.has_module(name):
                yield f"not listed: module {name}"
        for path in sorted((self._root / "app").rglob("*.py")):
            parts = path.relative_to(self._root / "app").with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if name not in modules and name != "keybench.__main__":
                yield f"missing: module {name}"
        for name in IMPORTED_BY_NAME:
            if name not in modules:
                yield f"missing: module {name}"


def _is_binary(path: str) -> bool:
    place = PurePosixPath(path)
    return place.suffix in _BINARY or ".so." in place.name or bool(_FRAMEWORK_LIBRARY.search(path))


def as_on_disk(path: Path) -> Path:
    """Return a path in the letters that it has on the disk; who links it may use others on Windows."""
    return path.resolve() if sys.platform == "win32" else path


def spelled_as_on_disk(place: str, source: str) -> str:
    """Return a file's place in the bundle, with its name as `source` has it on the disk."""
    name = as_on_disk(Path(source)).name
    there = PurePosixPath(place.replace("\\", "/"))
    return str(there.with_name(name)) if there.name.lower() == name.lower() else place


def _unresolved(contents: Path, there: set[str], outside: set[str]) -> Iterator[str]:
    """Tell which linked libraries are neither in the bundle nor outside, or looked for elsewhere."""
    names = {PurePosixPath(path).name for path in there} | outside
    for path in sorted(filter(_is_binary, there)):
        if PurePosixPath(path).parent.name in _OPTIONAL:
            continue
        command = ["objdump", "-p", str(contents / path)]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"^  NEEDED +(\S+)$", told, re.MULTILINE):
            if library not in names:
                yield f"{path} needs {library}, which is neither listed nor a part of every desktop"
        for place in re.findall(r"^  (?:RPATH|RUNPATH) +(/.*)$", told, re.MULTILINE):
            yield f"{path} looks for libraries in {place}, a folder of the computer it was made on"


def main(arguments: list[str]) -> int:
    """Print what is wrong with the bundle in a folder, for a package, and return 1 if anything is."""
    folder, package = arguments
    found = list(AllowList(Path(__file__).resolve().parent.parent, package).problems(Path(folder)))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
