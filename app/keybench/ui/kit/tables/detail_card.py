"""The card below a list: what is known of the selected row, and buttons for what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QWidget

from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, line
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import set_role


class DetailCard(QFrame):
    """A line with name, state, place and `head`, a line of facts, a `body`, and buttons, some `apart` on the right."""

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
        top = in_row((self.name, 2), self.state, (self.place, 3), *head, spacing=12)
        self.buttons = [ActionButton(action) for action in (*actions, *apart)]
        buttons = in_row(*self.buttons[: len(actions)], None, *self.buttons[len(actions) :])
        in_column(line(), top, self.facts, *body, buttons, within=self)

    def show_head(self, name: str, state: str, tone: str, place: str, *, live: bool = False) -> None:
        self.name.setText(name)
        self.state.show_state(state, tone)
        self.place.setText(place)
        set_role(self.place, "tone", "live" if live else "")
