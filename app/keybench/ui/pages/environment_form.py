"""The form that adds an environment: each field is checked as one types."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from keybench.core.addresses import has_user, parse_base_url, proxy_at, signed_in
from keybench.core.environment import NO_PROXY, SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid, NameTaken, ProxyInvalid
from keybench.core.money import parse_limit
from keybench.core.text import clean_text
from keybench.ui.session import Session
from keybench.ui.theme import set_role
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form, Hint, error_text, password_line
from keybench.ui.widgets.labels import MessageLabel, button
from keybench.words.language import _
from keybench.words.system import NONE, SYSTEM
from keybench.workflows.environments import ENVIRONMENT_NAME_LIMIT, USUAL_CONTRACT, check_proxy

_CHOICES: Final = (SYSTEM, NONE, _("Address…"))
_ADDRESS: Final = 2
_SENTENCES: Final = (
    _("The one this computer is set to, if any"),
    _("Straight to the gateway"),
    _("An HTTP proxy; this computer itself is never called through one"),
)


class ProxyFields(Form):
    """The system's proxy, none, or an address with its user and password.

    Signals:
        submitted: Enter was pressed in one of them.
    """

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._before = ""
        self.box = ComboBox()
        self.box.addItems(_CHOICES)
        self.address_edit = QLineEdit()
        self.address_edit.setPlaceholderText("http://proxy.example.com:3128")
        self.user_edit = QLineEdit()
        self.user_edit.setPlaceholderText(_("nobody signs in"))
        self.password_edit = password_line()
        self.box_field = Field(_("Proxy"), self.box, check=self._explain_choice)
        self.address_field = Field(_("Proxy address"), self.address_edit, lines=2)
        self.user_field = Field(_("Proxy user"), self.user_edit, lines=2)
        self.password_field = Field(
            _("Proxy password"), self.password_edit, _("Kept in the keystore only"), lines=2
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
            self.address_edit.setText(proxy.address)
            self.user_edit.setText(proxy.user)
        self.password_edit.setPlaceholderText(_("as it is") if has_user(setting) else "")
        self._clear_messages()

    def first_fault(self) -> QWidget | None:
        """Show why it can't be used, and give the keyboard to the field that is to be corrected."""
        try:
            check_proxy(self.setting, self.password, before=self._before)
        except InputInvalid as error:
            self.show_error(error)
            return self.field_of(error)
        return None

    def field_of(self, error: KeybenchError) -> Field | None:
        """Return the field that an error concerns; what else can't be kept is the password."""
        if not isinstance(error, InputInvalid) or error.reason == ProxyInvalid.NO_PASSWORD:
            return self.password_field
        return self.user_field if error.reason == ProxyInvalid.NO_USER else self.address_field

    @property
    def _edits(self) -> tuple[QLineEdit, ...]:
        return self.address_edit, self.user_edit, self.password_edit

    def _on_choice(self) -> None:
        self.box_field.refresh()
        self._address.setVisible(self.box.currentIndex() == _ADDRESS)
        self._clear_messages()

    def _explain_choice(self, _chosen: str) -> Hint:
        return Hint(_SENTENCES[self.box.currentIndex()], "dim")

    def _clear_messages(self) -> None:
        for field in self._address.fields:
            field.clear_message()


async def ask_proxy(parent: QWidget, session: Session, environment: Environment) -> Environment | None:
    """Ask for an environment's proxy until it is set; return the environment then, or None if it was left."""
    fields = ProxyFields()
    fields.begin(environment.proxy)
    dialog = Dialog(
        parent,
        title=_("Proxy of “{name}”").format(name=environment.name),
        text=_("Its gateway is called through this proxy, by the window and the command line alike."),
        confirm=_("Set the proxy"),
        content=fields,
    )
    set_proxy = session.console.environments.set_proxy
    try:
        return await dialog.keep(lambda: set_proxy(environment, fields.setting, fields.password))
    finally:
        fields.password_edit.clear()


_KINDS = (
    (EnvironmentKind.TEST, _("Test")),
    (EnvironmentKind.LIVE, _("Live")),
)
_KIND_SENTENCES = {
    EnvironmentKind.TEST: _("No money moves."),
    EnvironmentKind.LIVE: _("▲ LIVE: real cards, real money. Every sale asks first."),
}
_URL_STARTS = ("https://", "http://")


