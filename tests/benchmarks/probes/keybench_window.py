"""The program as started by a person, telling when its window is shown and when its keys are listed.

The first argument is the data folder, which has a key in it.
"""

from __future__ import annotations

import os
import signal
import sys

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView

from keybench.__main__ import main
from keybench.ui.shell import application

SLOW = ("httpx", "sqlalchemy", "keyring", "secretstorage", "keybench.core.ports")


class Frames(QObject):
    """Tells of the window's first frame and of the first frame of a table that has rows.

    It listens to the whole application only until the first frame, and then looks for the table every few
    milliseconds: a filter in Python on every event would itself take a tenth of the time that is measured.
    """

    def __init__(self) -> None:
        super().__init__()
        self._window: QMainWindow | None = None
        self._timer = QTimer(self, interval=4)
        self._timer.timeout.connect(self._look)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.Paint:
            return False
        if self._window is None and isinstance(watched, QMainWindow):
            self._window = watched
            print("shown", *[name for name in SLOW if name in sys.modules], flush=True)
            app = QApplication.instance()
            assert app
            app.removeEventFilter(self)
            self._timer.start()
        elif isinstance(watched.parent(), QTableView):
            print("listed", flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
            watched.removeEventFilter(self)
        return False

    def _look(self) -> None:
        assert self._window
        for table in self._window.findChildren(QTableView):
            model = table.model()
            if model and model.rowCount():
                self._timer.stop()
                table.viewport().installEventFilter(self)
                table.viewport().update()
                return


frames = Frames()
make_application = application.make_application


def watched_application(*arguments: object) -> QApplication:
    """Make the application as ever, and watch its frames."""
    app = make_application(*arguments)  # type: ignore[arg-type]  # passed on as they came
    app.installEventFilter(frames)
    return app


application.make_application = watched_application
os.environ["KEYBENCH_DATA_DIR"] = sys.argv[1]
sys.argv = ["keybench"]
sys.exit(main())
