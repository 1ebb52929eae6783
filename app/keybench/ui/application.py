"""The Qt application: its names, its icon, its theme, and where Qt's own messages go."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLoggingCategory, QMessageLogContext, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from keybench.runtime.data_folder import resource_path
from keybench.ui.accessibility import name_combo_boxes
from keybench.ui.theme import AS_THE_SYSTEM, Scheme, Theme

NAME = "Keybench"
#: What desktops know the program by: the name of its desktop file, its icons and its AppStream data.
DESKTOP_ID: Final = "io.keybench.Keybench"

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
#: A line of Qt's about a missing display that sends people after a library they have.
_MISLEADING: Final = "xcb-cursor0"
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
        from keybench.words.system import no_display  # noqa: PLC0415 - the first frame comes first

        display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or ""
        told = [one for one in _looking_for_display if _MISLEADING not in one]
        sys.stderr.write(f"{no_display(display, (told or message.splitlines())[0])}\n")
        sys.stderr.flush()
        os._exit(1)
    if _looking_for_display is not None:
        _looking_for_display.append(message)  # it matters only if there is none
    elif not message.startswith(_NEEDLESS):
        log_qt_message(kind, context, message)


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Write one of Qt's messages to the log of Python, under ``keybench.qt``."""
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
    """Return the application with its theme on; there is one a process.

    The program ends by its own shutdown, not with its last window: the loop has work to finish first.

    Args:
        argv: The program's name and Qt's own options.
        scheme: The colours chosen.
        text_size: The size of text chosen, a value of `theme.TEXT_SIZE`.
        scale: How much larger than usual the system's text is; None asks the system.
    """
    qInstallMessageHandler(_on_qt_message)
    QLoggingCategory.setFilterRules(_QUIET)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough,
    )
    # The display name is left to follow the name: set, Qt would add it to every window's title again.
    QApplication.setApplicationName(NAME)
    QApplication.setOrganizationName(NAME)
    QApplication.setDesktopFileName(DESKTOP_ID)
    # Asked for in this way, the style costs no import of QStyle before the first frame.
    app = QApplication([*argv, "-style", "fusion"])
    global _looking_for_display  # noqa: PLW0603 - Qt has one message handler a process, and it has no other place
    _looking_for_display = None
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(QIcon(str(resource_path("icons/keybench.svg"))))
    name_combo_boxes()
    Theme(app, scheme, scale, text_size)
    return app
