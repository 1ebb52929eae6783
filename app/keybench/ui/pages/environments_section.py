"""Settings, Environments: which there are, one more, one less."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.events import EnvironmentsChanged, KeysChanged
from keybench.core.input_errors import InputInvalid, KeysUnsettled
from keybench.core.money import parse_limit
from keybench.ui.actions import Action, ActionButton
from keybench.ui.icons import mark_pixmap
from keybench.ui.pages.environment_form import EnvironmentForm, ask_proxy
from keybench.ui.pages.sections import Section
from keybench.ui.refresh import Refresh
from keybench.ui.session import Notice, Session
from keybench.ui.theme import keep_size, scaled, tokens
from keybench.ui.tokens import tone_of_kind
from keybench.ui.widgets.dialog import confirm
from keybench.ui.widgets.labels import MessageLabel, button, label
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.fields import field_sentence
from keybench.words.language import _
from keybench.words.system import proxy_sentence, proxy_words

_KIND_WORDS: Final = {
    EnvironmentKind.PRACTICE: _("Practice"),
    EnvironmentKind.TEST: _("Test"),
    EnvironmentKind.LIVE: "LIVE",
}
_NONE: Final = "\N{EN DASH}"
_MARK_PX: Final = 11
_BUILT_IN: Final = _("Built in, on this computer")
_NO_PROXY: Final = _("The practice gateway runs on this computer: no proxy stands before it")
#: The table is as high as its rows: the page around it scrolls.
_ALL: Final = 1000


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """An environment and how many keys it has."""

    environment: Environment
    keys: int


def _limit(row: EnvironmentRow) -> str:
    limit = row.environment.amount_limit
    return _NONE if limit is None else str(limit)


def _limit_order(row: EnvironmentRow) -> tuple[bool, object]:
    limit = row.environment.amount_limit
    return limit is None, limit or 0


def _tone(row: EnvironmentRow) -> str:
    return tone_of_kind(row.environment.kind)


def _mark(row: EnvironmentRow) -> QPixmap:
    return mark_pixmap(row.environment.kind, tokens(), scaled(_MARK_PX))


_COLUMNS: Final[tuple[Column[EnvironmentRow], ...]] = (
    Column("name", _("Name"), lambda row: row.environment.name, mark=_mark),
    Column("kind", _("Kind"), lambda row: _KIND_WORDS[row.environment.kind], tone=_tone),
    Column(
        "base_url",
        _("Base URL"),
        lambda row: row.environment.base_url or _BUILT_IN,
        stretch=True,
    ),
    Column("contract", _("Contract"), lambda row: row.environment.contract),
    Column("proxy", _("Proxy"), lambda row: proxy_words(row.environment)),
    Column("limit", _("Limit"), _limit, right=True, sort=_limit_order),
    Column("keys", _("Keys"), lambda row: str(row.keys), right=True, sort=lambda row: row.keys),
)
_LIMIT_PX: Final = 110


class LimitRow(QWidget):
    """The amount limit of the chosen environment, and a button that sets it.

    Signals:
        submitted: A limit that can be used was entered (a text, empty for none).
    """

    submitted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.edit = QLineEdit()
        self.edit.setAccessibleName(_("Most a sale may be"))
        self.edit.setPlaceholderText(_("no limit"))
        keep_size(self.edit, width=_LIMIT_PX)
        self.button = button(_("Set limit"), self._on_set)
        self.message = MessageLabel()
        what = label(_("Amount limit of the chosen environment"), "dim")
        what.setBuddy(self.edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (what, self.edit, self.button):
            row.addWidget(part)
        row.addWidget(self.message, 1)
        self.edit.returnPressed.connect(self._on_set)

    def show_environment(self, environment: Environment | None) -> None:
        """Show an environment's limit, or nothing to set; what is being typed for that environment stays."""
        self.setEnabled(environment is not None)
        before, self._shown = self._shown, environment.id if environment else ""
        limit = environment.amount_limit if environment else None
        if before == self._shown and self.edit.isModified() and not self._is_entered(limit):
            return
        self.edit.setText("" if limit is None else str(limit))
        self.message.clear()

    def _is_entered(self, limit: Decimal | None) -> bool:
        """Tell whether what stands in the field means this limit."""
        try:
            return parse_limit(self.edit.text()) == limit
        except InputInvalid:
            return False

    def _on_set(self) -> None:
        try:
            parse_limit(self.edit.text())
        except InputInvalid as error:
            self.message.say(field_sentence(error), "bad")
            self.edit.setFocus()
        else:
            self.submitted.emit(self.edit.text())


