"""The keyboard: shortcuts come before a field's own keys, Enter presses a button, the focus stays in place."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from shiboken6 import isValid


class Keyboard(QObject):
    """Watches the control that has the focus.

    Enter presses the button with the focus, in the window and its dialogs: Qt knows Space alone in a window,
    and in a dialog Enter would press another button, the default one. A key held down presses once.

    A shortcut waits its turn. Qt runs it as soon as the key arrives, ahead of keys that wait in its queue or
    for a screen reader: an amount would be sent without its last digits. So does a text field let it pass,
    which on Linux would take Ctrl+E for itself, as Emacs does.

    When the control with the focus is disabled or hidden, Qt gives the focus to the next one, whatever that
    does, and a second Space presses a button that nobody went to. Here it stays on what was disabled, where
    keys do nothing until it is enabled again; from what was hidden it goes to what is around it.

    The window's `focusNextPrevChild` has to ask `stays`.
    """

    def __init__(self, window: QWidget, actions: Iterable[QAction]) -> None:
        super().__init__(window)
        self._window = window
        # Without Ctrl they are letters, which a field takes first.
        self._shortcuts = {
            keys.toString(): action
            for action in actions
            for keys in action.shortcuts()
            if keys.toString().startswith("Ctrl+")
        }
        self._stays_at: QWidget | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def stays(self) -> bool:
        """Keep the focus from moving on by itself; False when a person moves it, with Tab."""
        at: QWidget | None = self._window.focusWidget()
        if at is None:
            return False
        if not at.isVisible():
            _around(at).setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        if at.isEnabled() or at is self._stays_at:
            return False
        self._stays_at = at
        at.installEventFilter(self)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if action := self._action_of(watched, event):
                if not event.isAutoRepeat():
                    action.trigger()
                return True
            return isinstance(watched, QPushButton) and _pressed_by(event, watched)
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            if is_shortcut := self._action_of(watched, event) is not None:
                event.accept()  # it comes again as a key, after those before it
            return is_shortcut
        if event.type() is QEvent.Type.EnabledChange and self._stays_at and self._stays_at.isEnabled():
            self._stays_at = None
        return super().eventFilter(watched, event)

    def _action_of(self, watched: QObject, event: QKeyEvent) -> QAction | None:
        """Return the action whose shortcut is pressed; None in a dialog, where there is none of the window's."""
        if not isinstance(watched, QWidget) or watched.window() is not self._window:
            return None
        pressed = event.keyCombination().toCombined() & ~Qt.KeyboardModifier.KeypadModifier.value
        return self._shortcuts.get(QKeySequence(pressed).toString())

    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        self._stays_at = None
        if before is not None and isValid(before):
            before.removeEventFilter(self)
        if now is not None and (now.window() is self._window or isinstance(now, QPushButton)):
            now.installEventFilter(self)


def _pressed_by(event: QKeyEvent, button: QPushButton) -> bool:
    """Press a button if the key is Enter; tell whether it was."""
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    # One of several that is chosen can't be pressed.
    is_chosen = button.isCheckable() and button.autoExclusive() and button.isChecked()
    if event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter} or not plain or is_chosen:
        return False
    if button.isEnabled() and not event.isAutoRepeat():
        button.click()
    return True


def _around(widget: QWidget) -> QWidget:
    around: QWidget | None = widget.parentWidget()
    while around and not around.isWindow() and not (around.isVisible() and around.isEnabled()):
        around = around.parentWidget()
    return around or widget.window()
