"""The Qt application: its names, its icon, its theme, and where Qt's own messages go."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLoggingCategory, QMessageLogContext, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from keybench.runtime.resources import resource_path
from keybench.ui.accessibility import name_combo_boxes
from keybench.ui.theme import Scheme, Theme

NAME = "Keybench"

# For each letter typed in an editable combo box Qt sends a text event to the box, which has no text of its
# own, and then warns of it: with a screen reader the log would hold little else.
_QUIET = "qt.accessibility.atspi.warning=false"
_LEVELS = {
    QtMsgType.QtDebugMsg: "DEBUG",
    QtMsgType.QtInfoMsg: "INFO",
    QtMsgType.QtWarningMsg: "WARNING",
    QtMsgType.QtCriticalMsg: "ERROR",
    QtMsgType.QtFatalMsg: "CRITICAL",
}


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Write one of Qt's messages to the log of Python, under ``keybench.qt``."""
    import logging  # noqa: PLC0415 - the first frame is there before anything is logged

    category = getattr(context, "category", None) or "default"
    level = logging.getLevelName(_LEVELS.get(kind, "WARNING"))
    logging.getLogger("keybench.qt").log(level, "%s: %s", category, message)


def make_application(
    argv: Sequence[str], scheme: Scheme = Scheme.SYSTEM, *, scale: float | None = None
) -> QApplication:
    """Return the application with its theme on; there is one a process.

    The program ends by its own shutdown, not with its last window: the loop has work to finish first.

    Args:
        argv: The program's name and Qt's own options.
        scheme: The colours chosen.
        scale: How much larger than usual text is; None asks the system.
    """
    qInstallMessageHandler(log_qt_message)
    QLoggingCategory.setFilterRules(_QUIET)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough,
    )
    # The display name is left to follow the name: set, Qt would add it to every window's title again.
    QApplication.setApplicationName(NAME)
    QApplication.setOrganizationName(NAME)
    QApplication.setDesktopFileName("keybench")
    # Asked for in this way, the style costs no import of QStyle before the first frame.
    app = QApplication([*argv, "-style", "fusion"])
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(QIcon(str(resource_path("icons/keybench.svg"))))
    name_combo_boxes()
    Theme(app, scheme, scale)
    return app
