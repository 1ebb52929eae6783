"""The dialogs in which a device is registered, renamed or deregistered, and what is said when it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import GatewayError, KeybenchError, Refused
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Device
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.labels import button
from keybench.ui.shared.sales.fields import KeyBox, key_field
from keybench.ui.shared.session import Session
from keybench.words.devices.states import bound_sentence, not_done_sentence
from keybench.words.language import _
from keybench.workflows.devices.managing import clean_code, clean_nickname

_T = TypeVar("_T")


class DeviceDialog(Dialog):
    """Asks for what is needed, and always with which key: managing devices is a permission of its own."""

    def __init__(
        self,
        manager: DeviceManager,
        *fields: Field,
        title: str,
        text: str,
        confirm: str,
        tone: Literal["primary", "danger"] = "primary",
    ) -> None:
        self.key = KeyBox()
        self.key.show_keys(manager.keys)
        if manager.key:
            self.key.choose(manager.key)
        environment = manager.session.environment
        mark = _(" (▲ LIVE)") if environment.is_live else ""
        where = _("Environment: {name}{mark}").format(name=environment.name, mark=mark)
        form = Form(*fields, key_field(self.key, lines=3))
        text = f"{text}\n\n{where}"
        super().__init__(manager.parent, title=title, text=text, confirm=confirm, tone=tone, content=form)
        self._manager = manager

    async def manage(self, do: Callable[[SecurityKey], Awaitable[_T]]) -> _T | None:
        """Show it until `do` has done what is asked for, or it is left; its key is offered the next time."""

        async def done() -> _T:
            key = self.key.key
            if key is None:
                raise RuntimeError("no key chosen: that is a fault of its field")
            found = await do(key)
            self._manager.key = key
            return found

        return await self.keep(done)

    def show_error(self, error: KeybenchError) -> None:
        """Show why it wasn't done, or that nobody can tell whether it was, where it can be mended."""
        if self.form is None:
            return
        first, last = self.form.fields[0], self.form.fields[-1]
        if isinstance(error, GatewayError):
            field = first if error.status == HTTPStatus.BAD_REQUEST else last
            # What only has to be tried again must not bar that until something else is entered.
            refused = isinstance(error, Refused) and not error.asks_to_wait
            field.show_message(not_done_sentence(error), "bad" if refused else "warning")
            field.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.form.show_error(error, last)


@dataclass
class DeviceManager:
    """Asks what a device is to become, has it done, and returns what is said of it; empty if it was left.

    Attributes:
        key: The key that is offered first.
    """

    session: Session
    parent: QWidget
    keys: Sequence[SecurityKey] = ()
    key: SecurityKey | None = None

    async def register(self, registered: Callable[[DeviceState], object]) -> str:
        """Register the device that shows a code; `registered` is given it before anything is said."""
        environment, use = self.session.environment, self.session.console.devices
        edit, in_box = QLineEdit(), await self._code_in_box()
        code = Field(
            _("Registration code"),
            edit,
            _code_hint(environment, in_box),
            id="registration code",
            check=clean_code,
            required=_("Enter the code that the device shows."),
            lines=2,
            beside=button(_("Use it"), lambda: edit.setText(in_box)) if in_box else None,
        )
        where = _("What the device is called in lists, such as the place where it stands")
        nickname = _nickname_field(QLineEdit(), where)
        dialog = DeviceDialog(
            self,
            code,
            nickname,
            title=_("Register a device"),
            text=_(
                "The device shows a registration code for a few minutes. The gateway adds the device to the account of "
                "the key. The key's user needs the permission to manage devices."
            ),
            confirm=_("Register"),
        )
        state = await dialog.manage(lambda key: use.register(environment, key, code.text, nickname.text))
        if state is None:
            return ""
        registered(state)
        said = _("{name} is registered as {id}.")
        return said.format(name=state.nickname or state.device_id, id=state.device_id)

    async def _code_in_box(self) -> str:
        """Return the code that the practice gateway's device in the box shows; empty if it can't be told."""
        if self.session.environment.kind is not EnvironmentKind.PRACTICE:
            return ""
        try:
            told = await self.session.console.world.practice.ask("GET", "/portal/devices")
        except KeybenchError:  # registering says why
            return ""
        return str(told["unpaired"]["code"])

    async def rename(self, device: Device) -> str:
        environment, use = self.session.environment, self.session.console.devices
        edit = QLineEdit(device.nickname)
        edit.selectAll()
        nickname = _nickname_field(edit)
        dialog = DeviceDialog(
            self,
            nickname,
            title=_("Rename “{name}”").format(name=device.nickname or device.id),
            text=_(
                "The gateway gets the new nickname, so everybody on the account sees it. The identifier stays the same."
            ),
            confirm=_("Rename"),
        )
        renamed = await dialog.manage(lambda key: use.rename(environment, key, device, nickname.text))
        said = _("{id} is called {name} now.")
        return said.format(id=renamed.id, name=renamed.nickname) if renamed else ""

    async def deregister(self, device: Device) -> str:
        environment, use = self.session.environment, self.session.console.devices
        name = device.nickname or device.id

        async def deregister(key: SecurityKey) -> bool:
            await use.deregister(environment, key, device, confirmed=True)
            return True

        sentences = [
            _("{id} leaves the account, and nobody can sell on it.").format(id=device.id),
            _("This can't be undone: only a new registration code brings the device back."),
            bound_sentence(await use.bound(environment, device.id)),
        ]
        dialog = DeviceDialog(
            self,
            title=_("Deregister “{name}”?").format(name=name),
            text=" ".join(filter(None, sentences)),
            confirm=_("Deregister the LIVE device") if environment.is_live else _("Deregister"),
            tone="danger",
        )
        done = await dialog.manage(deregister)
        return _("{name} is deregistered.").format(name=name) if done else ""


def _nickname_field(edit: QLineEdit, hint: str = "") -> Field:
    required = _("Enter a nickname.")
    return Field(_("Nickname"), edit, hint, id="nickname", check=clean_nickname, required=required)


def _code_hint(environment: Environment, in_box: str) -> str:
    if in_box:
        return _("The device in the box shows {code}.").format(code=in_box)
    if environment.kind is EnvironmentKind.PRACTICE:
        return _("Codes to try: T00001, T00003 and so on work, one device each. T00002 is refused.")
    return _("As the device shows it")
