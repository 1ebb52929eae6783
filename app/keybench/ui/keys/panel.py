"""The Security Keys panel: the list, and Add a New Key in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedLayout, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import KeysChanged, KeySettled, KeystoreChanged
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.ui.clipboard import SecretClipboard
from keybench.ui.keys.actions import KeyActions
from keybench.ui.keys.key_list import KeyList
from keybench.ui.keys.register_marks import RegisterMarks
from keybench.ui.keys.settling import settled_notice
from keybench.ui.session import Session
from keybench.words.explain import explain
from keybench.workflows.add_key import AddedKey

if TYPE_CHECKING:
    from keybench.ui.keys.add_key import AddKeyView


class KeysPanel(QFrame):
    """The keys of the environment the window shows.

    Signals:
        key_chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
        loaded: The keys are listed, or it is said why they can't be.
    """

    key_chosen = Signal(object)
    loaded = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._session = session
        console = session.console
        self._loads = 0
        self._drafts: dict[str, KeyDraft] = {}
        self._adding: AddKeyView | None = None
        self._added: AddedKey | None = None
        self.clipboard = SecretClipboard(console.clock, self)
        self.list = KeyList(console.clock, session.preferences, self)
        self.actions_of_key = KeyActions(session, self.list.details, self.clipboard)
        self._marks = RegisterMarks(session, self)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addLayout(self._pages)
        self.list.add_asked.connect(self.add_new_key)
        self.list.chosen.connect(self._on_chosen)
        self._marks.changed.connect(self._mark)
        self.actions_of_key.forgotten.connect(self._on_forgotten)
        session.environment_changed.connect(self._on_environment)
        session.locking.connect(self.actions_of_key.take_back)
        session.ending.connect(self._on_ending)
        session.subscribe(
            self,
            {
                KeysChanged: self._on_keys_changed,
                KeySettled: self._on_settled,
                KeystoreChanged: self._on_keystore_changed,
            },
        )
        self.list.show_keystore(console.keystore_status)
        self.list.show_loading()
        # The window is built before the loop runs; the first turn of the loop loads the keys.
        self._first_turn = QTimer(self)
        self._first_turn.setSingleShot(True)
        self._first_turn.timeout.connect(self.load)
        self._first_turn.start(0)

    @property
    def adding(self) -> AddKeyView | None:
        """Add a New Key while it is open."""
        return self._adding

    def add_new_key(self) -> None:
        """Open Add a New Key in place of the list, with what was typed before and not cancelled."""
        if self._adding:
            self._adding.begin()
            return
        from keybench.ui.keys.add_key import AddKeyView  # noqa: PLC0415 - a start adds nothing

        self.list.details.value.hide_value()
        environment = self._session.environment
        view = AddKeyView(self._session, self.list.tables.keys, self._drafts.get(environment.id))
        view.left.connect(self._on_left)
        view.added.connect(self._on_added)
        self._adding = view
        self._pages.addWidget(view)
        self._pages.setCurrentWidget(view)
        view.begin()

    def choose_key(self, key_id: str) -> None:
        """Choose a key of the environment by id, as soon as it is in the list."""
        self.list.choose(key_id)

    def load(self) -> None:
        """Read the environment's keys from the journal, anew."""
        self._loads += 1
        work = self._load(self._session.environment, self._loads)
        self._session.run(f"list keys {self._loads} for panel {id(self)}", work, on_error=self._load_failed)

    def showEvent(self, event: QShowEvent) -> None:
        """Look again at the register: a person may come from where limits are set."""
        super().showEvent(event)
        self._marks.look_again()

    def _on_ending(self) -> None:
        self.actions_of_key.take_back()
        if self._adding:
            self._adding.form.clear_value()

    # --- the list ------------------------------------------------------------------------------------

    async def _load(self, environment: Environment, load: int) -> None:
        keys = await self._session.console.keys.listed(environment)
        if load != self._loads:
            return  # a later one was begun, perhaps for another environment
        self.list.show_keys(keys, self._empty_words(environment))
        if self._adding:
            self._adding.form.know_keys(keys)
        self.loaded.emit()

    def _load_failed(self, error: KeybenchError) -> None:
        said = explain(error)
        self.list.show_trouble(f"The keys can't be listed. {said.title} {said.text}".strip())
        self.loaded.emit()

    def _empty_words(self, environment: Environment) -> str:
        if self._session.console.environments.facts(environment).can_create_keys:
            return "No keys yet. Add a New Key makes one at this gateway and keeps its value for you."
        return "No keys yet. Make one in the portal, then bring its value here with Add a New Key."

    def _on_chosen(self, key: SecurityKey | None) -> None:
        self.actions_of_key.take(self._session.environment, key)
        if key:
            self.list.details.show_marks(self._marks.of(key))
        self.key_chosen.emit(key)
        self._greet()

    def _mark(self) -> None:
        self.list.show_marks(self._marks.of)

    def _on_forgotten(self, key_id: str) -> None:
        self.list.choose(self.list.tables.neighbour(key_id))

    # --- what happens elsewhere ----------------------------------------------------------------------

    def _on_environment(self, _environment: Environment) -> None:
        if self._adding:
            self._adding.leave(keep_draft=True)
        self.list.show_loading()
        self.load()

    def _on_keys_changed(self, event: KeysChanged) -> None:
        if event.environment_id == self._session.environment.id:
            self.load()

    def _on_settled(self, event: KeySettled) -> None:
        settled = event.settled
        was_asked = settled.key or settled.plan.making.asked_at
        if was_asked and not (self._adding and self._adding.hear(settled)):
            self._session.notify(settled_notice(settled))

    def _on_keystore_changed(self, event: KeystoreChanged) -> None:
        self.list.show_keystore(event.status)

    # --- Add a New Key -------------------------------------------------------------------------------

    def _on_left(self, draft: KeyDraft | None) -> None:
        view = self._adding
        if view is None:
            return
        if draft:
            self._drafts[view.environment.id] = draft
        else:
            self._drafts.pop(view.environment.id, None)
        self._close_adding(view)
        self.list.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_added(self, added: AddedKey) -> None:
        view = self._adding
        if view is None:
            return
        self._drafts.pop(view.environment.id, None)
        self._close_adding(view)
        self.list.filter.clear()
        self._added = added
        self.list.choose(added.key.id)
        self.load()
        self._greet()

    def _greet(self) -> None:
        """Give the keyboard to the key that was just added, and test it if its value was pasted."""
        key = self.list.tables.key
        if not self._added or not key or key.id != self._added.key.id:
            return
        pasted = not self._added.key.gateway_id
        self._added = None
        if self.isVisible():  # on another page somebody types by now
            self.list.tables.focus_chosen()
        if pasted:
            self.actions_of_key.test()

    def _close_adding(self, view: AddKeyView) -> None:
        self._adding = None
        self._pages.setCurrentWidget(self.list)
        self._pages.removeWidget(view)
        view.deleteLater()
