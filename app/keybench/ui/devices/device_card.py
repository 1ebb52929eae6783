"""The card of a device below the list: what it is, when its outcomes come, and what is remarkable of that."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.habit import Habit
from keybench.ui.actions import ActionButton
from keybench.ui.devices.habit_curve import CURVE_PX, HabitCurve
from keybench.ui.devices.tables import DeviceLine
from keybench.ui.theme import keep_size, scaled, set_role
from keybench.ui.widgets.labels import ElidedLabel, Identifier, line, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.device_states import (
    ASKING,
    NEVER_ASKED,
    sold_lately,
    state_details,
    state_sentence,
    state_tone,
)
from keybench.words.devices import (
    habit_cell,
    habit_rank,
    habit_sentence,
    habit_tone,
    needs_a_look,
    remark_sentence,
)
from keybench.words.language import _
from keybench.workflows.devices import Holder

_NONE: Final = _("No device chosen")
_HOW: Final = _("Choose a device above to see when the outcomes of its sales come.")
_UNKNOWN: Final = _("No sale that Keybench waited for tells yet when its outcomes come.")
#: From this width on, at 13 px text, the curve stands beside the words.
_BESIDE_PX: Final = 620
#: The same for the buttons beside the name.
_IN_LINE_PX: Final = 760


class DeviceCard(QFrame):
    """The card."""

    def __init__(self, actions: Sequence[QAction] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons = [ActionButton(action) for action in actions]
        # Each of one line, whatever is told, so that nothing moves from one device to the next.
        self.connection = ElidedLabel("", least=12)
        self.details = ElidedLabel("", "dim", least=12)
        self.lately = ElidedLabel("", "dim", least=12)
        self.name = ElidedLabel("", "strong", least=8)
        self.state = Pill()
        self.identifier = Identifier(_("Identifier of the device"), usual="T-0000-0000")
        self.habit = prose("", "dim", selectable=True)
        self.remark = prose("", selectable=True)
        self.curve = HabitCurve()
        self._top = QHBoxLayout()
        self._both = QHBoxLayout()
        self._words = QWidget()
        self._lay_out()

    def show_line(self, line: DeviceLine, others: Habit) -> None:
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

    def show_state(
        self, line: DeviceLine, holder: Holder | None, failure: str, *, is_asking: bool, now: datetime
    ) -> None:
        state = line.state
        known = state_sentence(state, holder, now) if state else NEVER_ASKED
        text = f"{failure} {known}" if failure else known
        self.connection.setText(ASKING if is_asking else text)
        tone = "warning" if failure else state_tone(state, holder)
        set_role(self.connection, "tone", "dim" if is_asking else tone)
        self.details.setText(state_details(state, now) if state else "")
        self.lately.setText(sold_lately(line.sales, now))
        for part in (self.details, self.lately):
            part.show()

    def show_all(self, remarkable: Sequence[DeviceLine], habit: Habit) -> None:
        self.identifier.hide()
        for part in (self.connection, self.details, self.lately):
            part.setText("")
        for part in (self.details, self.lately):
            part.hide()
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
        super().resizeEvent(event)
        ways = QHBoxLayout.Direction
        beside = self.width() >= scaled(_BESIDE_PX)
        self._both.setDirection(ways.LeftToRight if beside else ways.TopToBottom)
        in_line = self.width() >= scaled(_IN_LINE_PX)
        self._top.setDirection(ways.LeftToRight if in_line else ways.TopToBottom)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.name)
        head.addWidget(self.state)
        head.addWidget(self.identifier, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for one in self._buttons:
            buttons.addWidget(one)
        self._top.setSpacing(8)
        self._top.addLayout(head, 1)
        self._top.addLayout(buttons)
        self.name.setMinimumHeight(Pill("x", "good").sizeHint().height())  # also while there is no pill
        stays = self.identifier.sizePolicy()
        stays.setRetainSizeWhenHidden(True)
        self.identifier.setSizePolicy(stays)
        words = QVBoxLayout(self._words)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(4)
        for part in (self.details, self.lately, self.habit):
            words.addWidget(part)
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
        layout.addLayout(self._top)
        layout.addWidget(self.connection)
        layout.addLayout(self._both)
