"""Feeds the Devices page: devices with their last sales, keys, and whether live is barred."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, KeysChanged, KeystoreChanged, SaleChanged
from keybench.core.input_errors import LiveBarred
from keybench.core.sale import Sale
from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.devices.list_view import ListView
from keybench.ui.refresh import Refresh
from keybench.ui.sale.fields import KeyBox
from keybench.ui.sale.selection import SaleFeed
from keybench.ui.session import Session
from keybench.words.explain import explain
from keybench.words.fields import field_sentence

#: The last sale of a device is looked for among so many of the environment's newest.
_LOOK_BACK: Final = 1000


class DevicesSource(QObject):
    """Keeps the list and the key box up to date for the environment shown.

    Signals:
        judged: Whether live is barred was looked at again; `live_bar` says why.
    """

    judged = Signal()

    def __init__(self, session: Session, view: ListView, keys: KeyBox, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._keys = keys
        self.live_bar = ""
        self._shown: str | None = None
        self._feed = SaleFeed(session, self)
        self._feed.sales_changed.connect(self._on_sales)
        self._reading = Refresh(session, "devices page", self._read)
        self._asking = Refresh(session, "devices page asks the gateway", self._ask_gateway)
        session.subscribe(
            self,
            {
                KeysChanged: self._on_changed,
                DevicesChanged: self._on_changed,
                KeystoreChanged: self._on_keystore,
            },
        )

    @property
    def nicknames(self) -> dict[str, str]:
        """The shown devices' nicknames by identifier."""
        return {device.id: device.nickname for device in self._view.devices if device.nickname}

    def reload(self) -> None:
        """Read everything for the environment shown now."""
        environment = self._session.environment
        if self._shown != environment.id:
            self._shown = environment.id
            self._view.show_loading()
            self._view.say("")
        self._judge_live()
        # The loop may not be running yet when the page is made.
        QTimer.singleShot(0, self, self._reading.request)

    def refresh(self) -> None:
        """Ask the gateway for its devices with a key that works, else with the first."""
        if self._key():
            self._view.say("Asking the gateway…")
            self._asking.request()

    def _key(self) -> SecurityKey | None:
        working = [key for key in self._keys.keys if key.state is KeyState.WORKING]
        return next(iter(working), None) or self._keys.key

    async def _read(self) -> None:
        environment, console = self._session.environment, self._session.console
        keys = await console.keys.listed(environment)
        devices = await console.keys.devices(environment)
        sales = await console.recent_sales(environment.id, _LOOK_BACK)
        if environment != self._session.environment:
            return
        newest: dict[str, Sale] = {}
        for sale in sales:
            newest.setdefault(sale.device, sale)
        self._keys.show_keys(keys)
        self._view.show_devices(devices)
        self._view.show_sales(newest)
        self._view.show_key(has_key=bool(self._keys.keys))
        self.judged.emit()

    async def _ask_gateway(self) -> None:
        environment, key = self._session.environment, self._key()
        if key is None or key.environment_id != environment.id:
            return  # another environment is shown by now, and its keys are still being read
        try:
            devices = await self._session.console.keys.refresh_devices(environment, key)
            said = "One device" if len(devices) == 1 else f"{len(devices):,} devices"
        except KeybenchError as error:
            said = f"The device list couldn't be renewed. {explain(error).title}"
        if environment == self._session.environment:
            self._view.say(said)

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        shown = self._session.environment.id
        self._view.take_in(change.sale for change in changes if change.sale.environment_id == shown)

    def _on_changed(self, changed: KeysChanged | DevicesChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._reading.request()

    def _on_keystore(self, _changed: KeystoreChanged) -> None:
        self._judge_live()

    def _judge_live(self) -> None:
        environment = self._session.environment
        barred = environment.is_live and not self._session.console.keystore_status.durable
        self.live_bar = field_sentence(LiveBarred(environment.name)) if barred else ""
        self.judged.emit()
