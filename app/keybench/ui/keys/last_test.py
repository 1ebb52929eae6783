"""A key's last test: what was asked and answered, to be looked at and copied like a sale's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.actions import Action
from keybench.ui.session import Case, Notice, Session
from keybench.ui.theme import keep_size
from keybench.ui.widgets.dialog import Dialog
from keybench.words.keys import key_state
from keybench.words.language import _

_WIDTH_PX: Final = 620
_HEIGHT_PX: Final = 300


class KeyTestActions(QObject):
    """What follows a key's test: to find out why it fails, and to look at what was asked and answered.

    Args:
        owner: The widget that the actions belong to; dialogs open over its window.
        chosen: Returns the key that is meant with its environment; None while none is.
    """

    def __init__(
        self, owner: QWidget, session: Session, chosen: Callable[[], tuple[Environment, SecurityKey] | None]
    ) -> None:
        super().__init__(owner)
        self._owner, self._session, self._chosen = owner, session, chosen
        self.diagnose = Action(owner, "key.diagnose", self._on_diagnose)
        self.diagnose.set_tip(_("Looks at the key, the network and the gateway. It sends no sale."))
        self.last_test = Action(owner, "key.last_test", self._on_last_test, self._was_tested)
        self.refresh()

    def refresh(self) -> None:
        chosen = self._chosen()
        self.diagnose.setVisible(chosen is not None and _is_failing(chosen[1]))
        self.last_test.refresh()

    def _was_tested(self) -> bool:
        chosen = self._chosen()
        return chosen is not None and bool(chosen[1].tested_at or chosen[1].tried_at)

    def _on_diagnose(self) -> None:
        if chosen := self._chosen():
            environment, key = chosen
            self._session.diagnosis_wanted.emit(Case(environment, key.id))

    def _on_last_test(self) -> None:
        if chosen := self._chosen():
            work = _show_last_test(self._owner, self._session, *chosen)
            self._session.run(f"last test {chosen[1].id}", work)


def _is_failing(key: SecurityKey) -> bool:
    return key.trial is not None or key.state in {KeyState.REFUSED, KeyState.FORBIDDEN, KeyState.VALUE_LOST}


async def _show_last_test(
    parent: QWidget, session: Session, environment: Environment, key: SecurityKey
) -> None:
    exchanges = await session.console.keys.last_test(key)
    if not exchanges:
        title = _("Nothing is kept of the last test of “{name}”.").format(name=key.name)
        text = _("It asked the gateway nothing, or was made by an earlier Keybench. Test the key again.")
        session.notify(Notice("info", title, text, "last test"))
        return
    from keybench.ui.sale.exchanges import Exchanges  # noqa: PLC0415 - the list of keys comes first
    from keybench.words.ticket import key_test_text  # noqa: PLC0415 - same

    views = Exchanges(session)
    keep_size(views, least_width=_WIDTH_PX, least_height=_HEIGHT_PX)
    views.show_sale("", exchanges, key.name)
    dialog = Dialog(
        parent,
        title=_("The last test of “{name}”").format(name=key.name),
        text=key_state(key).text,
        confirm=_("Copy for the ticket"),
        cancel=_("Close"),
        content=views,
    )
    if await dialog.answer():
        QGuiApplication.clipboard().setText(key_test_text(key, environment, exchanges))
        words = _("The test with its request and its answer, without the value.")
        session.notify(Notice("info", _("Copied for the ticket"), words, topic="copied"))
