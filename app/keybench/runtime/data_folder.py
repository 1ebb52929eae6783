"""What a run takes from its surroundings: its files, how it is started again, and who works here."""

from __future__ import annotations

import getpass
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ENVIRONMENT_VARIABLE = "KEYBENCH_DATA_DIR"
_PACKAGE: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The paths in a data folder; none of them is made by asking for it."""

    root: Path

    @property
    def journal(self) -> Path:
        """The journal's database file."""
        return self.root / "journal.sqlite3"

    @property
    def window_lock(self) -> Path:
        """The lock file of whoever has the window open."""
        return self.root / "window.lock"

    @property
    def contracts(self) -> Path:
        """A person's own contract files."""
        return self.root / "contracts"

    @property
    def window_settings(self) -> Path:
        """The window's size, columns and looks."""
        return self.root / "window.ini"

    @property
    def log(self) -> Path:
        """The program's log."""
        return self.root / "keybench.log"


def data_folder(chosen: str | None = None) -> DataFolder:
    """Return the folder `chosen` by command, else by KEYBENCH_DATA_DIR, else the system's default."""
    named = chosen or os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return DataFolder(Path(named).expanduser().absolute())
    from platformdirs import user_data_path  # noqa: PLC0415 - needed only when nobody chose

    return DataFolder(user_data_path("Keybench", appauthor=False))


def resource_path(name: str) -> Path:
    """Return the path of what comes with the program under ``resources``, such as ``contracts/v5.toml``.

    An installed package carries them inside itself; a checkout has them at its top.
    """
    installed = _PACKAGE / "resources"
    root = installed if installed.is_dir() else _PACKAGE.parent.parent / "resources"
    return root / name


def own_command(*words: str) -> list[str]:
    """Return the arguments that start this program with the words of a command, from a bundle too."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "keybench"]
    return [*program, *words]


def person_name() -> str:
    """Return the system's name of the user; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no user entry; before 3.13 each platform had its own error
        return ""
