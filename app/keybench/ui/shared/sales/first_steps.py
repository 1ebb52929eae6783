"""What to do for a first sale, in three steps, each of which leads to where it is done."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeystoreMissing
from keybench.core.events import KeystoreChanged
from keybench.ui.kit.labels import Pill, button, prose
from keybench.ui.kit.theme import set_role
from keybench.ui.kit.tokens import Tone
from keybench.ui.shared.session import Session, TakeTour
from keybench.words.language import _

_STEPS: Final = 3
#: Where a title's text begins within its button, in pixels.
_INDENT: Final = 5
TITLE: Final = _("A first sale in three steps")


class FirstSteps(QWidget):
    """Shows the steps; what is done has a tick, and what comes next stands out.

    Signals:
        step_wanted: A person wants to do a step: 1 to 3.
    """

    step_wanted = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._environment: Environment | None = None
        self._device = ""
        self._pills = [Pill() for _step in range(_STEPS)]
        self.titles = [
            button(text, self._on_title, tone="step")
            for text in (_("Add a New Key"), _("Choose a device"), _("Send sale"))
        ]
        self._texts = [prose("", "dim") for _step in range(_STEPS)]
        self.tour = button(_("Take the guided tour"), partial(session.ask, TakeTour()))
        self.tour_text = prose(_("Or watch first: the tour shows all of this in a window of its own."), "dim")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for step in range(_STEPS):
            row = 3 * step
            grid.addWidget(self._pills[step], row, 0, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(self.titles[step], row, 1, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(self._texts[step], row + 1, 1)
            grid.setRowMinimumHeight(row + 2, 8)
        grid.addWidget(self.tour_text, 9, 1)
        grid.addWidget(self.tour, 10, 1, Qt.AlignmentFlag.AlignLeft)
        for text in (*self._texts, self.tour_text):
            text.setIndent(_INDENT)
        session.subscribe(self, {KeystoreChanged: lambda _event: self._show_sentences()})

    def show_progress(self, environment: Environment, *, has_key: bool, device: str) -> int:
        """Show what is done and what comes next; return that step, 1 to 3."""
        self._environment, self._device = environment, device
        done = (has_key, bool(device), False)
        current = done.index(False)
        for step, (pill, title) in enumerate(zip(self._pills, self.titles, strict=True)):
            tone: Tone = "good" if done[step] else "accent" if step == current else "dim"
            pill.show_state(f"✓ {step + 1}" if done[step] else str(step + 1), tone)
            state = _("done") if done[step] else _("next") if step == current else _("later")
            words = _("Step {number} of 3, {state}: {title}")
            title.setAccessibleName(words.format(number=step + 1, state=state, title=title.text()))
            title.setEnabled(done[step] or step == current)
            set_role(title, "tone", "next" if step == current else "step")
        self._show_sentences()
        practice = environment.kind is EnvironmentKind.PRACTICE
        self.tour.setVisible(practice)
        self.tour_text.setVisible(practice)
        return current + 1

    def _show_sentences(self) -> None:
        if self._environment is None:
            return
        sentences = self._sentences(self._environment)
        for title, line, text in zip(self.titles, self._texts, sentences, strict=True):
            line.setText(text)
            title.setAccessibleDescription(text)

    def _sentences(self, environment: Environment) -> tuple[str, str, str]:
        key = _("Create it in the portal, and paste its value here.")
        if self._session.console.environments.facts(environment).can_create_keys:
            key = _("The gateway creates it, and its value goes to {keystore}.").format(
                keystore=self._keystore()
            )
        if self._device:
            device = _("{device} is chosen.").format(device=self._device)
        elif environment.kind is EnvironmentKind.PRACTICE:
            device = _("The devices of the practice gateway are simulated.")
        else:
            device = _("One of the account's devices, or type an identifier.")
        match environment.kind:
            case EnvironmentKind.PRACTICE:
                return key, device, _("10.00 is approved after 3 seconds. No money moves.")
            case EnvironmentKind.TEST:
                return key, device, _("This is a test: no money moves.")
            case EnvironmentKind.LIVE:
                return key, device, _("Keybench asks before money moves.")

    def _keystore(self) -> str:
        status = self._session.console.keystore_status
        known = status.durable or isinstance(status.trouble, KeystoreMissing)
        return status.name if known else _("the keystore")

    def _on_title(self) -> None:
        at = self.sender()
        self.step_wanted.emit(next(step for step, one in enumerate(self.titles, 1) if one is at))
