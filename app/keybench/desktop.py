"""The window and the tour: what is imported before the first frame, and no more."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QFontMetrics

from keybench import __version__
from keybench.core.errors import KeybenchError
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.log import program_log
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import AS_THE_SYSTEM, SCHEME, TEXT_SIZE, Scheme, theme
from keybench.ui.shared.session import Notice
from keybench.ui.shell.application import GarbageCollector, make_application
from keybench.ui.shell.lifecycle import Life, Play
from keybench.ui.shell.one_window import OneWindow, WindowSilent
from keybench.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from PySide6.QtWidgets import QApplication

    from keybench.cli.commands.tour import TourOptions
    from keybench.ui.shared.session import Session
    from keybench.workflows.console import Console

    Opener = Callable[[DataFolder, Callable[[], str]], AbstractAsyncContextManager[Console]]

#: How long a keystore that hangs may hold up the tour's end, in seconds.
_FORGETTING_S: Final = 1.0


def run_window(folder: DataFolder, opener: Opener) -> int:
    """Open the window on `folder` and return the exit status when it is closed."""
    preferences = Preferences(folder.window_settings)
    app = make_application(sys.argv[:1], Scheme(SCHEME.read(preferences)), TEXT_SIZE.read(preferences))
    return (
        _play_lesson(app, folder, opener)
        if folder.lesson.exists()
        else _run(app, folder, opener, preferences)
    )


def _play_lesson(app: QApplication, folder: DataFolder, opener: Opener) -> int:
    """Play the folder's lesson in a window, and in another one each time it is begun anew."""
    from keybench.ui.lessons.play import LessonPlay  # noqa: PLC0415 - a person's own window comes first

    play = LessonPlay(folder)
    while True:
        status = _run(app, folder, opener, Preferences(folder.window_settings), play)
        if not play.again:
            return status
        play.clear()


def run_tour(options: TourOptions, opener: Opener) -> int:
    """Play the tour in the window, in a data folder of its own that is gone afterwards, keys included."""
    text_size = options.text_size or AS_THE_SYSTEM
    app = make_application(sys.argv[:1], Scheme(options.look or Scheme.SYSTEM), text_size)
    theme().present(presenting=options.presents)
    with tempfile.TemporaryDirectory(prefix="keybench-tour-", ignore_cleanup_errors=True) as root:
        folder = DataFolder(Path(root))
        return _run(app, folder, opener, Preferences(folder.window_settings), _player(options))


def _run(
    app: QApplication, folder: DataFolder, opener: Opener, preferences: Preferences, play: Play | None = None
) -> int:
    """Show the window on a loop that runs from here on; everything slow is imported after its first frame."""
    if not QFontMetrics(app.font()).inFont("a"):
        from keybench.runtime.system_libraries import FONTS, installing  # noqa: PLC0415 - see above
        from keybench.words.no_window import no_fonts  # noqa: PLC0415 - see above

        print(no_fonts(installing(FONTS)), file=sys.stderr)  # noqa: T201 - nobody could read the window
        return 1

    async def live() -> int:
        with closing(OneWindow(folder)) as one_window:
            try:
                if not await one_window.claim():
                    if one_window.other not in {"", __version__}:
                        from keybench.words.system import open_in_other_version  # noqa: PLC0415 - see above

                        print(open_in_other_version(one_window.other, str(folder.root)), file=sys.stderr)  # noqa: T201 - it isn't this window
                    return 0
            except WindowSilent:
                from keybench.words.system import open_and_silent  # noqa: PLC0415 - see above

                print(open_and_silent(str(folder.root)), file=sys.stderr)  # noqa: T201 - there is no window to say it in
                return 1
            with theme().undressed():
                window = MainWindow(preferences)
            one_window.show = window.come_to_front
            one_window.met = partial(_tell_version, window)
            open_it = partial(opener, folder, lambda: preferences.person)
            return await Life(window, preferences, open_it, play, one_window.listen).live()

    program_log.begin(folder.log)
    GarbageCollector(app)
    return run(app, live)


def _tell_version(window: MainWindow, version: str) -> None:
    from keybench.words.system import other_version_words  # noqa: PLC0415 - see above

    if window.session:
        window.session.notify(Notice("warning", *other_version_words(version), topic="version"))


def _player(options: TourOptions) -> Play:
    async def play_tour(window: MainWindow, session: Session) -> int:
        from keybench.cli.output import Output  # noqa: PLC0415 - see above
        from keybench.ui.tour.play import play  # noqa: PLC0415 - same

        tell = Output(as_json=options.as_json).result
        pictures = Path(options.pictures) if options.pictures else None
        try:
            seen = await play(
                window, session, pace_s=options.pace_s, pictures=pictures, tell=tell, stay=options.stay
            )
        finally:
            await session.supervisor.close()  # a key that is just being added has its value after this
            with suppress(KeybenchError, TimeoutError):
                await asyncio.wait_for(session.console.keys.erase_values(), _FORGETTING_S)
        return 0 if seen else 1

    return play_tour
