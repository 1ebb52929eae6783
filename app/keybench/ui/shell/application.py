"""The Qt application: its names, its icon, its theme, where its own messages go, and who collects garbage."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QLoggingCategory,
    QMessageLogContext,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.accessibility import name_combo_boxes
from keybench.ui.kit.languages import put_on
from keybench.ui.kit.theme import AS_THE_SYSTEM, Scheme, Theme
from keybench.ui.shell.plugins import find_plugins
from keybench.ui.shell.silent_bus import without_silent_bus

NAME = "Keybench"
#: The desktop finds the program's entry, its name and its icon by it, for the window and for notifications.
ID: Final = "io.keybench.Keybench"

# For each letter typed in an editable combo box Qt sends a text event to the box, which has no text of its
# own, and then warns of it: with a screen reader the log would hold little else.
# On Wayland Qt warns of itself whenever a window with a text field in it loses the keyboard.
_QUIET = "qt.accessibility.atspi.warning=false\nqt.qpa.wayland.textinput.warning=false"
_LEVELS = {
    QtMsgType.QtDebugMsg: "DEBUG",
    QtMsgType.QtInfoMsg: "INFO",
    QtMsgType.QtWarningMsg: "WARNING",
    QtMsgType.QtCriticalMsg: "ERROR",
    QtMsgType.QtFatalMsg: "CRITICAL",
}


#: How Qt's last message begins when the display goes away, on X11 and on Wayland.
_DISPLAY_LOST: Final = ("The X11 connection broke", "The Wayland connection broke")
#: With a screen reader Qt tells it of each key, and warns if an answer is late or the program ends before it.
_NEEDLESS: Final = ("QSpiApplication::keyEventError", "QSpiApplication::notifyKeyboardListenerCallback")
#: What Qt said while it looked for a display; None once it has one.
_looking_for_display: list[str] | None = []


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Log one of Qt's messages, or end the program where Qt would end it in its own way.

    Without a display Qt aborts with a core dump. When the display goes, the person's session is over: Qt
    would end with status 1, and no loop of its can run any more. Nothing is lost then: what matters is in
    the journal, and the practice gateway ends with the pipe that we held.
    """
    if message.startswith(_DISPLAY_LOST):
        os._exit(0)
    if kind is QtMsgType.QtFatalMsg and _looking_for_display is not None:
        from keybench.ui.shell.no_window import why_no_window  # noqa: PLC0415 - the first frame comes first

        # A window of Windows has no standard error, which `print` takes.
        print(why_no_window([*_looking_for_display, *message.splitlines()]), file=sys.stderr, flush=True)  # noqa: T201 - there is no window to say it in
        os._exit(1)
    if _looking_for_display is not None:
        _looking_for_display.append(message)  # it matters only if there is none
    elif not message.startswith(_NEEDLESS):
        log_qt_message(kind, context, message)


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    category = getattr(context, "category", None) or "default"
    level = logging.getLevelName(_LEVELS.get(kind, "WARNING"))
    logging.getLogger("keybench.qt").log(level, "%s: %s", category, message)


def make_application(
    argv: Sequence[str],
    scheme: Scheme = Scheme.SYSTEM,
    text_size: str = AS_THE_SYSTEM,
    *,
    scale: float | None = None,
) -> QApplication:
    """Return the application with its theme on; there is one a process. No `scale` asks the system for its own.

    The program ends by its own shutdown, not with its last window: the loop has work to finish first.
    """
    qInstallMessageHandler(_on_qt_message)
    QLoggingCategory.setFilterRules(_QUIET)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough,
    )
    # The display name is left to follow the name: set, Qt would add it to every window's title again.
    QApplication.setApplicationName(NAME)
    QApplication.setOrganizationName(NAME)
    QApplication.setDesktopFileName(ID)
    # Asked for in this way, the style costs no import of QStyle before the first frame.
    find_plugins()
    with without_silent_bus() as silent:
        app = QApplication([*argv, "-style", "fusion"])
        if silent:
            QSystemTrayIcon.isSystemTrayAvailable()  # Qt looks for the bus now
    global _looking_for_display  # noqa: PLW0603 - Qt has one message handler a process, and it has no other place
    _looking_for_display = None
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(QIcon(str(resource_path("icons/keybench.svg"))))
    put_on(app)
    name_combo_boxes()
    Theme(app, scheme, scale, text_size)
    return app


_EVERY_MS: Final = 1_000


class GarbageCollector(QObject):
    """Collects on the window's thread alone, with Python's thresholds, for as long as the application lives.

    Python looks for garbage on whichever thread happens to allocate. A widget or a timer that is found on a
    worker's thread is deleted there, and Qt ends the program for that.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self, interval=_EVERY_MS)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        counts = gc.get_count()
        for generation, threshold in reversed(list(enumerate(gc.get_threshold()))):
            if counts[generation] > threshold:
                gc.collect(generation)
                return
