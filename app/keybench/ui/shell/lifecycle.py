"""The window's life: shown, opened, brought to life, and put away in stages."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from functools import partial
from logging import LogRecord
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QEvent, QObject, QProcess
from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalNewer, KeybenchError
from keybench.runtime.data_folder import own_command
from keybench.runtime.log import log_failure, program_log
from keybench.runtime.stopping import handling
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Notice, OpenAgain, Request, Session
from keybench.ui.shell.window import MainWindow
from keybench.words.language import _, leave_choice, number

if TYPE_CHECKING:  # the window is shown before these are imported
    from contextlib import AbstractAsyncContextManager

    from keybench.ui.shell.background import Background
    from keybench.workflows.console import Console

_ENVIRONMENT: Final = "window/environment"
#: How long to wait for the first frame, in seconds: a window that is started minimised, or on a screen that
#: is asleep, is never painted.
_FIRST_FRAME_S: Final = 1.0

Opener = Callable[[], "AbstractAsyncContextManager[Console]"]
Play = Callable[[MainWindow, Session], Awaitable[int]]


class Life:
    """One window from its first frame to its end.

    Args:
        window: Shown by `live`.
        preferences: Remembers the environment that was chosen.
        opener: Opens everything behind the window; cancelled if the window is closed meanwhile.
        shown: Called once the window was painted, before the opener.
        play: What to play in the window instead of waiting for a person, such as the tour.
    """

    def __init__(
        self,
        window: MainWindow,
        preferences: Preferences,
        opener: Opener,
        play: Play | None = None,
        shown: Callable[[], object] = lambda: None,
    ) -> None:
        self._window = window
        self._preferences = preferences
        self._opener = opener
        self._play = play
        self._shown = shown
        self._supervisor = Supervisor(log_failure)
        self._session: Session | None = None
        self._background: Background | None = None
        self._closing: asyncio.Future[None] | None = None
        self._status = 0
        #: The data folder to open once this window is closed.
        self._again: str | None = None

    async def live(self) -> int:
        """Show the window, live until it is closed, and return the exit status.

        Closing ends whatever goes on: the opening, the tour, or waiting for a person.
        """
        loop = asyncio.get_running_loop()
        self._closing = loop.create_future()
        self._window.close_hook = self._on_close_wanted
        program_log.on_fault = lambda *fault: loop.call_soon_threadsafe(self._tell_fault, *fault)
        try:
            with handling(partial(self._on_signal, loop)):
                await show_first_frame(self._window)
                self._shown()
                return await self._until_closed(self._opened())
        finally:
            program_log.on_fault = None
            self._window.finish_close()

    async def _until_closed(self, work: Coroutine[Any, Any, int]) -> int:
        """Run `work` and return its status; once the window is to be closed, cancel it."""
        assert self._closing is not None  # noqa: S101 - `live` made it
        task = asyncio.get_running_loop().create_task(work, name="life")
        ended: set[asyncio.Future[Any]] = {task, self._closing}
        await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            self._window.hide()  # at once: putting everything away takes a moment
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return self._status

    async def _opened(self) -> int:
        self._supervisor.start("import the bench", _import_the_bench())
        async with AsyncExitStack() as closing:
            session = await self._session_opened(closing)
            closing.push_async_callback(self._supervisor.close)
            self._window.attach(session)
            from keybench.ui.shell.background import Background  # noqa: PLC0415 - see above

            self._background = Background(self._window, session, self._preferences)
            session.run("opening", self._background.begin(reminds=self._play is None))
            for_ever = asyncio.get_running_loop().create_future()
            return await (self._play(self._window, session) if self._play else for_ever)

    async def _session_opened(self, closing: AsyncExitStack) -> Session:
        """Open what is behind the window, as often as a person tries it."""
        while True:
            try:
                return await self._session_of(await closing.enter_async_context(self._opener()))
            except KeybenchError as error:
                await closing.aclose()
                await self._in_trouble(error)

    async def _in_trouble(self, error: KeybenchError) -> None:
        """Say why the data folder can't be opened, until a person wants to try again."""
        from keybench.ui.shell.trouble import TroublePage  # noqa: PLC0415 - few ever see it

        if isinstance(error, JournalNewer):
            self._preferences.leave_file()
        tried: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def again() -> None:
            if not tried.done():
                tried.set_result(None)

        page = TroublePage(error, again, None if self._play else self._open_other)
        self._status = 1
        self._window.show_instead(page)
        page.setFocus()
        await tried
        self._status = 0
        self._window.show_instead(None)
        page.deleteLater()

    def _open_other(self, folder: str) -> None:
        """Open a window on another data folder in place of this one."""
        if _start(folder):
            self._status = 0
            self._close()

    async def _session_of(self, console: Console) -> Session:
        environments = {one.id: one for one in await console.environments.all()}
        remembered = PRACTICE_ID if self._play else self._preferences.text(_ENVIRONMENT, PRACTICE_ID)
        chosen = environments.get(remembered) or environments[PRACTICE_ID]
        session = Session(console, self._supervisor, chosen, self._window, self._preferences)
        session.environment_changed.connect(lambda one: self._preferences.set_text(_ENVIRONMENT, one.id))
        session.requested.connect(self._on_requested)
        self._session = session
        return session

    def _on_requested(self, request: Request) -> None:
        if isinstance(request, OpenAgain) and self._session:
            self._again = self._session.console.world.journal.place.folder
            self._on_close_wanted()

    def _on_close_wanted(self) -> None:
        question = self._background.closing_question() if self._background and not self._play else None
        if not question or not self._session:
            self._close()
        elif not self._session.run("closing", self._ask_to_close(*question)):
            self._window.stay_open()  # the question before this one is just being answered

    async def _ask_to_close(self, title: str, text: str) -> None:
        if self._background and await self._background.confirm_closing(title, text):
            self._close()
        else:
            self._again = None
            self._window.stay_open()

    def _on_signal(self, loop: asyncio.AbstractEventLoop, _number: int, _frame: FrameType | None) -> None:
        """Close in the loop's next turn, and say so at once.

        Python handles a signal when it gets a turn, at the latest when garbage is collected again. That may be
        the turn in which another start asks for this window.
        """
        self._window.ends = True
        self._again = None
        loop.call_soon_threadsafe(self._close)

    def _close(self) -> None:
        again, self._again = self._again, None
        if again is not None and not _start(again):
            self._window.stay_open()
            return
        self._window.ends = True
        if self._closing and not self._closing.done():
            self._closing.set_result(None)

    def _tell_fault(self, place: str, line: LogRecord) -> None:
        """Tell a fault of the program itself; a person's errors have ways of their own."""
        if self._session:
            title = _("Something unexpected happened. Keybench goes on.")
            text = _(
                "Seen so far: {count}. What it was doing may not be done. Sales are in History: look up those that "
                "are under way or unknown before you send them again."
            ).format(count=number(program_log.counts[place]))
            show = partial(self._window.show_log, line)
            self._session.notify(Notice("bad", title, text, f"fault {place}", show=show))


def _start(folder: str) -> bool:
    """Start the program on a data folder, in the language that is chosen there, and return whether that worked."""
    leave_choice()
    program, *words = own_command("--data-dir", folder)
    return bool(QProcess.startDetached(program, words, "")[0])


async def _import_the_bench() -> None:
    """Import the first page while the journal is opened on its own thread, part of which is waiting."""
    await asyncio.sleep(0)  # the journal's thread first
    importlib.import_module("keybench.ui.bench.page")
    importlib.import_module("keybench.ui.bench.keys_panel")


class _PaintWatch(QObject):
    """Resolves `painted` when the watched window is painted for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self.painted.done():
            self.painted.set_result(None)
        return super().eventFilter(watched, event)


async def show_first_frame(window: QWidget, limit_s: float = _FIRST_FRAME_S) -> bool:
    """Show `window`, wait until it has been painted or `limit_s` seconds have passed, and return whether it was."""
    watch = _PaintWatch()
    window.installEventFilter(watch)
    try:
        window.show()
        with suppress(TimeoutError):
            await asyncio.wait_for(watch.painted, limit_s)
    finally:
        window.removeEventFilter(watch)
    return watch.painted.done() and not watch.painted.cancelled()
