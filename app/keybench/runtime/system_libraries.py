"""What a window needs and a Linux system lacks, and the command that installs it."""

from __future__ import annotations

import ctypes
import re
import shutil
from pathlib import Path
from typing import Final

from keybench.runtime.data_folder import resource_path

#: The columns of the list of libraries: a package manager each, with its command.
_COMMANDS: Final = {
    "apt-get": "sudo apt-get install {packages}",
    "dnf": "sudo dnf install {packages}",
    "zypper": "sudo zypper install {packages}",
    "pacman": "sudo pacman -S {packages}",
}
#: How the list calls the fonts.
FONTS: Final = "/usr/share/fonts"
_LIST: Final = "window-libraries.txt"
#: How the system's loader names what it doesn't find, or what isn't a library.
_NOT_LOADED: Final = re.compile(r"(?:^|/|\s)(lib[\w.+-]+\.so(?:\.\d+)*): ")


def missing_library(words: str) -> str:
    """Return the library that the loader's words are about; empty if they are about none."""
    found = _NOT_LOADED.search(words)
    return found[1] if found else ""


def missing_for(name: str | Path) -> str:
    """Load a library by its name or file; return which one it lacks, or the empty text."""
    try:
        ctypes.CDLL(str(name))
    except OSError as error:
        return missing_library(str(error))
    return ""


def installing(part: str) -> str:
    """Return the command that installs what a window needs and this system lacks."""
    try:
        rows = [line.split() for line in resource_path(_LIST).read_text("utf-8").splitlines()]
    except OSError:
        return ""
    column = next((number for number, name in enumerate(_COMMANDS, start=1) if shutil.which(name)), 0)
    if not column or all(row[0] != part for row in rows):
        return ""
    missing = [row[column] for row in rows if row[0] == part or (".so" in row[0] and missing_for(row[0]))]
    return list(_COMMANDS.values())[column - 1].format(packages=" ".join(dict.fromkeys(missing)))
