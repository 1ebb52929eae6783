"""Does what helps against a cause, or goes where that is done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from keybench.core.diagnosis.record import Diagnosis
from keybench.core.environment import Environment
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.diagnose.remedies import Help
from keybench.ui.session import Notice, Place, Session
from keybench.words.language import _
from keybench.workflows.diagnose import Question


class Helper(QObject):
    """Carries out the help that a person chose.

    Args:
        session: Goes to pages and runs what takes time.
        view: Dialogs open over its window.
    """

    def __init__(self, session: Session, view: QWidget) -> None:
        super().__init__(view)
        self._session = session
        self._view = view

    def help(
        self, wanted: Help, question: Question, diagnosis: Diagnosis, again: Callable[[], object]
    ) -> None:
        """Do what was chosen.

        Args:
            wanted: The help.
            question: What the diagnosis was about.
            diagnosis: What it came to.
            again: Runs it once more, after what may have helped.
        """
        environment, key = question.environment, question.key
        match wanted:
            case Help.PORTAL:
                self._open_portal(environment)
            case Help.EDIT_ENVIRONMENT | Help.PROXY:
                self._session.environment_wanted.emit(environment)
            case Help.DEVICES:
                self._session.place_wanted.emit(Place("devices", environment))
            case Help.SALE:
                self._session.place_wanted.emit(Place("bench", environment, diagnosis.reference))
            case Help.KEYSTORE:
                self._session.run("diagnose: keystore", self._look_at_keystore(again))
            case Help.ROTATE if key:
                self._session.show_rotation(environment, key)
            case Help.GIVE_VALUE if key:
                self._session.run(f"give value {key.id}", self._give_value(environment, key, again))
            case Help.USERS_KEYS if key:
                self._session.run("diagnose: keys of a user", self._show_users_keys(environment, key))
            case _:
                pass

    def _open_portal(self, environment: Environment) -> None:
        url = self._session.console.environments.facts(environment).portal_page(environment)
        if not QDesktopServices.openUrl(QUrl(url)):
            title = _("No browser could be opened.")
            text = _("The page is {url}.").format(url=url)
            self._session.notify(Notice("bad", title, text, topic="portal"))

    async def _look_at_keystore(self, again: Callable[[], object]) -> None:
        await self._session.console.look_at_keystore()
        again()

    async def _give_value(
        self, environment: Environment, key: SecurityKey, again: Callable[[], object]
    ) -> None:
        from keybench.ui.keys_page.key_dialogs import give_value  # noqa: PLC0415 - when it is wanted

        if await give_value(self._view, self._session, InventoryRow(key, environment)):
            again()

    async def _show_users_keys(self, environment: Environment, key: SecurityKey) -> None:
        keys = await self._session.console.keys.listed(environment)
        same = tuple(one for one in keys if one.username.casefold() == key.username.casefold())
        self._session.place_wanted.emit(Place("keys"))
        self._session.keys_view_wanted.emit("inventory", same)
