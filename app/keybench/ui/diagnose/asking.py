"""The left side of the Diagnose page: what it is about, the button that runs it, and the checks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame

from keybench.core.card_data import refuse_card_data
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Sale
from keybench.ui.diagnose.findings import Findings
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.form import Field, Hint
from keybench.ui.kit.labels import ElidedLabel, label, prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.sales.fields import DeviceBox, KeyBox
from keybench.words.language import _
from keybench.words.sales.card import place

#: How high a title is, so that it stands where those of the other pages do.
TITLE_PX: Final = 32
_NO_KEY: Final = _("None: the way to the gateway alone")
_NOT_LISTED: Final = _("No key has this name. Choose one from the list, or leave it empty.")
_WITHOUT_KEYS: Final = _("There are no keys here yet, so the way to the gateway is checked alone.")


class AskingPane(QFrame):
    """Key, device, the sale that failed if it is about one, the buttons, and the checks.

    Signals:
        edited: It is about something else.
    """

    edited = Signal()

    def __init__(self, run: Action, stop: Action) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._run, self._stop = run, stop
        self.sale: Sale | None = None
        self.key = KeyBox(sells=False)
        self.key.editor.setPlaceholderText(_NO_KEY)
        self.device = DeviceBox()
        self._key_field = Field(
            _("Key"), self.key, id="key", check=self._check_key, unfinished=self.key.is_begun, lines=0
        )
        self._device_field = Field(
            _("Device (if it matters)"),
            self.device,
            id="device",
            check=partial(self.device.look_at, required=False),
            lines=0,
        )
        self.sale_line = ElidedLabel("", "dim")
        self.sale_line.setAccessibleName(_("After the sale"))
        self.sale_line.hide()
        self.no_keys = prose(_WITHOUT_KEYS, "dim")
        self.no_keys.hide()
        self.count = label("", "dim")
        self.run_button = ActionButton(run, "primary")
        self.stop_button = ActionButton(stop)
        self.findings = Findings()
        for field in (self._key_field, self._device_field):
            field.edited.connect(self._on_edited)
        self._lay_out()

    def has_fault(self) -> bool:
        """Tell whether a field is wrong, and bring the keyboard to it."""
        for field in (self._key_field, self._device_field):
            field.touch()
            if field.fault:
                field.editor.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return False

    def show_keys(self, keys: Sequence[SecurityKey], *, choose: bool) -> None:
        """Offer keys and keep the choice; choose one if none is, unless none may be what is wanted."""
        was_empty = not self.key.currentText()
        self.key.show_keys(keys)
        self.no_keys.setVisible(not keys)
        if was_empty and not choose:
            self._clear_key()

    def choose(self, key: SecurityKey | None, device: str, sale: Sale | None) -> None:
        with QSignalBlocker(self):
            if key is None or not self.key.choose(key):
                self._clear_key()
            self.device.choose(device)
        self.sale = sale
        if sale:
            words = _("After {reference} · {place}")
            self.sale_line.setText(words.format(reference=sale.reference, place=place(sale, sale.device)))
        self.sale_line.setVisible(sale is not None)
        for field in (self._key_field, self._device_field):
            field.clear_message()

    def _clear_key(self) -> None:
        self.key.setCurrentIndex(-1)
        self.key.setEditText("")

    def show_running(self, *, running: bool) -> None:
        had_focus = self.run_button.hasFocus() or self.stop_button.hasFocus()
        self._run.setVisible(not running)
        self._stop.setVisible(running)
        for field in (self._key_field, self._device_field):
            field.setEnabled(not running)
        if had_focus:
            (self.stop_button if running else self.run_button).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        if self.signalsBlocked():
            return
        sale = self.sale
        key_id = self.key.key.id if self.key.key else ""
        if sale and (self.device.device_id != sale.device or key_id != sale.key_id):
            self.sale = None  # what is asked isn't about it any more
            self.sale_line.hide()
        self.edited.emit()

    def _check_key(self, text: str) -> Hint:
        refuse_card_data("key", text)
        return Hint(_NOT_LISTED, "bad") if text.strip() and self.key.key is None else Hint()

    def _lay_out(self) -> None:
        title = label(_("Diagnose"), "title")
        keep_size(title, least_height=TITLE_PX)
        buttons = [self.run_button, self.stop_button, self.count]
        row = WrappingRow(buttons, keep=[self.run_button, self.count])
        asked = (title, self._key_field, self.no_keys, self._device_field, self.sale_line)
        in_column(*asked, row, (self.findings, 1), within=self, margins=(16, 14, 16, 16))
