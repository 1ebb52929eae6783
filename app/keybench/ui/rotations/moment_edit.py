"""A field for a day and a time of this computer's own zone, changed with the keyboard part by part."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDate, QDateTime, QTime
from PySide6.QtWidgets import QDateTimeEdit, QWidget


class MomentEdit(QDateTimeEdit):
    """Shows local time as ``22 Nov 2026, 14:00``; the arrow keys change the part the cursor is in."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDisplayFormat("d MMM yyyy, HH:mm")
        self.lineEdit().setTextMargins(8, 0, 8, 0)  # a style sheet's padding doesn't reach it

    @property
    def local(self) -> datetime:
        """The moment as local time with its offset."""
        shown = self.dateTime()
        day, time = shown.date(), shown.time()
        naive = datetime(day.year(), day.month(), day.day(), time.hour(), time.minute())  # noqa: DTZ001 - local
        return naive.astimezone()

    @property
    def moment(self) -> datetime:
        """The moment in UTC."""
        return self.local.astimezone(UTC)

    def put(self, moment: datetime) -> None:
        """Show a moment, given with its offset."""
        local = moment.astimezone()
        self.setDateTime(
            QDateTime(QDate(local.year, local.month, local.day), QTime(local.hour, local.minute))
        )
