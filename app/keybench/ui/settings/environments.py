"""Settings, Environments: which there are, one more, one changed, one less; and what answers there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from keybench.core.environments.connection import ConnectionResult
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.events import EnvironmentsChanged, KeysChanged
from keybench.core.input_errors import MoveNotConfirmed
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, in_column
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.ui.kit.labels import label, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.tokens import tone_of_kind
from keybench.ui.settings.connection_line import ConnectionLine
from keybench.ui.settings.environment_form import EnvironmentForm, host_of
from keybench.ui.settings.sections import Section
from keybench.ui.shared.environment_cells import mark_of_kind
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Case, Notice, Session
from keybench.words.environments.managing import (
    connection_sentence,
    move_sentences,
    removal_barred,
    removal_sentences,
)
from keybench.words.formats import figure
from keybench.words.language import _
from keybench.words.system import proxy_words
from keybench.workflows.environments.managing import Affected

_KIND_WORDS: Final = {
    EnvironmentKind.PRACTICE: _("Practice"),
    EnvironmentKind.TEST: _("Test"),
    EnvironmentKind.LIVE: "LIVE",
}
_NONE: Final = "\N{EN DASH}"
_BUILT_IN: Final = _("Built in")
_FIRST_STEPS: Final = _(
    "Only the practice gateway so far. “Add environment” connects a test or live gateway: give it a name, its "
    "base URL, and the address of the portal where its keys are made."
)
#: The table is as high as its rows: the page around it scrolls.
_ALL: Final = 1000


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """An environment, and how many keys it has."""

    environment: Environment
    keys: int


_COLUMNS: Final[tuple[Column[EnvironmentRow], ...]] = (
    Column(
        "name",
        _("Name"),
        lambda row: row.environment.name,
        mark=lambda row: mark_of_kind(row.environment.kind),
    ),
    Column(
        "kind",
        _("Kind"),
        lambda row: _KIND_WORDS[row.environment.kind],
        tone=lambda row: tone_of_kind(row.environment.kind),
    ),
    Column("base_url", _("Base URL"), lambda row: row.environment.base_url or _BUILT_IN, stretch=True),
    Column("contract", _("API version"), lambda row: row.environment.contract),
    Column("proxy", _("Proxy"), lambda row: proxy_words(row.environment), hidden=True),
    Column("portal", _("Portal"), lambda row: row.environment.portal_url or _NONE, hidden=True),
    Column(
        "limit",
        _("Maximum"),
        lambda row: figure(row.environment.amount_limit) if row.environment.amount_limit else _NONE,
        right=True,
        sort=lambda row: row.environment.amount_limit or float("inf"),
    ),
    Column("keys", _("Keys"), lambda row: str(row.keys), right=True, sort=lambda row: row.keys),
)


class EnvironmentsSection(Section):
    """The table of environments with what can be done about them, or the form of one in its place."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Environments"))
        self._session = session
        self._reading = Reading(
            session, "environments of the settings", self._read, self._show_rows, wanted=lambda: None
        )
        self._wanted = session.environment.id
        #: Which one the line about the connection tells of, and so whose address its button corrects.
        self._told_of: Environment | None = None
        self.model = TableModel(_COLUMNS, lambda row: row.environment.id, parent=self)
        self.table = Table(
            _("Environments"), self.model, height_in_rows=(1, _ALL), empty_text=_("Reading the environments…")
        )
        self.table.columns.keep(session.preferences, "settings/environments columns")
        self.form = EnvironmentForm(session)
        self.form.hide()
        self.open_action = Action(self, "environment.add", self._open_form)
        self.switch_action = self._action(
            "environment.switch", session.choose_environment, self._is_elsewhere
        )
        self.edit_action = self._action("environment.edit", self._open_form)
        self.try_action = self._action("environment.try", self._try_out)
        self.diagnose_action = self._action("environment.diagnose", lambda chosen: session.ask(Case(chosen)))
        self.diagnose_action.set_tip(_("Looks at the way to the gateway, step by step, without a key."))
        self.remove_action = self._action(
            "environment.remove",
            lambda chosen: session.run("environment.remove", self._remove(chosen)),
            self._is_own,
        )
        self._of_row = (
            self.switch_action,
            self.edit_action,
            self.try_action,
            self.diagnose_action,
            self.remove_action,
        )
        self._add_button = ActionButton(self.open_action, "plain")
        self.message = label(tone="good")
        self.message.hide()
        self.connection = ConnectionLine(session)
        self.first_steps = prose(_FIRST_STEPS, "dim")
        self.first_steps.hide()
        self._list = QWidget()
        self._lay_out()
        self._connect()
        events = (EnvironmentsChanged, KeysChanged)
        session.subscribe(self, dict.fromkeys(events, lambda _event: self._reading.request()))
        self._reading.request()

    @property
    def chosen(self) -> Environment | None:
        row = self.table.selected
        return row.environment if row else None

    def _action(
        self, command: str, do: Callable[[Environment], object], when: Callable[[], bool] | None = None
    ) -> Action:
        """Return what is done with the chosen environment."""

        def act() -> None:
            if self.chosen:
                self.message.show_text("")
                do(self.chosen)

        return Action(self, command, act, when or (lambda: self.chosen is not None))

    def edit(self, environment: Environment) -> None:
        """Open the form of an environment, unless one is open."""
        if not self.form.isVisibleTo(self):
            self._session.run("environments of the settings to edit", self._edit_stored(environment))

    async def _edit_stored(self, environment: Environment) -> None:
        self.model.show(await self._read())
        self.table.select(environment.id)
        if self.chosen and self.chosen.id == environment.id:
            self._open_form(self.chosen)

    def _lay_out(self) -> None:
        self.head.addWidget(self._add_button)
        in_column(
            self.table,
            self.message,
            self.connection,
            self.first_steps,
            WrappingRow([ActionButton(action, "plain") for action in self._of_row]),
            within=self._list,
            spacing=12,
        )
        self.body.addWidget(self.form)
        self.body.addWidget(self._list)

    def _connect(self) -> None:
        self.form.submitted.connect(self._on_submitted)
        self.form.cancelled.connect(self._close_form)
        self.table.opened.connect(self.switch_action.trigger)
        self.table.set_row_actions(self._of_row)
        self.table.selection_changed.connect(self._show_chosen)
        self.connection.found.connect(self._show_chosen)
        self.connection.corrected.connect(self._on_corrected)
        self._session.environment_changed.connect(self._show_actions)
        self._show_actions()

    async def _read(self) -> list[EnvironmentRow]:
        console = self._session.console
        rows = []
        for environment in await console.environments.all():
            keys = await console.keys.listed(environment)
            rows.append(EnvironmentRow(environment, len(keys)))
        return rows

    def _show_rows(self, rows: list[EnvironmentRow]) -> None:
        self.model.show(rows)
        if self._wanted:
            self.table.select(self._wanted)
            self._wanted = ""
        self.first_steps.setVisible(len(rows) == 1)
        edited = self.form.environment
        if edited and self.form.isVisibleTo(self) and edited.id not in {row.environment.id for row in rows}:
            self._close_form()
            self.message.show_text(_("“{name}” was removed meanwhile.").format(name=edited.name))
        self._show_chosen()

    def _is_elsewhere(self) -> bool:
        return self.chosen is not None and self.chosen.id != self._session.environment.id

    def _is_own(self) -> bool:
        return self.chosen is not None and self.chosen.kind is not EnvironmentKind.PRACTICE

    def _show_chosen(self) -> None:
        if not self.connection.is_trying and self.chosen != self._told_of:
            self.connection.clear()
        self._show_actions()

    def _show_actions(self) -> None:
        is_own = self._is_own()
        self.remove_action.set_tip("" if is_own else _("The practice environment is built in and stays"))
        self.edit_action.set_tip(
            ""
            if is_own
            else _("The practice environment is built in: only its maximum amount can be changed")
        )
        for action in self._of_row:
            action.refresh()

    def _open_form(self, edited: Environment | None = None) -> None:
        self.message.show_text("")
        self.open_action.setVisible(False)
        self._list.hide()
        self.form.show()
        self.form.begin([row.environment for row in self.model.rows], edited)

    def _close_form(self) -> None:
        was_edited = self.form.environment is not None
        self.form.proxy.password_edit.clear()
        self.form.connection.clear()
        at = QApplication.focusWidget()
        had_keyboard = at is not None and self.form.isAncestorOf(at)
        self.form.hide()
        self._list.show()
        self.open_action.setVisible(True)
        if self.isVisible() and had_keyboard:
            reason = Qt.FocusReason.OtherFocusReason
            (self.table if was_edited else self._add_button).setFocus(reason)

    def _on_submitted(self) -> None:
        self.form.show_working(working=True)
        self._session.run("environment.add", self._keep(), on_error=self.form.show_error)

    async def _keep(self) -> None:
        edited = self.form.environment
        try:
            await (self._save(edited, self.form.changes()) if edited else self._add())
        finally:
            self.form.show_working(working=False)

    async def _add(self) -> None:
        entered, proxy = self.form.values(), self.form.proxy
        added = await self._session.console.environments.add(
            entered["name"],
            self.form.kind,
            entered["base_url"],
            entered["contract"],
            limit=entered["amount"],
            proxy=proxy.setting,
            proxy_password=proxy.password,
            portal_url=entered["portal_url"],
        )
        self.message.show_text(_("“{name}” was added.").format(name=added.name))
        self._wanted = added.id
        self._reading.request()
        self._close_form()
        self._try_out(added)

    async def _save(self, environment: Environment, changes: dict[str, str]) -> None:
        changed = await self._edit(environment, changes) if changes else environment
        if changed is None:
            return
        self._close_form()
        if changes:
            self.message.show_text(_("“{name}” was changed.").format(name=changed.name))

    async def _edit(self, environment: Environment, changes: dict[str, str]) -> Environment | None:
        """Change an environment; None if a person would rather not, where that is asked."""
        edit = partial(
            self._session.console.environments.edit, environment, **cast("dict[str, Any]", changes)
        )
        try:
            changed = await edit()
        except MoveNotConfirmed as move:
            shown = self.form.connection.shown if self.form.isVisibleTo(self) else None
            if not await confirm_move(self, move, shown):
                return None
            changed = await edit(confirmed=True)
        self._wanted = changed.id
        self._reading.request()
        if _way(environment) != _way(changed):
            self._try_out(changed)
        return changed

    def _try_out(self, environment: Environment) -> None:
        host = host_of(environment.base_url) or environment.name
        self._told_of = environment
        self.connection.try_out(host, self._session.console.environments.try_connection(environment))

    def _on_corrected(self, base_url: str) -> None:
        if self._told_of:
            self.message.show_text("")
            self._session.run("environment.correct", self._edit(self._told_of, {"base_url": base_url}))

    async def _remove(self, environment: Environment) -> None:
        environments = self._session.console.environments
        affected = await environments.affected(environment)
        if not await confirm_removal(self, environment, affected):
            return
        await environments.remove(environment, anyway=bool(affected.unsettled))
        self._session.notify(Notice("good", _("“{name}” was removed.").format(name=environment.name)))


