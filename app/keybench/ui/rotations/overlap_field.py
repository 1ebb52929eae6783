"""Until when both keys are meant to be valid, with a warning for weekends and times named as busy."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core.overlap import BusyTime, default_end, parse_busy_times, warnings
from keybench.ui.rotations.moment_edit import FORM_HINT, MomentEdit
from keybench.ui.session import Session
from keybench.ui.widgets.field import Field
from keybench.words.rotations import overlap_warning

_LINES = 2


class OverlapField(Field):
    """The planned end, by the settings to begin with.

    Args:
        session: The window's; its settings say how long keys overlap and which times are busy.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self._moments = MomentEdit("Planned end of the overlap")
        super().__init__("Planned end of the overlap", self._moments, lines=_LINES, parent=parent)
        self._session = session
        self._busy: tuple[BusyTime, ...] = ()
        self._moments.textChanged.connect(self._warn)

    @property
    def moment(self) -> datetime:
        """What was entered, UTC; now if that isn't a moment, which `is_right` tells before."""
        local = self._moments.local
        return local.astimezone(UTC) if local else self._session.console.clock.now()

    def is_right(self) -> bool:
        """Tell whether a moment was entered; if not, say how and take the keyboard."""
        right = self._moments.local is not None
        if not right:
            self.show_message(f"{FORM_HINT}.")
            self._moments.setFocus(Qt.FocusReason.OtherFocusReason)
        return right

    def put(self, moment: datetime) -> None:
        """Show a moment, whatever the settings propose."""
        self._moments.put(moment)

    async def read_settings(self) -> None:
        """Read what is usual and what is busy, and propose an end if none stands there."""
        settings = await self._session.administration.settings.read()
        self._busy = parse_busy_times(settings.busy_times)
        if not self._moments.text():
            self._moments.put(default_end(self._session.console.clock.now(), settings.overlap_days))
        self._warn()

    def _warn(self) -> None:
        local = self._moments.local
        if local is None:
            self.show_message(f"{FORM_HINT}.", "dim")
            return
        found = [overlap_warning(one) for one in warnings(local, self._busy)]
        if local <= self._session.console.clock.now():
            found.insert(0, "This moment has passed: the old key is to be deleted at once.")
        if found:
            self.show_message(" ".join(found), "warning")
        else:
            self.clear_message()
