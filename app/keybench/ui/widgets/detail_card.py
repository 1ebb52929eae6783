"""The card below a list: what is known of the selected row, and buttons for what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from keybench.ui.actions import ActionButton
from keybench.ui.theme import set_role
from keybench.ui.widgets.boxes import in_column
from keybench.ui.widgets.labels import ElidedLabel, line
from keybench.ui.widgets.pill import Pill


class DetailCard(QFrame):
    """A line with name, state and place, a line of facts, whatever a list adds, and a row of buttons.

    Args:
        apart: What stands apart from that, on the right.
        head: What the first line ends with.
        body: What stands below the facts.
    """

    def __init__(
        self,
        actions: Sequence[QAction],
        apart: Sequence[QAction] = (),
        head: Sequence[QWidget] = (),
        body: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self.name = ElidedLabel("", "strong", least=12)
        self.state = Pill()
        self.state.setMinimumHeight(Pill("x", "good").sizeHint().height())
        self.place = ElidedLabel("", "dim", least=8)
        self.facts = ElidedLabel("", "dim", least=12)
        top, buttons = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.name, 2)
        top.addWidget(self.state)
        top.addWidget(self.place, 3)
        for widget in head:
            top.addWidget(widget)
        buttons.setSpacing(8)
        self.buttons = [ActionButton(action) for action in (*actions, *apart)]
        for one in self.buttons:
            buttons.addWidget(one)
        buttons.insertStretch(len(actions), 1)
        in_column(line(), top, self.facts, *body, buttons, within=self)

    def show_head(self, name: str, state: str, tone: str, place: str, *, live: bool = False) -> None:
        """Show the first line; where it is `live`, the place is marked."""
        self.name.setText(name)
        self.state.show_state(state, tone)
        self.place.setText(place)
        set_role(self.place, "tone", "live" if live else "")
