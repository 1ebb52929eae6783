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


class _Inside:
    """The path of a file or folder in a data folder."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: DataFolder, _owner: type) -> Path:
        return folder.root / self._name


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The paths in a data folder; none of them is made by asking for it."""

    root: Path

    #: The journal's database file.
    journal = _Inside("journal.sqlite3")
    #: The lock file of whoever has the window open.
    window_lock = _Inside("window.lock")
    #: A person's own contract files.
    contracts = _Inside("contracts")
    #: The lesson, or the prepared desk, that this folder is for; there is none in a person's own.
    lesson = _Inside("lesson.toml")
    #: How far the lesson has come, for windows on other folders.
    lesson_progress = _Inside("progress.json")
    #: A mark that the lesson is to begin anew when its window opens.
    lesson_again = _Inside("begin-again")
    #: The learner's seat, where the lesson is played in a class.
    seat = _Inside("seat.json")
    #: The window's size, columns and looks.
    window_settings = _Inside("window.ini")
    #: The program's log.
    log = _Inside("keybench.log")

    @property
    def lessons(self) -> Path:
        """Where each lesson has a data folder of its own; a lesson's folder stands among them."""
        return self.root.parent if self.lesson.exists() else self.root / "lessons"

    @property
    def classroom(self) -> Path:
        """The data folder of the gateway that serves a class."""
        return self.lessons.parent / "class"


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
