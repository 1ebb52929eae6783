"""Feeds the sale form: keys, devices and whether live is barred, for the environment shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, KeysChanged, KeystoreChanged
from keybench.core.input_errors import LiveBarred
from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.refresh import Refresh
from keybench.ui.sale.form import SaleForm
from keybench.ui.session import Session
from keybench.words.explain import explain
from keybench.words.fields import field_sentence


class FormSource(QObject):
    """Keeps a form up to date.

    Signals:
        devices_known: The shown environment's devices by identifier, with their nicknames (a dict).
    """

    devices_known = Signal(object)

    def __init__(self, session: Session, form: SaleForm, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._form = form
        self._asked: set[tuple[str, str]] = set()
        self._wanted_key: SecurityKey | None = None
        self._told_key = ""
        self._keys = Refresh(session, "keys for the sale form", self._read_keys)
        self._devices = Refresh(session, "devices for the sale form", self._read_devices)
        session.subscribe(
            self,
            {
                KeysChanged: self._on_keys,
                DevicesChanged: self._on_devices,
                KeystoreChanged: self._on_keystore,
            },
        )

    def reload(self) -> None:
        """Read everything for the environment shown now."""
        self._form.show_environment(self._session.environment)
        self._judge_live()
        self._keys.request()
        self._devices.request()

    def use_key(self, key: SecurityKey | None) -> None:
        """Choose a key of the environment shown, now or when it has been read; a public one can't be.

        Told of the same key again, because something else about it changed, this leaves alone what a
        person has chosen in the form meanwhile.
        """
        told, self._told_key = self._told_key, key.id if key else ""
        if key is None or key.id == told:
            return
        if key.can_sell and key.environment_id == self._session.environment.id:
            self._wanted_key = None if self._form.key.choose(key) else key

    def refresh_devices(self) -> None:
        """Ask the gateway for the account's devices, with a working key, else with the chosen one."""
        environment = self._session.environment
        key = _first_working(self._form.key.keys) or self._form.key.key
        if key:
            self._asked.add((environment.id, key.id))
            self._session.run(
                f"devices of {environment.id}", self._ask_gateway(environment, key), self._on_refusal
            )

    # --- reading -------------------------------------------------------------------------------------

    async def _read_keys(self) -> None:
        environment = self._session.environment
        keys = await self._session.console.keys.listed(environment)
        if environment != self._session.environment:
            return
        self._form.show_keys(keys)
        if self._wanted_key and self._form.key.choose(self._wanted_key):
            self._wanted_key = None
        self._refresh_once(environment)

    def _refresh_once(self, environment: Environment) -> None:
        """Ask for devices unasked, once with each key that works.

        The practice gateway is ours, so a key that was never tested may ask it, too.
        """
        keys = self._form.key.keys
        untested = [key for key in keys if key.state is KeyState.KEPT]
        practice = environment.kind is EnvironmentKind.PRACTICE
        key = _first_working(keys) or (untested[0] if untested and practice else None)
        if key and (environment.id, key.id) not in self._asked:
            self.refresh_devices()

    async def _read_devices(self) -> None:
        environment = self._session.environment
        devices = await self._session.console.keys.devices(environment)
        if environment == self._session.environment:
            self._form.show_devices(devices)
            self.devices_known.emit({device.id: device.nickname for device in devices if device.nickname})

    async def _ask_gateway(self, environment: Environment, key: SecurityKey) -> None:
        await self._session.console.keys.refresh_devices(environment, key)

    def _on_refusal(self, error: KeybenchError) -> None:
        self._form.note(f"The device list couldn't be renewed. {explain(error).title}")

    # --- announcements -------------------------------------------------------------------------------

    def _on_keys(self, changed: KeysChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._keys.request()

    def _on_devices(self, changed: DevicesChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._devices.request()

    def _on_keystore(self, _changed: KeystoreChanged) -> None:
        self._judge_live()

    def _judge_live(self) -> None:
        environment = self._session.environment
        barred = environment.is_live and not self._session.console.keystore_status.durable
        self._form.bar(field_sentence(LiveBarred(environment.name)) if barred else "")


def _first_working(keys: Sequence[SecurityKey]) -> SecurityKey | None:
    return next((key for key in keys if key.state is KeyState.WORKING), None)
