"""Presentation size: shows shortcuts and named keys as they are pressed, and ends in a live environment."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence, QWindow
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from keybench.ui.kit.labels import Label
from keybench.ui.kit.theme import scaled, theme
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.ui.shared.session import Notice, Session
from keybench.words.language import _

_SHOWN_MS: Final = 2000
#: Above the window's lower edge, where notices are, or above the field somebody is at, in pixels at 13 px text.
_ABOVE_PX, _GAP_PX = 44, 8
_Key, _With = Qt.Key, Qt.KeyboardModifier
_NAMED: Final = {*range(_Key.Key_Escape, _Key.Key_PageDown + 1), *range(_Key.Key_F1, _Key.Key_F35 + 1)}


def _field() -> QWidget | None:
    """Return what takes text where the keyboard is."""
    at = QApplication.focusWidget()
    return at if at and at.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled) else None


def _shown_name(event: QKeyEvent) -> str:
    """Return what a pressed key is called on this system; empty for a modifier alone and for what is typed."""
    used = event.modifiers() & (_With.ControlModifier | _With.AltModifier | _With.MetaModifier)
    # With Alt, which may be AltGr or Option, a field takes a character for text. Ctrl alone is never typed.
    is_typed = not used or (used != _With.ControlModifier and _field() is not None)
    if event.key() not in _NAMED and (is_typed or event.key() >= _Key.Key_Escape):
        return ""
    keys = QKeySequence((used | event.modifiers() & _With.ShiftModifier).value | event.key())
    name = keys.toString(QKeySequence.SequenceFormat.NativeText)
    return name.replace("Backtab", "Tab").replace("Return", "Enter")


def _made() -> Label:
    label = Label()
    label.setObjectName("pressed")
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    label.setAccessibleName(_("Pressed keys"))  # of its own: a screen reader tells no change of the text
    return label


class Presenting(QObject):
    """Shows keys for a moment in the window or dialog in use. It sees every event then, and changes none."""

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self._keys, self._times = "", 0
        self.label = _made()
        self._gone = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._gone.timeout.connect(self._hide)
        theme().changed.connect(self._watch)
        session.environment_changed.connect(self._watch)
        self._watch()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.ShortcutOverride:
            # Once for each press a window is asked, before the key is a shortcut or goes to a control.
            if isinstance(watched, QWindow) and isinstance(event, QKeyEvent) and (keys := _shown_name(event)):
                self._times = self._times + 1 if keys == self._keys else 1
                self._keys = keys
                self._show()
                self._gone.start()
        elif self._keys and kind is QEvent.Type.FocusIn:
            self._show()  # where the keyboard is now: in a dialog, above another field
        return False

    def _watch(self, _environment: object = None) -> None:
        if theme().presenting and self._session.environment.is_live:
            for line in self._window.findChildren(ValueLine):
                line.hide_value()  # or the real one would come in sight, which nobody asked for
            theme().present(presenting=False)
            self._session.notify(Notice("info", _("Presentation size is off in a live environment.")))
        if app := QApplication.instance():
            app.removeEventFilter(self)
            app.installEventFilter(self) if theme().presenting else self._hide()

    def _show(self) -> None:
        window = QApplication.activeWindow() or self._window
        if not isValid(self.label):  # it went with a dialog
            self.label = _made()
        if self.label.parentWidget() is not window:
            self.label.setParent(window)
        times = f" \N{MULTIPLICATION SIGN}{self._times}" if self._times > 1 else ""
        self.label.setText(self._keys + times)
        self.label.show()
        self.label.raise_()
        self.label.adjustSize()
        field, place = _field(), self.label.rect()
        place.moveCenter(window.rect().center())
        place.moveBottom(window.rect().bottom() - scaled(_ABOVE_PX))
        if field and window.isAncestorOf(field):
            taken = QRect(field.mapTo(window, QPoint()), field.size())
            if taken.intersects(place) and taken.top() > place.height() + scaled(_GAP_PX):
                place.moveBottom(taken.top() - scaled(_GAP_PX))
        self.label.move(place.topLeft())

    def _hide(self) -> None:
        self._keys = ""
        if isValid(self.label):
            self.label.hide()
            self.label.clear()
