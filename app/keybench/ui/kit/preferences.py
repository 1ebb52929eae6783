"""What the window remembers between runs (its size, its colours), in a file of the data folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QByteArray, QSettings

from keybench.runtime.data_folder import person_name

_PERSON: Final = "person/name"


class Preferences:
    """Small values by name, in memory without a path; nothing that matters: a lost file is default sizes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.was_there = path is not None and path.exists()
        self._file = QSettings(str(path), QSettings.Format.IniFormat) if path and _is_text(path) else None
        self._memory: dict[str, str] = {}
        #: As whom a person works in a team's journal, whatever name was entered; empty without a team.
        self.role = ""

    def text(self, name: str, default: str = "") -> str:
        if self._file is None:
            return self._memory.get(name, default)
        return str(self._file.value(name, default))

    def set_text(self, name: str, value: str) -> None:
        if self._file is None:
            self._memory[name] = value
        else:
            self._file.setValue(name, value)

    def leave_file(self) -> None:
        if self._file is not None:
            self._memory = {name: str(self._file.value(name)) for name in self._file.allKeys()}
            self._file = None

    @property
    def has_person(self) -> bool:
        return bool(self.role or self.text(_PERSON))

    @property
    def person(self) -> str:
        return self.role or self.text(_PERSON) or person_name()

    @person.setter
    def person(self, name: str) -> None:
        self.set_text(_PERSON, name.strip())

    def of_sale(self, environment_id: str, field: Literal["key", "device"]) -> str:
        """Return what was last sold with or on in an environment, by identifier; empty if nothing was."""
        return self.text(f"sale/{environment_id}/{field}")

    def set_of_sale(self, environment_id: str, field: Literal["key", "device"], value: str) -> None:
        self.set_text(f"sale/{environment_id}/{field}", value)

    def save(self) -> None:
        if self._file is not None:
            self._file.sync()

    def state(self, name: str) -> QByteArray:
        """Return a widget's saved state; empty if none is remembered or what is there isn't one."""
        return QByteArray.fromBase64(QByteArray(self.text(name).encode()))

    def set_state(self, name: str, value: QByteArray) -> None:
        self.set_text(name, bytes(value.toBase64().data()).decode())


def _is_text(path: Path) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in str(path))


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting that is one of a few values, each with its text; an unknown one is the default."""

    id: str
    label: str
    options: Mapping[str, str]
    default: str

    def read(self, preferences: Preferences) -> str:
        value = preferences.text(self.id, self.default)
        return value if value in self.options else self.default

    def write(self, preferences: Preferences, value: str) -> None:
        preferences.set_text(self.id, value)
