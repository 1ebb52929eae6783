"""The program as started by a person, telling when its window is shown and when its keys are listed.

The first argument is the data folder, which has a key in it.
"""

from __future__ import annotations

import os
import signal
import sys

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView

from keybench.__main__ import main
from keybench.ui import application

SLOW = ("httpx", "sqlalchemy", "keyring", "secretstorage")


class Frames(QObject):
    """Tells of the window's first frame and of the first frame of a table that has rows."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = False
        self._listed = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.Paint:
            return False
        if not self._shown and isinstance(watched, QMainWindow):
            self._shown = True
            print("shown", *[name for name in SLOW if name in sys.modules], flush=True)
        table = watched.parent()
        if not self._listed and isinstance(table, QTableView) and table.model().rowCount():
            self._listed = True
            print("listed", flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
        return False


frames = Frames()
make_application = application.make_application


def watched_application(*arguments: object) -> QApplication:
    """Make the application as ever, and watch its frames."""
    app = make_application(*arguments)  # type: ignore[arg-type]  # passed on as they came
    app.installEventFilter(frames)
    return app


application.make_application = watched_application
sys.argv = ["keybench", "--data-dir", sys.argv[1]]
sys.exit(main())