class EnvironmentForm(Form):
    """Name, kind, base URL, contract, limit and proxy of a new environment.

    Signals:
        submitted: What was entered passed the checks that need no journal.
        cancelled: The person leaves it.
    """

    submitted = Signal()
    cancelled = Signal()

    def __init__(self, contracts: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setProperty("role", "well")
        self._taken: frozenset[str] = frozenset()
        self.name_edit = QLineEdit()
        self.name_edit.setPlaceholderText("sandbox")
        self.url_edit = QLineEdit()
        self.url_edit.setPlaceholderText("https://sandbox.example-gateway.com")
        self.kind_box = ComboBox()
        for _kind, word in _KINDS:
            self.kind_box.addItem(word)
        self.contract_box = ComboBox()
        self.contract_box.addItems(list(contracts))
        self.limit_edit = QLineEdit()
        self.limit_edit.setPlaceholderText(_("no limit"))
        self.name_field = Field(
            _("Environment name"), self.name_edit, check=self._check_name, unfinished=_is_empty
        )
        self.kind_field = Field(_("Environment kind"), self.kind_box, check=self._explain_kind)
        self.url_field = Field(
            _("Base URL"),
            self.url_edit,
            _("https, or http on this computer only"),
            id="base_url",
            check=parse_base_url,
            unfinished=_is_begun,
            lines=2,
        )
        self.contract_field = Field(
            _("Contract"), self.contract_box, _("How its gateway is spoken to"), lines=2
        )
        self.limit_field = Field(
            _("Amount limit"),
            self.limit_edit,
            _("The most a sale may be, in any currency"),
            id="amount",
            check=parse_limit,
        )
        self.proxy = ProxyFields()
        self.trouble = MessageLabel()
        self.add_button = button(_("Add environment"), self.submit, tone="primary")
        self.cancel_button = button(_("Cancel"), self.cancelled)
        self._rows.setContentsMargins(16, 14, 16, 14)
        for row in (
            (self.name_field, self.kind_field),
            (self.url_field, self.contract_field),
            (self.limit_field, self.proxy),
        ):
            self.add(*row, stretch=(3, 2))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.trouble, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.add_button)
        self._rows.addLayout(buttons)
        self.url_edit.editingFinished.connect(self._on_url_finished)
        self.kind_box.currentIndexChanged.connect(self._show_kind)
        self.proxy.submitted.connect(self.submit)
        for edit in (self.name_edit, self.url_edit, self.limit_edit):
            edit.returnPressed.connect(self.submit)
        self._show_kind()

    @property
    def kind(self) -> EnvironmentKind:
        """The chosen kind."""
        return _KINDS[self.kind_box.currentIndex()][0]

    def begin(self, taken: Collection[str]) -> None:
        """Empty the form for a new environment; `taken` are the names there are."""
        self._taken = frozenset(name.casefold() for name in taken)
        for field in (self.name_field, self.url_field, self.limit_field):
            field.reset()
        self.kind_box.setCurrentIndex(0)
        self.contract_box.setCurrentText(USUAL_CONTRACT)
        self.proxy.begin()
        self.trouble.clear()
        self.show_working(working=False)
        self.name_edit.setFocus()

    def show_working(self, *, working: bool) -> None:
        """Show that the environment is being added."""
        self.add_button.setEnabled(not working)
        self.add_button.setText(_("Adding…") if working else _("Add environment"))

    def show_error(self, error: KeybenchError, otherwise: Field | None = None) -> None:
        """Show an error of ours at the field it concerns; nothing that was entered is lost."""
        self.show_working(working=False)
        if isinstance(error, ProxyInvalid):
            self.proxy.show_error(error)
        elif isinstance(error, InputInvalid):
            super().show_error(error, otherwise)
        else:
            self.trouble.say(error_text(error), "bad")

    def submit(self) -> None:
        """Check everything; go on, or to the first field that needs to be corrected."""
        if self.first_fault() is None and self.proxy.first_fault() is None:
            self.trouble.clear()
            self.submitted.emit()

    def _check_name(self, text: str) -> None:
        name = clean_text("environment name", text, limit=ENVIRONMENT_NAME_LIMIT)
        if name.casefold() in self._taken:
            raise NameTaken("environment", name)

    def _on_url_finished(self) -> None:
        if self.url_edit.text():
            self.url_field.touch()

    def _show_kind(self) -> None:
        self.kind_field.refresh()
        set_role(self.add_button, "tone", "danger" if self.kind is EnvironmentKind.LIVE else "primary")

    def _explain_kind(self, _chosen: str) -> Hint:
        return Hint(_KIND_SENTENCES[self.kind], "live" if self.kind is EnvironmentKind.LIVE else "dim")


def _is_empty(text: str) -> bool:
    return not text


def _is_begun(text: str) -> bool:
    return any(start.startswith(text.strip().lower()) for start in _URL_STARTS)
