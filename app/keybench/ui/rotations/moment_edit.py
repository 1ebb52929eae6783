"""A line for a day and a time of this computer's own zone; the arrow keys move it by days."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

#: Read alike everywhere, and typed without a calendar.
_FORM: Final = "%Y-%m-%d %H:%M"
FORM_HINT: Final = "Year-month-day hour:minute, as 2026-11-22 14:00"
_DAYS: Final = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 7, Qt.Key.Key_PageDown: -7}


class MomentEdit(QLineEdit):
    """Shows local time as ``2026-11-22 14:00``.

    Not Qt's own field for times: that one takes five presses of Tab, and tells readers nothing on the way.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)

    @property
    def local(self) -> datetime | None:
        """The moment as local time with its offset; None while the text isn't one."""
        try:
            return datetime.strptime(self.text().strip(), _FORM).astimezone()
        except (ValueError, OverflowError):  # overflow: a year that no clock of this system has
            return None

    def put(self, moment: datetime) -> None:
        """Show a moment, given with its offset."""
        self.setText(moment.astimezone().strftime(_FORM))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrow keys move it by a day, and the page keys by a week."""
        days = _DAYS.get(Qt.Key(event.key()), 0)
        local = self.local
        if days and local:
            self.put(local + timedelta(days=days))
        else:
            super().keyPressEvent(event)
