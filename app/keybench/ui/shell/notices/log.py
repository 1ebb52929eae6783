"""The notices of this run, so that a person can look back at them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:  # a part of the window's first frame
    from keybench.ui.shared.session import Notice

#: How many are kept: a long day's, and little memory.
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One notice as it was given, in an environment with this name."""

    number: int
    at: datetime
    notice: Notice
    environment: str


class NoticeLog(QObject):
    """Keeps the newest notices, and which of them nobody has read."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: deque[Entry] = deque(maxlen=MOST)
        self._unread: set[int] = set()
        self._count = 0

    @property
    def entries(self) -> Sequence[Entry]:
        return tuple(reversed(self._entries))

    @property
    def unread(self) -> int:
        return len(self._unread)

    def is_unread(self, entry: Entry) -> bool:
        return entry.number in self._unread

    def add(self, at: datetime, notice: Notice, environment: str) -> Entry:
        self._count += 1
        entry = Entry(self._count, at, notice, environment)
        self._entries.append(entry)
        self._unread.add(entry.number)
        self._unread &= {one.number for one in self._entries}
        self.changed.emit()
        return entry

    def read(self, *entries: Entry) -> None:
        before = self.unread
        self._unread -= {entry.number for entry in entries}
        if self.unread != before:
            self.changed.emit()
