"""The window's life: shown, opened, brought to life, and put away in stages."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, Protocol

from keybench.core.environment import PRACTICE_ID, Environment
from keybench.core.errors import KeybenchError
from keybench.runtime.supervisor import Supervisor
from keybench.ui.first_frame import show_first_frame
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.ui.stop_signals import StopSignals
from keybench.ui.widgets.dialog import confirm
from keybench.ui.window import MainWindow

if TYPE_CHECKING:  # the window is shown before these are imported
    from keybench.ui.lock.lock import LockController
    from keybench.ui.sale.background import SalesUnderWay
    from keybench.workflows.console import Console

_ENVIRONMENT: Final = "window/environment"
#: How long the list of keys is given to be painted, in seconds: three frames. Importing the keystore
#: meanwhile would hold the interpreter, and the list with it, for a fifth of a second.
_LISTED_S: Final = 0.05
#: When all that opening the window makes has been made, in seconds after its keys are listed.
_SETTLED_S: Final = 1.0
#: When a person has found their way, in seconds after that: what is due today can wait that long.
_QUIET_S: Final = 5.0

_LOGGER = logging.getLogger("keybench")


class OpenProgram(Protocol):
    """A running console that has to be closed."""

    @property
    def console(self) -> Console:
        """The use cases."""
        ...

    async def close(self) -> None:
        """Give everything up."""
        ...


Opener = Callable[[], Awaitable[OpenProgram]]
Play = Callable[[MainWindow, Session], Awaitable[int]]


class Life:
    """One window from its first frame to its end.

    Args:
        window: Shown by `live`.
        preferences: Remembers the environment that was chosen.
        opener: Opens everything behind the window; cancelled if the window is closed meanwhile.
        play: What to play in the window instead of waiting for a person, such as the tour.
    """

    def __init__(
        self, window: MainWindow, preferences: Preferences, opener: Opener, play: Play | None = None
    ) -> None:
        self._window = window
        self._preferences = preferences
        self._opener = opener
        self._play = play
        self._supervisor = Supervisor(self._on_fault)
        self._session: Session | None = None
        self._sales: SalesUnderWay | None = None
        self._closing: asyncio.Future[None] | None = None
        self._status = 0

    async def live(self) -> int:
        """Show the window, live until it is closed, and return the exit status.

        Closing ends whatever goes on: the opening, the tour, or waiting for a person.
        """
        self._closing = asyncio.get_running_loop().create_future()
        self._window.close_hook = self._on_close_wanted
        signals = StopSignals(self._close, self._window)
        try:
            await show_first_frame(self._window)
            return await self._until_closed(self._opened())
        finally:
            signals.restore()
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
        try:
            program = await self._opener()
        except KeybenchError as error:
            return await self._in_trouble(error)
        try:
            session = await self._session_of(program.console)
        except KeybenchError as error:
            await program.close()
            return await self._in_trouble(error)
        try:
            self._window.attach(session)
            from keybench.ui.lock.lock import LockController  # noqa: PLC0415 - see above
            from keybench.ui.sale.background import SalesUnderWay  # noqa: PLC0415 - see above

            self._sales = SalesUnderWay(session)
            lock = LockController(self._window, session, self._preferences)
            session.run("opening", self._begin(session, lock))
            return await (self._play(self._window, session) if self._play else _for_ever())
        finally:
            await self._supervisor.close()
            await program.close()

    async def _in_trouble(self, error: KeybenchError) -> int:
        """Say why the keys can't be opened, until the window is closed."""
        self._status = 1
        self._window.show_trouble(error)
        return await _for_ever()

    async def _session_of(self, console: Console) -> Session:
        environments = {one.id: one for one in await console.environments.all()}
        remembered = PRACTICE_ID if self._play else self._preferences.text(_ENVIRONMENT, PRACTICE_ID)
        chosen = environments.get(remembered) or environments[PRACTICE_ID]
        session = Session(console, self._supervisor, chosen, self._window, self._preferences)
        session.environment_changed.connect(self._on_environment)
        self._session = session
        return session

    async def _begin(self, session: Session, lock: LockController) -> None:
        """Start what goes on behind the window, each by itself, once its keys are listed."""
        await session.console.clock.sleep(_LISTED_S)
        session.run("look at the keystore", session.console.look_at_keystore())
        session.run("watch the keystore", session.console.watch_keystore())
        session.run("practice gateway", session.console.world.practice.ensure())
        from keybench.ui.sale.background import resume_sales  # noqa: PLC0415 - the window is shown first

        session.run("unfinished sales", resume_sales(session))
        await session.console.clock.sleep(_SETTLED_S)
        lock.watch_screen()
        session.run("unfinished rotations", self._take_up_rotations(session))
        from keybench.ui.keys.settling import settle_keys  # noqa: PLC0415 - not before the window has settled

        session.run("unsettled keys", settle_keys(session))
        # What is there now stays: a search for garbage that goes through all of it holds the loop for 0.1 s.
        gc.freeze()
        if self._play is None:
            session.run("reminders", self._remind(session))

    async def _take_up_rotations(self, session: Session) -> None:
        rotations = await session.console.world.journal.rotations()
        if rotations:
            from keybench.ui.rotations.resume import resume_rotations  # noqa: PLC0415 - few have any

            await resume_rotations(session, rotations)

    async def _remind(self, session: Session) -> None:
        await session.console.clock.sleep(_QUIET_S)
        from keybench.ui.review.panes import notify_due_today  # noqa: PLC0415 - not before the window has settled

        await notify_due_today(session)

    def _on_environment(self, environment: Environment) -> None:
        self._preferences.set_text(_ENVIRONMENT, environment.id)

    def _on_close_wanted(self) -> None:
        question = self._sales.closing_question() if self._sales and not self._play else None
        if not question or not self._session:
            self._close()
        elif not self._session.run("closing", self._ask_to_close(*question)):
            self._window.stay_open()  # the question before this one is just being answered

    async def _ask_to_close(self, title: str, text: str) -> None:
        if await confirm(self._window, title=title, text=text, confirm="Close", cancel="Stay"):
            self._close()
        else:
            self._window.stay_open()

    def _close(self) -> None:
        if self._closing and not self._closing.done():
            self._closing.set_result(None)

    def _on_fault(self, task: str, error: BaseException) -> None:
        """Tell a fault of the program itself; a person's errors have ways of their own."""
        _LOGGER.error("%s failed", task, exc_info=error)
        if self._session:
            self._session.notify(
                Notice(
                    "bad",
                    "Something went wrong inside Keybench.",
                    f"While it worked on: {task} ({type(error).__name__}). The log in the data folder has "
                    "the details. If a sale was under way, look it up before sending it again.",
                )
            )


async def _for_ever() -> int:
    """Wait until cancelled."""
    never: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    return await never


async def _import_the_bench() -> None:
    """Import the first page while the journal is opened on its own thread, part of which is waiting."""
    await asyncio.sleep(0)  # the journal's thread first
    importlib.import_module("keybench.ui.pages.bench")
    importlib.import_module("keybench.ui.keys.panel")
