"""Where Qt's plugins are, wherever the program is: Qt takes a path with a comma or a quote for something else."""

from __future__ import annotations

from pathlib import Path

import PySide6
from PySide6.QtCore import QCoreApplication, QLibraryInfo


def plugin_folder() -> Path:
    """Return the folder of Qt's plugins.

    PySide6 tells Qt of it in a file of settings, in which ``,``, ``;``, ``"`` and a backslash mean something.
    """
    told = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    package = Path(next(iter(PySide6.__path__)))
    places = (told, package / "Qt" / "plugins", package / "plugins")
    return next((place for place in places if place.is_dir()), told)


def find_plugins() -> None:
    """Have Qt look for its plugins there; to be called before it looks for the first one."""
    QCoreApplication.addLibraryPath(str(plugin_folder()))
