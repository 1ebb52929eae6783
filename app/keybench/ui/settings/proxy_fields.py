"""Through which proxy a gateway is called, as fields of a form."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.environments.addresses import has_user, proxy_at, signed_in
from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid, ProxyInvalid
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.form import Field, Form, Hint, password_line
from keybench.ui.kit.theme import keep_size
from keybench.words.language import _
from keybench.words.system import NONE, SYSTEM
from keybench.workflows.environments.managing import check_proxy

_CHOICES: Final = (SYSTEM, NONE, _("Address…"))
_ADDRESS: Final = 2
_NARROW_PX: Final = 240
_SENTENCES: Final = (
    _("The one this computer is set to, if any"),
    _("Straight to the gateway"),
    _("An HTTP proxy; this computer itself is never called through one"),
)


class ProxyFields(Form):
    """The system's proxy, none, or an address with its user and password."""

    submitted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._before = ""
        self.box = ComboBox()
        self.box.addItems(_CHOICES)
        self.address_edit = QLineEdit(placeholderText="http://proxy.example.com:3128")
        self.user_edit = QLineEdit(placeholderText=_("nobody signs in"))
        self.password_edit = password_line()
        self._edits = (self.address_edit, self.user_edit, self.password_edit)
        self.box_field = Field(_("Proxy"), self.box, check=self._explain_choice, lines=0)
        keep_size(self.box, width=_NARROW_PX)
        self.box_field.keep_narrow()
        self.address_field = Field(_("Proxy address"), self.address_edit, lines=0)
        self.user_field = Field(_("Proxy user"), self.user_edit, lines=0)
        self.password_field = Field(
            _("Proxy password"), self.password_edit, _("Kept in the keystore only"), lines=0
        )
        self._address = Form(self.address_field, (self.user_field, self.password_field))
        self.add(self.box_field)
        self.add(self._address)
        self.take(*self._address.fields)
        self.box.currentIndexChanged.connect(self._on_choice)
        self._address.edited.connect(self._clear_messages)
        for edit in self._edits:
            edit.returnPressed.connect(self.submitted)
        self._on_choice()

    @property
    def setting(self) -> str:
        if self.box.currentIndex() == _ADDRESS:
            address = self.address_edit.text().strip() or "http://"  # nothing entered isn't the system's
            return signed_in(address, self.user_edit.text().strip())
        return (SYSTEM_PROXY, NO_PROXY)[self.box.currentIndex()]

    @property
    def password(self) -> str:
        return self.password_edit.text() if self.box.currentIndex() == _ADDRESS else ""

    def begin(self, setting: str = SYSTEM_PROXY) -> None:
        self._before = setting
        for edit in self._edits:
            edit.clear()
        words = {SYSTEM_PROXY: 0, NO_PROXY: 1}
        self.box.setCurrentIndex(words.get(setting, _ADDRESS))
        if setting not in words:
            proxy = proxy_at(setting)
            self.address_edit.setText(proxy.address)
            self.user_edit.setText(proxy.user)
        self.password_edit.setPlaceholderText(_("as it is") if has_user(setting) else "")
        self._clear_messages()

    def first_fault(self) -> QWidget | None:
        try:
            check_proxy(self.setting, self.password, before=self._before)
        except InputInvalid as error:
            self.show_error(error)
            return self.field_of(error)
        return None

    def field_of(self, error: KeybenchError) -> Field | None:
        if not isinstance(error, InputInvalid) or error.reason == ProxyInvalid.NO_PASSWORD:
            return self.password_field
        return self.user_field if error.reason == ProxyInvalid.NO_USER else self.address_field

    def _on_choice(self) -> None:
        self.box_field.refresh()
        self._address.setVisible(self.box.currentIndex() == _ADDRESS)
        self._clear_messages()

    def _explain_choice(self, _chosen: str) -> Hint:
        return Hint(_SENTENCES[self.box.currentIndex()], "dim")

    def _clear_messages(self) -> None:
        for field in self._address.fields:
            field.clear_message()
