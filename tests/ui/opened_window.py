"""A window that lives on a program of fakes, from its opening to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import until
from keybench.core.errors import KeybenchError
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shell.lifecycle import Life
from keybench.ui.shell.lock import Cover
from keybench.ui.shell.trouble import TroublePage
from keybench.ui.shell.window import MainWindow
from keybench.workflows.console import Console
from keybench.workflows.world import World

from .frame import SMALL_PAGES

_A_MINUTE_S = 60.0


class Opened:
    """The window and its life; its data folder can't be opened as long as there are errors left."""

    def __init__(
        self, qtbot: QtBot, world: World, *errors: KeybenchError, preferences: Preferences | None = None
    ) -> None:
        self.console = Console(world)
        self.is_closed = False
        self._errors = list(errors)
        self.preferences = preferences or Preferences()
        self.window = MainWindow(self.preferences, SMALL_PAGES)
        qtbot.addWidget(self.window)
        self.life = Life(self.window, self.preferences, self._open)
        self.task = asyncio.get_running_loop().create_task(self.life.live())

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Console]:
        if self._errors:
            raise self._errors.pop(0)
        try:
            yield self.console
        finally:
            self.is_closed = True

    @property
    def is_locked(self) -> bool:
        return any(cover.isVisible() for cover in self.window.findChildren(Cover))

    def questions(self) -> list[Dialog]:
        return [one for one in self.window.findChildren(Dialog) if one.isVisible()]

    async def settled(self, clock: MovedClock) -> None:
        """Wait until everything behind the window has been begun."""
        await until(lambda: self.window.session is not None)
        await clock.advance(_A_MINUTE_S)

    async def trouble(self) -> TroublePage:
        await until(lambda: isinstance(self.window.stack.currentWidget(), TroublePage))
        page = self.window.stack.currentWidget()
        assert isinstance(page, TroublePage)
        return page

    async def closed(self) -> int:
        self.window.close()
        return await self.task
