"""The form that adds an environment: each field is checked as one types."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from keybench.core.addresses import parse_base_url
from keybench.core.environment import EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid, NameTaken, ProxyInvalid
from keybench.core.money import parse_limit
from keybench.core.text import clean_text
from keybench.ui.pages.proxy_fields import ProxyFields
from keybench.ui.theme import set_role
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.form import Field, Form, Hint, error_text
from keybench.ui.widgets.labels import MessageLabel, button
from keybench.workflows.environments import ENVIRONMENT_NAME_LIMIT, USUAL_CONTRACT

_KINDS = (
    (EnvironmentKind.TEST, "Test"),
    (EnvironmentKind.LIVE, "Live"),
)
_KIND_SENTENCES = {
    EnvironmentKind.TEST: "No money moves.",
    EnvironmentKind.LIVE: "▲ LIVE: real cards, real money. Every sale asks first.",
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
        self.limit_edit.setPlaceholderText("no limit")
        self.name_field = Field(
            "Environment name", self.name_edit, check=self._check_name, unfinished=_is_empty
        )
        self.kind_field = Field("Environment kind", self.kind_box, check=self._explain_kind)
        self.url_field = Field(
            "Base URL",
            self.url_edit,
            "https, or http on this computer only",
            id="base_url",
            check=parse_base_url,
            unfinished=_is_begun,
            lines=2,
        )
        self.contract_field = Field("Contract", self.contract_box, "How its gateway is spoken to", lines=2)
        self.limit_field = Field(
            "Amount limit",
            self.limit_edit,
            "The most a sale may be, in any currency",
            id="amount",
            check=parse_limit,
        )
        self.proxy = ProxyFields()
        self.trouble = MessageLabel()
        self.add_button = button("Add environment", self.submit, tone="primary")
        self.cancel_button = button("Cancel", self.cancelled)
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
        self.add_button.setText("Adding…" if working else "Add environment")

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
