"""The sale form: device, amount, currency, key and Send, checked as one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import InputInvalid, ValueMisplaced
from keybench.core.money import COMMON_CURRENCIES
from keybench.core.ports import Device
from keybench.core.sale import SaleDraft, SaleMode
from keybench.core.security_key import SecurityKey
from keybench.ui.sale.checks import FormField, card_data_sentence, fault_of, field_of
from keybench.ui.sale.device_box import DeviceBox
from keybench.ui.sale.form_row import FormRow
from keybench.ui.sale.key_box import KeyBox
from keybench.ui.theme import scaled, set_role
from keybench.ui.tokens import Tone
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import Label, button, set_tip
from keybench.words.fields import field_sentence

SEND: Final = "Send sale"
SEND_LIVE: Final = "Send LIVE sale"
SHORTCUT: Final = "Ctrl+Enter"
NO_KEY: Final = "Add a New Key first: a sale needs a private key."
_FIRST_AMOUNT: Final = "10.00"
#: From this width on, for 13 px text, one line below the row is room enough for a message, else two.
_ONE_LINE: Final = 680


class SaleForm(QWidget):
    """The row of fields with the line for messages below it.

    Signals:
        submitted: Send was pressed, or its shortcut, and nothing is wrong with the fields.
    """

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.device = DeviceBox()
        self.amount = QLineEdit()
        self.currency = ComboBox()
        self.key = KeyBox()
        self.send = button(SEND, self.submit)
        self.message = Label()
        self._faults: dict[FormField, str] = {}
        self._refused: dict[FormField, str] = {}
        self._bar = ""
        self._note = ""
        self._live: bool | None = None
        self._environment = ""
        self._devices: dict[str, str] = {}
        self._editors: dict[FormField, QLineEdit] = {}
        self._frames: dict[FormField, QWidget] = {}
        self._set_up_fields()
        self._lay_out()
        self._connect()
        self._tell()

    # --- what is shown -------------------------------------------------------------------------------

    def show_environment(self, environment: Environment) -> None:
        """Fit the form to an environment: in live, Send says so and neither device nor amount stands there.

        Elsewhere the device that was chosen in that environment before is chosen again.
        """
        live = environment.is_live
        text = SEND_LIVE if live else SEND
        self.send.setText(text)
        self.send.setAccessibleName(text)
        set_role(self.send, "tone", "danger" if live else "primary")
        if live != self._live:
            self._live = live
            self.amount.setText("" if live else _FIRST_AMOUNT)
        if environment.id != self._environment:
            self._devices[self._environment] = self.device.device_id
            self._environment = environment.id
            self._refused.pop(FormField.DEVICE, None)
            self.device.show_devices((), choose=False)
            self.device.choose("" if live else self._devices.get(environment.id, ""))
        self._check_all(complete=False)

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Offer the private ones among `keys`."""
        self.key.show_keys(keys)
        self._tell()

    def show_devices(self, devices: Sequence[Device]) -> None:
        """List the known devices; outside live one is chosen at first."""
        self.device.show_devices(devices, choose=not self._live and not self._refused)

    def bar(self, reason: str) -> None:
        """Bar sending for a reason, or allow it with an empty one."""
        self._bar = reason
        self._tell()

    def note(self, text: str) -> None:
        """Say something that isn't wrong with a field, while nothing is."""
        self._note = text
        self._tell()

    def show_error(self, error: InputInvalid) -> None:
        """Show why the use case didn't take the draft, at its field if it names one."""
        field = field_of(error)
        if field is None:
            self.note(field_sentence(error))
            return
        if isinstance(error, ValueMisplaced):
            self._take_out(field, field_sentence(error))
        self._faults[field] = field_sentence(error)
        self._tell()
        self._editors[field].setFocus()

    # --- what was entered ----------------------------------------------------------------------------

    def draft(self, environment: Environment, mode: SaleMode) -> SaleDraft:
        """Return what was entered, as it is.

        Raises:
            RuntimeError: There is no key; Send is barred then.
        """
        key = self.key.key
        if key is None:
            raise RuntimeError("no key chosen: sending is barred")
        return SaleDraft(
            environment_id=environment.id,
            key_id=key.id,
            device=self.device.device_id,
            amount=self.amount.text().strip(),
            currency=self.currency.currentText().strip(),
            mode=mode,
        )

    def submit(self) -> None:
        """Ask to send, or put the keyboard's focus on the first field that is wrong."""
        if not self.send.isEnabled():
            return
        self._check_all(complete=True)
        for field, editor in self._editors.items():
            if self._faults.get(field):
                editor.setFocus(Qt.FocusReason.OtherFocusReason)
                editor.selectAll()
                return
        self._note = ""
        self._tell()
        self.submitted.emit()

    # --- inside --------------------------------------------------------------------------------------

    def _set_up_fields(self) -> None:
        self.amount.setAccessibleName("Amount")
        self.amount.setPlaceholderText("0.00")
        self.currency.setAccessibleName("Currency")
        self.currency.setEditable(True)
        self.currency.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.currency.addItems(list(COMMON_CURRENCIES))
        self.currency.setMinimumContentsLength(4)
        self.currency.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        currency_editor = self.currency.lineEdit()
        if currency_editor is None:
            raise RuntimeError("an editable combo box has a line edit")
        currency_editor.setAccessibleName("Currency")
        self._editors = {
            FormField.DEVICE: self.device.editor,
            FormField.AMOUNT: self.amount,
            FormField.CURRENCY: currency_editor,
        }
        self._frames = {
            FormField.DEVICE: self.device,
            FormField.AMOUNT: self.amount,
            FormField.CURRENCY: self.currency,
        }
        self.send.setAccessibleName(SEND)
        self.send.setProperty("tone", "primary")
        self.message.setProperty("role", "field")
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def _lay_out(self) -> None:
        self.amount.setMinimumWidth(scaled(84))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(FormRow(self.device, self.amount, self.currency, self.key, self.send))
        layout.addWidget(self.message)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep as many lines free for messages as this width needs."""
        super().resizeEvent(event)
        lines = 1 if self.width() >= scaled(_ONE_LINE) else 2
        self.message.setMinimumHeight(lines * self.message.fontMetrics().lineSpacing() + 2)

    def _connect(self) -> None:
        self._editors[FormField.DEVICE].textChanged.connect(self._on_device)
        self._editors[FormField.AMOUNT].textChanged.connect(self._on_amount)
        self._editors[FormField.CURRENCY].textChanged.connect(self._on_currency)

    def _on_device(self) -> None:
        self._on_text(FormField.DEVICE)

    def _on_amount(self) -> None:
        self._on_text(FormField.AMOUNT)

    def _on_currency(self) -> None:
        self._on_text(FormField.CURRENCY)
        self._check(FormField.AMOUNT, complete=False)
        self._tell()

    def _on_text(self, field: FormField) -> None:
        editor = self._editors[field]
        if sentence := card_data_sentence(field, editor.text()):
            self._take_out(field, sentence)
        elif editor.text():
            self._refused.pop(field, None)
        self._note = ""
        self._check(field, complete=False)
        self._tell()

    def _take_out(self, field: FormField, sentence: str) -> None:
        self._refused[field] = sentence
        self._editors[field].setText("")  # also forgets what could be undone

    def _check_all(self, *, complete: bool) -> None:
        for field in FormField:
            self._check(field, complete=complete)
        self._tell()

    def _check(self, field: FormField, *, complete: bool) -> None:
        text = self.device.device_id if field is FormField.DEVICE else self._editors[field].text()
        fault = fault_of(field, text, self.currency.currentText(), complete=complete)
        self._faults[field] = self._refused.get(field) or fault

    def _tell(self) -> None:
        """Say the first thing that is wrong, mark the fields, and allow or bar Send."""
        bar = self._bar or ("" if self.key.key else NO_KEY)
        for field, frame in self._frames.items():
            fault = self._faults.get(field, "")
            set_role(frame, "invalid", "true" if fault else "false")
            self._editors[field].setAccessibleDescription(fault)
            if frame is not self.device or fault:
                frame.setAccessibleDescription(fault)
        fault = next((self._faults[field] for field in FormField if self._faults.get(field)), "")
        tone: Tone = "bad" if fault else "warning"
        text = fault or bar or self._note
        if text != self.message.text():
            self.message.setText(text)
        set_role(self.message, "tone", tone if text else "")
        self.send.setEnabled(not bar)
        self.send.setAccessibleDescription(bar)
        set_tip(self.send, bar or SHORTCUT)
