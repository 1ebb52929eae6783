"""What a run takes from its surroundings: its files, how it is started again, and who works here."""

from __future__ import annotations

import getpass
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ENVIRONMENT_VARIABLE = "KEYBENCH_DATA_DIR"
_PACKAGE: Final = Path(__file__).resolve().parent.parent
#: What PyInstaller sets for PySide6, which finds its parts without.
_QT_PATHS: Final = frozenset({"QT_PLUGIN_PATH", "QML2_IMPORT_PATH"})


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
    def lesson(self) -> Path:
        """The lesson, or the prepared desk, that this folder is for; there is none in a person's own."""
        return self.root / "lesson.toml"

    @property
    def lesson_progress(self) -> Path:
        """How far the lesson has come, for windows on other folders."""
        return self.root / "progress.json"

    @property
    def lesson_again(self) -> Path:
        """A mark that the lesson is to begin anew when its window opens."""
        return self.root / "begin-again"

    @property
    def seat(self) -> Path:
        """The learner's seat, where the lesson is played in a class."""
        return self.root / "seat.json"

    @property
    def lessons(self) -> Path:
        """Where each lesson has a data folder of its own; a lesson's folder stands among them."""
        return self.root.parent if self.lesson.exists() else self.root / "lessons"

    @property
    def classroom(self) -> Path:
        """The data folder of the gateway that serves a class."""
        return self.lessons.parent / "class"

    @property
    def window_settings(self) -> Path:
        """The window's size, columns and looks."""
        return self.root / "window.ini"

    @property
    def log(self) -> Path:
        """The program's log."""
        return self.root / "keybench.log"


def sign_of(journal: Path) -> Path:
    """Return the file that tells, where a journal isn't, that there was one; taken away, it is forgotten."""
    return journal.with_name(f"{journal.name}.made")


def data_folder(chosen: str | None = None) -> DataFolder:
    """Return the folder `chosen` by command, else by KEYBENCH_DATA_DIR, else the system's default."""
    named = chosen or os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return DataFolder(Path(named).expanduser().absolute())
    from platformdirs import user_data_path  # noqa: PLC0415 - needed only when nobody chose

    return DataFolder(user_data_path("Keybench", appauthor=False))


def resource_path(name: str) -> Path:
    """Return the path of what comes with the program under ``resources``, such as ``contracts/v5.toml``."""
    installed = _PACKAGE / "resources"
    root = installed if installed.is_dir() else _PACKAGE.parent.parent / "resources"
    return root / name


def own_command(*words: str) -> list[str]:
    """Return the arguments that start this program with the words of a command, from a bundle too."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "keybench"]
    return [*program, *words]


def restore_environment() -> None:
    """Give the environment back what a bundle's launcher changed in it, before anything else is started.

    The launcher points the system's loader, and Qt, to the bundle's own libraries. This process has taken
    that in; a browser, or another program of the person's, must not load them.
    """
    bundle = getattr(sys, "_MEIPASS", "")
    if not bundle or platform.system() in {"Windows", "Darwin"}:
        return
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    for name in list(os.environ):
        # By its own marks the launcher would take a process of ours for one that has these paths already.
        if name.startswith("_PYI_") or (name in _QT_PATHS and os.environ[name].startswith(bundle)):
            del os.environ[name]


def owner_behind_sudo(folder: Path) -> str:
    """Return whose folder it is where root was called by its owner; else the empty text.

    What root writes there, its owner can't use afterwards. `sudo` may leave a person's home in place.
    """
    if sys.platform == "win32":
        return ""
    else:  # noqa: RET505 - as mypy knows platforms
        caller = os.environ.get("SUDO_UID") or os.environ.get("PKEXEC_UID") or "0"
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if os.geteuid() != 0 or caller == "0" or str(there.stat().st_uid) != caller:
            return ""
        return os.environ.get("SUDO_USER") or there.owner()


def person_name() -> str:
    """Return the system's name of the user; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no user entry; before 3.13 each platform had its own error
        return ""
