"""Knows the applications, rotations and idleness of the keys shown; their list doesn't wait for it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from keybench.core.environments.environment import Environment
from keybench.core.events import ApplicationsChanged, KeysChanged, RotationChanged, SaleChanged
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Mark
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.keys.states import KeyMarks

if TYPE_CHECKING:  # a start has no time for it
    from keybench.core.keys.review import Snapshot

#: After the list of keys was asked for; reading the register imports what a start has no time for.
_LATER_MS: Final = 1500
#: Many sales at once are shown together.
_SALES_MS: Final = 500


class RegisterMarks(QObject):
    """Reads an environment's register a moment after its keys, and whenever it changes.

    It is read whole, not for one key after the other: whoever goes through the keys with the arrows has each
    one's applications at once.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._snapshot: Snapshot | None = None
        self._stages: dict[str, int] = {}
        self._sold: dict[str, datetime] = {}
        self._reading = Reading(session, f"register of the keys for {id(self)}", self._read, self._show)
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._reading.request)
        self._later.start()
        self._sales = QTimer(self, singleShot=True, interval=_SALES_MS)
        self._sales.timeout.connect(self.changed)
        session.environment_changed.connect(self._on_environment)
        session.subscribe(
            self,
            {
                RotationChanged: self._on_changed,
                KeysChanged: self._on_keys,
                ApplicationsChanged: self._on_changed,
                SaleChanged: self._on_sale,
            },
        )

    def of(self, key: SecurityKey) -> KeyMarks | None:
        """Return what is known of a key at present; None while the register hasn't been read."""
        snapshot = self._snapshot
        if snapshot is None:
            return None
        uses = [snapshot.last_use(key), *(self._sold.get(one) for one in snapshot.alike(key.id))]
        last_use = max((at for at in uses if at), default=None)
        now = self._session.console.clock.now()
        days = (now - (last_use or key.known_since)).days
        limit = snapshot.settings.idle_days
        old_from = snapshot.old_from(key, snapshot.environments[0])
        return KeyMarks(
            applications=tuple(one.name for one in snapshot.applications_of.get(key.id, ())),
            stage=self._stages.get(key.id, 0),
            last_use=last_use,
            idle_days=days if limit and days >= limit else 0,
            due_days=(old_from - now).days if old_from else None,
        )

    def look_again(self) -> None:
        if self._snapshot:
            self._reading.request()

    async def _read(self) -> Snapshot:
        from keybench.core.keys.review import Snapshot  # noqa: PLC0415 - see above

        environment, administration = self._session.environment, self._session.administration
        return Snapshot(
            now=self._session.console.clock.now(),
            environments=(environment,),
            keys=await self._session.console.keys.listed(environment),
            applications=await administration.applications.of_environment(environment.id),
            rotations=await self._session.console.world.rotations.rotations(environment.id),
            settings=await administration.settings.read(),
        )

    def _show(self, snapshot: Snapshot) -> None:
        from keybench.core.rotations.rotation import STAGES  # noqa: PLC0415 - see above
        from keybench.core.rotations.stages import stage_of  # noqa: PLC0415 - the same

        self._snapshot = snapshot
        rotations = snapshot.open_rotations.items()
        self._stages = {key_id: STAGES.index(stage_of(one)) + 1 for key_id, one in rotations}
        self.changed.emit()

    def _on_environment(self, _environment: Environment) -> None:
        self._snapshot = None
        self._sold.clear()
        self._later.start()

    def _on_changed(self, _event: RotationChanged | ApplicationsChanged) -> None:
        self._reading.request()

    def _on_keys(self, event: KeysChanged) -> None:
        if event.environment_id == self._session.environment.id:
            self.look_again()

    def _on_sale(self, changed: SaleChanged) -> None:
        # The list's keys say when they were last used as it was when they were listed.
        if changed.event.mark in {Mark.ACCEPTED, Mark.OUTCOME} and changed.sale.was_sent:
            self._sold[changed.sale.key_id] = changed.sale.noted_at
            self._sales.start()
