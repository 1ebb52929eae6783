"""The checks for what a broken installation lacks: files, modules, Qt's parts, libraries, certificates."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from keybench.core.money import decimal_places
from keybench.core.self_test import Check
from keybench.runtime.build import this_build
from keybench.runtime.data_folder import DataFolder, resource_path
from keybench.runtime.identity import library_versions
from keybench.runtime.system_libraries import missing_for
from keybench.self_test.place import NotOk, Place
from keybench.words import self_test as words
from keybench.words.reasons import reason_sentence
from keybench.workflows.bundle import LIBRARIES

#: What the window needs of Qt on each system, as folder and part of the name.
_PLATFORMS: Final = {
    "linux": (
        ("platforms", "offscreen"),
        ("platforms", "xcb"),
        ("platforms", "wayland"),
        ("wayland-shell-integration", "xdg-shell"),
        ("wayland-decoration-client", ""),
    ),
    "win32": (("platforms", "windows"), ("platforms", "offscreen")),
    "darwin": (("platforms", "cocoa"), ("platforms", "offscreen")),
}
_CHANGES: Final = "changes.md"


def files(place: Place) -> str:
    """Read the contracts, the list of changes, the table of currencies, and what the libraries are."""
    from keybench.gateway.contracts import Contracts

    listed = Contracts(DataFolder(place.folder).contracts).listed()
    if not listed:
        raise NotOk(words.missing_file("resources/contracts"))
    for contract in listed:
        if contract.trouble:
            raise contract.trouble
    try:
        if not resource_path(_CHANGES).read_text("utf-8").strip():
            raise NotOk(words.missing_file(_CHANGES))
        decimal_places("USD")
    except OSError as error:
        raise NotOk(words.missing_file(Path(error.filename or _CHANGES).name)) from None
    if missing := {*LIBRARIES} - {name for name, _version in library_versions(LIBRARIES)}:
        raise NotOk(words.missing_file(f"METADATA ({min(missing)})"))
    return words.files_seen(len(listed), this_build().commit)


def pages(_place: Place) -> str:
    """Import what is named in the program's tables, and imported only when a person comes to it."""
    from keybench.cli.parser import COMMANDS
    from keybench.gateway.probing import REACHING
    from keybench.ui.background import LATER

    for name in (*LATER, REACHING):
        import_module(name)
    for command in COMMANDS:
        command.module()
    return words.counted(Check.PAGES, len(LATER) + 1 + len(COMMANDS))


def platforms(_place: Place) -> str:
    """Load what draws windows on this system's kinds of screens; no screen is touched."""
    needed = _PLATFORMS.get(sys.platform, ())
    load_plugins(needed)
    return ", ".join(name for folder, name in needed if folder == "platforms")


def icons(_place: Place) -> str:
    """Draw every icon."""
    from PySide6.QtGui import QImageReader

    drawings = sorted(resource_path("icons").glob("*.svg"))
    if not drawings:
        raise NotOk(words.missing_file("resources/icons"))
    for path in drawings:
        reader = QImageReader(str(path))
        if reader.read().isNull():
            raise NotOk(words.not_loaded(path.name, reader.errorString()))
    return words.counted(Check.ICONS, len(drawings))


def printing(_place: Place) -> str:
    """Load what prints; no printer is asked. Without CUPS, which isn't ours, there is printing into files."""
    from PySide6.QtCore import QPluginLoader

    import_module("PySide6.QtPrintSupport")
    if sys.platform == "linux":
        (plugin, *_) = plugins("printsupport", "cups")
        loader = QPluginLoader(str(plugin))
        if not loader.load():
            return words.no_printers(missing_for(plugin) or loader.errorString())
    return words.PRINTS


def charts(_place: Place) -> str:
    """Import what draws charts."""
    import_module("keybench.ui.history.charts")
    return "QPainter"


def certificates(_place: Place) -> str:
    """Load whom the system trusts, and the public authorities that a diagnosis compares them with."""
    from keybench.gateway.messages import CallFailed
    from keybench.gateway.trust import authorities, public_trust, system_trust

    try:
        context = system_trust(authorities())
    except CallFailed as error:
        raise NotOk(reason_sentence(error.reason)) from None
    try:
        public_trust()
    except OSError:
        raise NotOk(words.missing_file("certifi/cacert.pem")) from None
    count = len(context.get_ca_certs()) if type(context) is ssl.SSLContext else 0
    return words.certificates_seen(ssl.OPENSSL_VERSION, count)


def load_plugins(needed: Sequence[tuple[str, str]]) -> None:
    """Load parts of Qt, each with all libraries that it needs.

    Args:
        needed: The folder and a part of the name of each; of several that fit, each is loaded.

    Raises:
        NotOk: One isn't there or can't be loaded.
    """
    from PySide6.QtCore import QPluginLoader

    for folder, name in needed:
        for path in plugins(folder, name):
            loader = QPluginLoader(str(path))
            if not loader.load():
                library = missing_for(path)
                raise NotOk(
                    words.no_library(library)
                    if library
                    else words.not_loaded(f"{folder}/{path.name}", loader.errorString())
                )


def plugins(folder: str, name: str) -> Sequence[Path]:
    """Return the files of Qt's parts in a folder that have a name in theirs; NotOk if there is none."""
    from keybench.ui.plugins import plugin_folder

    found = [
        path for path in sorted((plugin_folder() / folder).glob("*")) if path.is_file() and name in path.name
    ]
    if not found:
        raise NotOk(words.missing_file(f"{folder}/{name}"))
    return found
