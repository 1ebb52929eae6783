"""Settings, Environments: which there are, one more, one less."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError, KeysUnsettled
from keybench.core.events import EnvironmentsChanged, KeysChanged
from keybench.ui.dialogs import ask
from keybench.ui.pages.environment_form import EnvironmentForm
from keybench.ui.pages.environments_model import BASE_URL, COLUMNS, KIND, EnvironmentRow
from keybench.ui.pages.limit_row import LimitRow
from keybench.ui.pages.proxy_fields import ask_proxy
from keybench.ui.pages.sections import Section
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.pill import PillDelegate
from keybench.ui.widgets.plain import PlainLabel, set_tip
from keybench.ui.widgets.rows_model import RowsModel
from keybench.ui.widgets.table import Table
from keybench.words.fields import field_sentence
from keybench.words.proxies import proxy_sentence


class EnvironmentsSection(Section):
    """The table of environments with what can be done about them.

    Args:
        session: Whose environments.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Environments", parent)
        self._session = session
        self._reading = Renewal(session, "environments of the settings", self._read)
        self._added: Environment | None = None
        self.model: RowsModel[EnvironmentRow] = RowsModel(COLUMNS, self)
        self.table = Table("Environments", stretch=BASE_URL, empty_text="Reading the environments…")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(KIND, PillDelegate(self.table))
        self.form = EnvironmentForm(session.console.environments.contracts())
        self.form.hide()
        self.open_button = QPushButton("Add environment")
        self.switch_button = QPushButton("Switch to it")
        self.proxy_button = QPushButton("Proxy…")
        self.remove_button = QPushButton("Remove environment")
        self.limit = LimitRow()
        self.told = PlainLabel()
        self.told.setProperty("tone", "good")
        self._lay_out()
        self._connect()
        session.subscribe(self, {EnvironmentsChanged: self._on_changed, KeysChanged: self._on_changed})
        self._reading.ask()

    @property
    def chosen(self) -> Environment | None:
        """The environment of the chosen row."""
        row = self.table.current_row()
        return self.model.rows[row].environment if row >= 0 else None

    def _lay_out(self) -> None:
        self.head.addWidget(self.open_button)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.told, 1)
        row.addWidget(self.switch_button)
        row.addWidget(self.proxy_button)
        row.addWidget(self.remove_button)
        self.body.addWidget(self.form)
        self.body.addWidget(self.table)
        self.body.addLayout(row)
        self.body.addWidget(self.limit)

    def _connect(self) -> None:
        self.open_button.clicked.connect(self._on_open)
        self.form.submitted.connect(self._on_submitted)
        self.form.cancelled.connect(self._close_form)
        self.switch_button.clicked.connect(self._on_switch)
        self.proxy_button.clicked.connect(self._on_proxy)
        self.remove_button.clicked.connect(self._on_remove)
        self.table.opened.connect(self._on_activated)
        self.table.selectionModel().selectionChanged.connect(self._show_actions)
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
        wanted = self._added or self.chosen
        self._added = None
        self.model.renew_rows(rows, lambda row: row.environment.id)
        ids = [row.environment.id for row in rows]
        self.table.choose_row(ids.index(wanted.id) if wanted and wanted.id in ids else -1)
        self.table.fit_columns()
        self.table.setFixedHeight(self.table.height_for_rows(max(len(rows), 2)))
        self._show_actions()

    def _show_actions(self) -> None:
        chosen = self.chosen
        shown = chosen is not None and chosen.id == self._session.environment.id
        self.limit.show_environment(chosen)
        self.switch_button.setEnabled(chosen is not None and not shown)
        removable = chosen is not None and chosen.kind is not EnvironmentKind.PRACTICE
        self.proxy_button.setEnabled(removable)
        set_tip(
            self.proxy_button,
            "" if removable else "The practice gateway runs on this computer: no proxy stands before it",
        )
        self.remove_button.setEnabled(removable)
        set_tip(self.remove_button, "" if removable else "The practice environment is built in and stays")

    def _on_changed(self, _event: EnvironmentsChanged | KeysChanged) -> None:
        self._reading.ask()

    def _on_open(self) -> None:
        self.told.clear()
        self.open_button.hide()
        self.form.show()
        self.form.begin([row.environment.name for row in self.model.rows])

    def _close_form(self) -> None:
        self.form.proxy.password_edit.clear()
        self.form.hide()
        self.open_button.show()
        if self.isVisible():
            self.open_button.setFocus()

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
        self.told.setText(f"“{self._added.name}” was added.")
        self._reading.ask()
        self._close_form()

    def _on_switch(self) -> None:
        if self.chosen:
            self.told.clear()
            self._session.choose_environment(self.chosen)

    def _on_activated(self, _index: QModelIndex) -> None:
        self._on_switch()

    def _on_limit(self, text: str) -> None:
        if self.chosen:
            name = f"environment.limit {self.chosen.id}"
            self._session.run(name, self._set_limit(self.chosen, text))

    async def _set_limit(self, environment: Environment, text: str) -> None:
        changed = await self._session.console.environments.set_limit(environment, text)
        most = "No limit" if changed.amount_limit is None else f"At most {changed.amount_limit} a sale"
        self._session.notify(Notice("good", f"{most} in “{changed.name}”.", topic="limit"))

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
        confirmed = await ask(
            self,
            title=f"Remove “{environment.name}”?",
            text="Its keys and their values are taken out of Keybench; at the gateway they stay valid until "
            "somebody deletes them in the portal. Its sales stay in the history.",
            confirm="Remove",
            tone="danger",
        )
        if not confirmed:
            return
        remove = self._session.console.environments.remove
        try:
            await remove(environment)
        except KeysUnsettled as error:
            if not await ask(
                self,
                title=f"Remove “{environment.name}” with a key that may be left?",
                text=f"{field_sentence(error)} Once the environment is removed, look for the key in the "
                "gateway's portal.",
                confirm="Remove anyway",
                tone="danger",
            ):
                return
            await remove(environment, anyway=True)
        except KeybenchError as error:
            self._session.failed.emit(error)
            return
        self.told.clear()
        self._session.notify(Notice("good", f"“{environment.name}” was removed."))
