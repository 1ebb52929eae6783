"""Locks the window, when a person asks or nobody used it for a while: hidden from eyes, screen readers and keys."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QMainWindow, QVBoxLayout, QWidget
from shiboken6 import isValid

from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.labels import button, prose
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.choices import IDLE_MINUTES, PRIVACY
from keybench.ui.shared.session import LockNow, Request, Session
from keybench.words.language import _

_WIDTH_PX: Final = 460
_WORDS = _("Nothing of your keys is shown, and the clipboard holds no value. Sales that are under way go on.")
#: Why the window was locked.
ASKED: Final = _("You locked it.")
IDLE: Final = _("It was locked because nobody used it for a while.")
_LOOK_MS: Final = 5_000
_Type = QEvent.Type
_USES: Final = {
    *(_Type.KeyPress, _Type.MouseButtonPress, _Type.MouseMove),
    *(_Type.Wheel, _Type.TouchBegin, _Type.WindowActivate),
}
_KEYS: Final = "Ctrl+L"
_SHORTCUT: Final = "lock from a dialog"


class Lock(QObject):
    """Covers a window and its dialogs, and gives them back as they were.

    The content is hidden and not merely covered, so that no screen reader, no shortcut and no Tab reaches it;
    a revealed value hides with it. Tasks go on: a sale under way is followed to its outcome, and what waits
    for a dialog's answer waits on. A dialog that can't be given back, such as the question within a file
    dialog whether to replace a file, is left as by Esc.
    """

    def __init__(self, window: QMainWindow, session: Session, preferences: Preferences) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._preferences = preferences
        self._clock = session.console.clock
        self._used_at = self._clock.monotonic()
        self._cover = Cover(window)
        self._cover.hide()
        self._cover.button.clicked.connect(self.unlock)
        self._dialogs: list[QDialog] = []
        self._disabled: list[QAction | QShortcut] = []
        self._focus: QWidget | None = None
        self._app = QApplication.instance()
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)
        session.requested.connect(self._on_requested)
        session.idle_lock_changed.connect(self._on_choice)
        if isinstance(self._app, QApplication):
            self._app.focusWindowChanged.connect(self._on_focus)
        self._on_choice()

    @property
    def is_locked(self) -> bool:
        return not self._cover.isHidden()

    def _on_requested(self, request: Request) -> None:
        if isinstance(request, LockNow):
            self.lock()

    def lock(self, why: str = ASKED) -> None:
        """Lock it; a window that is locked stays as it is, with its first reason."""
        if self.is_locked:
            return
        self._session.locking.emit()
        self._focus = self._window.focusWidget()  # what went with the signal gave the keyboard back
        # A menu is a window of its own, and what it lists can be done although the window is covered.
        while (popup := QApplication.activePopupWidget()) and popup.close():
            pass
        ways_in: list[QAction | QShortcut] = [*self._window.actions(), *self._window.findChildren(QShortcut)]
        self._disabled = [one for one in ways_in if one.isEnabled()]
        for one in self._disabled:
            one.setEnabled(False)
        self._show_content(shown=False)
        self._cover.cover(why)
        for dialog in self._window.findChildren(QDialog):
            self._put_away(dialog)
        self._watch()

    def unlock(self) -> None:
        self._cover.hide()
        self._watch()
        self._show_content(shown=True)
        disabled, self._disabled = self._disabled, []
        dialogs, self._dialogs = self._dialogs, []
        # A dialog may have ended meanwhile, and its shortcuts with it.
        for one in filter(isValid, disabled):
            one.setEnabled(True)
        # The keyboard goes back to where it was; a dialog that comes back takes it, and gives it there later.
        focus, self._focus = self._focus, None
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        for dialog in filter(isValid, dialogs):
            QDialog.open(dialog)  # the system's own dialogs have another of that name

    def look(self) -> None:
        limit_s = int(IDLE_MINUTES.read(self._preferences)) * 60.0
        if limit_s and self._clock.monotonic() - self._used_at >= limit_s:
            self.lock(IDLE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _USES:
            self._used_at = self._clock.monotonic()
        elif not self.is_locked:
            pass
        elif kind is QEvent.Type.Resize and watched is self._window:
            self._cover.setGeometry(self._window.rect())
        elif kind is QEvent.Type.Show and isinstance(watched, QDialog):
            self._put_away(watched)  # whatever a task opens meanwhile waits, too
        return super().eventFilter(watched, event)

    def _on_choice(self) -> None:
        self._used_at = self._clock.monotonic()
        self._watch()

    def _watch(self) -> None:
        """See every event only while the window is locked, or locks itself."""
        idle = IDLE_MINUTES.read(self._preferences) != "0"
        self._timer.start() if idle else self._timer.stop()
        if self._app:
            self._app.removeEventFilter(self)
            if idle or self.is_locked:
                self._app.installEventFilter(self)

    def _on_focus(self) -> None:
        """Let an open dialog be locked away, too: it keeps the window's own keys from it."""
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog) and dialog.findChild(QShortcut, _SHORTCUT) is None:
            shortcut = QShortcut(QKeySequence(_KEYS), dialog)
            shortcut.setObjectName(_SHORTCUT)
            shortcut.activated.connect(self.lock)

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


class Cover(QFrame):
    """Covers everything; its only control is `Unlock`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setObjectName("page")
        self.setAccessibleName(_("Keybench is locked"))
        self.reason = prose("", "dim")
        self.button = button(_("Unlock"), tone="primary")
        words = (prose(_("Keybench is locked"), "title"), self.reason, prose(_WORDS), prose(PRIVACY))
        inside = in_column(*words, in_row(None, self.button), margins=(24, 20, 24, 20), spacing=12)
        panel = framed(inside, "panel")
        keep_size(panel, width=_WIDTH_PX)
        QVBoxLayout(self).addWidget(panel, alignment=Qt.AlignmentFlag.AlignCenter)

    def cover(self, reason: str) -> None:
        self.reason.setText(reason)
        self.setGeometry(self._over.rect())
        self.show()
        self.raise_()
        self.button.setFocus()
