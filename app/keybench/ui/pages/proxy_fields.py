"""Through which proxy an environment is called: the fields of it, and the question that sets it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from keybench.core.addresses import has_user, proxy_at, signed_in
from keybench.core.environment import NO_PROXY, SYSTEM_PROXY, Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid, ProxyInvalid
from keybench.ui.rotations.asking import FormQuestion, answered
from keybench.ui.session import Session
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.field import Field
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.system import NONE, SYSTEM
from keybench.workflows.environments import check_proxy

_CHOICES: Final = (SYSTEM, NONE, "Address…")
_ADDRESS: Final = 2
_SENTENCES: Final = (
    "The one this computer is set to, if any",
    "Straight to the gateway",
    "An HTTP proxy; this computer itself is never called through one",
)
_OF_THE_PASSWORD: Final = {ProxyInvalid.NO_PASSWORD}
_OF_THE_USER: Final = {ProxyInvalid.NO_USER}


class ProxyFields(QWidget):
    """The system's proxy, none, or an address with its user and password.

    Signals:
        submitted: Enter was pressed in one of them.
    """

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = ""
        self.box = ComboBox()
        self.box.addItems(_CHOICES)
        self.address_edit = QLineEdit()
        self.address_edit.setPlaceholderText("http://proxy.example.com:3128")
        self.user_edit = QLineEdit()
        self.user_edit.setPlaceholderText("nobody signs in")
        self.password_edit = QLineEdit()
        self.password_edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.password_edit.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.box_field = Field("Proxy", self.box)
        self.address_field = Field("Proxy address", self.address_edit, lines=2)
        self.user_field = Field("Proxy user", self.user_edit, lines=2)
        self.password_field = Field(
            "Proxy password", self.password_edit, "Kept in the keystore only", lines=2
        )
        self._address = QWidget()
        people = QHBoxLayout()
        people.setSpacing(12)
        people.addWidget(self.user_field, 1)
        people.addWidget(self.password_field, 1)
        address = QVBoxLayout(self._address)
        address.setContentsMargins(0, 0, 0, 0)
        address.addWidget(self.address_field)
        address.addLayout(people)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.box_field)
        layout.addWidget(self._address)
        self.setFocusProxy(self.box)
        self.box.currentIndexChanged.connect(self._on_choice)
        for edit in self._edits:
            edit.textChanged.connect(self._clear_messages)
            edit.returnPressed.connect(self.submitted)
        self._on_choice()

    @property
    def setting(self) -> str:
        """What was entered, as `Environments.set_proxy` takes it."""
        if self.box.currentIndex() == _ADDRESS:
            address = self.address_edit.text().strip() or "http://"  # nothing entered isn't the system's
            return signed_in(address, self.user_edit.text().strip())
        return (SYSTEM_PROXY, NO_PROXY)[self.box.currentIndex()]

    @property
    def password(self) -> str:
        """The password that was entered; empty where none is wanted."""
        return self.password_edit.text() if self.box.currentIndex() == _ADDRESS else ""

    def begin(self, setting: str = SYSTEM_PROXY) -> None:
        """Show a setting, without its password, which stays what it is unless another is entered."""
        self._before = setting
        for edit in self._edits:
            edit.clear()
        words = {SYSTEM_PROXY: 0, NO_PROXY: 1}
        self.box.setCurrentIndex(words.get(setting, _ADDRESS))
        if setting not in words:
            proxy = proxy_at(setting)
            self.address_edit.setText(proxy.place)
            self.user_edit.setText(proxy.user)
        self.password_edit.setPlaceholderText("as it is" if has_user(setting) else "")
        self._clear_messages()

    def is_right(self) -> bool:
        """Tell whether it can be used; if not, say why and go there."""
        try:
            check_proxy(self.setting, self.password, before=self._before)
        except InputInvalid as error:
            self.show_error(error)
            return False
        return True

    def show_error(self, error: InputInvalid) -> None:
        """Say what is wrong at the field it concerns."""
        field = self.address_field
        if error.reason in _OF_THE_PASSWORD:
            field = self.password_field
        elif error.reason in _OF_THE_USER:
            field = self.user_field
        field.show_message(field_sentence(error))
        field.editor.setFocus()

    @property
    def _edits(self) -> tuple[QLineEdit, ...]:
        return self.address_edit, self.user_edit, self.password_edit

    def _on_choice(self) -> None:
        self.box_field.show_message(_SENTENCES[self.box.currentIndex()], "dim")
        self._address.setVisible(self.box.currentIndex() == _ADDRESS)
        self._clear_messages()

    def _clear_messages(self) -> None:
        for field in (self.address_field, self.user_field, self.password_field):
            field.clear_message()


async def ask_proxy(parent: QWidget, session: Session, environment: Environment) -> Environment | None:
    """Ask for an environment's proxy until it is set; return the environment then, or None if it was left."""
    question = FormQuestion(
        parent,
        title=f"Proxy of “{environment.name}”",
        text="Its gateway is called through this proxy, by the window and the command line alike.",
        confirm="Set the proxy",
    )
    fields = ProxyFields()
    fields.begin(environment.proxy)
    question.add(fields)
    question.check = fields.is_right
    try:
        while await answered(question, keep=True):
            try:
                return await session.console.environments.set_proxy(
                    environment, fields.setting, fields.password
                )
            except InputInvalid as error:
                fields.show_error(error)
            except KeybenchError as error:
                said = explain(error)
                fields.password_field.show_message(f"{said.title} {said.text}".strip())
        return None
    finally:
        fields.password_edit.clear()
        question.deleteLater()
