"""What stays out of the bundle of all that PyInstaller finds, and what goes in that it can't see."""

import fnmatch
import re
from collections.abc import Mapping
from typing import Final

import languages

#: The program's files beside its code: where they are in a checkout, and where in the bundle.
RESOURCES: Final = (
    ("resources/contracts", "keybench/resources/contracts"),
    ("resources/icons", "keybench/resources/icons"),
    ("resources/languages", "keybench/resources/languages"),
    ("resources/lessons", "keybench/resources/lessons"),
    ("resources/changes.md", "keybench/resources"),
    ("resources/manual", "keybench/resources/manual"),
    ("resources/team", "keybench/resources/team"),
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
MODULES: Final = (
    "alembic.testing",
    "anyio.pytest_plugin",
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
    # The tools of tests and packaging, and what comes with them.
    "_distutils_hack",
    "_pytest",
    "babel.messages",
    "chardet",
    "charset_normalizer",
    "hypothesis",
    "lxml",
    "markdown_it",
    "mypy",
    "mypyc",
    "numpy",
    "packaging",
    "pip",
    "pygments",
    "pyqtgraph",
    "pytest",
    "requests",
    "rich",
    "setuptools",
    "trove_classifiers",
    "urllib3",
    "yaml",
    # Of Python's own library; texts are UTF-8, and lists also what spreadsheets write in Europe.
    *(f"_codecs_{name}" for name in ("cn", "hk", "iso2022", "jp", "kr", "tw")),
    "_multibytecodec",
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

#: Files, by patterns of their paths in the bundle.
FILES: Final = (
    # What catalogues are compiled from.
    "*/resources/languages/*.po",
    "*/resources/languages/*.toml",
    # Embedded screens, remote screens, and drawing by the graphics card.
    "*/plugins/egldeviceintegrations/*",
    "*/plugins/generic/*",
    "*/plugins/platforms/*eglfs*",
    "*/plugins/platforms/*linuxfb*",
    "*/plugins/platforms/*qdirect2d*",
    "*/plugins/platforms/*qminimal*",
    "*/plugins/platforms/*vkkhrdisplay*",
    "*/plugins/platforms/*vnc*",
    "*/plugins/wayland-graphics-integration-client/*",
    "*/plugins/wayland-shell-integration/*fullscreen*",
    "*/plugins/wayland-shell-integration/*ivi*",
    "*/plugins/wayland-shell-integration/*wl-shell*",
    "*/plugins/xcbglintegrations/*",
    "*Qt6Egl*",
    "*Qt*OpenGL*",
    "*Qt6Qml*",
    "*Qt6Quick*",
    "*QtQml*",
    "*QtQuick*",
    "*Qt*VirtualKeyboard*",
    "*Qt*Pdf*",
    # Windows has these of its own; a framework's headers are for compilers.
    "*opengl32sw*",
    "*d3dcompiler*",
    "ucrtbase.dll",
    "api-ms-win-*",
    "*.framework/*Headers*",
    # The icons are SVG; PNG is built in.
    "*/plugins/imageformats/*qgif*",
    "*/plugins/imageformats/*qjpeg*",
    "*/plugins/imageformats/*qpdf*",
    "*/plugins/imageformats/*qtga*",
    "*/plugins/imageformats/*qtiff*",
    "*/plugins/imageformats/*qwbmp*",
    "*/plugins/imageformats/*qwebp*",
    # HTTP is httpx's; Qt's network library speaks to the other window of this program alone.
    "*/plugins/networkinformation/*",
    "*/plugins/tls/*",
    # What pip notes of how and where a package was put in.
    "*.dist-info/RECORD",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.dist-info/direct_url.json",
    "*.dist-info/licenses/*",
    "*.dist-info/sboms/*",
    "*/py.typed",
    "*.pyi",
    *(f"{name}-*.dist-info/*" for name in ("numpy", "pyqtgraph")),
    *(f"{name}/*" for name in ("chardet", "numpy", "numpy.libs", "pyqtgraph")),
    "*__mypyc.*",
)

#: Kerberos, which every desktop has and the freedesktop.org runtime hasn't.
_KERBEROS: Final = ("libcom_err", "libgssapi_krb5", "libk5crypto", "libkeyutils", "libkrb5")

#: Libraries of Linux, by the start of their names. A desktop has its own, which belong to its kernel, its
#: graphics driver and its session: copies of ours would not fit. GTK and CUPS are used where they are.
_DESKTOP: Final = (
    *("libEGL", "libGL", "libX", "libdbus-1", "libgcc_s", "libstdc++", "libsystemd", "libudev"),
    *("libwayland", "libxcb.so", "libxcb-glx", "libxcb-dri", "libdrm", "libgbm"),
    *("libfontconfig", "libfreetype", "libgraphite2", "libharfbuzz", "libpng", "libbsd", "libmd.", "libcap."),
    *("libgio", "libglib", "libgmodule", "libgobject", "libgthread", "libpcre2", "libmount", "libblkid"),
    *(
        "libselinux",
        "libatk",
        "libatspi",
        "libcairo",
        "libepoxy",
        "libfribidi",
        "libgdk",
        "libgtk",
        "libjpeg",
    ),
    *("libpango", "libpixman", "libthai", "libdatrie", "libavahi", "libcups", "libgnutls", "libgmp"),
    *("libhogweed", "libnettle", "libidn2", "libp11-kit", "libtasn1", "libunistring", "libgcrypt"),
    *("libgpg-error", "liblz4", "libreadline", "libtinfo", "libtiff", "libwebp", "libdeflate", "libjbig"),
)

#: What stays out besides, by the package.
_BY_PACKAGE: Final[Mapping[str, tuple[str, ...]]] = {
    # GTK's own file dialog shows the sandbox's folders, and GTK wants newer libraries than it would find.
    "flatpak": ("*/platformthemes/*qgtk3*",),
}


#: A language in the name of a file of Qt's own words, and in one of Babel's data.
_LANGUAGE: Final = re.compile(r"translations/(?:qtbase_)?(\w+)\.qm|babel/locale-data/([a-z]+)[^/]*\.dat")


def is_left_out(path: str, package: str) -> bool:
    """Tell whether a file stays out of the bundle for a package, by its path in that."""
    place = path.replace("\\", "/")
    if named := _LANGUAGE.search(place):
        spoken = {"en", "root", *(one.stem for one in languages.folder().glob("*.po"))}
        return (named[1] or named[2]) not in spoken
    libraries = _DESKTOP if package == "flatpak" else (*_DESKTOP, *_KERBEROS)
    if place.startswith(libraries) and ".so" in place:
        return True
    return any(fnmatch.fnmatchcase(place, one) for one in (*FILES, *_BY_PACKAGE.get(package, ())))
