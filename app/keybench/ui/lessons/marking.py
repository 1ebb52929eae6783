"""A frame around a control for a moment, so that it is seen where it is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid

from keybench.ui.kit.boxes import bring_into_sight

_SHOWN_MS: Final = 3000
_FOLLOW_MS: Final = 50
_AROUND_PX: Final = 5


class Marking(QFrame):
    """Gives a control the keyboard, and marks it until it is told that it was seen long enough."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control.window())
        self.setObjectName("marking")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._control = control
        bring_into_sight(control)
        if control.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            control.setFocus(Qt.FocusReason.OtherFocusReason)
        following = QTimer(self, interval=_FOLLOW_MS)
        following.timeout.connect(self._follow)
        following.start()
        QTimer.singleShot(_SHOWN_MS, self, self.deleteLater)
        self._follow()

    def _follow(self) -> None:
        if not isValid(self._control) or not self._control.isVisible():
            self.hide()
            return
        at = QRect(self._control.mapTo(self.window(), QPoint()), self._control.size())
        self.setGeometry(at.adjusted(-_AROUND_PX, -_AROUND_PX, _AROUND_PX, _AROUND_PX))
        self.show()
        self.raise_()
