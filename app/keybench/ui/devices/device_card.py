"""The card of a device below the list: what it is, when its outcomes come, and what is remarkable of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.habit import Habit
from keybench.ui.devices.habit_curve import CURVE_PX, HabitCurve
from keybench.ui.devices.tables import DeviceLine
from keybench.ui.theme import keep_size, scaled, set_role
from keybench.ui.widgets.labels import ElidedLabel, Identifier, line, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.devices import (
    habit_cell,
    habit_rank,
    habit_sentence,
    habit_tone,
    needs_a_look,
    remark_sentence,
)
from keybench.words.language import _

_NONE: Final = _("No device chosen")
_HOW: Final = _("Choose a device above to see when the outcomes of its sales come.")
_UNKNOWN: Final = _("No sale that Keybench waited for tells yet when its outcomes come.")
#: From this width on, at 13 px text, the curve stands beside the words.
_BESIDE_PX: Final = 620


class DeviceCard(QFrame):
    """The card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ElidedLabel("", "strong", least=8)
        self.state = Pill()
        self.identifier = Identifier(_("Identifier of the device"), usual="T-0000-0000")
        self.habit = prose("", "dim", selectable=True)
        self.remark = prose("", selectable=True)
        self.curve = HabitCurve()
        self._both = QHBoxLayout()
        self._words = QWidget()
        self._lay_out()

    def show_line(self, line: DeviceLine, others: Habit) -> None:
        """Show a device beside the habit of the others."""
        report = line.report
        self.name.setText(line.device.nickname or line.device.id)
        self.identifier.show_identifier(line.device.id)
        self.identifier.show()
        self.habit.setText(habit_sentence(report) if report else _UNKNOWN)
        self.curve.show_habit(report, others)
        self._show_remark(
            habit_cell(report) if habit_tone(report) else "",
            remark_sentence(report) if report else "",
            habit_tone(report),
        )

    def show_all(self, remarkable: Sequence[DeviceLine], habit: Habit) -> None:
        """Show what is known of all devices, while none is chosen.

        Args:
            remarkable: Those that need a look.
            habit: Of all together.
        """
        self.identifier.hide()
        self.name.setText(_NONE)
        self.habit.setText(_HOW)
        self.curve.show_all(habit)
        ranked = sorted(remarkable, key=lambda line: habit_rank(line.report))
        said = needs_a_look([line.device.nickname or line.device.id for line in ranked])
        self._show_remark("", said, "warning" if said else "")

    def _show_remark(self, state: str, sentence: str, tone: str) -> None:
        self.state.show_state(state, tone)
        self.state.setVisible(bool(state))
        self.remark.setText(sentence)
        set_role(self.remark, "tone", tone)

    def minimumSizeHint(self) -> QSize:
        """Return the width that words or curve need: where there is no more, one is below the other."""
        width = max(self._words.minimumSizeHint().width(), self.curve.minimumSizeHint().width())
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the curve beside the words, or below them."""
        super().resizeEvent(event)
        ways = QHBoxLayout.Direction
        beside = self.width() >= scaled(_BESIDE_PX)
        self._both.setDirection(ways.LeftToRight if beside else ways.TopToBottom)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.name)
        head.addWidget(self.state)
        head.addWidget(self.identifier, 1)
        self.name.setMinimumHeight(Pill("x", "good").sizeHint().height())  # also while there is no pill
        stays = self.identifier.sizePolicy()
        stays.setRetainSizeWhenHidden(True)
        self.identifier.setSizePolicy(stays)
        words = QVBoxLayout(self._words)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(8)
        words.addLayout(head)
        words.addWidget(self.habit)
        words.addWidget(self.remark)
        words.addStretch(1)
        # As high as its longest words, so that nothing moves from one device to the next.
        keep_size(self._words, least_height=CURVE_PX)
        self._both.setSpacing(24)
        self._both.addWidget(self._words, 3)
        self._both.addWidget(self.curve, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        layout.addLayout(self._both)
