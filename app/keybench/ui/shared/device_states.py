"""What gateways told of the devices of the environment shown, for whoever shows it; asks for one anew."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from PySide6.QtCore import QObject, Signal

from keybench.core.devices.state import FRESH, DeviceState
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, DeviceStateRead, SaleChanged
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Outcome
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.devices.states import ASKING, check_failed, state_sentence, state_tone
from keybench.words.language import _
from keybench.workflows.devices.managing import Holder


class DeviceStates(QObject):
    """The states, and who holds the one device that is looked at.

    Signals:
        changed: A state is another, was asked for, or couldn't be had.
    """

    changed = Signal()

    def __init__(self, session: Session, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._name = name
        self._states: Mapping[str, DeviceState] = {}
        self._environment_id = ""
        self._looked_at = ""
        self._holder: Holder | None = None
        self._asking: set[str] = set()
        self._numbers = itertools.count()
        self._failed: dict[str, tuple[str, datetime]] = {}
        self._reading = Reading(
            session,
            f"{name}: states of devices",
            lambda: session.console.devices.states(session.environment),
            self._show_states,
            wanted=lambda: (self._environment_id, session.environment.id),
        )
        self._finding = Reading(
            session,
            f"{name}: who holds a device",
            self._find_holder,
            self._show_holder,
            wanted=lambda: (session.environment, self.of(self._looked_at)),
        )
        session.subscribe(
            self,
            {DevicesChanged: self._on_devices, DeviceStateRead: self._on_state, SaleChanged: self._on_sale},
        )

    def of(self, device: str) -> DeviceState | None:
        return self._states.get(device)

    def told(self, device: str) -> tuple[str, str]:
        """Return what is said of a device and its tone; nothing of one that was never asked for."""
        state, holder, now = self.of(device), self._holder, self._session.console.clock.now()
        known = state_sentence(state, holder, now) if state else ""
        if failed := self._failed.get(device):
            text = (
                _("{failure} Before: {known}").format(failure=failed[0], known=known) if known else failed[0]
            )
            return text, "warning"
        if device in self._asking:
            return _("{known} · asking again…").format(known=known) if known else ASKING, "dim"
        return known, state_tone(state, holder)

    def reload(self) -> None:
        if self._environment_id != self._session.environment.id:
            self._environment_id = self._session.environment.id
            self._states, self._looked_at, self._holder = {}, "", None
            self._asking.clear()
            self._failed.clear()
        self._reading.request()

    def look_at(self, device: str) -> None:
        if device != self._looked_at:
            self._looked_at, self._holder = device, None
            self._finding.request()

    def is_due(self, device: str) -> bool:
        now = self._session.console.clock.now()
        state = self.of(device)
        tried = self._failed.get(device)
        is_known = state is not None and state.is_fresh(now)
        just_tried = tried is not None and timedelta(0) <= now - tried[1] <= FRESH
        return bool(device) and not (is_known or just_tried or device in self._asking)

    def ask(self, key: SecurityKey, device: str) -> None:
        environment = self._session.environment
        if device in self._asking or key.environment_id != environment.id:
            return
        work = self._session.console.devices.check(environment, key, device)

        def failed(error: KeybenchError) -> None:
            if environment.id == self._environment_id:
                self._asking.discard(device)
                self._failed[device] = check_failed(error), self._session.console.clock.now()
                self.changed.emit()

        self._asking.add(device)
        # A name of its own: the question before this one may be answered and still be written to the journal.
        number = next(self._numbers)
        if not self._session.run(f"{self._name}: state {number} of {environment.id} {device}", work, failed):
            self._asking.discard(device)
        self.changed.emit()

    def _show_states(self, states: Mapping[str, DeviceState]) -> None:
        self._states = states
        self._finding.request()
        self.changed.emit()

    async def _find_holder(self) -> Holder | None:
        state, devices = self.of(self._looked_at), self._session.console.devices
        return await devices.holder(self._session.environment, state) if state else None

    def _show_holder(self, holder: Holder | None) -> None:
        if holder != self._holder:
            self._holder = holder
            self.changed.emit()

    def _on_devices(self, changed: DevicesChanged) -> None:
        if changed.environment_id == self._environment_id:
            self._reading.request()

    def _on_state(self, read: DeviceStateRead) -> None:
        if read.environment_id != self._environment_id:
            return
        device = read.state.device_id
        self._states = {**self._states, device: read.state}
        self._asking.discard(device)
        self._failed.pop(device, None)
        if device == self._looked_at:
            self._holder = None
            self._finding.request()
        self.changed.emit()

    def _on_sale(self, changed: SaleChanged) -> None:
        sale = changed.sale
        state = self.of(sale.device) if sale.environment_id == self._environment_id else None
        if sale.outcome is Outcome.UNKNOWN and sale.device == self._looked_at:
            self._finding.request()  # it may hold it still, and is to be looked up
        if state is None or not sale.is_settled:
            return
        holds = bool(state.busy_with) and state.busy_with == sale.request_id
        held_by = self._holder.sale if self._holder else None
        if holds or (held_by and held_by.reference == sale.reference):
            self._states = {**self._states, sale.device: replace(state, is_busy=None, busy_with="")}
            if sale.device == self._looked_at:
                self._holder = None
            self.changed.emit()
