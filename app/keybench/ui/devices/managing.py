"""The dialogs in which a device is registered, renamed or deregistered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Literal, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import GatewayError, KeybenchError, Refused
from keybench.core.ports import Device
from keybench.core.security_key import SecurityKey
from keybench.ui.sale.fields import KeyBox, key_field
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form
from keybench.words.device_states import bound_sentence, not_done_sentence
from keybench.words.language import _
from keybench.workflows.devices import Bound, clean_code, clean_nickname

_T = TypeVar("_T")


class DeviceDialog(Dialog):
    """Asks for what is needed, and always with which key: managing devices is a permission of its own."""

    def __init__(
        self,
        session: Session,
        parent: QWidget,
        *,
        title: str,
        text: str,
        confirm: str,
        keys: Sequence[SecurityKey],
        key: SecurityKey | None,
        fields: Sequence[Field] = (),
        tone: Literal["primary", "danger"] = "primary",
    ) -> None:
        self.key = KeyBox()
        self.key.show_keys(keys)
        if key:
            self.key.choose(key)
        super().__init__(
            parent,
            title=title,
            text=f"{text}\n\n{_where(session.environment)}",
            confirm=confirm,
            tone=tone,
            content=Form(*fields, key_field(self.key, lines=3)),
        )

    @property
    def chosen(self) -> SecurityKey:
        """The key that was chosen; the dialog doesn't go on without one."""
        if self.key.key is None:
            raise RuntimeError("no key chosen: that is a fault of its field")
        return self.key.key

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


async def ask_registration(
    session: Session,
    parent: QWidget,
    keys: Sequence[SecurityKey],
    key: SecurityKey | None,
    do: Callable[[SecurityKey, str, str], Awaitable[_T]],
) -> _T | None:
    code = Field(
        _("Registration code"),
        QLineEdit(),
        _code_hint(session.environment),
        id="registration code",
        check=clean_code,
        required=_("Enter the code that the device shows."),
        lines=2,
    )
    nickname = Field(
        _("Nickname"),
        QLineEdit(),
        _("What the device is called in lists, such as the place where it stands"),
        id="nickname",
        check=clean_nickname,
        required=_("Enter a nickname."),
    )
    dialog = DeviceDialog(
        session,
        parent,
        title=_("Register a device"),
        text=_(
            "The device shows a registration code for a few minutes. The gateway adds the device to the account of "
            "the key. The key's user needs the permission to manage devices."
        ),
        confirm=_("Register"),
        keys=keys,
        key=key,
        fields=(code, nickname),
    )
    return await dialog.keep(lambda: do(dialog.chosen, code.text, nickname.text))


async def ask_nickname(
    session: Session,
    parent: QWidget,
    device: Device,
    keys: Sequence[SecurityKey],
    key: SecurityKey | None,
    do: Callable[[SecurityKey, str], Awaitable[_T]],
) -> _T | None:
    edit = QLineEdit(device.nickname)
    edit.selectAll()
    nickname = Field(
        _("Nickname"),
        edit,
        id="nickname",
        check=clean_nickname,
        required=_("Enter a nickname."),
    )
    dialog = DeviceDialog(
        session,
        parent,
        title=_("Rename “{name}”").format(name=device.nickname or device.id),
        text=_(
            "The gateway gets the new nickname, so everybody on the account sees it. The identifier stays the same."
        ),
        confirm=_("Rename"),
        keys=keys,
        key=key,
        fields=(nickname,),
    )
    return await dialog.keep(lambda: do(dialog.chosen, nickname.text))


async def ask_deregistration(
    session: Session,
    parent: QWidget,
    device: Device,
    bound: Bound,
    keys: Sequence[SecurityKey],
    key: SecurityKey | None,
    do: Callable[[SecurityKey], Awaitable[_T]],
) -> _T | None:
    sentences = [
        _("{id} leaves the account, and nobody can sell on it.").format(id=device.id),
        _("This can't be undone: only a new registration code brings the device back."),
        bound_sentence(bound),
    ]
    dialog = DeviceDialog(
        session,
        parent,
        title=_("Deregister “{name}”?").format(name=device.nickname or device.id),
        text=" ".join(filter(None, sentences)),
        confirm=_("Deregister the LIVE device") if session.environment.is_live else _("Deregister"),
        keys=keys,
        key=key,
        tone="danger",
    )
    return await dialog.keep(lambda: do(dialog.chosen))


def _where(environment: Environment) -> str:
    mark = _(" (▲ LIVE)") if environment.is_live else ""
    return _("Environment: {name}{mark}").format(name=environment.name, mark=mark)


def _code_hint(environment: Environment) -> str:
    if environment.kind is EnvironmentKind.PRACTICE:
        return _("Codes to try: T00001, T00003 and so on work, one device each. T00002 is refused.")
    return _("As the device shows it")
