"""The line below the sale form's fields that says how the chosen device is; it never bars or delays a sale."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer

from keybench.core.errors import InputInvalid
from keybench.core.keys.key import KeyState
from keybench.core.text import clean_text
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.theme import set_role
from keybench.ui.shared.device_states import DeviceStates
from keybench.ui.shared.sales.fields import DeviceBox, KeyBox
from keybench.ui.shared.session import Session
from keybench.words.devices.states import NEVER_ASKED
from keybench.words.language import _

#: So long nothing else is chosen or typed before the gateway is asked, and so often the age is told anew.
_PAUSE_MS: Final = 400
_AGE_MS: Final = 15_000


class DeviceCheck(ElidedLabel):
    """The line."""

    def __init__(self, session: Session, device: DeviceBox, key: KeyBox) -> None:
        super().__init__("", "field", least=12)
        self.setAccessibleName(_("State of the device"))
        self._session = session
        self._device, self._key = device, key
        self.states = DeviceStates(session, "sale test", self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.ask_if_due)
        self._age = QTimer(self, interval=_AGE_MS)
        self._age.timeout.connect(self.show_state)
        self._age.start()
        self._asked = ""
        self.states.changed.connect(self.show_state)
        device.currentTextChanged.connect(self._on_chosen)
        device.editor.editingFinished.connect(self._on_left)
        self.show_state()

    def want(self) -> None:
        self._pause.start()

    def ask_if_due(self) -> None:
        """Ask for the state of the device, unless it is fresh, is being typed, or can't be asked for."""
        device = self._device.device_id
        typing = not self._device.is_listed and device != self._asked
        if typing or not self._can_ask(device) or not self.states.is_due(device):
            return
        if key := self._key.key:
            self.states.ask(key, device)

    def show_state(self) -> None:
        device = self._device.device_id
        text, tone = self.states.told(device)
        if not text and device and self._device.is_listed:
            text = NEVER_ASKED
        self.setText(text)
        set_role(self, "tone", tone)
        self.setAccessibleDescription(text)

    def _can_ask(self, device: str) -> bool:
        """Tell whether asking is possible and wouldn't bother anybody, such as with a keystore's prompt."""
        environment, console = self._session.environment, self._session.console
        key = self._key.key
        if key is None or not key.has_value or key.state is KeyState.REFUSED:
            return False
        if console.keystore_status.trouble or not console.environments.facts(environment).can_tell_device:
            return False
        try:
            clean_text("device", device)
        except InputInvalid:
            return False
        return True

    def _on_chosen(self) -> None:
        self.states.look_at(self._device.device_id)
        self.show_state()
        self.want()

    def _on_left(self) -> None:
        self._asked = self._device.device_id
        self.want()
