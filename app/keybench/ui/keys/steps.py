"""The line of steps over Add a New Key where the value comes from a portal: name, bring, test."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench.ui.theme import scaled
from keybench.ui.tokens import Tone
from keybench.ui.widgets.labels import label
from keybench.ui.widgets.pill import Pill
from keybench.words.language import _

_STEPS: Final = (_("Name it in the portal"), _("Bring the value here"), _("Test"))
#: Round each step, in pixels at 13 px text: the pill's own padding and the spaces beside the arrow.
_PADDING: Final = 26
_ARROW: Final = "›"  # noqa: RUF001 - an arrow between steps


class Steps(QWidget):
    """Shows which step one is at; what is done has a tick. In little room the others lose their words."""

    def __init__(self) -> None:
        super().__init__()
        self._current = 0
        layout = QHBoxLayout(self)
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self._pills = [Pill() for _step in _STEPS]
        for index, pill in enumerate(self._pills):
            if index:
                layout.addWidget(label(_ARROW, "dim"))
            layout.addWidget(pill)
        layout.addStretch(1)
        self.show_step(0)

    def show_step(self, current: int) -> None:
        self._current = current
        forms = [_texts(current, wordy) for wordy in ({0, 1, 2}, {current, 2}, {current})]
        texts = next((form for form in forms if self._has_room(form)), forms[-1])
        for index, (pill, text) in enumerate(zip(self._pills, texts, strict=True)):
            pill.show_state(text, _tone(index, current))
        self.setAccessibleName(
            _("Step {current} of {count}: {STEPS}").format(
                current=current + 1, count=len(_STEPS), STEPS=_STEPS[current]
            )
        )

    def minimumSizeHint(self) -> QSize:
        """Return no width of its own, so that it never makes the panel wider."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_step(self._current)

    def _has_room(self, texts: list[str]) -> bool:
        font = QFont(self._pills[0].font())
        font.setBold(True)
        words = QFontMetrics(font).horizontalAdvance("".join(texts) + _ARROW * (len(texts) - 1))
        return words + scaled(_PADDING) * len(texts) <= self.width()


def _texts(current: int, wordy: set[int]) -> list[str]:
    return [
        f"{'✓ ' if index < current else ''}{index + 1}{f' {step}' if index in wordy else ''}"
        for index, step in enumerate(_STEPS)
    ]


def _tone(index: int, current: int) -> Tone:
    if index < current:
        return "good"
    return "accent" if index == current else "dim"
