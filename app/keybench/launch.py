"""The forms the program runs in besides its commands: the window, the tour, the practice gateway."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keybench.core.errors import KeybenchError
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.sealing import close_memory

# The window comes first: what it doesn't need for its first frame is imported where it is used, and Qt
# only where there is a window.
if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from keybench.bootstrap import Program
    from keybench.cli.tour import TourOptions
    from keybench.core.ports import ContractFiles
    from keybench.ui.lifecycle import Play
    from keybench.ui.one_window import OneWindow
    from keybench.ui.preferences import Preferences
    from keybench.ui.session import Session
    from keybench.ui.window import MainWindow

#: How long a keystore that hangs may hold up the tour's end, in seconds.
_FORGETTING_S: Final = 1.0


async def open_program(folder: DataFolder) -> Program:
    """Open everything in `folder`; see `keybench.bootstrap.open_program`."""
    from keybench.bootstrap import open_program as open_everything  # noqa: PLC0415 - see above

    close_memory()
    return await open_everything(folder)


def contracts(folder: DataFolder) -> ContractFiles:
    """Return the program's contracts and those of a data folder, without opening it."""
    from keybench.gateway.contracts import Contracts  # noqa: PLC0415 - see above

    return Contracts(folder.contracts)


def serve_practice(arguments: Sequence[str]) -> int:
    """Serve the practice gateway until it is stopped and return its exit status."""
    from keybench.practice.server import main  # noqa: PLC0415 - see above

    close_memory()
    return main(list(arguments))


def run_window(folder: DataFolder) -> int:
    """Open the window on `folder` and return the exit status when it is closed.

    Where a window is open on it already, that one is brought to the front and the status is 0.
    """
    from keybench.ui.application import make_application  # noqa: PLC0415 - see above
    from keybench.ui.preferences import Preferences  # noqa: PLC0415 - see above
    from keybench.ui.theme import SCHEME, Scheme  # noqa: PLC0415 - see above

    preferences = Preferences(folder.window_settings)
    return _run(make_application(sys.argv[:1], Scheme(SCHEME.read(preferences))), folder, preferences)


def run_tour(options: TourOptions) -> int:
    """Play the tour in the window, in a data folder of its own that is gone afterwards, keys included.

    Returns:
        0 if every scene was seen or a person ended it, else 1.
    """
    import tempfile  # noqa: PLC0415 - see above

    from keybench.ui.application import make_application  # noqa: PLC0415 - see above
    from keybench.ui.preferences import Preferences  # noqa: PLC0415 - see above
    from keybench.ui.theme import Scheme  # noqa: PLC0415 - see above

    app = make_application(sys.argv[:1], Scheme(options.look or Scheme.SYSTEM))
    with tempfile.TemporaryDirectory(prefix="keybench-tour-", ignore_cleanup_errors=True) as place:
        folder = DataFolder(Path(place))
        return _run(app, folder, Preferences(folder.window_settings), _player(options))


def _run(app: QApplication, folder: DataFolder, preferences: Preferences, play: Play | None = None) -> int:
    """Show the window on a loop that runs from here on; everything slow is imported after its first frame."""
    from keybench.loop import run  # noqa: PLC0415 - see above
    from keybench.ui.one_window import OneWindow, WindowSilent  # noqa: PLC0415 - see above

    _log_to(folder)

    async def live() -> int:
        one = OneWindow(folder)
        try:
            return await _live(one) if await one.claim() else 0
        except WindowSilent:
            from keybench.words.system import open_and_silent  # noqa: PLC0415 - see above

            print(open_and_silent(str(folder.root)), file=sys.stderr)  # noqa: T201 - there is no window to say it in
            return 1
        finally:
            one.close()

    async def _live(one: OneWindow) -> int:
        from keybench.ui.lifecycle import Life  # noqa: PLC0415 - see above
        from keybench.ui.theme import theme  # noqa: PLC0415 - see above
        from keybench.ui.window import MainWindow  # noqa: PLC0415 - see above

        with theme().undressed():
            window = MainWindow(preferences)
        one.show = window.come_to_front
        return await Life(window, preferences, lambda: open_program(folder), play).live()

    return run(app, live)


def _player(options: TourOptions) -> Play:
    async def play_tour(window: MainWindow, session: Session) -> int:
        from keybench.cli.output import Output  # noqa: PLC0415 - see above
        from keybench.ui.tour.play import play  # noqa: PLC0415 - see above

        output = Output(as_json=options.as_json)
        pictures = Path(options.pictures) if options.pictures else None
        try:
            seen = await play(window, session, pace_s=options.pace_s, pictures=pictures, tell=output.result)
        finally:
            with suppress(KeybenchError, TimeoutError):
                await asyncio.wait_for(_forget_all(session), _FORGETTING_S)
        return 0 if seen else 1

    return play_tour


async def _forget_all(session: Session) -> None:
    """Erase every value; what the journal and the practice gateway know goes with their folder."""
    from keybench.core.ports import entry_of  # noqa: PLC0415 - see above

    for key in await session.console.keys.listed(session.environment):
        await session.console.world.keystore.erase(entry_of(key))


def _log_to(folder: DataFolder) -> None:
    """Keep warnings and worse in the data folder's log, a megabyte at the most; nothing secret is logged."""
    import logging  # noqa: PLC0415 - see above
    import logging.handlers  # noqa: PLC0415 - see above

    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    try:
        folder.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        handlers.append(
            logging.handlers.RotatingFileHandler(
                folder.log, maxBytes=500_000, backupCount=1, delay=True, encoding="utf-8"
            )
        )
    except OSError:
        pass  # the journal can't be written there either, and says so in the window
    logging.basicConfig(
        level=logging.WARNING, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
