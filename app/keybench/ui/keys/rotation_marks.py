"""Knows which keys of the environment shown are being rotated; the list of keys doesn't wait for it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from keybench.core.environment import Environment
from keybench.core.events import RotationChanged
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Session

#: After the list of keys was asked for; reading rotations imports what a start has no time for.
_LATER_MS: Final = 1500


class RotationMarks(QObject):
    """Reads the open rotations a moment after the keys, and whenever one changes.

    Signals:
        changed: Other keys than before are being rotated.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._under_way: frozenset[str] = frozenset()
        self._reading = Renewal(session, f"keys being rotated for {id(self)}", self._read)
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._reading.ask)
        self._later.start()
        session.environment_changed.connect(self._on_environment)
        self._unsubscribe = session.console.events.subscribe(RotationChanged, self._on_rotation)

    def is_rotating(self, key_id: str) -> bool:
        """Tell whether a key is being rotated."""
        return key_id in self._under_way

    def close_down(self) -> None:
        """Listen no more; safe to call twice."""
        self._later.stop()
        self._unsubscribe()

    async def _read(self) -> None:
        environment = self._session.environment
        rotations = await self._session.console.world.journal.rotations(environment.id)
        if environment == self._session.environment:
            under_way = frozenset(one.old.key_id for one in rotations if one.is_open)
            changed, self._under_way = under_way != self._under_way, under_way
            if changed:
                self.changed.emit()

    def _on_environment(self, _environment: Environment) -> None:
        self._later.start()

    def _on_rotation(self, _event: RotationChanged) -> None:
        self._reading.ask()
