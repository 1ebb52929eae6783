"""Plays a lesson, or a prepared desk, in a window on a data folder of its own."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from keybench.core.errors import KeybenchError
from keybench.runtime.data_folder import DataFolder
from keybench.ui.lessons.panel import LessonPanel
from keybench.words.texts import lesson_in_language
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.joining import Attendance, get_ready, read_seat
from keybench.workflows.lessons.room import Room

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from keybench.ui.shared.session import Session


class LessonWindow(Protocol):
    """What a lesson needs of the window it is played in."""

    def show_beside(self, widget: QWidget) -> None:
        """Show a widget at the right edge, whichever page is in sight."""


class LessonPlay:
    """Plays it in one window after another, each time it is begun anew.

    Attributes:
        again: Whether the folder is to be cleared, and another window to be opened on it.
    """

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._at_step: int | None = None
        self.again = False

    async def __call__(self, window: LessonWindow, session: Session) -> int:
        """Set up what isn't yet, and watch until the window is closed or the lesson is to begin anew."""
        self.again = False
        if self._folder.lesson_again.exists():
            return await self._leave(session)
        seat = read_seat(self._folder) if self._folder.seat.exists() else None
        name = seat.lesson if seat else self._folder.root.name
        lesson = lesson_in_language(read_lesson(self._folder.lesson, name=name))
        room = session.room = Room(session.console, lesson)
        attendance = Attendance(room, self._folder, seat) if seat else None
        panel = LessonPanel(session, room, self._folder, attendance)
        window.show_beside(panel)
        pages = panel.parentWidget() or panel
        wanted = asyncio.Queue[bool]()

        def on_deed(done: int, of: int) -> None:
            pages.setEnabled(False)
            panel.show_setting_up(done, of)

        def on_again(step: int | None) -> None:
            self._at_step = step
            wanted.put_nowait(True)

        panel.again_wanted.connect(on_again)
        panel.retry_wanted.connect(lambda: wanted.put_nowait(False))
        while True:
            try:
                if not await get_ready(room, attendance, self._at_step, on_deed):
                    return await self._leave(session)
            except KeybenchError as error:
                panel.show_trouble(error)
            else:
                panel.begin()
            finally:
                pages.setEnabled(True)
            if await wanted.get():
                return await self._leave(session)

    async def _leave(self, session: Session) -> int:
        if session.room:
            await session.room.close()
        await session.supervisor.close()  # a key that is just being added has its value after this
        with suppress(KeybenchError):  # what the keystore doesn't give up now is found by nothing any more
            await session.console.keys.erase_values()
        self.again = True
        return 0

    def clear(self) -> None:
        """Remove what the lesson has come to; the lesson, the seat and the window's looks stay.

        How far one was stays, too, unless another window wanted it begun anew.
        """
        folder = self._folder
        kept = {folder.lesson, folder.seat, folder.window_settings, folder.window_lock}
        if not self._folder.lesson_again.exists():
            kept.add(self._folder.lesson_progress)
        for path in set(self._folder.root.iterdir()) - kept:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
