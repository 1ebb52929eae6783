"""The card of a device below the list: what it is, when its outcomes come, what is remarkable, its face."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame

from keybench.core.devices.habit import Habit
from keybench.ui.devices.face import DeviceFacePanel
from keybench.ui.devices.habit_chart import CHART_PX, HabitChart
from keybench.ui.devices.tables import DeviceLine
from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.boxes import framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import ElidedLabel, Identifier, line, prose
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import keep_place, keep_size, scaled, set_role
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.session import Session
from keybench.words.devices.report import (
    habit_cell,
    habit_rank,
    habit_sentence,
    habit_tone,
    needs_a_look,
    remark_sentence,
)
from keybench.words.devices.states import NEVER_ASKED, sold_lately, state_details
from keybench.words.language import _

_NONE: Final = _("No device chosen")
_HOW: Final = _("Choose a device above to see when the outcomes of its sales come.")
_UNKNOWN: Final = _("No sale that Keybench waited for tells yet when its outcomes come.")
#: From this width on, at 13 px text, the chart stands beside the words.
_BESIDE_PX: Final = 620
#: From this width on the device's face stands beside all else.
_FACE_BESIDE_PX: Final = 840


class DeviceCard(QFrame):
    """The card."""

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__()
        # Each of one line, whatever is told, so that nothing moves from one device to the next.
        self.connection = ElidedLabel("", least=12)
        self.details = ElidedLabel("", "dim", least=12)
        self.lately = ElidedLabel("", "dim", least=12)
        self.name = ElidedLabel("", "strong", least=8)
        self.state = Pill()
        self.identifier = Identifier(_("Identifier of the device"), usual="T-0000-0000")
        keep_place(self.state)
        keep_place(self.identifier)
        self.habit = prose("", "dim", selectable=True)
        self.remark = prose("", selectable=True)
        self.chart = HabitChart()
        self._words = framed(in_column(self.details, self.lately, self.habit, self.remark, None, spacing=4))
        # As high as its longest words, so that nothing moves from one device to the next.
        keep_size(self._words, least_height=CHART_PX)
        both = in_row_or_column(
            (self._words, 3), (self.chart, 2), from_px=partial(scaled, _BESIDE_PX), spacing=24
        )
        head = in_row(self.name, self.state, (self.identifier, 1), spacing=12)
        buttons = WrappingRow([ActionButton(action) for action in actions])
        self.face = DeviceFacePanel(session, self)
        rest = in_column(head, self.connection, both, buttons, None)
        whole = in_row_or_column((rest, 1), self.face, from_px=partial(scaled, _FACE_BESIDE_PX), spacing=16)
        whole.setAlignment(self.face, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        in_column(line(), whole, within=self)

    def show_line(self, line: DeviceLine, others: Habit, told: tuple[str, str], now: datetime) -> None:
        """Show a device, and what is `told` of its state, with its tone."""
        report, (connection, tone) = line.report, told
        self.face.show_device(line.device.id)
        self.name.setText(line.device.nickname or line.device.id)
        self.identifier.show_identifier(line.device.id)
        self.connection.setText(connection or NEVER_ASKED)
        set_role(self.connection, "tone", tone)
        self.details.setText(state_details(line.state, now) if line.state else "")
        self.lately.setText(sold_lately(line.sales, now))
        for part in (self.identifier, self.details, self.lately):
            part.show()
        self.habit.setText(habit_sentence(report) if report else _UNKNOWN)
        self.chart.show_habit(report, others)
        tone = habit_tone(report)
        self._show_remark(habit_cell(report) if tone else "", remark_sentence(report) if report else "", tone)

    def show_all(self, remarkable: Sequence[DeviceLine], habit: Habit) -> None:
        self.face.show_device("")
        self.connection.setText("")
        for part in (self.identifier, self.details, self.lately):
            part.hide()
        self.name.setText(_NONE)
        self.habit.setText(_HOW)
        self.chart.show_all(habit)
        ranked = sorted(remarkable, key=lambda line: habit_rank(line.report))
        said = needs_a_look([line.device.nickname or line.device.id for line in ranked])
        self._show_remark("", said, "warning" if said else "")

    def _show_remark(self, state: str, sentence: str, tone: str) -> None:
        self.state.show_state(state, tone)
        self.state.setVisible(bool(state))
        self.remark.setText(sentence)
        set_role(self.remark, "tone", tone)