class EnvironmentsSection(Section):
    """The table of environments with what can be done about them.

    Args:
        session: Whose environments.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(_("Environments"), parent)
        self._session = session
        self._reading = Refresh(session, "environments of the settings", self._read)
        self._added: Environment | None = None
        self.model = TableModel(_COLUMNS, lambda row: row.environment.id, parent=self)
        self.table = Table(
            _("Environments"), self.model, height_in_rows=(2, _ALL), empty_text=_("Reading the environments…")
        )
        self.table.columns.keep(session.preferences, "settings/environments columns")
        self.form = EnvironmentForm(session.console.environments.contracts())
        self.form.hide()
        self.open_action = Action(self, "environment.add", self._on_open)
        self.switch_action = Action(self, "environment.switch", self._on_switch, self._is_elsewhere)
        self.proxy_action = Action(self, "environment.proxy", self._on_proxy, self._is_own)
        self.remove_action = Action(self, "environment.remove", self._on_remove, self._is_own)
        self._of_row = (self.switch_action, self.proxy_action, self.remove_action)
        self._add_button = ActionButton(self.open_action, "plain")
        self.limit = LimitRow()
        self.message = label(tone="good")
        self._lay_out()
        self._connect()
        session.subscribe(self, {EnvironmentsChanged: self._on_changed, KeysChanged: self._on_changed})
        self._reading.request()

    @property
    def chosen(self) -> Environment | None:
        """The environment of the chosen row."""
        row = self.table.selected
        return row.environment if row else None

    def _lay_out(self) -> None:
        self.head.addWidget(self._add_button)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.message, 1)
        for action in self._of_row:
            row.addWidget(ActionButton(action, "plain"))
        self.body.addWidget(self.form)
        self.body.addWidget(self.table)
        self.body.addLayout(row)
        self.body.addWidget(self.limit)

    def _connect(self) -> None:
        self.form.submitted.connect(self._on_submitted)
        self.form.cancelled.connect(self._close_form)
        self.table.opened.connect(self.switch_action.trigger)
        self.table.set_row_actions(self._of_row)
        self.table.selection_changed.connect(self._show_actions)
        self.limit.submitted.connect(self._on_limit)
        self._session.environment_changed.connect(self._show_actions)
        self._show_actions()

    async def _read(self) -> None:
        console = self._session.console
        rows = []
        for environment in await console.environments.all():
            keys = await console.keys.listed(environment)
            rows.append(EnvironmentRow(environment, len(keys)))
        self._show_rows(rows)

    def _show_rows(self, rows: list[EnvironmentRow]) -> None:
        self.model.show(rows)
        if self._added:
            self.table.select(self._added.id)
            self._added = None
        self._show_actions()

    def _is_elsewhere(self) -> bool:
        return self.chosen is not None and self.chosen.id != self._session.environment.id

    def _is_own(self) -> bool:
        """Tell whether the chosen environment was added by a person, and isn't the built-in one."""
        return self.chosen is not None and self.chosen.kind is not EnvironmentKind.PRACTICE

    def _show_actions(self) -> None:
        self.limit.show_environment(self.chosen)
        is_own = self._is_own()
        self.proxy_action.set_tip("" if is_own else _NO_PROXY)
        self.remove_action.set_tip("" if is_own else _("The practice environment is built in and stays"))
        for action in self._of_row:
            action.refresh()

    def _on_changed(self, _event: EnvironmentsChanged | KeysChanged) -> None:
        self._reading.request()

    def _on_open(self) -> None:
        self.message.clear()
        self.open_action.setVisible(False)
        self.form.show()
        self.form.begin([row.environment.name for row in self.model.rows])

    def _close_form(self) -> None:
        self.form.proxy.password_edit.clear()
        self.form.hide()
        self.open_action.setVisible(True)
        if self.isVisible():
            self._add_button.setFocus()

    def _on_submitted(self) -> None:
        self.form.show_working(working=True)
        self._session.run("environment.add", self._add(), on_error=self.form.show_error)

    async def _add(self) -> None:
        form = self.form
        self._added = await self._session.console.environments.add(
            form.name_edit.text(),
            form.kind,
            form.url_edit.text(),
            form.contract_box.currentText(),
            limit=form.limit_edit.text(),
            proxy=form.proxy.setting,
            proxy_password=form.proxy.password,
        )
        self.message.setText(_("“{name}” was added.").format(name=self._added.name))
        self._reading.request()
        self._close_form()

    def _on_switch(self) -> None:
        if self.chosen:
            self.message.clear()
            self._session.choose_environment(self.chosen)

    def _on_limit(self, text: str) -> None:
        if self.chosen:
            name = f"environment.limit {self.chosen.id}"
            self._session.run(name, self._set_limit(self.chosen, text))

    async def _set_limit(self, environment: Environment, text: str) -> None:
        changed = await self._session.console.environments.set_limit(environment, text)
        text = _("At most {limit} a sale in “{name}”.").format(limit=changed.amount_limit, name=changed.name)
        if changed.amount_limit is None:
            text = _("No limit in “{name}”.").format(name=changed.name)
        self._session.notify(Notice("good", text, topic="limit"))

    def _on_proxy(self) -> None:
        if self.chosen:
            self._session.run("environment.proxy", self._set_proxy(self.chosen))

    async def _set_proxy(self, environment: Environment) -> None:
        changed = await ask_proxy(self, self._session, environment)
        if changed:
            self._session.notify(Notice("good", proxy_sentence(changed), topic="proxy"))

    def _on_remove(self) -> None:
        if self.chosen:
            self._session.run("environment.remove", self._remove(self.chosen))

    async def _remove(self, environment: Environment) -> None:
        confirmed = await confirm(
            self,
            title=_("Remove “{name}”?").format(name=environment.name),
            text=_(
                "Its keys and their values are taken out of Keybench; at the gateway they stay valid until "
                "somebody deletes them in the portal. Its sales stay in the history."
            ),
            confirm=_("Remove"),
            tone="danger",
        )
        if not confirmed:
            return
        remove = self._session.console.environments.remove
        try:
            await remove(environment)
        except KeysUnsettled as error:
            if not await confirm(
                self,
                title=_("Remove “{name}” with a key that may be left?").format(name=environment.name),
                text=_(
                    "{reason} Once the environment is removed, look for the key in the gateway's portal."
                ).format(reason=field_sentence(error)),
                confirm=_("Remove anyway"),
                tone="danger",
            ):
                return
            await remove(environment, anyway=True)
        except KeybenchError as error:
            self._session.failed.emit(error)
            return
        self.message.clear()
        self._session.notify(Notice("good", _("“{name}” was removed.").format(name=environment.name)))
