"""Locks a window: what it shows is hidden from eyes, screen readers and the keyboard until it is unlocked."""

from __future__ import annotations

import enum

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow
from shiboken6 import isValid

from keybench.ui.lock.cover import Cover
from keybench.ui.session import Session


class Why(enum.StrEnum):
    """Why the window was locked; the words are shown."""

    ASKED = "You locked it."
    SCREEN = "It was locked with your screen."
    IDLE = "It was locked because nobody used it for a while."


class Lock(QObject):
    """Covers the window and its dialogs, and gives them back as they were.

    The content is hidden and not merely covered, so that no screen reader, no shortcut and no Tab reaches it;
    a revealed value hides with it. Tasks go on: a sale under way is followed to its outcome, and what waits
    for a dialog's answer waits on. A dialog that can't be given back, such as the question within a file
    dialog whether to replace a file, is left as by Esc.

    Args:
        window: What to lock.
        session: Its `locking` tells whoever lends a value out, such as the clipboard, to take it back.
    """

    def __init__(self, window: QMainWindow, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._cover = Cover(window)
        self._cover.hide()
        self._cover.unlock_asked.connect(self.unlock)
        self._dialogs: list[QDialog] = []
        self._disabled: list[QAction | QShortcut] = []

    @property
    def is_locked(self) -> bool:
        """Whether the window is locked."""
        return not self._cover.isHidden()

    def lock(self, why: Why) -> None:
        """Lock it; a window that is locked stays as it is, with its first reason."""
        if self.is_locked:
            return
        self._session.locking.emit()
        ways_in: list[QAction | QShortcut] = [*self._window.actions()]
        ways_in += self._window.findChildren(QShortcut)
        self._disabled = [one for one in ways_in if one.isEnabled()]
        for one in self._disabled:
            one.setEnabled(False)
        self._show_content(shown=False)
        self._cover.cover(why.value)
        for dialog in self._window.findChildren(QDialog):
            self._put_away(dialog)
        # Whatever a task opens meanwhile waits, too.
        app = QApplication.instance()
        if app:
            app.installEventFilter(self)
        self._window.installEventFilter(self)

    def unlock(self) -> None:
        """Give everything back as it was."""
        app = QApplication.instance()
        if app:
            app.removeEventFilter(self)
        self._window.removeEventFilter(self)
        self._cover.hide()
        self._show_content(shown=True)
        disabled, self._disabled = self._disabled, []
        dialogs, self._dialogs = self._dialogs, []
        # A dialog may have ended meanwhile, and its shortcuts with it.
        for one in filter(isValid, disabled):
            one.setEnabled(True)
        for dialog in filter(isValid, dialogs):
            QDialog.open(dialog)  # the system's own dialogs have another of that name

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the cover over the whole window, and put away dialogs that open behind it."""
        if event.type() is QEvent.Type.Resize and watched is self._window:
            self._cover.setGeometry(self._window.rect())
        elif event.type() is QEvent.Type.Show and isinstance(watched, QDialog):
            self._put_away(watched)
        return super().eventFilter(watched, event)

    def _show_content(self, *, shown: bool) -> None:
        for part in (self._window.menuWidget(), self._window.centralWidget()):
            if part:
                part.setVisible(shown)

    def _put_away(self, dialog: QDialog) -> None:
        if not dialog.isVisible() or dialog in self._dialogs:
            return
        is_ours = dialog.parentWidget() is self._window
        if is_ours:
            dialog.hide()
        if is_ours and not dialog.isVisible():
            self._dialogs.append(dialog)
        else:  # it ends when it is hidden, or can't be hidden: some systems' own
            dialog.reject()
