"""The chosen key: what is known of it, and everything that is done with it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import JournalError, KeybenchError
from keybench.core.events import KeystoreChanged
from keybench.core.exchange import Exchange
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import Action, ActionButton, add_in_groups, popup_below
from keybench.ui.kit.boxes import WrappingRow, bring_into_sight, framed, in_column, in_row
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import button, line
from keybench.ui.kit.theme import keep_place
from keybench.ui.kit.tokens import Tone
from keybench.ui.shared.clipboard import KeyCopy
from keybench.ui.shared.keys.actions import ask_name, ask_not_compromised, show_last_test
from keybench.ui.shared.keys.card_parts import KeyCardFacts, KeyHead, KeyReport
from keybench.ui.shared.keys.value_line import REVEAL_S
from keybench.ui.shared.notice_causes import notice_of
from keybench.ui.shared.session import Case, Notice, Revoke, Session, ShowKeys
from keybench.words.keys.states import why_without_value
from keybench.words.language import _

_TESTING: Final = _("Testing…")
_HIDE: Final = _("Hide ({} s)")
_LOOKS_AGAIN: Final = _("Looks whether its value is in the keystore again, and tests it then.")
_FAILING: Final = {KeyState.REFUSED, KeyState.FORBIDDEN, KeyState.VALUE_LOST}
#: The task that brings a value here; it is given up when the window is locked.
_REVEAL: Final = "reveal key"


class KeyCard(QFrame):
    """The chosen key with its actions; what they report is shown here as long as that key is.

    Args:
        buttons: The commands that have a button of their own, in their order; its menu *More* has the others.
        several: Whether keys of several environments are shown, so that each one's is named.
    """

    def __init__(
        self,
        session: Session,
        parent: QWidget | None = None,
        *,
        buttons: Sequence[str],
        several: bool = False,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._clock = session.console.clock
        self._row: InventoryRow | None = None
        self._testing: set[str] = set()
        self._told_of = ""
        self._told_at = self._clock.now()
        self._copying = KeyCopy(session, self)
        self.head = KeyHead(several=several)
        self.facts = KeyCardFacts(self._clock)
        self.value = self.facts.value
        self.report = KeyReport()
        self._test_action = Action(self, "key.test", self.test, self._can_test)
        self._reveal_action = Action(self, "key.reveal", self._on_reveal, self._has_value)
        self._copy_action = Action(self, "key.copy", self._on_copy, self._has_value)
        self._give_action = self._running("key.give_value", "give value", self._give_value)
        self._rotate_action = self._action(
            "key.rotate", lambda row: session.show_rotation(row.environment, row.key)
        )
        self._compromised = self._action(
            "key.compromised", lambda row: session.show_rotation(row.environment, row.key, compromised=True)
        )
        self._not_compromised = self._action(
            "key.not_compromised",
            lambda row: session.run(f"false alarm {row.key.id}", ask_not_compromised(self, session, row.key)),
        )
        self._diagnose = self._action(
            "key.diagnose", lambda row: session.ask(Case(row.environment, row.key.id))
        )
        self._diagnose.set_tip(_("Looks at the key, the network and the gateway. It sends no sale."))
        self._diagnose.setVisible(False)
        revoke = self._action(
            "key.revoke",
            lambda row: session.ask(Revoke(row.key)),
            lambda key: key.compromised or key.has_value,
        )
        revoke.set_tip(_("Deletes a leaked key at once, whatever stops working. Asks first"))
        self.last_test_action = self._action(
            "key.last_test",
            lambda row: session.run(
                f"last test {row.key.id}", show_last_test(self, session, row.environment, row.key)
            ),
            lambda key: bool(key.tested_at or key.tried_at),
        )
        self.rename_action = self._running("key.rename", "rename key", self._rename)
        self.describe_action = self._running("key.describe", "describe key", self._describe)
        self._erase_action = self._running("key.erase_here", "erase value here", self._erase_here)
        self._erase_action.setVisible(False)
        every = {
            "key.test": self._test_action,
            "key.reveal": self._reveal_action,
            "key.copy": self._copy_action,
            "key.give_value": self._give_action,
            "key.rotate": self._rotate_action,
            "key.diagnose": self._diagnose,
            "key.not_compromised": self._not_compromised,
            "key.rename": self.rename_action,
            "key.last_test": self.last_test_action,
            "key.describe": self.describe_action,
            "key.applications": self._action(
                "key.applications", lambda row: session.ask(ShowKeys("applications", (row.key,)))
            ),
            "key.revoke": revoke,
            "key.erase_here": self._erase_action,
        }
        self._buttons = [every[command] for command in buttons]
        self._more_actions = [one for name, one in every.items() if name not in buttons]
        self._apart = (self._compromised, self._running("key.forget", "forget key", self._forget))
        self.row_actions = (*self._buttons, *self._more_actions, *self._apart)
        keep_place(self.facts)  # nothing moves when the first key is chosen
        self._lay_out()
        self.value.ticked.connect(self._on_reveal_ticked)
        self.value.hidden.connect(lambda: self._reveal_action.setText(self._reveal_action.command.text))
        self._copying.told.connect(self._on_copy_told)
        self.facts.show_keystore(session.console.keystore_status)
        session.subscribe(self, {KeystoreChanged: lambda event: self.facts.show_keystore(event.status)})
        session.locking.connect(self._take_back)
        session.ending.connect(self._take_back)

    # --- showing -------------------------------------------------------------------------------------

    def show_row(self, row: InventoryRow | None) -> None:
        """Show a key and act on it from now on.

        Another key than before hides what was revealed and takes messages away. What was said of a value goes
        with that value, and when it was tested since.
        """
        before, self._row = self._key, row
        key = self._key
        if not (key and before) or key.id != before.id:
            self.value.hide_value()
            self.report.clear()
        elif key.fingerprint != self._told_of or (key.last_test_at or self._told_at) > self._told_at:
            self.report.say("", "")
        self.facts.setVisible(row is not None)
        if row is None:
            self.head.show_none()
            self._not_compromised.setVisible(False)
        else:
            self._rotate_action.set_tip(
                _("Shows its rotation") if row.rotating else _("Replaces it by a new key")
            )
            self.head.show_row(row)
            self.facts.show_row(row, self._clock.now())
            self._show_value(row.key)
            is_held = row.rotating and row.key.has_value and self._session.console.team.is_shared
            self._erase_action.setVisible(is_held)
        for action in self.row_actions:
            action.refresh()

    def show_message(self, text: str, tone: str, of: SecurityKey | None = None) -> None:
        """Show what came of an action on a key, in `tone`, of the shown one if None; "" shows nothing."""
        about = of or self._key
        self._told_of, self._told_at = about.fingerprint if about else "", self._clock.now()
        self.report.say(text, tone)

    def _show_value(self, key: SecurityKey) -> None:
        """Offer what can be done with the value: to give it one where it has none or a refused one.

        A value that was here may be in the keystore again, which a test finds out.
        """
        why = why_without_value(key)
        self._give_action.set_tip(why)
        self._give_action.setVisible(not key.has_value or key.state is KeyState.REFUSED)
        self._compromised.setVisible(not key.compromised)
        self._not_compromised.setVisible(key.compromised)
        self._diagnose.setVisible(key.trial is not None or key.state in _FAILING)
        for action in (self._reveal_action, self._copy_action):
            action.setVisible(key.has_value)
        self._test_action.setVisible(key.state is not KeyState.NO_VALUE)
        self._test_action.set_tip(_LOOKS_AGAIN if key.state is KeyState.VALUE_LOST else "")
        self._show_testing()

    def _show_result(self, key: SecurityKey, text: str, tone: Tone) -> None:
        """Show what came of an action, unless another key, or the key with another value, is shown by now."""
        if self._key and (self._key.id, self._key.fingerprint) == (key.id, key.fingerprint):
            self.show_message(text, tone)

    @property
    def _key(self) -> SecurityKey | None:
        return self._row.key if self._row else None

    def _is_shown(self, key: SecurityKey) -> bool:
        return self._key is not None and self._key.id == key.id

    def _has_value(self) -> bool:
        return self._key is not None and self._key.has_value

    # --- actions -------------------------------------------------------------------------------------

    def _run(self, task: str, row: InventoryRow, work: Coroutine[Any, Any, Any]) -> bool:
        self._session.end_notice(f"key {row.key.id}")  # what failed before is tried again, or over
        return self._session.run(f"{task} {row.key.id}", work, on_error=partial(self._on_error, row))

    def _action(
        self,
        command: str,
        do: Callable[[InventoryRow], object],
        when: Callable[[SecurityKey], bool] = lambda _key: True,
    ) -> Action:
        """Return what is done with the shown key, where `when` holds of it."""
        return Action(
            self,
            command,
            lambda: self._row and do(self._row),
            lambda: self._row is not None and when(self._row.key),
        )

    def _running(
        self, command: str, task: str, work: Callable[[InventoryRow], Coroutine[Any, Any, Any]]
    ) -> Action:
        return self._action(command, lambda row: self._run(task, row, work(row)))

    def _on_error(self, row: InventoryRow, error: KeybenchError) -> None:
        key = row.key
        if self._is_shown(key):
            self.show_message(error_text(error), "bad")
        else:
            notice = notice_of(error, row.environment)
            self._session.notify(
                replace(notice, title=f"{key.name}: {notice.title}", topic=notice.topic or f"key {key.id}")
            )

    def test(self) -> None:
        row = self._row
        if row and row.key.id not in self._testing:
            key = row.key
            self._testing.add(key.id)
            self._show_testing()
            self.show_message("", "")
            if not self._run("test key", row, self._test(row.environment, key)):
                self._end_test(key)

    async def _test(self, environment: Environment, key: SecurityKey) -> None:
        try:
            tested = await self._session.console.keys.test(environment, key)
        except KeybenchError as error:
            if not self._is_shown(key):
                raise
            from keybench.words.diagnosis import causes_line  # noqa: PLC0415 - when a test has failed

            exchanges: Sequence[Exchange] = ()
            with suppress(JournalError):  # the refusal is what has to be told
                exchanges = await self._session.console.keys.last_test(key)
            why = await self._session.console.diagnose.at_error(error, environment, key, exchanges)
            text = "\n".join(filter(None, (error_text(error), causes_line(why))))
            self._show_result(key, text, "bad")
            return
        finally:
            self._end_test(key)
        if self._is_shown(key):
            announce(self.facts.test, _("✓ accepted ({status})").format(status=tested.status))
            bring_into_sight(self.facts.test)

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
        elif row := self._row:
            self._run(_REVEAL, row, self._reveal(row.key))

    async def _reveal(self, key: SecurityKey) -> None:
        value = await self._session.console.keys.value(key, "revealed")
        # The person may have gone elsewhere while the keystore asked for its password.
        if self._is_shown(key) and self.isVisible():
            self.value.reveal(value)
            if not self.value.fits:
                self._show_result(key, _("Only its beginning has room here. Copy takes all of it."), "dim")

    def _on_reveal_ticked(self, seconds: int) -> None:
        self.facts.make_room()
        self._reveal_action.setText(_HIDE.format(seconds))

    def _on_copy(self) -> None:
        if row := self._row:
            key = row.key
            self._copying.copy(
                key,
                lambda seconds: _("Copied. The clipboard is cleared in {seconds} s.").format(seconds=seconds),
                partial(self._is_shown, key),
                partial(self._on_not_copied, key),
                partial(self._on_error, row),
            )

    def _on_not_copied(self, key: SecurityKey) -> None:
        why = _("Another key was chosen before its value came.")
        self._session.notify(Notice("info", _("“{name}” was not copied.").format(name=key.name), why, "copy"))

    def _on_copy_told(self, text: str, is_over: bool) -> None:  # noqa: FBT001 - the signal's own form
        if self._key and self._key.id == self._copying.copied:
            self.report.show_clipboard(text, is_over=is_over)

    def _take_back(self) -> None:
        for name in self._session.supervisor.running:
            if name.startswith(_REVEAL):
                self._session.supervisor.cancel(name)
        self.value.hide_value()

    async def _give_value(self, row: InventoryRow) -> None:
        from keybench.ui.shared.keys.dialogs import ask_value, value_words  # noqa: PLC0415 - when it is wanted

        added = await ask_value(self, self._session, row)
        if added and self._is_shown(added.key):
            self.show_message(value_words(row.key, added), "warning" if added.hint else "good", added.key)
            self.offer_to_clear(added.key)

    def offer_to_clear(self, key: SecurityKey) -> None:
        if self._is_shown(key):
            self.report.offer.offer(key.fingerprint)

    async def _rename(self, row: InventoryRow) -> None:
        if renamed := await ask_name(self, self._session, row.key):
            said = _("“{before}” is now called “{name}”.").format(before=row.key.name, name=renamed.name)
            self._show_result(row.key, said, "good")

    async def _describe(self, row: InventoryRow) -> None:
        from keybench.ui.shared.keys.dialogs import ask_owner_and_purpose  # noqa: PLC0415 - when it is wanted

        await ask_owner_and_purpose(self, self._session, row)

    def _on_more(self) -> None:
        menu = QMenu(self)
        add_in_groups(menu, self._more_actions)
        menu.aboutToHide.connect(menu.deleteLater)
        popup_below(menu, self.more)

    async def _erase_here(self, row: InventoryRow) -> None:
        self.value.hide_value()
        if (holdings := self._session.console.calling.holdings) and await confirm(
            self,
            title=_("Erase the value of “{name}” here?").format(name=row.key.name),
            text=_("It goes at this desk alone. The key stays as it is, and so do the other desks."),
            confirm=_("Erase the value"),
            tone="danger",
        ):
            await holdings.erase_here(row.key)

    async def _forget(self, row: InventoryRow) -> None:
        environment, key = row.environment, row.key
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
        if self._session.console.team.is_shared:
            means += _(" In this team its value goes at every desk.")
        if not await confirm(
            self,
            title=_("Forget “{name}”?").format(name=key.name),
            text=means,
            confirm=_("Forget the key"),
            tone="danger",
        ):
            return
        await self._session.console.keys.forget(environment, key)
        self._session.notify(Notice("good", _("“{name}” was forgotten.").format(name=key.name), is_left))

    # --- layout --------------------------------------------------------------------------------------

    def focus_buttons(self) -> None:
        first = next((one for one in self._row_buttons if not one.isHidden() and one.isEnabled()), self.more)
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        longer = {self._test_action: [_TESTING], self._reveal_action: [_HIDE.format(REVEAL_S)]}
        tones = {self._give_action: "primary", self._apart[0]: "risk"}
        self._row_buttons = [
            ActionButton(one, tones.get(one, "plain"), others=longer.get(one, ())) for one in self._buttons
        ]
        seldom = [ActionButton(one, tones.get(one, "plain")) for one in self._apart]
        self.more = button("⋯", self._on_more, name=_("More"), hint=_("What else can be done with the key"))
        apart = framed(in_row(*seldom, self.more))
        apart.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        seldom_shown = {*tones, self._diagnose, self._not_compromised}
        usual = [
            one
            for one, action in zip(self._row_buttons, self._buttons, strict=True)
            if action not in seldom_shown
        ]
        row = WrappingRow((*self._row_buttons, apart), spread=True, keep=(*usual, apart))
        in_column(self.report, line(), self.head, self.facts, row, within=self)
