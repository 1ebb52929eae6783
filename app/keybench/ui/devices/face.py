"""The face of a practice device: its display, its buttons, and what can be done to it."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from urllib.parse import quote

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.lessons.practice import DeviceFace
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import ElidedLabel, button, label
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.practice import Watch
from keybench.ui.shared.session import Session
from keybench.words.formats import roughly
from keybench.words.language import _

_WIDTH_PX: Final = 348
_PULL: Final = _("Pull the plug")
_PLUG_IN: Final = _("Plug it in")
_PER_CENT: Final = "{value} %"
_DBM: Final = "{value} dBm"
_BATTERIES: Final = (100, 60, 15, 4)
#: From near the access point to hardly heard.
_SIGNALS: Final = (-45, -67, -80, -90)


class DeviceFacePanel(QFrame):
    """A practice device as it looks to whoever stands before it; hidden where there is no such device.

    Args:
        sight: The widget that this is part of.
    """

    def __init__(self, session: Session, sight: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self.setAccessibleName(_("Device in front of you"))
        self._session = session
        self._device = ""
        self._face: DeviceFace | None = None
        self.amount, self.words = label(), label()
        for line in (self.amount, self.words):
            line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        shown = in_column(self.amount, self.words, margins=(8, 10, 8, 10), spacing=2)
        self.display = framed(shown, "display")
        self.holder = ElidedLabel("", "dim")
        names = {"approve": _("Approve"), "decline": _("Decline"), "cancel": _("Cancel at the device")}
        self.presses = {which: button(name, partial(self._press, which)) for which, name in names.items()}
        self.plug = button(_PULL, self._on_plug, others=(_PLUG_IN,))
        self.by_hand = QCheckBox(_("Wait for a person"))
        self.by_hand.clicked.connect(lambda on: self._change(by_hand=on))
        self.battery = self._choice("battery", _BATTERIES, _PER_CENT)
        self.signal = self._choice("signal", _SIGNALS, _DBM)
        self.watch = Watch(session, sight, self._read, self._show, wanted=lambda: bool(self._device))
        figures = {_("Battery"): self.battery, _("Wi-Fi"): self.signal}
        in_column(
            self.display,
            self.holder,
            in_row(*self.presses.values(), None),
            in_row(self.plug, self.by_hand, None, spacing=12),
            in_row(*((Field(name, one, lines=0), 1) for name, one in figures.items())),
            self.watch.message,
            None,
            within=self,
            margins=(12, 12, 12, 12),
        )
        keep_size(self, least_width=_WIDTH_PX)
        self.hide()

    def show_device(self, device: str) -> None:
        """Show the face of a device of the environment, by its identifier; empty for none."""
        if self._session.environment.kind is not EnvironmentKind.PRACTICE:
            device = ""
        if device != self._device:
            self._device, self._face = device, None
            self.hide()
            self.watch.refresh()

    async def _read(self) -> DeviceFace | None:
        wanted = self._device
        told = await self.watch.ask("GET", "/portal/devices")
        return next((DeviceFace.of(one) for one in told["devices"] if one["id"] == wanted), None)

    def _show(self, face: DeviceFace | None) -> None:
        if face is None or face.id != self._device:
            self.hide()
            return
        before, self._face = self._face, face
        amount = f"{face.amount} {face.currency}".strip()
        said = f"{face.nickname or face.id}: {', '.join(filter(None, (face.display, amount)))}"
        self.amount.setText(amount)
        self.words.setText(face.display.upper())
        self.display.setAccessibleName(said)
        if before and before.display != face.display and face.by_hand:  # else nobody waits for it
            announce(self.display, said)
        held = _("Held by {name}, {left} left") if face.held_by else _("Nobody sells on it.")
        self.holder.setText(held.format(name=face.held_by, left=roughly(face.left_s or 0)))
        for one in self.presses.values():
            one.setEnabled(bool(face.held_by) and face.connected)
        self.plug.setText(_PULL if face.connected else _PLUG_IN)
        self.plug.setAccessibleName(self.plug.text())
        self.by_hand.setChecked(face.by_hand)
        _choose(self.battery, face.battery, _PER_CENT)
        _choose(self.signal, face.signal, _DBM)
        self.show()

    def _press(self, which: str) -> None:
        self.watch.do(self.watch.ask, "POST", f"{self._path}/press", {"button": which})

    def _on_plug(self) -> None:
        if self._face:
            self._change(connected=not self._face.connected)

    def _change(self, **changed: Any) -> None:
        self.watch.do(self.watch.ask, "PATCH", self._path, changed)

    @property
    def _path(self) -> str:
        return f"/portal/devices/{quote(self._device, safe='')}"

    def _choice(self, what: str, values: tuple[int, ...], words: str) -> ComboBox:
        made = ComboBox()
        for value in values:
            made.addItem(words.format(value=value), value)
        made.activated.connect(lambda _index: self._change(**{what: made.currentData()}))
        return made


def _choose(box: ComboBox, value: int | None, words: str) -> None:
    """Show a figure; one that isn't among those offered comes first from then on."""
    if box.findData(value) < 0:
        box.insertItem(0, _("none") if value is None else words.format(value=value), value)
    box.setCurrentIndex(box.findData(value))
