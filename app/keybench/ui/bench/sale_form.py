"""The sale form: device, key, amount, currency and Send, for the environment shown, checked as one types."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import InputInvalid, KeybenchError
from keybench.core.events import DevicesChanged, KeysChanged, KeystoreChanged
from keybench.core.input_errors import LiveBarred
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.sales.sale import SaleDraft, SaleMode
from keybench.core.text import clean_text
from keybench.ui.kit.actions import key_names
from keybench.ui.kit.boxes import bring_into_sight, in_row, in_row_or_column
from keybench.ui.kit.form import Field, Form, error_text
from keybench.ui.kit.labels import ElidedLabel, MessageLabel, button, set_tip
from keybench.ui.kit.theme import keep_size, scaled, set_role
from keybench.ui.shared.device_states import DeviceStates
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.sales.fields import (
    SEND_LIVE,
    AmountChoice,
    DeviceBox,
    KeyBox,
    amount_field,
    currency_box,
    currency_field,
    is_empty,
    key_field,
)
from keybench.ui.shared.session import Session
from keybench.words.devices.states import NEVER_ASKED
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.formats import figure
from keybench.words.language import _

SEND: Final = _("Send sale")
SHORTCUT: Final = "Ctrl+Enter"
NO_KEY: Final = _("Add a New Key first: a sale needs a private key.")
_FIRST_AMOUNT: Final = Decimal("10.00")
_SPACING: Final = 6
_AMOUNT_PX: Final = 84
#: A name longer than this is cut, rather than that it takes the room of the others.
_NAME_PX: Final = 240


class SaleForm(Form):
    """The row of fields with the line for messages below it; it reads keys and devices itself.

    Signals:
        submitted: Send was pressed, or its shortcut, and nothing is wrong with the fields.
        devices_read: The devices of the environment shown were read.
        keys_shown: Other keys are offered.
    """

    submitted = Signal()
    devices_read = Signal()
    keys_shown = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._asked: set[tuple[str, str]] = set()  # which environment's gateway was asked with which key
        self._wanted_key: SecurityKey | None = None
        self._last_key = ""
        self._key_reading = Reading(
            session,
            "keys for the sale form",
            lambda: session.console.keys.listed(session.environment),
            self._on_keys_read,
        )
        self._device_reading = Reading(
            session,
            "devices for the sale form",
            lambda: session.console.devices.listed(session.environment),
            self._on_devices_read,
        )
        self.device = DeviceBox()
        self.amount = QLineEdit(placeholderText=figure(Decimal("0.00")))
        keep_size(self.amount, width=_AMOUNT_PX)
        self.currency = currency_box()
        self.currency.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.key = KeyBox()
        self.send = button(SEND, self.submit, tone="primary")
        self.message = MessageLabel(role="field")
        self._bar = ""
        self._note = ""
        self._live: bool | None = None
        self._environment = ""
        self._device = Field(
            _("Device"), self.device, id="device", check=self.device.look_at, unfinished=is_empty, lines=None
        )
        currency = currency_field(self.currency, lines=None)
        self.amounts = AmountChoice(self.amount)
        self._amount = amount_field(self.amount, currency, lines=None, beside=self.amounts)
        self._key = key_field(self.key, lines=None)
        self.take(self._device, self._key, self._amount, currency)
        self._others = in_row(self._amount, currency, None, self.send, spacing=_SPACING)
        self._others.setAlignment(self.send, Qt.AlignmentFlag.AlignBottom)
        self._names = in_row(self._device, self._key, spacing=_SPACING)
        row = QWidget()
        self._row = in_row_or_column(
            (self._names, 1),
            self._others,
            from_px=lambda: sum(self._name_widths()) + self._others.minimumSize().width() + 2 * _SPACING,
            within=row,
            spacing=_SPACING,
        )
        self.add(row)
        self.check = DeviceCheck(session, self.device, self.key)
        self.add(self.check)
        self.add(self.message)
        self._rows.setSpacing(4)
        for field in self.fields:
            if layout := field.layout():
                layout.setSpacing(2)  # height is dear here
            field.shown_changed.connect(self._show_state)
        self.edited.connect(self._on_edited)
        self.submitted.connect(self._remember_device)
        session.subscribe(
            self,
            {
                KeysChanged: self._on_keys,
                DevicesChanged: self._on_devices,
                KeystoreChanged: lambda _event: self._judge_live(),
            },
        )
        for box in (self.device, self.key):
            box.currentTextChanged.connect(self._share_out)
        self._show_state()

    def reload(self) -> None:
        self.show_environment(self._session.environment)
        self._judge_live()
        self.check.states.reload()
        self._key_reading.request()
        self._device_reading.request()

    def use_key(self, key: SecurityKey | None) -> None:
        """Choose a key of the environment shown, now or when it has been read.

        A public one can't be, and one that may be in the wrong hands is only chosen in the form itself.

        Given the same key again, because something else about it changed, this leaves alone what a person
        has chosen in the form meanwhile.
        """
        last, self._last_key = self._last_key, key.id if key else ""
        if key is None or key.id == last or key.compromised:
            return
        if key.can_sell and key.environment_id == self._session.environment.id:
            self._wanted_key = None if self.key.choose(key) else key

    def refresh_devices(self) -> None:
        """Ask the gateway for the account's devices, with the key last seen working, else the chosen one."""
        environment = self._session.environment
        key = _last_working(self.key.keys) or self.key.key
        if key:
            self._asked.add((environment.id, key.id))
            self.note("")  # what the last request came to is no longer news
            self._session.run(
                f"devices of {environment.id}",
                self._session.console.devices.refresh(environment, key),
                self._on_refusal,
            )

    # --- what is shown -------------------------------------------------------------------------------

    def show_environment(self, environment: Environment) -> None:
        """Fit the form to an environment: in live, Send says so and neither device nor amount stands there.

        Elsewhere the device that was chosen in that environment before is chosen again once it was read.
        """
        live = environment.is_live
        self.send.setText(SEND_LIVE if live else SEND)
        self.send.setAccessibleName(self.send.text())
        set_role(self.send, "tone", "danger" if live else "primary")
        if environment.id != self._environment:
            self._remember_device()
            self._environment = environment.id
            self._device.clear_message()
            self.device.show_devices((), choose=False)
            self.device.choose("")
        if live != self._live:
            self._live = live
            self.amount.setText("" if live else figure(_FIRST_AMOUNT))
        facts = self._session.console.environments.facts(environment)
        self.amounts.offer({} if live else facts.amounts)
        self._show_state()

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        wanted = self._session.preferences.of_sale(self._session.environment.id, "key")
        self.key.show_keys(keys, wanted)
        self._key.refresh()
        self._show_state()
        self._share_out()  # also where no text has changed, but what stands in its place
        self.keys_shown.emit()

    def show_devices(self, devices: Sequence[Device]) -> None:
        """List the known devices; outside live one is chosen at first."""
        refused = any(field.was_taken_out for field in self.fields)
        wanted = self._session.preferences.of_sale(self._environment, "device")
        self.device.show_devices(devices, choose=not self._live and not refused, wanted=wanted)
        self._device.refresh()

    def bar(self, reason: str) -> None:
        """Bar sending for a reason, or allow it with an empty one."""
        self._bar = reason
        self._show_state()

    def note(self, text: str) -> None:
        self._note = text
        self._show_state()

    def show_error(self, error: KeybenchError, otherwise: Field | None = None) -> None:
        if otherwise or self.field_of(error):
            super().show_error(error, otherwise)
        else:
            self.note(error_text(error))

    # --- what was entered ----------------------------------------------------------------------------

    def draft(self, environment: Environment, mode: SaleMode) -> SaleDraft:
        """Return what was entered, as it is."""
        key = self.key.key
        if key is None:
            raise RuntimeError("no key chosen: that is a fault of its field")
        return SaleDraft(
            environment_id=environment.id,
            key_id=key.id,
            device=self.device.device_id,
            amount=self.amount.text().strip(),
            currency=self.currency.currentText().strip(),
            mode=mode,
        )

    def submit(self) -> None:
        if not self.send.isEnabled():
            return
        if isinstance(fault := self.first_fault(), Field):
            editor = fault.editor
            line = editor.lineEdit() if isinstance(editor, QComboBox) else editor
            if isinstance(line, QLineEdit):
                line.selectAll()
            return
        self.note("")
        self.submitted.emit()

    # --- reading -------------------------------------------------------------------------------------

    def _on_keys_read(self, keys: Sequence[SecurityKey]) -> None:
        self.show_keys(keys)
        if self._wanted_key and self.key.choose(self._wanted_key):
            self._wanted_key = None
        self._refresh_once(self._session.environment)

    def _refresh_once(self, environment: Environment) -> None:
        """Ask for devices of its own accord, once with each key that works.

        The practice gateway is ours, so a key that was never tested may ask it, too.
        """
        keys = self.key.keys
        untested = [key for key in keys if key.state is KeyState.KEPT]
        practice = environment.kind is EnvironmentKind.PRACTICE
        key = _last_working(keys) or (untested[0] if untested and practice else None)
        if key and (environment.id, key.id) not in self._asked:
            self.refresh_devices()

    def _on_devices_read(self, devices: Sequence[Device]) -> None:
        self.show_devices(devices)
        self.check.want()
        self.devices_read.emit()

    def _on_refusal(self, error: KeybenchError) -> None:
        self.note(_("The device list couldn't be renewed. {title}").format(title=explain(error).title))

    # --- announcements -------------------------------------------------------------------------------

    def _on_keys(self, changed: KeysChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._key_reading.request()

    def _on_devices(self, changed: DevicesChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._device_reading.request()

    def _judge_live(self) -> None:
        environment = self._session.environment
        barred = environment.is_live and not self._session.console.keystore_status.durable
        self.bar(field_sentence(LiveBarred(environment.name)) if barred else "")

    # --- inside --------------------------------------------------------------------------------------

    def _name_widths(self) -> list[int]:
        """Return how wide the chosen names are; a long one has no claim to more than its share."""
        return [min(box.whole_width(), scaled(_NAME_PX)) for box in (self.device, self.key)]

    def _share_out(self) -> None:
        # Nothing moves under the hands of somebody who types.
        if not (self.device.is_typed_in or self.key.is_typed_in):
            for number, width in enumerate(self._name_widths()):
                self._names.setStretch(number, width)
            self._row.update()

    def _on_edited(self) -> None:
        self.note("")
        self.check.want()
        if key := self.key.key:
            self._session.preferences.set_of_sale(key.environment_id, "key", key.id)
        if self.device.is_listed:
            self._remember_device()

    def _remember_device(self) -> None:
        """Remember a device that is listed or was sold on, but not in live, where each is chosen anew."""
        if not self._live and (device := self.device.device_id):
            self._session.preferences.set_of_sale(self._environment, "device", device)

    def _show_state(self) -> None:
        """Show the first thing that is wrong, and allow or bar Send."""
        bar = self._bar or ("" if self.key.keys else NO_KEY)
        fault = next((field.shown.text for field in self.fields if field.shown.tone == "bad"), "")
        text = fault or bar or self._note
        is_news = bool(fault) and text != self.message.text()
        self.message.show_quietly(text, "bad" if fault else "warning")
        # One line below the fields, whichever of the two it is, so that nothing moves.
        self.message.setVisible(bool(text))
        self.check.setVisible(not text)
        if is_news:
            bring_into_sight(self.message)
        self.send.setEnabled(not bar)
        self.send.setAccessibleDescription(bar)
        set_tip(self.send, bar or key_names(SHORTCUT))


def _last_working(keys: Sequence[SecurityKey]) -> SecurityKey | None:
    """Return the working key that was used or tested last: of hundreds the likeliest to work still."""
    working = [key for key in keys if key.state is KeyState.WORKING]
    return max(
        working,
        key=lambda key: max(filter(None, (key.used_at, key.tested_at)), default=key.created_at),
        default=None,
    )


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
