"""What a rotation shows in practice: who sells with which key by now, and how the gateway answers."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import Stage
from keybench.ui.kit.boxes import in_column
from keybench.ui.shared.practice import GatewayLog, SimulatedApplications
from keybench.ui.shared.session import Session

_SHOWN_AT: Final = frozenset({Stage.REPLACE, Stage.TEST, Stage.DELETE, Stage.DOCUMENT})


class PracticePart(QWidget):
    """Simulated applications and the gateway's log; hidden where there are no such applications.

    Args:
        sight: The view that this is part of.
    """

    def __init__(self, session: Session, sight: QWidget) -> None:
        super().__init__()
        self._session = session
        self._stage: Stage | None = None
        self.applications = SimulatedApplications(session, sight=sight, wanted=self._is_wanted)
        self.log = GatewayLog(session, height_in_rows=(2, 6))
        in_column(self.applications, self.log, within=self, spacing=12)
        self.applications.told.connect(self._appear)
        self.hide()

    def show_rotation(self, rotation: Rotation, stage: Stage | None) -> None:
        new = rotation.replacement
        self._stage = stage
        self.log.show_keys(rotation.old.gateway_id, new.gateway_id if new else "")
        self._appear()
        self.applications.watch.refresh()

    def _is_wanted(self) -> bool:
        return self._session.environment.kind is EnvironmentKind.PRACTICE and self._stage in _SHOWN_AT

    def _appear(self) -> None:
        self.setVisible(self._is_wanted() and bool(self.applications.table.model().rows))
