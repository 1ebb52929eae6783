"""The chosen key: what is known of it, and everything that is done with it on the Bench."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.inventory import InventoryRow
from keybench.core.ports import KeystoreStatus
from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.actions import Action, ActionButton
from keybench.ui.clipboard import SecretClipboard
from keybench.ui.keys.head import KeyHead
from keybench.ui.keys.revoke import revoke_action
from keybench.ui.keys.value_line import REVEAL_S, ValueLine
from keybench.ui.session import Notice, Session
from keybench.ui.tokens import Tone
from keybench.ui.widgets.dialog import confirm
from keybench.ui.widgets.form import error_text
from keybench.ui.widgets.labels import ElidedLabel, MessageLabel, label, line
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.explain import explain
from keybench.words.formats import ago, day, duration
from keybench.words.keys import KeyMarks, last_used, used_by, why_without_value, without_value
from keybench.words.language import _

#: Lines of text reserved for what a test or a failure has to say.
_MESSAGE_LINES: Final = 3
_TESTING: Final = _("Testing…")
_HIDE: Final = _("Hide ({} s)")
_LOOKS_AGAIN: Final = _("Looks whether its value is in the keystore again, and tests it then.")
#: Tasks that bring a value here; they are given up when the window is locked.
_REVEAL: Final = "reveal key"
_COPY: Final = "copy key"


class KeyDetails(QFrame):
    """The chosen key with its actions; what they report is shown here as long as that key is.

    Attributes:
        row_actions: What can be done with the key, for the menu of its row.

    Signals:
        forgotten: A key was forgotten (its id).
    """

    forgotten = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._clock = session.console.clock
        self._environment: Environment = session.environment
        self._key: SecurityKey | None = None
        self._marks: KeyMarks | None = None
        self._testing: set[str] = set()
        self._copied = ""
        self.clipboard = SecretClipboard(self._clock, self)
        self.head = KeyHead()
        self.value = ValueLine(self._clock)
        self._keystore = ElidedLabel("", "mono")
        self._keystore.setProperty("tone", "dim")
        self._value_line = _beside(self.value, self._keystore)
        self._users = ElidedLabel("")
        self._purpose = ElidedLabel("")
        self._created = ElidedLabel("")
        self._used = ElidedLabel("")
        self._test_action = Action(self, "key.test", self.test, self._can_test)
        self._reveal_action = Action(self, "key.reveal", self._on_reveal, self._has_value)
        self._copy_action = Action(self, "key.copy", self._on_copy, self._has_value)
        self._give_action = Action(self, "key.give_value", self._on_give_value)
        self._rotate_action = Action(self, "key.rotate", partial(self._on_rotate, compromised=False))
        of_key = (
            self._rotate_action,
            Action(self, "key.compromised", partial(self._on_rotate, compromised=True)),
            Action(self, "key.forget", self._on_forget),
        )
        self._revoke_action = revoke_action(self, session, lambda: self._key)
        of_value = (self._test_action, self._reveal_action, self._copy_action, self._give_action)
        self.row_actions = (*of_value, *of_key, self._revoke_action)
        self._message = MessageLabel(_MESSAGE_LINES)
        self._clipboard_line = label("", "dim")
        self._lay_out(of_value, of_key)
        self.value.ticked.connect(self._on_reveal_ticked)
        self.value.hidden.connect(self._on_hidden)
        self.clipboard.ticked.connect(self._on_clipboard_ticked)
        self.clipboard.finished.connect(self._on_clipboard_finished)
        session.locking.connect(self.take_back)
        session.ending.connect(self.take_back)

    # --- showing -------------------------------------------------------------------------------------

    def show_key(self, environment: Environment, key: SecurityKey | None, marks: KeyMarks | None) -> None:
        """Show a key and act on it from now on.

        Another key than before hides what was revealed and takes messages away.

        Args:
            environment: Whose key it is.
            key: The chosen key; None if none is.
            marks: What the register says of it; None as long as that isn't known.
        """
        before = self._key.id if self._key else ""
        self._environment, self._key = environment, key
        if (key.id if key else "") != before:
            self.value.hide_value()
            self.show_message("", "")
            self._clipboard_line.setText("")
        if key:
            self._purpose.setText(key.purpose or _("none given"))
            self._show_value(key)
            self.show_marks(marks)

    def show_marks(self, marks: KeyMarks | None) -> None:
        """Show what the register says of the key; None as long as that isn't known."""
        self._marks = marks
        rotating = marks is not None and marks.rotating
        self._rotate_action.set_tip(_("Shows its rotation") if rotating else _("Replaces it by a new key"))
        if self._key:
            self.head.show_key(self._key, rotating=rotating)
            self.refresh_times(self._clock.now())

    def refresh_times(self, now: datetime) -> None:
        """Show how long ago the key was created and used, as it reads at `now` (UTC)."""
        key, marks = self._key, self._marks
        if key:
            self._created.setText(f"{day(key.created_at)} · {ago(key.created_at, now)}")
            self._users.setText(used_by(marks, key.owner) if marks else "")
            self._used.setText(last_used(key, marks, now) if marks else "")

    def show_keystore(self, status: KeystoreStatus) -> None:
        """Show where the value is kept."""
        self._keystore.setText(_("in {name}").format(name=status.name))

    def show_message(self, text: str, tone: str) -> None:
        """Show `text` under the buttons, in `tone`; an empty text shows nothing and keeps its room."""
        self._message.say(text, tone)
        if text:
            _bring_into_view(self._message)

    @property
    def message(self) -> str:
        """What stands under the buttons."""
        return self._message.text()

    @property
    def used_by(self) -> str:
        """Which applications use the key; empty as long as that isn't known."""
        return self._users.text()

    @property
    def last_used(self) -> str:
        """The key's last use and test; empty as long as they aren't known."""
        return self._used.text()

    @property
    def clipboard_message(self) -> str:
        """How the clipboard is, in words."""
        return self._clipboard_line.text()

    def _show_value(self, key: SecurityKey) -> None:
        """Show dots and what can be done with the value; for a key without one, that and what to do."""
        absent, why = without_value(key), why_without_value(key)
        self.value.show_absent(absent)
        self._keystore.setVisible(not absent and not self.value.revealed)
        self._revoke_action.refresh()
        for action in (self._reveal_action, self._copy_action, self._give_action):
            action.set_tip(why)
            action.refresh()
        self._test_action.set_tip(_LOOKS_AGAIN if key.state is KeyState.VALUE_LOST else why)
        self._give_action.setVisible(bool(absent))
        self._show_testing()

    def _show_result(self, key: SecurityKey, text: str, tone: Tone) -> None:
        """Show what came of an action, unless another key is shown by now."""
        if self._is_shown(key):
            self.show_message(text, tone)

    def _is_shown(self, key: SecurityKey) -> bool:
        return self._key is not None and self._key.id == key.id

    def _has_value(self) -> bool:
        return self._key is not None and self._key.has_value

    # --- actions -------------------------------------------------------------------------------------

    def _run(self, task: str, key: SecurityKey, work: Coroutine[Any, Any, Any]) -> bool:
        return self._session.run(f"{task} {key.id}", work, on_error=partial(self._on_error, key))

    def _on_error(self, key: SecurityKey, error: KeybenchError) -> None:
        if self._is_shown(key):
            self.show_message(error_text(error), "bad")
        else:
            words = explain(error)
            self._session.notify(Notice("bad", f"{key.name}: {words.title}", words.text))

    def test(self) -> None:
        """Make the harmless call with the key."""
        key = self._key
        if key and key.id not in self._testing:
            self._testing.add(key.id)
            self._show_testing()
            self.show_message("", "")
            if not self._run("test key", key, self._test(self._environment, key)):
                self._end_test(key)

    async def _test(self, environment: Environment, key: SecurityKey) -> None:
        began = self._clock.monotonic()
        try:
            tested = await self._session.console.keys.test(environment, key)
        finally:
            self._end_test(key)
        took = duration(self._clock.monotonic() - began)
        self._show_result(
            key,
            _("✓ Accepted by the gateway ({status}) in {took}.").format(status=tested.status, took=took),
            "good",
        )

    def _end_test(self, key: SecurityKey) -> None:
        self._testing.discard(key.id)
        self._show_testing()

    def _is_testing(self) -> bool:
        return self._key is not None and self._key.id in self._testing

    def _can_test(self) -> bool:
        """A value that is lost may have come back; one that was never here can't be tested."""
        return self._key is not None and self._key.state is not KeyState.NO_VALUE and not self._is_testing()

    def _show_testing(self) -> None:
        self._test_action.setText(_TESTING if self._is_testing() else self._test_action.command.text)
        self._test_action.refresh()

    def _on_reveal(self) -> None:
        if self.value.revealed:
            self.value.hide_value()
        elif key := self._key:
            self._run(_REVEAL, key, self._reveal(key))

    async def _reveal(self, key: SecurityKey) -> None:
        value = await self._session.console.keys.value(key, "revealed")
        # The person may have gone elsewhere while the keystore asked for its password.
        if self._is_shown(key) and self.isVisible():
            self.value.reveal(value)
            if not self.value.fits:
                self._show_result(key, _("Only its beginning has room here. Copy takes all of it."), "dim")

    def _on_reveal_ticked(self, seconds: int) -> None:
        self._keystore.hide()  # the value needs the whole line, and whether it fits is asked at once
        if layout := self._value_line.layout():
            layout.activate()
        self._reveal_action.setText(_HIDE.format(seconds))

    def _on_hidden(self) -> None:
        self._keystore.setVisible(self._key is None or self._key.has_value)
        self._reveal_action.setText(self._reveal_action.command.text)

    def _on_copy(self) -> None:
        if key := self._key:
            self._run(_COPY, key, self._copy(key))

    async def _copy(self, key: SecurityKey) -> None:
        value = await self._session.console.keys.value(key, "copied")
        if self._is_shown(key):
            self._copied = key.id
            self.clipboard.copy(value)
        else:
            why = _("Another key was chosen before its value came.")
            self._session.notify(
                Notice("info", _("“{name}” was not copied.").format(name=key.name), why, "copy")
            )

    def _on_clipboard_ticked(self, seconds: int) -> None:
        self._show_clipboard(_("Copied. The clipboard is cleared in {seconds} s.").format(seconds=seconds))

    def _on_clipboard_finished(self, cleared: bool) -> None:  # noqa: FBT001 - the signal's own form
        kept = _("The clipboard holds something else now and was kept.")
        self._show_clipboard(_("The clipboard was cleared.") if cleared else kept)

    def _show_clipboard(self, text: str) -> None:
        """Show how the clipboard is, where the key is shown whose value was copied."""
        if self._key and self._key.id == self._copied:
            self._clipboard_line.setText(text)

    def take_back(self) -> None:
        """Hide what is revealed, clear the clipboard if it is ours, and give up values on their way here."""
        for name in self._session.supervisor.running:
            if name.startswith((_REVEAL, _COPY)):
                self._session.supervisor.cancel(name)
        self.value.hide_value()
        self.clipboard.clear_now()
        self._copied = ""
        self._clipboard_line.setText("")  # nothing is counted any more

    def _on_give_value(self) -> None:
        if key := self._key:
            self._run("give value", key, self._give_value(InventoryRow(key, self._environment)))

    async def _give_value(self, row: InventoryRow) -> None:
        from keybench.ui.keys_page.key_dialogs import ask_value, value_words  # noqa: PLC0415 - when it is wanted

        added = await ask_value(self, self._session, row)
        if added:
            self._show_result(row.key, value_words(row.key, added), "warning" if added.hint else "good")

    def _on_rotate(self, *, compromised: bool) -> None:
        if self._key:
            self._session.rotation_wanted.emit(self._key, compromised)

    def _on_forget(self) -> None:
        if key := self._key:
            self._run("forget key", key, self._forget(self._environment, key))

    async def _forget(self, environment: Environment, key: SecurityKey) -> None:
        self.value.hide_value()
        if environment.kind is EnvironmentKind.PRACTICE:
            means = _(
                "Its value is erased from this computer, and the key is deleted at the practice gateway too. "
                "This can't be undone."
            )
            is_left = _("It was deleted at the practice gateway too.")
        else:
            means = _(
                "Its value is erased from this computer, which can't be undone. The key stays valid at the "
                "gateway until it is deleted in the portal."
            )
            is_left = _("It stays valid at the gateway until it is deleted in the portal.")
        if not await confirm(
            self,
            title=_("Forget “{name}”?").format(name=key.name),
            text=means,
            confirm=_("Forget the key"),
            tone="danger",
        ):
            return
        await self._session.console.keys.forget(environment, key)
        self.forgotten.emit(key.id)
        self._session.notify(Notice("good", _("“{name}” was forgotten.").format(name=key.name), is_left))

    # --- layout --------------------------------------------------------------------------------------

    def _lay_out(self, of_value: tuple[Action, ...], of_key: tuple[Action, ...]) -> None:
        """Put what is done with the value above what is done with the key; the last one stands apart."""
        longer = {self._test_action: [_TESTING], self._reveal_action: [_HIDE.format(REVEAL_S)]}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        layout.addWidget(self.head)
        layout.addLayout(self._facts())
        layout.addWidget(
            WrappingRow([ActionButton(one, "plain", others=longer.get(one, ())) for one in of_value])
        )
        layout.addWidget(WrappingRow([ActionButton(one, "plain") for one in of_key], spread=True))
        layout.addWidget(self._clipboard_line)
        layout.addWidget(self._message)

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(4, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for row, (text, value) in enumerate(
            (
                (_("Value"), self._value_line),
                (_("Used by"), self._users),
                (_("Purpose"), self._purpose),
                (_("Created"), self._created),
                (_("Last used"), self._used),
            )
        ):
            grid.setRowMinimumHeight(row * 2, self.fontMetrics().lineSpacing() * 2)
            grid.addWidget(label(text, "dim"), row * 2, 0)
            grid.addWidget(value, row * 2, 1)
            grid.addWidget(line(), row * 2 + 1, 0, 1, 2)
        return grid


def _beside(first: QWidget, second: QWidget) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(first, 1)
    row.addWidget(second)
    return box


def _bring_into_view(widget: QWidget) -> None:
    """Scroll what stands round `widget`, if anything does, until it can be seen."""
    area: QWidget | None = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is not None:
        area.ensureWidgetVisible(widget, 0, 0)
