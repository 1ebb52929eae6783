"""The one place that shows a key's value: dots, and for ten seconds the value, or a made-up one to an audience."""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QSizePolicy

from keybench.core.ports import Clock
from keybench.core.secret import Secret
from keybench.ui.kit.labels import Label
from keybench.ui.kit.theme import theme
from keybench.ui.shared.clipboard import Countdown
from keybench.words.language import _

#: How long a value is shown, in seconds.
REVEAL_S: Final = 10

_DOTS: Final = "•" * 26
_HIDDEN_NAME: Final = _("Value, hidden")
_MADE_UP: Final = _("made-up value, while presenting")
#: A value may take so many lines while it is shown.
_LINES: Final = 2
#: So many dots stay where there is little room.
_LEAST_DOTS: Final = 6


class ValueLine(Label):
    """Dots, or the value while it is revealed, or words for a key that has none here.

    It can't be selected, dragged or copied from, so that no copy is made unmarked. While the value is shown
    it is the label's text, which a screen reader can reach; afterwards text and accessible name say that it
    is hidden. It hides by itself when the time is over, when its window is no longer the active one, and
    when it is no longer on screen.

    While somebody presents, a made-up value stands in its place, which says that it is one.

    Signals:
        ticked: Seconds left.
        hidden: The value was shown and is hidden from now on.
    """

    ticked = Signal(int)
    hidden = Signal()

    def __init__(self, clock: Clock) -> None:
        super().__init__(_DOTS)
        self.setProperty("role", "mono")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setAccessibleName(_HIDDEN_NAME)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._absent = ""
        self._value: Secret | None = None
        theme().changed.connect(self._show_value)
        self._countdown = Countdown(clock, self)
        self._countdown.ticked.connect(self.ticked)
        self._countdown.ended.connect(self.hide_value)

    @property
    def revealed(self) -> bool:
        return self._countdown.running

    def show_absent(self, words: str) -> None:
        """Show words where there is no value; show dots again with an empty text."""
        if words != self._absent:
            self.hide_value()
            self._absent = words
            self._show_rest()

    def reveal(self, value: Secret, seconds: float = REVEAL_S) -> None:
        """Show `value` for `seconds`."""
        self._value = value
        # With no name of its own the label's name is its text: a blind person reads the value there.
        self.setAccessibleName("")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._countdown.start(seconds)
        self._show_value()

    @property
    def fits(self) -> bool:
        return self._lines <= self._most_lines

    def hide_value(self) -> None:
        """Show dots again; safe when they are shown already."""
        if self.text() == self._rest:
            return
        self._countdown.stop()
        self._value = None
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._show_rest()
        self._keep_out_of_pictures(out=False)
        self.hidden.emit()

    def look(self) -> None:
        self._countdown.look()

    def event(self, event: QEvent) -> bool:
        """Hide the value when its window is no longer the one in use; the window hands the event on."""
        if event.type() == QEvent.Type.WindowDeactivate:
            self.hide_value()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit_height()
            metrics = QFontMetricsF(self.font())
            self.setMinimumWidth(round(metrics.horizontalAdvance(_DOTS[:_LEAST_DOTS])))
        super().changeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.hide_value()
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw dots as a label does, and a value broken anywhere, because it has no spaces."""
        if not self.revealed:
            super().paintEvent(event)
            return
        upright = Qt.AlignmentFlag.AlignVCenter if self.fits else Qt.AlignmentFlag.AlignTop
        option = QTextOption(Qt.AlignmentFlag.AlignLeft | upright)
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere)
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(QRectF(self.contentsRect()), self.text(), option)
        painter.end()

    @property
    def _lines(self) -> int:
        """How many lines the value needs that is shown; one for dots."""
        letters = int(self.contentsRect().width() // QFontMetricsF(self.font()).horizontalAdvance("m"))
        parts = self.text().split("\n")
        return sum(math.ceil(len(one) / max(letters, 1)) for one in parts) if self.revealed else 1

    @property
    def _most_lines(self) -> int:
        return _LINES * (2 if theme().presenting else 1)

    def _fit_height(self) -> None:
        spacing = QFontMetricsF(self.font()).lineSpacing()
        self.setFixedHeight(math.ceil(spacing * min(self._lines, self._most_lines)))

    def _show_value(self) -> None:
        if self._value:
            made_up = f"{_MADE_UP}\n{self._value.stand_in()}" if theme().presenting else ""
            self.setText(made_up or self._value.reveal())
            self._fit_height()
            self._keep_out_of_pictures(out=not made_up)

    @property
    def _rest(self) -> str:
        return self._absent or _DOTS

    def _show_rest(self) -> None:
        self.setText(self._rest)
        self._fit_height()
        self.setAccessibleName(
            _("Value: {absent}").format(absent=self._absent) if self._absent else _HIDDEN_NAME
        )

    def _keep_out_of_pictures(self, *, out: bool) -> None:
        from keybench.ui.shared.capture import keep_out_of_pictures  # noqa: PLC0415 - a start reveals nothing

        keep_out_of_pictures(self, out=out)
