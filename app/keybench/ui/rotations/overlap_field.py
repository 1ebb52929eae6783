"""When both keys are meant to be valid until: a line for a moment, and its field with warnings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.overlap import BusyTime, default_end, parse_busy_times, warnings
from keybench.ui.session import Session
from keybench.ui.widgets.form import Field, Hint
from keybench.words.rotations import overlap_warning

#: Read alike everywhere, and typed without a calendar.
_FORM: Final = "%Y-%m-%d %H:%M"
FORM_HINT: Final = "Year-month-day hour:minute, as 2026-11-22 14:00"
_DAYS: Final = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 7, Qt.Key.Key_PageDown: -7}
_LINES: Final = 2


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


class OverlapField(Field):
    """The planned end of an overlap, by the settings to begin with; it warns of weekends and busy times.

    Args:
        session: The window's; its settings say how long keys overlap and which times are busy.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._busy: tuple[BusyTime, ...] = ()
        self._moments = MomentEdit("Planned end of the overlap")
        super().__init__("Planned end of the overlap", self._moments, check=self._look_at, lines=_LINES)
        self.refresh()

    @property
    def moment(self) -> datetime:
        """What was entered, UTC; now if that isn't a moment, which is a fault of the field."""
        local = self._moments.local
        return local.astimezone(UTC) if local else self._session.console.clock.now()

    def put(self, moment: datetime) -> None:
        """Show a moment, whatever the settings propose."""
        self._moments.put(moment)

    async def read_settings(self) -> None:
        """Read what is usual and what is busy, and propose an end if none stands there."""
        settings = await self._session.administration.settings.read()
        self._busy = parse_busy_times(settings.busy_times)
        if not self._moments.text():
            self._moments.put(default_end(self._session.console.clock.now(), settings.overlap_days))
        self.refresh()

    def _look_at(self, _text: str) -> Hint:
        local = self._moments.local
        if local is None:
            return Hint(f"{FORM_HINT}.", "bad" if self._is_finished else "dim")
        found = [overlap_warning(one) for one in warnings(local, self._busy)]
        if local <= self._session.console.clock.now():
            found.insert(0, "This moment has passed: the old key is to be deleted at once.")
        return Hint(" ".join(found), "warning")
