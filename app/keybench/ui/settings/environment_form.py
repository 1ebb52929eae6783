"""The form that adds an environment or edits one: each field is checked as one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout

from keybench.core.environments.addresses import parse_base_url, parse_portal_url
from keybench.core.environments.connection import Correction, correction_of
from keybench.core.environments.environment import PRACTICE_ID, SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import BaseUrlInvalid, EnvironmentFixed, InputInvalid, NameTaken, ProxyInvalid
from keybench.core.money import parse_limit
from keybench.core.text import clean_text
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.form import Field, Form, Hint, error_text
from keybench.ui.kit.labels import MessageLabel, button, label, prose
from keybench.ui.kit.theme import keep_size, set_role
from keybench.ui.settings.connection_line import ConnectionLine, UseButton
from keybench.ui.settings.proxy_fields import ProxyFields
from keybench.ui.shared.session import Session
from keybench.words.environments.managing import SLIPS
from keybench.words.fields import field_sentence
from keybench.words.language import _
from keybench.workflows.environments.managing import ENVIRONMENT_NAME_LIMIT, USUAL_CONTRACT

_KINDS = (
    (EnvironmentKind.TEST, _("Test")),
    (EnvironmentKind.LIVE, _("Live")),
)
_KIND_SENTENCES = {
    EnvironmentKind.TEST: _("No money moves."),
    EnvironmentKind.LIVE: _("▲ LIVE: real cards, real money. Every sale asks first."),
}
#: What is chosen for a new one, by the fields' ids.
_NEW: Final = {"kind": EnvironmentKind.TEST.value, "contract": USUAL_CONTRACT}
_URL_STARTS = ("https://", "http://")
#: How the fields of a row share its width: an address needs more than a kind or an amount.
_SHARES: Final = (3, 2)
#: How wide a field is that takes a word or a figure.
_NARROW_PX: Final = 180


class EnvironmentForm(Form):
    """All that is known of an environment: of a new one, or of one that is there."""

    submitted = Signal()
    cancelled = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self._session = session
        self._taken: frozenset[str] = frozenset()
        self._portals: Sequence[str] = ()
        self.environment: Environment | None = None
        self._meant: Correction | None = None
        self.title = label("", "heading")
        self.note = prose(field_sentence(EnvironmentFixed(PRACTICE_ID)), "dim")
        self.name_edit = QLineEdit(placeholderText="sandbox")
        self.url_edit = QLineEdit(placeholderText="https://sandbox.example-gateway.com")
        self.portal_edit = QLineEdit(placeholderText="https://portal.example-gateway.com")
        self.kind_box = ComboBox()
        for kind, word in _KINDS:
            self.kind_box.addItem(word, kind.value)
        self.contract_box = ComboBox()
        for name in session.console.world.gateway.contracts():
            self.contract_box.addItem(name, name)
        self.limit_edit = QLineEdit(placeholderText=_("no limit"))
        self.proxy = ProxyFields()
        self.use_button = UseButton()
        self.connection = ConnectionLine(session)
        self.trouble = MessageLabel()
        self.try_button = button(_("Try the connection"), self.try_out)
        self.add_button = button(
            _("Add environment"), self.submit, tone="primary", others=(_("Adding…"), _("Saving…"))
        )
        self.cancel_button = button(_("Cancel"), self.cancelled)
        self._make_fields()
        self._lay_out()
        self._connect()

    def _make_fields(self) -> None:
        self.name_field = Field(
            _("Environment name"),
            self.name_edit,
            id="name",
            check=self._check_name,
            unfinished=lambda text: not text,
            lines=0,
        )
        self.kind_field = Field(
            _("Environment kind"), self.kind_box, id="kind", check=self._explain_kind, lines=0
        )
        self.url_field = Field(
            _("Base URL"), self.url_edit, id="base_url", check=self._check_url, unfinished=_is_begun, lines=0
        )
        self.contract_field = Field(_("API version"), self.contract_box, id="contract", lines=0)
        self.portal_field = Field(
            _("Portal address"),
            self.portal_edit,
            _("Where its keys are made: the merchant's or the partner's portal"),
            id="portal_url",
            check=parse_portal_url,
            unfinished=_is_begun,
            lines=0,
        )
        self.limit_field = Field(
            _("Maximum amount per sale"), self.limit_edit, id="amount", check=parse_limit, lines=0
        )
        layout = self.url_field.layout()
        if isinstance(layout, QVBoxLayout):
            layout.addWidget(self.use_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _lay_out(self) -> None:
        self._rows.setContentsMargins(16, 14, 16, 14)
        self._rows.setSpacing(12)
        self._rows.addWidget(self.title)
        self._rows.addWidget(self.note)
        self.add(self.name_field, self.kind_field, stretch=_SHARES)
        self.add(self.url_field, self.contract_field, stretch=_SHARES)
        self.add(self.portal_field, self.limit_field, stretch=_SHARES)
        self.add(self.proxy)
        for field in (self.kind_field, self.contract_field, self.limit_field):
            keep_size(field.editor, width=_NARROW_PX)
            field.keep_narrow()
        self._rows.addWidget(self.connection)
        self._rows.addWidget(self.trouble)
        self._rows.addLayout(in_row(self.try_button, None, self.cancel_button, self.add_button))
        self.trouble.hide()

    def _connect(self) -> None:
        self.url_edit.editingFinished.connect(self._on_url_finished)
        self.url_edit.textChanged.connect(self._on_address)
        self.url_field.shown_changed.connect(self._offer_correction)
        self.contract_box.currentIndexChanged.connect(self._on_address)
        self.proxy.edited.connect(self._on_address)
        self.use_button.used.connect(self._use)
        self.connection.corrected.connect(self._use)
        self.kind_box.currentIndexChanged.connect(self._show_kind)
        self.proxy.submitted.connect(self.submit)
        for edit in (self.name_edit, self.url_edit, self.portal_edit, self.limit_edit):
            edit.returnPressed.connect(self.submit)
        self._show_kind()

    @property
    def kind(self) -> EnvironmentKind:
        return self.environment.kind if self.environment else _KINDS[max(self.kind_box.currentIndex(), 0)][0]

    def begin(self, environments: Sequence[Environment], edited: Environment | None = None) -> None:
        """Hold an environment that is there, or nothing for a new one; `environments` are those there are."""
        self.environment = edited
        edited_id = edited.id if edited else ""
        self._taken = frozenset(one.name.casefold() for one in environments if one.id != edited_id)
        self._portals = [one.portal_url for one in environments if one.portal_url]
        is_practice = bool(edited) and self.kind is EnvironmentKind.PRACTICE
        fields = (self.kind_field, self.url_field, self.contract_field, self.portal_field)
        for part in (*fields, self.proxy, self.try_button):
            part.setVisible(not is_practice)
        self.note.setVisible(is_practice)
        self.name_edit.setEnabled(not is_practice)
        self.kind_box.setEnabled(edited is None)
        title = _("Edit “{name}”") if edited else _("Add a test or live environment")
        self.title.setText(title.format(name=edited.name if edited else ""))
        texts = _texts_of(edited) if edited else _NEW
        if self.contract_box.findData(texts["contract"]) < 0:  # its file is gone, or new ones can't have it
            self.contract_box.addItem(texts["contract"], texts["contract"])
        for field in self.fields:
            field.reset(texts.get(field.id, ""))
        self.proxy.begin(edited.proxy if edited else SYSTEM_PROXY)
        self.connection.clear()
        self._say("")
        self._show_kind()
        self.show_working(working=False)
        (self.limit_edit if is_practice else self.name_edit).setFocus()

    def changes(self) -> dict[str, str]:
        """Return what isn't as the environment is, by the names that editing it has."""
        before = self.environment
        if before is None:
            return {}
        stored = _texts_of(before)
        changed = {name: text for name, text in self.values().items() if text != stored[name]}
        changed.pop("kind", None)  # it stays
        if "amount" in changed:
            changed["limit"] = changed.pop("amount")
        if self.proxy.setting != before.proxy or self.proxy.password:
            changed |= {"proxy": self.proxy.setting, "proxy_password": self.proxy.password}
        return changed

    def show_working(self, *, working: bool) -> None:
        self.add_button.setEnabled(not working)
        if self.environment:
            self.add_button.setText(_("Saving…") if working else _("Save"))
        else:
            self.add_button.setText(_("Adding…") if working else _("Add environment"))
        self.add_button.setAccessibleName(self.add_button.text())

    def show_error(self, error: KeybenchError, otherwise: Field | None = None) -> None:
        self.show_working(working=False)
        if isinstance(error, ProxyInvalid):
            self.proxy.show_error(error)
        elif isinstance(error, InputInvalid):
            super().show_error(error, otherwise)
        else:
            self._say(error_text(error))

    def submit(self) -> None:
        if self.add_button.isEnabled() and self.first_fault() is None and self._proxy_fits():
            self._say("")
            self.submitted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.add_button.isEnabled():
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def try_out(self) -> None:
        self.url_field.touch()
        if self.url_field.fault:
            self.url_edit.setFocus()
        elif self._proxy_fits():
            work = self._session.console.environments.try_address(
                self.url_edit.text(),
                self.contract_box.currentText(),
                proxy=self.proxy.setting,
                proxy_password=self.proxy.password,
                kept=self.environment,
            )
            self.connection.try_out(host_of(self.url_edit.text()), work)

    def _proxy_fits(self) -> bool:
        return not self.proxy.isVisibleTo(self) or self.proxy.first_fault() is None

    def _check_url(self, text: str) -> Hint | None:
        paths = self._session.console.environments.paths(self.contract_box.currentText())
        portals = [*self._portals, self.portal_edit.text().strip()]
        self._meant = correction_of(text, paths, [one for one in portals if one])
        try:
            parse_base_url(text)
        except BaseUrlInvalid:
            if self._meant:
                return Hint(SLIPS[self._meant.slip], "bad")
            raise
        return Hint(SLIPS[self._meant.slip], "warning") if self._meant else None

    def _offer_correction(self) -> None:
        meant = self._meant if self.url_field.has_message else None
        self.use_button.offer(meant.base_url if meant else "")

    def _use(self, base_url: str) -> None:
        self.url_edit.setText(base_url)
        self.url_edit.setFocus()

    def _on_address(self) -> None:
        self.connection.clear()
        self.url_field.refresh()
        self._offer_correction()

    def _on_url_finished(self) -> None:
        if self.url_edit.text():
            self.url_field.touch()

    def _check_name(self, text: str) -> None:
        name = clean_text("environment name", text, limit=ENVIRONMENT_NAME_LIMIT)
        if name.casefold() in self._taken:
            raise NameTaken("environment", name)

    def _show_kind(self) -> None:
        self.kind_field.refresh()
        set_role(self.add_button, "tone", "danger" if self.kind is EnvironmentKind.LIVE else "primary")

    def _explain_kind(self, _chosen: str) -> Hint:
        what = _KIND_SENTENCES.get(self.kind, "")  # of practice the kind isn't shown
        if self.environment:
            what = _("{what} The kind can't be changed.").format(what=what)
        return Hint(what, "live" if self.kind is EnvironmentKind.LIVE else "dim")

    def _say(self, text: str) -> None:
        """Show what is wrong with all of it; it takes room only then."""
        self.trouble.setVisible(bool(text))
        self.trouble.say(text, "bad")


def _texts_of(environment: Environment) -> dict[str, str]:
    return {
        "name": environment.name,
        "kind": environment.kind.value,
        "base_url": environment.base_url,
        "contract": environment.contract,
        "portal_url": environment.portal_url,
        "amount": str(environment.amount_limit or ""),
    }


def host_of(address: str) -> str:
    return urlsplit(address.strip()).netloc


def _is_begun(text: str) -> bool:
    return any(start.startswith(text.strip().lower()) for start in _URL_STARTS)
