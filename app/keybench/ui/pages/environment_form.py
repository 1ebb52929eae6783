"""The form that adds an environment: each field is checked as one types."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from keybench.core.environment import EnvironmentKind, parse_base_url
from keybench.core.errors import (
    AmountInvalid,
    BaseUrlInvalid,
    InputInvalid,
    KeybenchError,
    NameTaken,
    ProxyInvalid,
    ValueMisplaced,
)
from keybench.core.money import parse_limit
from keybench.core.text import clean_text
from keybench.ui.pages.proxy_fields import ProxyFields
from keybench.ui.theme import restyle
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.labels import button, label
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
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


def limit_error(text: str) -> InputInvalid | None:
    """Return what is wrong with an amount limit as entered, or None."""
    try:
        parse_limit(text)
    except InputInvalid as error:
        return error
    return None


class EnvironmentForm(QFrame):
    """Name, kind, base URL, contract, limit and proxy of a new environment.

    Signals:
        submitted: What was entered passed the checks that need no journal.
        cancelled: The person leaves it.
    """

    submitted = Signal()
    cancelled = Signal()

    def __init__(self, contracts: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.name_field = Field("Environment name", self.name_edit)
        self.kind_field = Field("Environment kind", self.kind_box)
        self.url_field = Field("Base URL", self.url_edit, "https, or http on this computer only", lines=2)
        self.contract_field = Field("Contract", self.contract_box, "How its gateway is spoken to", lines=2)
        self.limit_edit = QLineEdit()
        self.limit_edit.setPlaceholderText("no limit")
        self.limit_field = Field("Amount limit", self.limit_edit, "The most a sale may be, in any currency")
        self.proxy = ProxyFields()
        self.trouble = label(tone="bad")
        self.trouble.setWordWrap(True)
        self.add_button = button("Add environment", self.submit, tone="primary")
        self.cancel_button = button("Cancel", self.cancelled)
        self._lay_out()
        self._connect()
        self._show_kind()

    @property
    def kind(self) -> EnvironmentKind:
        """The chosen kind."""
        return _KINDS[self.kind_box.currentIndex()][0]

    def begin(self, taken: Collection[str]) -> None:
        """Empty the form for a new environment; `taken` are the names there are."""
        self._taken = frozenset(name.casefold() for name in taken)
        for edit, field in self._fields():
            edit.clear()
            field.clear_message()
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

    def show_error(self, error: KeybenchError) -> None:
        """Show an error of ours at the field it concerns; nothing that was entered is lost."""
        self.show_working(working=False)
        if isinstance(error, BaseUrlInvalid):
            self._show(self.url_field, error)
        elif isinstance(error, AmountInvalid):
            self._show(self.limit_field, error)
        elif isinstance(error, ProxyInvalid):
            self.proxy.show_error(error)
        elif isinstance(error, ValueMisplaced) and error.where == "base_url":
            self.url_edit.clear()
            self._show(self.url_field, error)
        elif isinstance(error, InputInvalid):
            if isinstance(error, ValueMisplaced):
                self.name_edit.clear()
            self._show(self.name_field, error)
        else:
            words = explain(error)
            self.trouble.setText(f"{words.title} {words.text}".strip())

    def submit(self) -> None:
        """Check everything; go on, or to the first field that needs mending."""
        wrong = []
        errors = (self._name_error(), self._url_error(), limit_error(self.limit_edit.text()))
        for (edit, field), error in zip(self._fields(), errors, strict=True):
            self._show(field, error)
            if error:
                wrong.append(edit)
        if wrong:
            wrong[0].setFocus()
        elif self.proxy.is_right():
            self.trouble.clear()
            self.submitted.emit()

    def _fields(self) -> tuple[tuple[QLineEdit, Field], ...]:
        return (
            (self.name_edit, self.name_field),
            (self.url_edit, self.url_field),
            (self.limit_edit, self.limit_field),
        )

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        fields = (
            (self.name_field, self.kind_field),
            (self.url_field, self.contract_field),
            (self.limit_field, self.proxy),
        )
        for row, pair in enumerate(fields):
            for column, field in enumerate(pair):
                grid.addWidget(field, row, column, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.trouble, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.add_button)
        grid.addLayout(buttons, 3, 0, 1, 2)

    def _connect(self) -> None:
        self.name_edit.textChanged.connect(self._on_name)
        self.url_edit.textChanged.connect(self._on_url)
        self.url_edit.editingFinished.connect(self._on_url_finished)
        self.kind_box.currentIndexChanged.connect(self._show_kind)
        self.limit_edit.textChanged.connect(self._on_limit)
        self.proxy.submitted.connect(self.submit)
        for edit, _field in self._fields():
            edit.returnPressed.connect(self.submit)

    def _name_error(self) -> InputInvalid | None:
        try:
            name = clean_text("environment name", self.name_edit.text(), limit=ENVIRONMENT_NAME_LIMIT)
        except InputInvalid as error:
            return error
        return NameTaken("environment", name) if name.casefold() in self._taken else None

    def _url_error(self) -> InputInvalid | None:
        try:
            parse_base_url(self.url_edit.text())
        except InputInvalid as error:
            return error
        return None

    def _on_name(self, text: str) -> None:
        self._show(self.name_field, self._name_error() if text else None)

    def _on_limit(self, text: str) -> None:
        self._show(self.limit_field, limit_error(text))

    def _on_url(self, text: str) -> None:
        begun = any(start.startswith(text.strip().lower()) for start in _URL_STARTS)
        self._show(self.url_field, None if begun else self._url_error())

    def _on_url_finished(self) -> None:
        self._show(self.url_field, self._url_error() if self.url_edit.text() else None)

    def _show_kind(self) -> None:
        live = self.kind is EnvironmentKind.LIVE
        self.kind_field.show_message(_KIND_SENTENCES[self.kind], "live" if live else "dim")
        self.add_button.setProperty("tone", "danger" if live else "primary")
        restyle(self.add_button)

    def _show(self, field: Field, error: InputInvalid | None) -> None:
        if error:
            field.show_message(field_sentence(error))
        else:
            field.clear_message()
