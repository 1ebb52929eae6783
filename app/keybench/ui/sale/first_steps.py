"""What to do for a first sale, in three steps, where the outcome will stand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.environment import Environment, EnvironmentKind
from keybench.ui.session import Session
from keybench.ui.tokens import Tone
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.language import _


class FirstSteps(QWidget):
    """Shows the steps; what is done has a tick, and what comes next stands out.

    Args:
        session: Knows what the environment's gateway can do, and starts the tour.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pills = [Pill() for _step in range(3)]
        self.titles = [
            label(text, "strong") for text in (_("Add a New Key"), _("Choose a device"), _("Send sale"))
        ]
        self._texts = [prose("", "dim") for _step in range(3)]
        self.tour = button(_("Take the guided tour"), session.tour_wanted)
        self.tour_text = prose(_("Or watch first: the tour shows all of this in a window of its own."), "dim")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for step in range(3):
            row = 3 * step
            grid.addWidget(self._pills[step], row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self.titles[step], row, 1)
            grid.addWidget(self._texts[step], row + 1, 1)
            grid.setRowMinimumHeight(row + 2, 8)
        grid.addWidget(self.tour_text, 9, 1)
        grid.addWidget(self.tour, 10, 1, Qt.AlignmentFlag.AlignLeft)

    def show_progress(self, environment: Environment, *, has_key: bool, has_device: bool) -> None:
        """Show what is done and what comes next in an environment.

        Args:
            environment: Where the sale is to be.
            has_key: Whether a key is chosen to sell with.
            has_device: Whether a device is chosen.
        """
        done = (has_key, has_device, False)
        current = done.index(False)
        for step, (pill, title) in enumerate(zip(self._pills, self.titles, strict=True)):
            tone: Tone = "good" if done[step] else "accent" if step == current else "dim"
            pill.show_state(f"✓ {step + 1}" if done[step] else str(step + 1), tone)
            state = _("done") if done[step] else _("next") if step == current else _("later")
            words = _("Step {number} of 3, {state}: {title}")
            title.setAccessibleName(words.format(number=step + 1, state=state, title=title.text()))
        for line, text in zip(self._texts, self._sentences(environment), strict=True):
            line.setText(text)
        practice = environment.kind is EnvironmentKind.PRACTICE
        self.tour.setVisible(practice)
        self.tour_text.setVisible(practice)

    def _sentences(self, environment: Environment) -> tuple[str, str, str]:
        can_create = self._session.console.environments.facts(environment).can_create_keys
        key = (
            _("The gateway creates it, and its value goes to the keystore.")
            if can_create
            else _("Create it in the portal, and paste its value here.")
        )
        match environment.kind:
            case EnvironmentKind.PRACTICE:
                device = _("The devices of the practice gateway are simulated.")
                return key, device, _("10.00 is approved after 3 seconds. No money moves.")
            case EnvironmentKind.TEST:
                device = _("One of the account's devices, or type an identifier.")
                return key, device, _("This is a test: no money moves.")
            case EnvironmentKind.LIVE:
                device = _("One of the account's devices, or type an identifier.")
                return key, device, _("Keybench asks before money moves.")