_NOT_TRIED: Final = _("The new address wasn't tried.")


async def confirm_move(parent: QWidget, move: MoveNotConfirmed, tried: ConnectionResult | None) -> bool:
    """Ask whether an environment is to be called elsewhere, or otherwise, from now on; `tried` is what was last."""
    moved = move.now[0] != move.then[0]
    known = tried if tried and tried.base_url == move.then[0] else None
    title = (
        _("Call “{name}” at another address?") if moved else _("Call “{name}” with another API version?")
    ).format(name=move.name)
    sentences = [*move_sentences(move), connection_sentence(known) if known else _NOT_TRIED]
    return await confirm(
        parent,
        title=title,
        text="\n".join(sentences),
        confirm=_("Change the address") if moved else _("Change the API version"),
        tone="danger" if move.is_live or move.unknown or move.under_way else "primary",
    )


async def confirm_removal(parent: QWidget, environment: Environment, affected: Affected) -> bool:
    """Ask whether an environment is to be removed, with its keys; say why, if it can't be."""
    barred = removal_barred(affected)
    title = _("Remove “{name}”?") if not barred else _("“{name}” can't be removed yet")
    dialog = Dialog(
        parent,
        title=title.format(name=environment.name),
        text=barred or " ".join(removal_sentences(affected)),
        confirm=_("Close") if barred else _("Remove anyway") if affected.unsettled else _("Remove"),
        cancel="" if barred else _("Cancel"),
        tone="primary" if barred else "danger",
    )
    return await dialog.answer() and not barred


def _way(environment: Environment) -> tuple[str, str, str]:
    """Return where and how an environment is called."""
    return environment.base_url, environment.contract, environment.proxy
