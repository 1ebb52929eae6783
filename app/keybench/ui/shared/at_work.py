"""A line that tells which other desks of the team are at what is shown, and takes it over."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core.events import ProgramsChanged
from keybench.core.team.desk import TeamDesk
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.labels import button, prose
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session


class AtWork(QWidget):
    """The line; hidden where nobody else is at it.

    Args:
        name: Names what is read.
        read: Returns the other desks.
        words: Says which these are.
        take: What the button says, and what it does.
    """

    def __init__(
        self,
        session: Session,
        name: str,
        read: Callable[[], Coroutine[Any, Any, Sequence[TeamDesk]]],
        words: Callable[[Sequence[TeamDesk]], str],
        take: tuple[str, Callable[[], object]],
        wanted: Callable[[], object],
    ) -> None:
        super().__init__()
        self._words = words
        self.text = prose(tone="warning")
        self.text.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self.take = button(*take)
        self._reading = Reading(session, name, read, self._show, wanted=wanted)
        self._is_team = bool(session.console.world.desk)
        in_row((self.text, 1), self.take, within=self, spacing=10)
        self.hide()
        if self._is_team:
            session.subscribe(self, {ProgramsChanged: lambda _event: self.refresh()})

    def refresh(self) -> None:
        """Read who is at it; a single desk asks for nothing."""
        if self._is_team:
            self._reading.request()

    def _show(self, desks: Sequence[TeamDesk]) -> None:
        self.text.setText(self._words(desks) if desks else "")
        self.setVisible(bool(desks))
